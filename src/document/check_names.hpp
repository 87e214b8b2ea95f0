// Whether the names in a history are such as code can have used.
#pragma once

#include "document/document.hpp"
#include <belay/limits.hpp>

namespace belay::document {

/// The first name in an event of a document, or label of a child, that nobody could have called,
/// raised or started, with its place: `invalid_argument`, or `limit_exceeded` for one that is too
/// long. A document that is only read may have any; one that is imported is shown by name, and
/// found.
[[nodiscard]] Result<void> check_event_names(const Document& document, const Limits& limits);

}  // namespace belay::document
