// The operations of a store under the names people know, as constructors of parts.
//
// Each builds one part; `transition` makes parts into one atomic change. Fusing is putting several
// parts into one transition.
#pragma once

#include <belay/store/store.hpp>

#include <string>
#include <utility>
#include <vector>

namespace belay::op {

/// Makes one change of these parts, in this order: all or none.
template <class... Parts>
[[nodiscard]] Transition transition(CommitId commit, Parts&&... parts) {
    Transition made;
    made.commit = commit;
    made.parts.reserve(sizeof...(parts));
    (made.parts.emplace_back(std::forward<Parts>(parts)), ...);
    return made;
}

// The orchestrator queue.
/// Claims one run for a turn.
[[nodiscard]] ClaimInstances claim_instance(LeaseToken token, std::string worker, Millis lease);
/// Builds a turn of a claimed run that consumes all its messages and adds this to its history. The
/// caller fills in the rest.
[[nodiscard]] Turn turn(const ClaimedInstance& item, HistoryRow history);
/// Gives a claimed run back.
[[nodiscard]] AbandonTurn abandon_turn(const ClaimedInstance& item,
                                       Millis delay = Millis(0),
                                       CountAttempt count = CountAttempt::yes);
/// Keeps a claimed run for longer.
[[nodiscard]] RenewTurn renew_turn(const ClaimedInstance& item, Millis extend);

// The worker queue.
/// Claims one activity of the default queue.
[[nodiscard]] ClaimActivities claim_activity(LeaseToken token, std::string worker, Millis lease);
/// Ends a claimed activity; without a completion its run is told nothing.
[[nodiscard]] AckActivity ack_activity(const ClaimedActivity& item,
                                       std::optional<NewMessage> completion);
/// Gives a claimed activity back.
[[nodiscard]] AbandonActivity abandon_activity(const ClaimedActivity& item,
                                               Millis delay = Millis(0),
                                               CountAttempt count = CountAttempt::yes);
/// Keeps a claimed activity for longer.
[[nodiscard]] RenewActivity renew_activity(const ClaimedActivity& item, Millis extend);

// Messages of a completed or failed activity to its run.
/// Its result.
[[nodiscard]] NewMessage activity_completed(const ActivityRef& activity, Payload result);
/// Its failure.
[[nodiscard]] NewMessage activity_failed(const ActivityRef& activity, const Failure& failure);
/// The message that a store sends for an activity that nobody began in time: its failure, of kind
/// timeout. Until the turn that takes it is committed the row may still exist, so that turn cancels
/// the command.
[[nodiscard]] NewMessage activity_not_started(const ActivityRef& activity,
                                              const std::string& name,
                                              Timestamp until);
/// True for an `activity_not_started`.
[[nodiscard]] bool is_not_started(const NewMessage& message) noexcept;
/// The message that a timer sends to its run when it is due.
[[nodiscard]] NewMessage timer_fired(ExecutionNo execution, CommandNo command);

// Instances.
/// Starts a run, without a key; refused if its id is in use.
[[nodiscard]] Start start(NewInstance instance);
/// Cancels a run, with a user as the source.
[[nodiscard]] Cancel cancel(InstanceName name, std::string reason, Millis deadline);
/// Ends a run without running code.
[[nodiscard]] Finish terminate(InstanceName name, std::string by, std::string reason);
/// Raises an event.
[[nodiscard]] Send raise(InstanceName name, std::string event, Payload payload);
/// Puts a message into a queue.
[[nodiscard]] Send enqueue(InstanceName name, std::string queue, Payload payload);
/// Deletes an instance with its tree, ended or not.
[[nodiscard]] Delete force_delete(InstanceName name);
/// Deletes exactly these, or none of them.
[[nodiscard]] DeleteInstances delete_instances_atomic(std::string space,
                                                      std::vector<std::string> ids,
                                                      bool force);
/// Deletes old executions of an instance.
[[nodiscard]] Prune prune_executions(InstanceName name,
                                     std::optional<std::uint32_t> keep_last,
                                     std::optional<Timestamp> ended_before = std::nullopt);

/// The first message of a run that is created because another one failed
/// (NewInstance::on_fail): that failure, as an event.
[[nodiscard]] NewMessage run_failed(const Failure& failure);

/// The message that a parent receives when its child ends in `outcome`. Stores call it too, when
/// they end a run without code.
[[nodiscard]] NewMessage child_ended(const ParentLink& parent, const Outcome& outcome);

}  // namespace belay::op
