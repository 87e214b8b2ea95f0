// Requests that remove old instances, and set retention and limits of queues.
#pragma once

#include <belay/management.hpp>
#include <belay/pause.hpp>
#include <belay/queue_limits.hpp>
#include <belay/retention.hpp>
#include <belay/store/match.hpp>
#include <belay/time.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace belay::requests {

/// Deletes an instance with its tree: Client::delete_instance.
struct Delete {
    using Answer = DeleteInstanceResult;
    static constexpr std::string_view kName = "delete";

    InstanceName name;
    bool force = false;
    std::string request_id{};
    std::optional<RunRef> run{};  ///< Only if this run has the name, else `not_found`.
};

/// Deletes exactly these or none: Client::delete_instances_atomic. At most Limits::bulk_ids.
struct DeleteTogether {
    using Answer = DeleteInstanceResult;
    static constexpr std::string_view kName = "delete_together";

    std::string space;
    std::vector<std::string> ids{};
    bool force = false;
    std::string request_id{};
};

/// Deletes instances that match and have ended: Client::delete_instance_bulk.
struct DeleteMany {
    using Answer = DeleteInstanceResult;
    static constexpr std::string_view kName = "delete_many";

    InstanceMatch match;
    std::optional<std::uint32_t> limit{};  ///< Not set: Policy::bulk_limit of the answering
                                           ///< service.
};

/// Returns what DeleteMany would delete: Client::preview_delete_bulk.
struct PreviewDelete {
    using Answer = DeletionPreview;
    static constexpr std::string_view kName = "preview_delete";

    InstanceMatch match;
    std::optional<std::uint32_t> limit{};
};

/// The old executions of a chain: see PruneOptions.
struct PruneTerms {
    std::optional<std::uint32_t> keep_last{};
    std::optional<Timestamp> ended_before{};
    bool include_running = false;
};

/// Deletes old executions of an instance: Client::prune_executions.
struct Prune {
    using Answer = PruneResult;
    static constexpr std::string_view kName = "prune";

    InstanceName name;
    PruneTerms terms{};
    std::optional<RunRef> run{};  ///< As Delete::run.
};

/// Deletes old executions of all matches: Client::prune_executions_bulk.
struct PruneMany {
    using Answer = PruneResult;
    static constexpr std::string_view kName = "prune_many";

    InstanceMatch match;
    PruneTerms terms{};
    std::optional<std::uint32_t> limit{};  ///< Not set: Policy::bulk_limit of the answering
                                           ///< service.
};

/// Returns what a bulk pruning would remove: Client::preview_prune_bulk.
struct PreviewPrune {
    using Answer = PrunePreview;
    static constexpr std::string_view kName = "preview_prune";

    InstanceMatch match;
    PruneTerms terms{};
    std::optional<std::uint32_t> limit{};
};

/// Sets or forgets a retention: Client::set_retention, Client::clear_retention.
struct SetRetention {
    using Answer = void;
    static constexpr std::string_view kName = "set_retention";

    std::string space;
    std::optional<RetentionPolicy> policy{};  ///< Not set: forgets the policy that was set.
    std::string by{};
    std::string request_id{};
};

/// The policy that was set: Client::retention.
struct ReadRetention {
    using Answer = std::optional<StoredRetention>;
    static constexpr std::string_view kName = "read_retention";

    std::string space;
};

/// Removes everything past its time: Client::apply_retention.
struct ApplyRetention {
    using Answer = RetentionResult;
    static constexpr std::string_view kName = "apply_retention";

    std::string space = "default";
    std::optional<RetentionPolicy> policy{};  ///< Not set: the one that was set.
    std::optional<Timestamp> as_of{};         ///< Not set: now.
    std::optional<std::uint32_t> limit{};     ///< Not set: Policy::bulk_limit of the answering
                                              ///< service.
};

/// Returns what applying a retention would remove: Client::preview_retention.
struct PreviewRetention {
    using Answer = RetentionPreview;
    static constexpr std::string_view kName = "preview_retention";

    std::string space = "default";
    std::optional<RetentionPolicy> policy{};
    std::optional<Timestamp> as_of{};
    std::uint32_t examples = 10;  ///< At most 1000.
};

/// Limits a queue, or removes its limits: Client::set_queue_limits, Client::clear_queue_limits.
struct SetQueueLimits {
    using Answer = void;
    static constexpr std::string_view kName = "set_queue_limits";

    std::string queue{};                  ///< Empty: the default queue.
    std::optional<QueueLimits> limits{};  ///< Not set: removes them.
    std::string by{};
    std::string request_id{};
};

/// Pauses a queue or a definition, or resumes it: Client::pause, Client::resume.
struct SetPause {
    using Answer = bool;
    static constexpr std::string_view kName = "set_pause";

    PauseKind kind = PauseKind::queue;
    std::string paused{};  ///< Empty: the default queue.
    bool on = true;
    std::string by{};
    std::string reason{};
    std::string request_id{};
};

}  // namespace belay::requests
