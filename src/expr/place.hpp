// Problems in an expression, with their places.
#pragma once

#include "base/place.hpp"

#include <string>

namespace belay::expr {

using base::Place;

/// A problem at a place of an expression.
struct Problem {
    Place place;
    std::string message;
    /// True if a limit was reached. Such a problem is never absorbed by `||` or `&&`.
    bool limit = false;

    friend bool operator==(const Problem&, const Problem&) = default;
};

/// Returns text like "line 2, column 7: ...".
[[nodiscard]] inline std::string to_string(const Problem& problem) {
    return "line " + std::to_string(problem.place.line) + ", column " +
           std::to_string(problem.place.column) + ": " + problem.message;
}

}  // namespace belay::expr
