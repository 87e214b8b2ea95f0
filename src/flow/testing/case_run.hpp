// Runs a case of a test file, in a store in memory and in no time.
#pragma once

#include "flow/definition/bundle.hpp"
#include "flow/testing/flow_case.hpp"
#include <belay/status.hpp>

#include <string>
#include <vector>

namespace belay::flow {

/// Something is not as the case expects.
struct CaseDifference {
    base::Place place{};
    std::string text;
};

struct CaseResult {
    Status status = Status::pending;
    Millis took{0};  ///< In the time of the case.
    std::vector<CaseDifference> differences{};
};

/// Runs the flow with the results of the case. Time passes only when nothing is left to do, and
/// then jumps to the next moment at which something is due. The case must fit: see check_cases.
[[nodiscard]] CaseResult run_case(const Bundle& bundle, const FlowCase& one);

}  // namespace belay::flow
