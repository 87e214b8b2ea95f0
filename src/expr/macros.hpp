// Calls that are not functions: has(), all(), map() and the like, whose arguments are not all
// evaluated first.
#pragma once

#include "expr/ast.hpp"
#include "expr/place.hpp"

#include <optional>

namespace belay::expr {

/// Turns `call` into the node of a macro if it is one; otherwise leaves it as it is. Returns the
/// problem of a macro that is written wrongly.
[[nodiscard]] std::optional<Problem> expand_macro(NodePtr& call);

}  // namespace belay::expr
