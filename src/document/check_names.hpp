// The check that code can have used the names in a history.
#pragma once

#include "document/document.hpp"
#include <belay/limits.hpp>

namespace belay::document {

/// Returns an error for the first name in an event, or label of a child, that nobody could have
/// called, raised or started. It has the place: `invalid_argument`, or `limit_exceeded` if the name
/// is too long. A document that is only read may have any names. An imported one is shown and found
/// by name.
[[nodiscard]] Result<void> check_event_names(const Document& document, const Limits& limits);

}  // namespace belay::document
