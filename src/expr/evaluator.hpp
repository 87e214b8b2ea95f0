// Evaluates expressions.
#pragma once

#include "expr/ast.hpp"
#include "expr/budget.hpp"
#include "expr/place.hpp"
#include "expr/value.hpp"

#include <expected>

namespace belay::expr {

/// Evaluates a tree. `variables`: the values of names. The same tree and values give the same
/// result, always and on every machine.
[[nodiscard]] std::expected<Value, Problem> evaluate(const Node& node,
                                                     const Map& variables,
                                                     Budget& budget);

}  // namespace belay::expr
