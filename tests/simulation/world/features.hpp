// Features of the programming model that a seed need not come to, and their counts: so that a
// workload that no longer reaches one is noticed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace belay::sim {

enum class Feature : std::uint8_t {
    keys_share_queue,  ///< An activity began in a queue with limits while one of another key ran.
    final_failure,     ///< A call with a retry policy failed in a way that the policy excludes.
    line_logged,       ///< By code whose turn was committed.
    large_input,       ///< The input of a run: too long to be kept in its row.
    large_argument,    ///< Likewise the input of an activity,
    large_status,      ///< the custom status of a run,
    large_outcome,     ///< its outcome,
    large_value,       ///< one of its key-values,
    large_result,      ///< the result of an activity.
    found_by_label,    ///< An instance, by a client, when all is over.
    value_read,        ///< A key-value, likewise.
    heartbeat_heard,   ///< By a handler: what an earlier one of its activity had said.
    smaller_priority_waits,  ///< An activity, while one of a larger priority is claimed.
    version_wanted,          ///< A run began that was started with one.
    old_way,                 ///< Code that knows a patch went on without it, as the run had before.
    held,                    ///< A run, by a process whose code and its history disagree.
    released,                ///< ... and then it went on, with other code.
    failed_as_held,          ///< ... or operators failed it.
    held_canceled,           ///< A held run was canceled: it ended at once.
    held_for_overruns,       ///< A run, because two turns of it ran past their limit.
    failed_by_policy,        ///< Code and history disagree, where such runs are not held.
    limits_change,           ///< The limits of a queue change while its activities run,
    limits_below,            ///< ... and more of them run than may.
    not_handed_over,         ///< An activity, because something waits in its queue.
    handed_over_past_others,  ///< An activity, though something waits that its holder cannot take.
    rate_waited_for,          ///< An activity began that a rate, of its queue or key, had kept.
    session_taken_over,       ///< By another process than the one that had it last.
    progress_read,            ///< By a client: what a handler has said of its activity.
    attempt_too_long,         ///< By a retry policy, and the last one: as code sees it.
    deadline_passed,          ///< The deadline of all attempts, likewise.
    sealed_world,             ///< One in which processes encrypt what they store.
    older_key,                ///< A payload was read under one, by a process that has the newer.
    routed,                   ///< An activity began at a process that serves its queue alone.
    output_kept,              ///< Of an attempt,
    output_left_out,          ///< and a part of one that is too long.
    // In histories:
    timer,
    event_received,
    message_received,  ///< From a queue.
    message_taken,     ///< An event or a message, by code that did not wait for it,
    taken_early,       ///< and asked before the turn that brought it had come to it.
    child,             ///< A child that ends with its parent,
    child_alone,       ///< or does not.
    detached,          ///< A run on its own.
    retried,           ///< An activity, by its retry policy.
    session,           ///< An activity of one.
    begun_too_late,    ///< An activity failed that nobody had begun in its time,
    ended_too_late,    ///< or that had not ended in its time,
    heartbeat_missed,  ///< or of which nothing had been heard.
    random_numbers,
    custom_status,
    value_set,
    patch_marked,
    patch_retired,
    patch_removed,  ///< The new way was gone without a mark.
    continued,
    // Runs, activities and children that failed, in the order of FailureKind:
    failed_by_application,
    failed_by_timeout,
    failed_by_cancel,
    failed_by_nondeterminism,
    failed_by_poison,
    failed_by_limit,
    failed_by_infrastructure,
    failed_by_id_in_use,
    count
};

inline constexpr std::size_t kFeatureKinds = static_cast<std::size_t>(Feature::count);

/// True if it is so rare that a few hundred seeds may not reach it.
[[nodiscard]] constexpr bool is_rare(Feature feature) {
    switch (feature) {
        case Feature::rate_waited_for:
        case Feature::session_taken_over:
        case Feature::progress_read:
        case Feature::attempt_too_long:
        case Feature::deadline_passed:
        case Feature::message_taken:
        case Feature::taken_early:
        case Feature::patch_retired:
        case Feature::patch_removed:
        case Feature::begun_too_late:
        case Feature::ended_too_late:
        case Feature::heartbeat_missed:
        case Feature::old_way:
        case Feature::held:
        case Feature::released:
        case Feature::held_canceled:
        case Feature::failed_as_held:
        case Feature::failed_by_policy:
        case Feature::failed_by_poison:
        case Feature::failed_by_limit: return true;
        default: return false;
    }
}

[[nodiscard]] constexpr std::string_view to_string(Feature feature) {
    constexpr std::array<std::string_view, kFeatureKinds> kNames = {
        "activities begun in a limited queue beside another key",
        "failures that no retry policy tries again",
        "lines logged in turns that were committed",
        "large inputs of runs",
        "large inputs of activities",
        "large custom statuses",
        "large outcomes of runs",
        "large key-values",
        "large results of activities",
        "instances found by a label",
        "key-values read by clients",
        "heartbeats read back by a later attempt",
        "activities that let one of a larger priority pass",
        "runs begun in a version that was asked for",
        "patches answered with the old way, in replays too",
        "runs held by processes whose code does not fit",
        "... that went on with code that does",
        "... that operators failed",
        "held runs that were canceled",
        "runs held because their turns do not end",
        "runs failed by processes whose code does not fit",
        "limits set while some of their queue runs",
        "... and more of it than they allow",
        "activities not handed over because others wait",
        "activities handed over past others that their worker cannot take",
        "activities begun that a rate had kept waiting",
        "sessions taken over by another process",
        "progress of activities read by clients",
        "calls whose last attempt took too long, in replays too",
        "calls whose deadline passed, in replays too",
        "worlds in which processes encrypt",
        "payloads read under an older key",
        "activities begun by processes of one queue",
        "output kept of attempts",
        "... and a part of it left out",
        "timers",
        "events received",
        "messages received from queues",
        "messages taken without a wait",
        "messages taken early in the turn that brought them",
        "children",
        "children that outlive their parent",
        "runs started on their own",
        "further attempts at activities",
        "activities of sessions",
        "activities that nobody began in time",
        "activities that did not end in time",
        "activities that gave no heartbeat in time",
        "executions with random numbers",
        "custom statuses",
        "key-values set",
        "patches marked",
        "patches retired",
        "patches taken without a mark",
        "executions continued as new",
        "failures: application",
        "failures: timeout",
        "failures: canceled",
        "failures: nondeterminism",
        "failures: poison",
        "failures: limit",
        "failures: infrastructure",
        "failures: id in use",
    };
    return kNames[static_cast<std::size_t>(feature)];
}

class FeatureCounts {
public:
    void add(Feature feature, std::uint64_t count = 1) {
        counts_[static_cast<std::size_t>(feature)] += count;
    }
    void add(const FeatureCounts& other) {
        for (std::size_t i = 0; i < kFeatureKinds; ++i) counts_[i] += other.counts_[i];
    }
    [[nodiscard]] std::uint64_t of(Feature feature) const {
        return counts_[static_cast<std::size_t>(feature)];
    }

private:
    std::array<std::uint64_t, kFeatureKinds> counts_{};
};

}  // namespace belay::sim
