// Places in a source text, and problems found there.
#pragma once

#include <cstdint>
#include <string>

namespace belay::expr {

/// A place in a text. Both numbers begin with 1; columns count characters, not bytes.
struct Place {
    std::uint32_t line = 1;
    std::uint32_t column = 1;

    friend bool operator==(const Place&, const Place&) = default;
};

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
