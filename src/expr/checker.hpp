// Finds mistakes in an expression before it is evaluated.
#pragma once

#include "expr/ast.hpp"
#include "expr/place.hpp"
#include "expr/type.hpp"

#include <vector>

namespace belay::expr {

/// Returns the type of the result, as far as it is known. `names`: the types of the variables.
/// Appends a problem for each unknown name or field, and for each call that takes no such types.
[[nodiscard]] Type check(const Node& node,
                         const Type::Fields& names,
                         std::vector<Problem>& problems);

/// Returns the known name that is most like `name`, as advice for a misspelt one; empty if none is.
[[nodiscard]] std::string_view most_alike(std::string_view name, const Type::Fields& known);

}  // namespace belay::expr
