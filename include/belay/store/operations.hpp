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

template <class... Parts>
[[nodiscard]] Transition transition(CommitId commit, Parts&&... parts) {
    Transition made;
    made.commit = commit;
    made.parts.reserve(sizeof...(parts));
    (made.parts.emplace_back(std::forward<Parts>(parts)), ...);
    return made;
}

// The orchestrator queue.
[[nodiscard]] ClaimInstances fetch_orchestration_item(LeaseToken token,
                                                      std::string worker,
                                                      Millis lease);
[[nodiscard]] Turn ack_orchestration_item(const ClaimedInstance& item, HistoryRow history);
[[nodiscard]] AbandonTurn abandon_orchestration_item(const ClaimedInstance& item,
                                                     Millis delay = Millis(0),
                                                     CountAttempt count = CountAttempt::yes);
[[nodiscard]] RenewTurn renew_orchestration_item_lock(const ClaimedInstance& item, Millis extend);

// The worker queue.
[[nodiscard]] ClaimActivities fetch_work_item(LeaseToken token, std::string worker, Millis lease);
[[nodiscard]] AckActivity ack_work_item(const ClaimedActivity& item,
                                        std::optional<NewMessage> completion);
[[nodiscard]] AbandonActivity abandon_work_item(const ClaimedActivity& item,
                                                Millis delay = Millis(0),
                                                CountAttempt count = CountAttempt::yes);
[[nodiscard]] RenewActivity renew_work_item_lock(const ClaimedActivity& item, Millis extend);

// What a completed or failed activity sends to its run.
[[nodiscard]] NewMessage activity_completed(const ActivityRef& activity, Payload result);
[[nodiscard]] NewMessage activity_failed(const ActivityRef& activity, const Failure& failure);
/// What a store sends for one that nobody began in time: its failure, of kind timeout. Until the
/// turn that takes it is committed the row may still be there, so that turn cancels the command.
[[nodiscard]] NewMessage activity_not_started(const ActivityRef& activity,
                                              const std::string& name,
                                              Timestamp until);
[[nodiscard]] bool is_not_started(const NewMessage& message) noexcept;
[[nodiscard]] NewMessage timer_fired(ExecutionNo execution, CommandNo command);

// Instances.
[[nodiscard]] Start start(NewInstance instance);
[[nodiscard]] Cancel cancel(InstanceName name, std::string reason, Millis deadline);
[[nodiscard]] Finish terminate(InstanceName name, std::string by, std::string reason);
[[nodiscard]] Send raise(InstanceName name, std::string event, Payload payload);
[[nodiscard]] Send enqueue(InstanceName name, std::string queue, Payload payload);
[[nodiscard]] Delete force_delete(InstanceName name);
[[nodiscard]] DeleteInstances delete_instances_atomic(std::string space,
                                                      std::vector<std::string> ids,
                                                      bool force);
[[nodiscard]] Prune prune_executions(InstanceName name,
                                     std::optional<std::uint32_t> keep_last,
                                     std::optional<Timestamp> ended_before = std::nullopt);

/// What a parent receives when its child ends in `outcome`. Stores call it too, when they end a run
/// without code.
[[nodiscard]] NewMessage child_ended(const ParentLink& parent, const Outcome& outcome);

}  // namespace belay::op
