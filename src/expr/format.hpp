// "%s and %d".format([a, b])
#pragma once

#include "expr/functions.hpp"

#include <string>

namespace belay::expr {

/// Replaces each clause of `pattern` by the next value: %s any value, %d an integer, %f and %e a
/// number (%.2f: with so many digits), %x, %X, %o and %b an integer in another base, %% a percent
/// sign.
[[nodiscard]] Outcome format_text(const std::string& pattern, const List& values, Budget& budget);

}  // namespace belay::expr
