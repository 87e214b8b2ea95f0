// What the flows of a simulation come to. Seeds must reach all of it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace belay::sim {

enum class FlowFeature : std::uint8_t {
    run_completed,
    run_failed,
    run_canceled,
    canceled_before_it_began,
    canceled_at_once,    ///< In the cancel's own commit: it had nothing to clean up.
    canceled_in_a_turn,  ///< It had.
    terminated,
    ended_early,
    timeout_kept,  ///< A run ended within the timeout of its flow.
    step_completed,
    step_failed,
    step_allowed_to_fail,
    step_skipped,
    condition_false,
    step_canceled,
    expression_failed,
    attempt_failed,   ///< An activity was tried again,
    failed_for_good,  ///< or was not, because its failure was final.
    attempts_used_up,
    map_completed,
    map_failed,
    map_empty,
    map_in_children,
    item_failed,
    item_canceled,
    event_received,
    event_came_early,
    event_came_twice,
    wait_timed_out,
    sub_flow_completed,
    sub_flow_failed,
    sub_flow_canceled,
    sub_flow_retried,
    item_sub_flow,
    finally_after_success,
    finally_after_failure,
    finally_after_cancel,
    finally_failed,
    on_cancel_of_flow,
    on_cancel_of_step,
    on_cancel_after_failure,  ///< That of a step, because the flow failed or ended early.
    on_fail_run,
    count
};

inline constexpr std::size_t kFlowFeatures = static_cast<std::size_t>(FlowFeature::count);

/// True if a few hundred seeds may not reach it.
[[nodiscard]] constexpr bool is_rare(FlowFeature feature) {
    switch (feature) {
        case FlowFeature::canceled_before_it_began:
        case FlowFeature::map_in_children:
        case FlowFeature::terminated: return true;
        default: return false;
    }
}

[[nodiscard]] constexpr std::string_view to_string(FlowFeature feature) {
    constexpr std::array<std::string_view, kFlowFeatures> kNames = {
        "runs completed",
        "runs failed",
        "runs canceled",
        "... before they began",
        "... in the cancel's own commit",
        "... after a turn with the cancel in view",
        "runs terminated",
        "runs ended early by a step",
        "runs that ended within the timeout of their flow",
        "steps completed",
        "steps failed",
        "... that may fail",
        "steps skipped",
        "... by their condition",
        "steps canceled",
        "steps failed by an expression",
        "attempts that followed a failed one",
        "failures that are final",
        "steps that used up their attempts",
        "maps completed",
        "maps failed",
        "maps over nothing",
        "maps in children",
        "items failed",
        "items canceled",
        "events received by steps",
        "... that came before the step waited",
        "... of which another came later",
        "waits timed out",
        "sub-flows completed",
        "sub-flows failed",
        "sub-flows canceled",
        "sub-flows tried again",
        "items that are sub-flows",
        "finally after a success",
        "finally after a failure",
        "finally after a cancel",
        "finally that failed",
        "on_cancel of flows",
        "on_cancel of steps and items",
        "... whose flow failed or ended early",
        "runs for failures",
    };
    return kNames[static_cast<std::size_t>(feature)];
}

class FlowCounts {
public:
    void add(FlowFeature feature, std::uint64_t count = 1) {
        counts_[static_cast<std::size_t>(feature)] += count;
    }
    void add(const FlowCounts& other) {
        for (std::size_t i = 0; i < kFlowFeatures; ++i) counts_[i] += other.counts_[i];
    }
    [[nodiscard]] std::uint64_t of(FlowFeature feature) const {
        return counts_[static_cast<std::size_t>(feature)];
    }

private:
    std::array<std::uint64_t, kFlowFeatures> counts_{};
};

}  // namespace belay::sim
