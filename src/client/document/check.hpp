// Whether a document can be true.
#pragma once

#include "client/document/document.hpp"

namespace belay::client {

/// Throws a Damage for the first contradiction: between the instance, its executions and what their
/// history says of their ends.
void check_document(const Document& document);

}  // namespace belay::client
