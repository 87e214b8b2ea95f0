// Inputs that code of orchestrations reads and nobody records.
#pragma once

#include <belay/testing/hidden_inputs.hpp>

#include <compare>
#include <set>
#include <string>

namespace belay::testing {

struct HiddenInput {
    std::string definition;  ///< The orchestration.
    std::string function;    ///< The function that it called.
    auto operator<=>(const HiddenInput&) const = default;
};

/// Returns the calls made in turns on this thread since the last call of this.
[[nodiscard]] std::set<HiddenInput> take_hidden_inputs();

/// "Checkout called clock_gettime in a turn: use ctx.now()".
[[nodiscard]] std::string describe(const HiddenInput& input);

}  // namespace belay::testing
