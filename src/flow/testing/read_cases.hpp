// Reads the test file of a flow.
#pragma once

#include "flow/definition/bundle.hpp"
#include "flow/testing/flow_case.hpp"

#include <expected>
#include <string_view>

namespace belay::flow {

/// Returns all problems of the text, in the order of their places.
[[nodiscard]] std::expected<FlowCases, Problems> read_cases(std::string_view text);

/// Finds the cases that do not fit the flow: params that it refuses, and paths of steps that it
/// does not have.
[[nodiscard]] Problems check_cases(const FlowCases& cases, const Bundle& bundle);

}  // namespace belay::flow
