// Problems in an expression, with their places.
#pragma once

#include "base/place.hpp"

#include <cstdint>
#include <string>

namespace belay::expr {

using base::Place;

/// The beginning of a source text within a document, to tell the places of what is in it.
struct Origin {
    // A place is an origin.
    Origin(Place first = {}) : place(first) {}
    Origin(Place first, std::uint32_t indentation) : place(first), indent(indentation) {}
    /// Gives everything the same place, for a text whose characters cannot be found in the
    /// document: it was written with escapes, or folded.
    [[nodiscard]] static Origin fixed_at(Place only) {
        Origin origin(only);
        origin.fixed = true;
        return origin;
    }

    /// Moves `at` over a character.
    void advance(Place& at, bool line_end) const noexcept {
        if (fixed) return;
        if (line_end) {
            ++at.line;
            at.column = indent;
        }
        ++at.column;
    }

    Place place;
    std::uint32_t indent = 0;  ///< Columns before each further line that are no part of the text.
    bool fixed = false;
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
