// Features of the programming model that a seed need not come to, and how often one did: so that a
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
    large_input,       ///< Of a run: too long to be kept in its row.
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
    count
};

inline constexpr std::size_t kFeatureKinds = static_cast<std::size_t>(Feature::count);

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
