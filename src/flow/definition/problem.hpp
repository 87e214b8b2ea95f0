// A mistake in a definition, a bundle or the params of a run.
#pragma once

#include "base/place.hpp"

#include <string>
#include <vector>

namespace belay::flow {

/// The place of a problem that is in no text.
inline constexpr base::Place kNoPlace{.line = 0, .column = 0};

struct Problem {
    base::Place place = kNoPlace;
    std::string message;
    std::string advice{};  ///< A sentence that tells what to write instead; empty: none.
    /// The name of the definition that has the mistake, if it is one of several.
    std::string flow{};

    friend bool operator==(const Problem&, const Problem&) = default;
};

using Problems = std::vector<Problem>;

/// Returns text like `line 3, column 5: unknown field "neds". Did you mean "needs"?`.
[[nodiscard]] std::string to_string(const Problem& problem);

}  // namespace belay::flow
