// Inputs: what reaches an execution, and the replay of what was recorded.
#include "replay/execution.hpp"

#include "model/continued.hpp"
#include "model/encoding.hpp"
#include "replay/turn_scope.hpp"
#include <belay/exceptions.hpp>

#include <algorithm>
#include <utility>

namespace belay::replay {

using detail::Operation;
using detail::OperationKind;
using model::Event;

namespace {

/// Which kind of command a message answers; none for one that answers no command.
std::optional<OperationKind> answered_kind(MessageKind kind) {
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

}  // namespace

Execution::Execution(OrchestrationHandler handler,
                     Identity identity,
                     const Limits& limits,
                     const LogSink* log)
    : handler_(std::move(handler)), identity_(std::move(identity)), limits_(limits), log_(log) {}

Execution::~Execution() {
    kill_code();
    for (const std::shared_ptr<Operation>& operation : operations_) {
        if (operation) operation->detach();
    }
    for (const auto& [command, handed] : handed_over_) handed.operation->detach();
}

Result<void> Execution::replay(const std::vector<Event>& events) {
    replaying_ = true;
    replayed_ = &events;
    BELAY_ASSERT(recorded_.empty());
    for (std::size_t i = 0; i < events.size();) {
        const EventNo at = position_ + 1;
        if (finished() || !is_input(events[i]) || !can_take(events[i])) {
            return mismatch(at, &events[i], nullptr);
        }
        replayed_at_ = i;
        feed(events[i]);
        pass_retired(nullptr);
        for (std::size_t j = 1; j < recorded_.size(); ++j) {
            const Event* const in_history = i + j < events.size() ? &events[i + j] : nullptr;
            if (in_history == nullptr || !(*in_history == recorded_[j])) {
                return mismatch(at + j, in_history, &recorded_[j]);
            }
        }
        i += recorded_.size();
        recorded_.clear();
    }
    replaying_ = false;
    return {};
}

Error Execution::mismatch(EventNo at, const Event* in_history, const Event* from_code) {
    if (in_history != nullptr && std::holds_alternative<model::PatchMarked>(*in_history)) {
        patch_in_doubt_ = true;
    }
    std::string text = "history and code disagree at event " + std::to_string(at) +
                       " of execution " + std::to_string(identity_.execution) + " of '" +
                       identity_.name.id + "' (" + identity_.definition + " " + identity_.version +
                       ")";
    text += "\n  history: ";
    text += in_history != nullptr ? describe(*in_history) : "(ends here)";
    text += "\n  code:    ";
    text += from_code != nullptr ? describe(*from_code) : "(does nothing here)";
    return Error(Errc::nondeterminism, std::move(text));
}

void Execution::begin_turn(Timestamp at, const Payload& input, bool canceled) {
    if (finished()) return;
    const bool first = position_ == 0;
    feed(model::TurnStarted{at, canceled});
    if (first) {
        feed(model::ExecutionStarted{identity_.definition, identity_.version, input});
    }
}

void Execution::announce(const NewMessage& message) {
    const bool is_for_code =
        message.kind == MessageKind::event_raised || message.kind == MessageKind::queue_message;
    if (!is_for_code) return;
    if (!announced_) announced_ = std::deque<Announced>();
    announced_->push_back(Announced{&message});
}

bool Execution::took_early(const NewMessage& message) const noexcept {
    if (!announced_) return false;
    const auto found = std::find_if(announced_->begin(),
                                    announced_->end(),
                                    [&](const Announced& one) { return one.message == &message; });
    return found != announced_->end() && found->is_taken;
}

bool Execution::apply(const NewMessage& message) {
    if (finished()) return false;
    if (announced_ && !announced_->empty() && announced_->front().message == &message) {
        const bool is_taken = announced_->front().is_taken;
        announced_->pop_front();
        if (is_taken) return true;
    }
    if (message.execution != 0 && message.execution != identity_.execution) return false;
    const std::optional<OperationKind> answered = answered_kind(message.kind);
    if (answered && kind_of(message.command) != answered) return false;
    std::optional<Event> input;
    switch (message.kind) {
        case MessageKind::activity_completed:
        case MessageKind::timer_fired:
        case MessageKind::child_completed:
            input = model::CommandCompleted{message.command, message.payload};
            break;
        case MessageKind::activity_failed:
        case MessageKind::child_failed: {
            const Result<Failure> failure = model::failure_of(message.payload);
            input = model::CommandFailed{message.command,
                                         failure ? *failure
                                                 : Failure{.kind = FailureKind::infrastructure,
                                                           .message = failure.error().message()}};
            break;
        }
        case MessageKind::child_canceled: {
            Failure failure{.kind = FailureKind::canceled, .message = "the child was canceled"};
            const Result<CancelRecord> record = model::cancel_of(message.payload);
            if (record && !record->reason.empty()) failure.message += ": " + record->reason;
            input = model::CommandFailed{message.command, std::move(failure)};
            break;
        }
        case MessageKind::event_raised:
        case MessageKind::queue_message:
            input = model::MessageReceived{message.kind, message.name, message.payload};
            break;
    }
    if (!input || !can_take(*input)) return false;
    feed(*input);
    return true;
}

void Execution::apply_cancel(const CancelRecord& record) {
    if (finished() || cancel_) return;
    feed(model::CancelRequested{record});
}

void Execution::fire_due(Timestamp at) {
    std::vector<CommandNo> due;
    for (const Event& event : recorded_) {
        const auto* const timer = std::get_if<model::TimerScheduled>(&event);
        if (timer != nullptr && timer->due_at <= at) due.push_back(timer->command);
    }
    // One may let go of another.
    for (const CommandNo command : due) {
        (void)apply(NewMessage{
            MessageKind::timer_fired, identity_.execution, command, std::string(), Payload()});
    }
}

std::vector<Event> Execution::take_recorded() {
    announced_.reset();
    return std::exchange(recorded_, {});
}

Millis Execution::longest_shield() const noexcept {
    Millis longest{0};
    for (const Millis extend : shields_) longest = std::max(longest, extend);
    return longest;
}

std::optional<OperationKind> Execution::kind_of(CommandNo command) const noexcept {
    if (command == 0 || command > kinds_.size()) return std::nullopt;
    return kinds_[command - 1];
}

Operation* Execution::open_operation(CommandNo command) const noexcept {
    if (command == 0 || command > operations_.size()) return nullptr;
    return operations_[command - 1].get();
}

bool Execution::can_take(const Event& input) const {
    if (!root_ && !code_ended_) {
        return position_ == 0 ? std::holds_alternative<model::TurnStarted>(input)
                              : std::holds_alternative<model::ExecutionStarted>(input);
    }
    if (const auto* completed = std::get_if<model::CommandCompleted>(&input)) {
        return open_operation(completed->command) != nullptr &&
               kind_of(completed->command) != OperationKind::wait;
    }
    if (const auto* failed = std::get_if<model::CommandFailed>(&input)) {
        const std::optional<OperationKind> kind = kind_of(failed->command);
        return open_operation(failed->command) != nullptr &&
               (kind == OperationKind::activity || kind == OperationKind::child);
    }
    if (std::holds_alternative<model::CancelRequested>(input)) return !cancel_;
    return !std::holds_alternative<model::ExecutionStarted>(input);
}

void Execution::feed(const Event& input) {
    const TurnScope in_turn(identity_);
    record(input);
    std::visit(
        [this](const auto& event) {
            if constexpr (requires { on(event); }) on(event);
        },
        input);
    run();
}

void Execution::on(const model::ExecutionStarted& event) {
    try {
        const Payload input = unpack_input(event.input);
        root_ = handler_(OrchestrationContext(root_scope_), input);
        root_->start(*root_scope_);
    } catch (...) {
        code_ended_ = true;
        failure_ = failure_of_current_exception();
        failure_->message = "the input cannot be used: " + failure_->message;
    }
}

void Execution::on(const model::CommandCompleted& event) {
    const std::shared_ptr<Operation> operation = operations_[event.command - 1];
    const detail::Retrying* const retrying = operation->retrying();
    if (retrying != nullptr && retrying->timeout == event.command) {
        close_command(event.command);
        attempt_timed_out(operation);
        return;
    }
    close(*operation);
    if (retrying != nullptr && operation->kind() == OperationKind::timer) {
        go_on(operation);
        return;
    }
    unbound_attempt(*operation);
    operation->complete(event.result);
}

void Execution::on(const model::CommandFailed& event) {
    const std::shared_ptr<Operation> operation = operations_[event.command - 1];
    close(*operation);
    if (operation->retrying() != nullptr) {
        attempt_failed(operation, event.failure);
    } else {
        operation->fail(event.failure);
    }
}

void Execution::on(const model::MessageReceived& event) {
    const Channel channel(event.channel, event.name);
    if (received_count_ >= limits_.buffered_messages && !waiting_.contains(channel)) {
        stop_why_ = "more than " + std::to_string(limits_.buffered_messages) +
                    " messages came that nobody received";
        return;
    }
    deliver(channel, ++arrivals_, event.payload);
}

void Execution::on(const model::CancelRequested& event) {
    cancel_ = event.record;
    for (std::size_t i = 0; i < operations_.size(); ++i) {
        const std::shared_ptr<Operation> operation = operations_[i];  // Closing it empties the
                                                                      // table.
        if (!operation || operation->shielded()) continue;
        close(*operation);
        record(model::CommandCanceled{operation->number()});
        unbound_attempt(*operation);
        operation->cancel(cancel_->reason);
    }
}

Payload Execution::unpack_input(const Payload& packed) {
    Result<model::Continued> continued = model::unpack(packed);
    if (!continued) throw DecodeError(continued.error().message());
    for (model::CarriedMessage& message : continued->messages) {
        keep(Channel(message.channel, std::move(message.name)),
             ++arrivals_,
             std::move(message.payload));
    }
    values_ = std::move(continued->values);
    for (const auto& [key, value] : values_) values_bytes_ += key.size() + value.bytes.size();
    return std::move(continued->input);
}

Payload Execution::pack_input(Payload input) const {
    model::Continued continued;
    continued.input = std::move(input);
    for (const auto& [channel, payloads] : received_) {
        for (const auto& [arrival, payload] : payloads) {
            continued.messages.push_back(
                model::CarriedMessage{channel.first, channel.second, payload});
        }
    }
    continued.values = values_;
    return model::pack(continued);
}

}  // namespace belay::replay
