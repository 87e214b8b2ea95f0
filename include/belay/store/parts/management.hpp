// Parts for operators: deletion and pruning, keys, dead letters, retention, imports, limits of
// queues.
#pragma once

#include <belay/detail/boxed.hpp>
#include <belay/ids.hpp>
#include <belay/limits.hpp>
#include <belay/message.hpp>
#include <belay/pause.hpp>
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
/// parents. The tree is determined here: a child that was started a moment ago is deleted too.
/// Refused: `not_found`; `has_parent` (only roots are deleted); `still_running` if something in the
/// tree has not ended and `force` is not set. Leased activities of the tree are stopped (`stopped`
/// in the answer) and leave no record. Dead letters to any of its runs are deleted too. Idempotency
/// keys stay for their scope, marked deleted. Earlier runs that lost this name by
/// IdConflict::replace are deleted with it, or before it one by one, named by `run`.
///
/// A start that created a deleted run, sent again after an unknown outcome, is still recognised as
/// long as request ids are kept: nothing brings a deleted run back. For as long, a deletion that
/// names its run is recognised by its commit id, without a request id, and gets its first answer.
struct Delete {
    InstanceName name;
    bool force = false;
    std::string request_id;
    Digest request_digest{};
    /// Only this run, which has the name or lost it to a replacement, else `not_found`. So a caller
    /// that chose this instance does not delete its namesake.
    std::optional<RunRef> run{};
};

/// Deletes exactly these instances, or none of them (`delete_instances_atomic`). They must be whole
/// trees, which is checked here. Effects as Delete.
///
/// Refused, with the instance at fault:
/// - `not_found`.
/// - `has_parent` if one is listed without its parent: list the tree again.
/// - `has_children` if one is listed without its child, or without a child of an earlier run of its
///   name: list the tree again.
/// - `still_running` if one has not ended and `force` is not set.
/// - `invalid_argument` for an empty list, for one that is listed twice, and for a child after its
///   parent.
/// - `limit_exceeded` for more than Limits().bulk_ids.
struct DeleteInstances {
    std::string space;
    std::vector<std::string> ids;  ///< Children before their parents.
    bool force = false;
    std::string request_id;
    Digest request_digest{};
};

/// Deletes old executions of an instance's continue-as-new chain with their history: those that are
/// not among the last `keep_last` and that ended before `ended_before`. A condition that is not set
/// does not apply. The current execution is never deleted, and so nothing that is running.
/// Messages, activities, children, key-values and handlers that are still stopping belong to the
/// instance and stay. Refused: `not_found`; `invalid_argument` for a `max` or a `max_events` of 0.
/// The answer's `deleted` counts executions and events, `changed` is false if there was nothing.
struct Prune {
    InstanceName name;
    /// The current one counts as the last: 0 and 1 mean the same.
    std::optional<std::uint32_t> keep_last;
    std::optional<Timestamp> ended_before;
    /// At most this many, the oldest first ...
    std::uint32_t max = Policy().prune_batch;
    std::string request_id;
    Digest request_digest{};
    std::optional<RunRef> run{};  ///< As Delete::run.
    /// ... and none after the one that brings the deleted events to this number, so that a commit
    /// stays small however long executions are.
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
/// once however often this is repeated. It goes to the run it was meant for, or to `to`. Refused:
/// `not_found` if there is no such letter (any more) or no run to send it to; `already_ended`;
/// `limit_exceeded` as Send; `invalid_argument` for an answer to a command that would go to another
/// run. The answer names the receiver.
struct Redrive {
    std::uint64_t letter = 0;
    std::optional<InstanceName> to;
    std::string space;  ///< The namespace of `request_id`.
    std::string request_id;
    Digest request_digest{};
};

/// Removes a dead letter. Refused: `not_found`. The answer names its run, by its key alone if the
/// run was deleted.
struct Discard {
    std::uint64_t letter = 0;
    std::string space;  ///< As Redrive::space.
    std::string request_id;
    Digest request_digest{};
};

/// Sets the retention of a namespace, and replaces the one before; without a policy, it removes it.
/// A store keeps it and does nothing about it: workers and clients read and apply it. Refused:
/// `invalid_argument` and `limit_exceeded` as in check_retention and check_name.
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
/// ended here. It is listed, read, pruned and deleted like any other, and its retention counts from
/// its end. It is a root and settled; nothing of it is ever run. It is not ready, has no messages,
/// and tells nobody.
///
/// Refused: `id_in_use`, `run_key_taken`, and invalid names as for a Start. Refused with
/// `invalid_argument`, because no run can be like this:
/// - a status that is no end, or a parent;
/// - a cancel record that is missing, or that the outcome contradicts or cannot have;
/// - a deadline of a cancel that nobody asked for;
/// - no execution, or executions that do not ascend;
/// - a last execution that ended at another time than the instance;
/// - a row of history without events;
/// - a custom status without a version, or a version without a custom status;
/// - a value without a key.
///
/// Times are compared with a tolerance, Limits::clock_tolerance. Refused likewise:
/// - a time before 1970 or later than now;
/// - an instance or an execution that ends before it begins;
/// - executions that do not follow each other in time.
///
/// A store reads no event.
struct Import {
    NewInstance instance;  ///< `version` and `input` are those of the last execution.
    /// Boxed, so that this is no larger than a Turn: every Part is as large as the largest.
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
    std::optional<Payload> document{};  ///< As Start::document.
};

/// Sets the limits of a queue of activities, over all namespaces, and replaces those before;
/// without limits, it removes them. From then on claims and hand-overs keep to them. Running
/// activities count, and are not stopped if they are too many. Refused: `invalid_argument` as in
/// check_queue_limits, and for an invalid queue name.
struct SetQueueLimits {
    std::string queue;  ///< Empty: the default queue.
    std::optional<QueueLimits> limits;
    std::string by;
    std::string space;  ///< The namespace of `request_id`.
    std::string request_id;
    Digest request_digest{};
};

/// Pauses a queue of activities or a definition over all namespaces, or resumes it. While a queue
/// is paused its activities are neither claimed nor handed over; those that run go on. While a
/// definition is paused its runs are not claimed, except canceled ones, so that a cancel stays
/// bounded; a turn that was claimed before goes on. A Turn without a claim is refused with
/// `still_running`, and a StartLock is not given. Nothing else changes: runs are started, receive
/// messages and are canceled. Never refused for a state: `changed` in the answer is false if it was
/// so before, and then the first pause stays as it is. Refused: `invalid_argument` for an invalid
/// name.
struct SetPause {
    PauseKind kind = PauseKind::queue;
    std::string paused;  ///< The queue (empty: the default queue), or the definition.
    bool on = true;      ///< False: resume it.
    std::string by;
    std::string reason;
    std::string space;  ///< The namespace of `request_id`.
    std::string request_id;
    Digest request_digest{};
};

}  // namespace belay
