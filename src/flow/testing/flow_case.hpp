// The cases of a test file: given results of steps, and the end that is expected.
#pragma once

#include "base/place.hpp"
#include "expr/value.hpp"
#include <belay/time.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace belay::flow {

/// The result that a step gets instead of doing its work.
struct GivenResult {
    base::Place place{};
    expr::Value output{};                  ///< Of an attempt that completes.
    std::optional<std::string> failure{};  ///< Set: attempts fail with this message.
    std::uint32_t fails = 0;               ///< This many attempts fail first; 0: all, if any does.
    std::optional<int> exit{};             ///< Set: failed attempts end with this exit status.
    bool retryable = true;                 ///< Failed attempts may be repeated.
    bool hangs = false;                    ///< It never ends by itself.
    Millis takes{0};                       ///< Each attempt takes this long.
};

/// A value that is raised at the start, or once the run is there that it is for.
struct GivenEvent {
    std::string name;  ///< The event, or the path of the approval's step.
    expr::Value value{};
    base::Place place{};
};

/// The expected state of a step or an item.
struct ExpectedStep {
    std::string path;
    base::Place place{};
    std::string status{};  ///< Empty: any.
    std::optional<std::uint32_t> attempts{};
    std::optional<expr::Value> output{};
};

struct ExpectedEnd {
    base::Place place{};
    std::string status = "completed";
    std::optional<expr::Value> output{};
    std::string failed_step{};  ///< "dump", any of its items included, or "dump[17]". Empty: any.
    std::string message{};      ///< A part of the message of the failure.
    std::string reason{};       ///< A part of the reason of the cancel.
    std::vector<ExpectedStep> steps{};
};

struct FlowCase {
    std::string name;
    base::Place place{};
    expr::Value params{};
    /// By path: "dump", "dump[17]", "deploy/push", or "*" for all others.
    std::vector<std::pair<std::string, GivenResult>> results{};
    std::vector<GivenEvent> events{};     ///< Raised to the run itself.
    std::vector<GivenEvent> approvals{};  ///< By the path of their steps.
    std::optional<Millis> cancel_after{};
    ExpectedEnd expected{};
};

/// A test file.
struct FlowCases {
    std::string flow;  ///< The path of the definition, as it is written.
    std::vector<FlowCase> cases{};
};

}  // namespace belay::flow
