// Finds the parts of an expression that fail in every evaluation.
#pragma once

#include "expr/ast.hpp"
#include "expr/place.hpp"

#include <vector>

namespace belay::expr {

/// Evaluates each part that names no variable, and appends the problems. Leaves out parts that need
/// not be evaluated: branches of `?:`, operands of `&&` and `||`, and the bodies of macros.
void check_constants(const Node& root, std::vector<Problem>& problems);

}  // namespace belay::expr
