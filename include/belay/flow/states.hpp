// The state of every step and item of a run of a flow, at any time. Link belay::flow.
//
//     belay::FlowStates states = belay::flow_states(client, "backup-7").or_throw();
//     for (const belay::FlowStepState& step : states.steps) {
//         std::cout << step.id << " " << to_string(step.state) << " " << step.cause << "\n";
//     }
#pragma once

#include <belay/client.hpp>
#include <belay/status.hpp>
#include <belay/time.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace belay {

/// The state of a step, or of an item of a map.
enum class FlowWorkState : std::uint8_t {
    pending,    ///< Steps before it have not ended.
    queued,     ///< Its activity is in line.
    started,    ///< Its activity or child runs.
    waiting,    ///< It waits for time, an event, a person, or its next attempt.
    canceling,  ///< It was canceled, and its handler or child has not been seen to end.
    completed,
    failed,
    skipped,
    canceled,  ///< The run, or its list of steps, ended before it did.
};

[[nodiscard]] std::string_view to_string(FlowWorkState state) noexcept;

/// The thing that a step waits for.
struct FlowWait {
    enum class What : std::uint8_t { time, event, approval, retry };

    What what = What::time;
    std::string event{};               ///< event, approval: the name under which it is raised.
    std::string prompt{};              ///< approval
    std::optional<Timestamp> until{};  ///< When the wait is over at the latest.
};

/// What is known of a step, or of an item of a map.
struct FlowWork {
    FlowWorkState state = FlowWorkState::pending;
    std::optional<Timestamp> began_at{};
    std::optional<Timestamp> ended_at{};
    std::optional<Timestamp> canceled_at{};  ///< canceling, canceled: when it was.
    std::uint32_t attempt = 0;               ///< The number of attempts that were begun.
    std::uint32_t attempts = 1;              ///< The most that there may be.
    std::string worker{};                    ///< started, canceling: the worker that has it.
    std::string child{};                     ///< The id of the run that it started.
    std::optional<FlowWait> waits{};         ///< waiting
    std::optional<Failure> failure{};        ///< failed; waiting for a retry: the last failure.
    /// The message of the failure, or why it was skipped or canceled.
    std::string cause{};
    std::string kept_from{};  ///< The id of the earlier run whose result was kept.
};

/// An item of a map.
struct FlowItemState : FlowWork {
    std::uint64_t item = 0;  ///< Its number, from 0.
};

/// A step.
struct FlowStepState : FlowWork {
    std::string list;                      ///< "steps", "on_fail", "on_cancel" or "finally".
    std::string id;                        ///< As it is in the definition.
    std::string kind;                      ///< "exec"
    std::optional<std::uint64_t> count{};  ///< A map that has begun: the number of its items.
    /// By number. Also those of a large map, which children run, once their child has started.
    std::vector<FlowItemState> items{};
};

/// A run with all of its steps, in the order of the definition.
struct FlowStates {
    InstanceName name{};
    RunRef run{};
    std::string flow{};
    Status status = Status::pending;  ///< As shown_status.
    Timestamp created_at{};
    std::optional<Timestamp> ended_at{};
    std::optional<CancelRecord> cancel{};
    std::vector<FlowStepState> steps{};
    std::string ended_by{};   ///< The step that ended the flow early ...
    std::string ended_why{};  ///< ... and the condition of `end_flow` that was true.
};

/// Returns the state of every step and item, as the history and the queues have it now. Works on
/// runs in every state. The steps of `on_fail` are those of the run for the failure. Replays the
/// history. Errors: `not_found`; `invalid_argument` if it is no run of a flow or task.
[[nodiscard]] Result<FlowStates> flow_states(Client& client, const InstanceAddress& run);

// ---- The words of an execution control layer ---------------------------------------------------

/// A step in these words.
struct FlowControlNode {
    std::string step;
    std::string status;  ///< A step that an aborted run had not begun is "skipped".
};

/// A run in these words. An aborted run has no error.
struct FlowControlView {
    /// "PENDING", "RUNNING", "CANCEL_REQUESTED", "SUCCESS", "FAILED" or "ABORTED".
    std::string status;
    std::optional<Timestamp> aborted_at{};
    std::string aborted_by{};
    std::string abort_reason{};
    std::vector<FlowControlNode> nodes{};  ///< The steps of the flow, without its handlers.
};

/// Returns the same run in these words.
[[nodiscard]] FlowControlView control_view(const FlowStates& states);

}  // namespace belay
