#include "replay/message_input.hpp"

#include "model/encoding.hpp"

#include <utility>

namespace belay::replay {

using detail::OperationKind;

std::optional<OperationKind> answered_kind(MessageKind kind) noexcept {
    switch (kind) {
        case MessageKind::activity_completed:
        case MessageKind::activity_failed: return OperationKind::activity;
        case MessageKind::timer_fired: return OperationKind::timer;
        case MessageKind::child_completed:
        case MessageKind::child_failed:
        case MessageKind::child_canceled: return OperationKind::child;
        case MessageKind::event_raised:
        case MessageKind::queue_message: break;
    }
    return std::nullopt;
}

namespace {

Failure failure_in(const Payload& payload) {
    Result<Failure> failure = model::failure_of(payload);
    if (failure) return std::move(*failure);
    return Failure{.kind = FailureKind::infrastructure, .message = failure.error().message()};
}

Failure failure_of_canceled_child(const Payload& payload) {
    Failure failure{.kind = FailureKind::canceled, .message = "the child was canceled"};
    const Result<CancelRecord> record = model::cancel_of(payload);
    if (record && !record->reason.empty()) failure.message += ": " + record->reason;
    return failure;
}

}  // namespace

std::optional<model::Event> input_of(const NewMessage& message) {
    switch (message.kind) {
        case MessageKind::activity_completed:
        case MessageKind::timer_fired:
        case MessageKind::child_completed:
            return model::CommandCompleted{message.command, message.payload};
        case MessageKind::activity_failed:
        case MessageKind::child_failed:
            return model::CommandFailed{message.command, failure_in(message.payload)};
        case MessageKind::child_canceled:
            return model::CommandFailed{message.command,
                                        failure_of_canceled_child(message.payload)};
        case MessageKind::event_raised:
        case MessageKind::queue_message:
            return model::MessageReceived{message.kind, message.name, message.payload};
    }
    return std::nullopt;
}

}  // namespace belay::replay
