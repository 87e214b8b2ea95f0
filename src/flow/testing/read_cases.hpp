// Reads the test file of a flow.
#pragma once

#include "flow/definition/bundle.hpp"
#include "flow/testing/flow_case.hpp"

#include <string_view>

namespace belay::flow {

/// A test file, as far as it can be read, and its problems in the order of their places.
struct ReadCases {
    FlowCases file{};
    Problems problems{};
};

[[nodiscard]] ReadCases read_cases(std::string_view text);

/// Finds the cases that do not fit the flow: params that it refuses, and paths of steps that it
/// does not have.
[[nodiscard]] Problems check_cases(const FlowCases& cases, const Bundle& bundle);

}  // namespace belay::flow
