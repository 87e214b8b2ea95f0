// What operators have done: deleting and pruning, keys, dead letters, retention, imports, limits of
// queues.
#pragma once

#include <belay/detail/boxed.hpp>
#include <belay/ids.hpp>
#include <belay/limits.hpp>
#include <belay/message.hpp>
#include <belay/payload.hpp>
#include <belay/queue_limits.hpp>
#include <belay/retention/rules.hpp>
#include <belay/status.hpp>
#include <belay/store/parts/digest.hpp>
#include <belay/store/parts/start.hpp>
#include <belay/time.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace belay {

/// Deletes an instance with its whole tree and everything that belongs to it, children before their
/// parents. What the tree is, is decided here: a child that was started a moment ago goes too.
/// Refused: `not_found`; `has_parent` (only roots are deleted); `still_running` when something in
/// the tree has not ended and `force` is not set. Leased activities of the tree are stopped
/// (`stopped` in the answer) and leave no record. Dead letters to any of its runs go along.
/// Idempotency keys stay for their scope, marked deleted. Earlier runs that lost this name by
/// IdConflict::replace go with it, or before it one by one, named by `run`. A start that created a
/// deleted run, sent again after an unknown outcome, is still recognised for as long as request ids
/// are kept: nothing brings a deleted run back. As long, a deletion that names its run is
/// recognised by its commit id, without a request id, and answered as it was.
struct Delete {
    InstanceName name;
    bool force = false;
    std::string request_id;
    Digest request_digest{};
    /// Only this run, which has the name or lost it to a replacement, else `not_found`: whoever
    /// chose the instance for what it was does not delete its namesake.
    std::optional<RunRef> run{};
};

/// Deletes exactly these instances, or none of them (`delete_instances_atomic`). They are whole
/// trees, as whoever made the list knew them; whether they still are is looked at here.
/// Refused, with the instance at fault: `not_found`; `has_parent` when one is listed without its
/// parent, and `has_children` when one is listed without its child (or without that of an earlier
/// run of its name): list the tree again; `still_running` when one has not ended and `force` is not
/// set; `invalid_argument` for none at all, for one that is listed twice, and for a child that
/// stands behind its parent; `limit_exceeded` for more than Limits().bulk_ids. Effects as Delete's.
struct DeleteInstances {
    std::string space;
    std::vector<std::string> ids;  ///< Children before their parents.
    bool force = false;
    std::string request_id;
    Digest request_digest{};
};

/// Deletes old executions of an instance's continue-as-new chain with their history: those that
/// are not among the last `keep_last` and that ended before `ended_before`; what is not set does
/// not count. The current execution is never deleted, whatever is asked for, and with it nothing
/// that is running. Messages, activities, children, key-values and handlers that are still stopping
/// belong to the instance and stay. Refused: `not_found`; `invalid_argument` for a `max` or a
/// `max_events` of 0. The answer's `deleted` counts executions and events, `changed` is false when
/// there was nothing.
struct Prune {
    InstanceName name;
    /// The current one counts as the last: 0 and 1 mean the same.
    std::optional<std::uint32_t> keep_last;
    std::optional<Timestamp> ended_before;
    /// At most so many, the oldest first ...
    std::uint32_t max = Policy().prune_batch;
    std::string request_id;
    Digest request_digest{};
    std::optional<RunRef> run{};  ///< As Delete's.
    /// ... and none behind the one with which so many events are gone, so that a commit stays small
    /// however long executions are.
    std::uint64_t max_events = Policy().bulk_rows;
};

/// Makes an idempotency key free. Refused: `not_found`. The answer names the instance that had it.
struct FreeKey {
    std::string space;
    std::string owner;
    std::string definition;
    std::string key;
    std::string request_id;
    Digest request_digest{};
};

/// Sends a dead letter again, as a new message, and removes it; in one commit, so that it is sent
/// once however often this is asked. To the run it was meant for, or to `to`. Refused: `not_found`
/// when there is no such letter (any more) or no run to send it to; `already_ended`;
/// `limit_exceeded` as Send; `invalid_argument` for an answer to a command that would go to another
/// run. The answer names who gets it.
struct Redrive {
    std::uint64_t letter = 0;
    std::optional<InstanceName> to;
    std::string space;  ///< In which `request_id` is unique.
    std::string request_id;
    Digest request_digest{};
};

/// Removes a dead letter. Refused: `not_found`. The answer names its run, by its
/// key alone if the run was deleted.
struct Discard {
    std::uint64_t letter = 0;
    std::string space;  ///< As Redrive's.
    std::string request_id;
    Digest request_digest{};
};

/// Sets what is kept of a namespace, in the place of what was set before; without a policy, nothing
/// is set any more. A store keeps it and does nothing about it: whoever applies a retention reads
/// it. Refused: `invalid_argument` and `limit_exceeded` as check_retention and check_name say.
struct SetRetention {
    std::string space;
    std::optional<RetentionPolicy> policy;
    std::string by;
    std::string request_id;
    Digest request_digest{};
};

/// One execution of an instance that is imported, with its history.
struct ImportedExecution {
    ExecutionNo execution = 1;
    Timestamp started_at{};
    Timestamp ended_at{};
    std::vector<HistoryRow> history;  ///< In order; the first holds event 1.
};

/// Writes an instance that ended elsewhere, with its history and under its own times, as if it had
/// ended here: it is listed, read, pruned and deleted like any other, and is past its time when its
/// end is long enough ago. It is a root and settled; nothing of it is ever run. It is not ready,
/// has no messages, and tells nobody.
/// Refused: `id_in_use`, `run_key_taken`, and names as those of a Start; `invalid_argument` for
/// what no run can be: a status that is no end; a cancel record that is missing, or that the
/// outcome has no use for or says otherwise; a parent; no execution, executions that do not ascend,
/// or a last one that ended at another time than the instance; a row of history without events; a
/// custom status without a version, or the reverse; a value without a key; a time before 1970 or
/// later than now; an end before its beginning, of the whole or of an execution, or executions that
/// do not follow each other in time (all by more than Limits::clock_tolerance); a deadline of a
/// cancel that nobody asked for. A store looks into no event.
struct Import {
    NewInstance instance;  ///< `version` and `input` are those of the last execution.
    /// Kept elsewhere, so that this is no larger than a Turn: every Part is as large as the
    /// largest.
    detail::Boxed<Outcome> outcome;
    std::optional<CancelRecord> cancel;
    std::optional<Timestamp> cancel_deadline;
    Timestamp created_at{};
    std::optional<Timestamp> started_at;
    Timestamp ended_at{};
    std::optional<Payload> custom_status;
    std::uint64_t custom_status_version = 0;
    std::map<std::string, Payload> key_values;
    std::vector<ImportedExecution> executions;  ///< In order; others may have been pruned.
    Digest input_digest{};
    std::string request_id;
    Digest request_digest{};
};

/// Sets the limits of a queue of activities, over all namespaces, in the place of those that were
/// set before; without limits, there are none any more. From then on claims and hand-overs keep to
/// them; what runs already counts, and is not stopped if it is too much. Refused:
/// `invalid_argument` as check_queue_limits says, and for a queue that can have no such name.
struct SetQueueLimits {
    std::string queue;  ///< Empty: the default queue.
    std::optional<QueueLimits> limits;
    std::string by;
    std::string space;  ///< In which `request_id` is unique.
    std::string request_id;
    Digest request_digest{};
};

}  // namespace belay
