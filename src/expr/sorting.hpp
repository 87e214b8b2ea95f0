// Sorting values.
#pragma once

#include "expr/value.hpp"

namespace belay::expr {

/// Returns `items` in the order of `keys`, one for each item, which all can be compared with each
/// other. Equal ones stay in their order.
[[nodiscard]] List sorted(const List& items, const List& keys);

}  // namespace belay::expr
