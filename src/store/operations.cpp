#include "base/utc.hpp"
#include "model/encoding.hpp"
#include <belay/store/operations.hpp>

namespace belay::op {

namespace {

/// The name of a message that answers a command is free. Here it tells the sender.
constexpr std::string_view kNotStarted = "not started";

NewMessage answer_to(MessageKind kind, ExecutionNo execution, CommandNo command, Payload payload) {
    NewMessage message;
    message.kind = kind;
    message.execution = execution;
    message.command = command;
    message.payload = std::move(payload);
    return message;
}

Send send(InstanceName name, MessageKind kind, std::string to, Payload payload) {
    Send part;
    part.name = std::move(name);
    part.message.kind = kind;
    part.message.name = std::move(to);
    part.message.payload = std::move(payload);
    return part;
}

}  // namespace

ClaimInstances claim_instance(LeaseToken token, std::string worker, Millis lease) {
    ClaimInstances claim;
    claim.first_token = token;
    claim.worker = std::move(worker);
    claim.lease = lease;
    return claim;
}

Turn turn(const ClaimedInstance& item, HistoryRow history) {
    Turn turn;
    turn.run = item.run;
    turn.execution = item.execution;
    turn.position = item.position;
    turn.cancel_seen = item.cancel.has_value();
    turn.lock = item.token;
    turn.history = std::move(history);
    turn.consumed.reserve(item.messages.size());
    for (const Message& message : item.messages) turn.consumed.push_back(message.id);
    return turn;
}

AbandonTurn abandon_turn(const ClaimedInstance& item, Millis delay, CountAttempt count) {
    AbandonTurn part;
    part.run = item.run;
    part.token = item.token;
    part.delay = delay;
    part.count = count;
    return part;
}

RenewTurn renew_turn(const ClaimedInstance& item, Millis extend) {
    return RenewTurn{item.run, item.token, extend};
}

ClaimActivities claim_activity(LeaseToken token, std::string worker, Millis lease) {
    ClaimActivities claim;
    claim.first_token = token;
    claim.worker = std::move(worker);
    claim.lease = lease;
    return claim;
}

AckActivity ack_activity(const ClaimedActivity& item, std::optional<NewMessage> completion) {
    return AckActivity{item.activity, item.token, std::move(completion)};
}

AbandonActivity abandon_activity(const ClaimedActivity& item, Millis delay, CountAttempt count) {
    AbandonActivity part;
    part.activity = item.activity;
    part.token = item.token;
    part.delay = delay;
    part.count = count;
    return part;
}

RenewActivity renew_activity(const ClaimedActivity& item, Millis extend) {
    return RenewActivity{item.activity, item.token, extend, std::nullopt};
}

NewMessage activity_completed(const ActivityRef& activity, Payload result) {
    return answer_to(
        MessageKind::activity_completed, activity.execution, activity.command, std::move(result));
}

NewMessage activity_failed(const ActivityRef& activity, const Failure& failure) {
    return answer_to(MessageKind::activity_failed,
                     activity.execution,
                     activity.command,
                     model::to_payload(failure));
}

NewMessage activity_not_started(const ActivityRef& activity,
                                const std::string& name,
                                Timestamp until) {
    NewMessage message =
        activity_failed(activity,
                        Failure{.kind = FailureKind::timeout,
                                .message = "no worker began it before " + base::utc(until),
                                .where = name});
    message.name = kNotStarted;
    return message;
}

bool is_not_started(const NewMessage& message) noexcept {
    return message.kind == MessageKind::activity_failed && message.name == kNotStarted;
}

NewMessage timer_fired(ExecutionNo execution, CommandNo command) {
    return answer_to(MessageKind::timer_fired, execution, command, Payload());
}

Start start(NewInstance instance) {
    Start part;
    part.instance = std::move(instance);
    return part;
}

Cancel cancel(InstanceName name, std::string reason, Millis deadline) {
    Cancel part;
    part.name = std::move(name);
    part.reason = std::move(reason);
    part.deadline = deadline;
    return part;
}

Finish terminate(InstanceName name, std::string by, std::string reason) {
    Finish part;
    part.target = std::move(name);
    part.outcome.status = Status::canceled;
    part.outcome.cancel.source = CancelSource::user;
    part.outcome.cancel.by = std::move(by);
    part.outcome.cancel.reason = std::move(reason);
    part.outcome.cleanup = Cleanup::terminated;
    return part;
}

Send raise(InstanceName name, std::string event, Payload payload) {
    return send(std::move(name), MessageKind::event_raised, std::move(event), std::move(payload));
}

Send enqueue(InstanceName name, std::string queue, Payload payload) {
    return send(std::move(name), MessageKind::queue_message, std::move(queue), std::move(payload));
}

Delete force_delete(InstanceName name) {
    Delete part;
    part.name = std::move(name);
    part.force = true;
    return part;
}

DeleteInstances delete_instances_atomic(std::string space,
                                        std::vector<std::string> ids,
                                        bool force) {
    DeleteInstances part;
    part.space = std::move(space);
    part.ids = std::move(ids);
    part.force = force;
    return part;
}

Prune prune_executions(InstanceName name,
                       std::optional<std::uint32_t> keep_last,
                       std::optional<Timestamp> ended_before) {
    Prune part;
    part.name = std::move(name);
    part.keep_last = keep_last;
    part.ended_before = ended_before;
    return part;
}

NewMessage run_failed(const Failure& failure) {
    NewMessage message;
    message.kind = MessageKind::event_raised;
    message.name = kRunFailedEvent;
    message.payload = model::to_payload(failure);
    return message;
}

NewMessage child_ended(const ParentLink& parent, const Outcome& outcome) {
    BELAY_ASSERT(is_terminal(outcome.status));
    switch (outcome.status) {
        case Status::failed:
            return answer_to(MessageKind::child_failed,
                             parent.execution,
                             parent.command,
                             model::to_payload(outcome.failure));
        case Status::canceled:
            return answer_to(MessageKind::child_canceled,
                             parent.execution,
                             parent.command,
                             model::to_payload(outcome.cancel));
        case Status::skipped:
            // To its parent it has completed.
            return answer_to(MessageKind::child_completed,
                             parent.execution,
                             parent.command,
                             Payload(PayloadCodec::skipped, outcome.skip_reason));
        default:
            return answer_to(
                MessageKind::child_completed, parent.execution, parent.command, outcome.output);
    }
}

}  // namespace belay::op
