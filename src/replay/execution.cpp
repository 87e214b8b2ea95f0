// Routes inputs and requests of the code to the machines, and runs the code.
#include "replay/execution.hpp"

#include "model/continued.hpp"
#include "model/thrown.hpp"
#include "replay/checks.hpp"
#include "replay/message_input.hpp"
#include "replay/turn_scope.hpp"
#include <belay/exceptions.hpp>

#include <utility>
#include <variant>

namespace belay::replay {

using detail::Operation;
using detail::OperationKind;
using detail::OperationSpec;
using model::Event;

Execution::Execution(OrchestrationHandler handler,
                     Identity identity,
                     const Limits& limits,
                     const LogSink* log)
    : handler_(std::move(handler)),
      identity_(std::move(identity)),
      limits_(limits),
      log_(log, identity_, clock_, journal_) {}

Execution::~Execution() {
    kill_code();
    commands_.detach_all();
    inbox_.detach_all();
}

// ---- Inputs ------------------------------------------------------------------------------------

Result<void> Execution::replay(const std::vector<Event>& events) {
    journal_.begin_replay(events);
    while (const Event* const input = journal_.next_input()) {
        if (finished() || !is_input(*input) || !can_take(*input)) {
            return mismatch({journal_.position() + 1, input, nullptr});
        }
        feed(*input);
        if (const auto difference = journal_.match_input()) return mismatch(*difference);
    }
    journal_.end_replay();
    return {};
}

Error Execution::mismatch(const Journal::Difference& difference) {
    const auto& [at, in_history, from_code] = difference;
    if (in_history != nullptr && std::holds_alternative<model::PatchMarked>(*in_history)) {
        patches_.set_in_doubt();
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
    const bool is_first = journal_.position() == 0;
    feed(model::TurnStarted{at, canceled});
    if (is_first) {
        feed(model::ExecutionStarted{identity_.definition, identity_.version, input});
    }
}

bool Execution::apply(const NewMessage& message) {
    if (finished()) return false;
    if (!inbox_.begin_applying(message)) return true;
    if (message.execution != 0 && message.execution != identity_.execution) return false;
    const std::optional<OperationKind> answered = answered_kind(message.kind);
    if (answered && commands_.kind_of(message.command) != answered) return false;
    const std::optional<Event> input = input_of(message);
    if (!input || !can_take(*input)) return false;
    feed(*input);
    return true;
}

void Execution::apply_cancel(const CancelRecord& record) {
    if (finished() || cancellation_.is_requested()) return;
    feed(model::CancelRequested{record});
}

void Execution::fire_due(Timestamp at) {
    std::vector<CommandNo> due;
    for (const Event& event : journal_.recorded()) {
        const auto* const timer = std::get_if<model::TimerScheduled>(&event);
        if (timer != nullptr && timer->due_at <= at) due.push_back(timer->command);
    }
    // A timer that fires may close another.
    for (const CommandNo command : due) {
        (void)apply(NewMessage{
            MessageKind::timer_fired, identity_.execution, command, std::string(), Payload()});
    }
}

std::vector<Event> Execution::take_recorded() {
    inbox_.end_turn();
    return journal_.take_recorded();
}

bool Execution::can_take(const Event& input) const {
    if (!root_ && ending_.phase() == Ending::Phase::running) {
        return journal_.position() == 0 ? std::holds_alternative<model::TurnStarted>(input)
                                        : std::holds_alternative<model::ExecutionStarted>(input);
    }
    if (const auto* completed = std::get_if<model::CommandCompleted>(&input)) {
        return commands_.can_complete(completed->command);
    }
    if (const auto* failed = std::get_if<model::CommandFailed>(&input)) {
        return commands_.can_fail(failed->command);
    }
    if (std::holds_alternative<model::CancelRequested>(input)) return !cancel_seen();
    return !std::holds_alternative<model::ExecutionStarted>(input);
}

void Execution::feed(const Event& input) {
    const TurnScope in_turn(identity_);
    journal_.record(input);
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
        Failure failure = model::failure_of_current_exception(identity_.definition);
        failure.message = "the input cannot be used: " + failure.message;
        ending_.fail(std::move(failure));
    }
}

void Execution::on(const model::TurnStarted& event) {
    clock_.begin_turn(event.at);
    if (event.canceled) cancellation_.expect();
}

void Execution::on(const model::CommandCompleted& event) {
    const std::shared_ptr<Operation> operation = commands_.operation(event.command);
    attempts_.complete(operation, event.command, event.result);
}

void Execution::on(const model::CommandFailed& event) {
    const std::shared_ptr<Operation> operation = commands_.operation(event.command);
    attempts_.fail(operation, event.failure);
}

void Execution::on(const model::MessageReceived& event) {
    if (!inbox_.receive(event)) stop_.stop_for_messages();
}

void Execution::on(const model::CancelRequested& event) {
    cancellation_.request(event.record);
    scheduler_.cancel_unshielded(event.record.reason);
}

Payload Execution::unpack_input(const Payload& packed) {
    Result<model::Continued> continued = model::unpack(packed);
    if (!continued) throw DecodeError(continued.error().message());
    inbox_.take_over(std::move(continued->messages));
    key_values_.take_over(std::move(continued->values));
    return std::move(continued->input);
}

Payload Execution::pack_input(Payload input) const {
    return model::pack(model::Continued{std::move(input), inbox_.carried(), key_values_.all()});
}

// ---- Running the code, and its end -------------------------------------------------------------

/// Resumes the code until it waits, and checks if that was the end.
void Execution::run() {
    run_code();
    if (finished()) return;
    if (root_ && ending_.phase() == Ending::Phase::running) end_code_if_over();
    if (ending_.phase() == Ending::Phase::running || cancellation_.is_awaited()) return;
    if (ending_.can_continue()) continue_or_fail();
    if (!finished()) roll_back_and_end();
}

void Execution::run_code() {
    while (ending_.phase() == Ending::Phase::running && !ending_.is_asked_to_continue() &&
           !stop_.is_set() && loop_.run_one()) {
    }
}

void Execution::end_code_if_over() {
    if (ending_.is_asked_to_continue()) {
        kill_code();
        dead_ = false;
        ending_.end_code();
        return;
    }
    if (root_->completion().ready()) {
        end_completed_code();
        return;
    }
    if (journal_.is_overfull()) stop_.stop_for_history();
    if (inbox_.has_too_many()) stop_.stop_for_messages();
    if (!stop_.is_set()) return;
    kill_code();
    ending_.fail(Failure{.kind = FailureKind::limit,
                         .message = "the orchestration was ended: " + stop_.why(),
                         .where = identity_.definition});
}

void Execution::end_completed_code() {
    try {
        Payload output = root_->take();
        require_payload("the result", output, limits_);
        ending_.complete(std::move(output));
    } catch (const Canceled& canceled) {
        ending_.cancel(canceled.reason());
    } catch (const SkipRun& skip) {
        ending_.skip(skip.reason());
    } catch (...) {
        ending_.fail(model::failure_of_current_exception(identity_.definition));
    }
    kill_code();
}

/// Hands over to the next execution. Fails if the data to take along is too much.
void Execution::continue_or_fail() {
    inbox_.buffer_handed_over();
    Payload next = pack_input(ending_.take_asked_input());
    if (next.bytes.size() > limits_.carried_bytes) {
        ending_.fail(Failure{
            .kind = FailureKind::limit,
            .message = "the input of the next execution, with the " +
                       std::to_string(inbox_.buffered()) + " messages and " +
                       std::to_string(key_values_.all().size()) +
                       " key-values it takes along, is " + std::to_string(next.bytes.size()) +
                       " bytes; at most " + std::to_string(limits_.carried_bytes) +
                       " are allowed (Limits::carried_bytes): receive messages and clear "
                       "key-values before it continues",
            .where = identity_.definition});
        return;
    }
    ending_.continue_with(std::move(next));
    dead_ = true;
}

void Execution::roll_back_and_end() {
    if (ending_.needs_rollback() && rollback_.advance() != Rollback::State::finished) return;
    ending_.end(rollback_.failures());
    dead_ = true;
}

/// Destroys the coroutines where they stand. The engine is dead meanwhile, so nothing that their
/// destructors do is taken for a decision.
void Execution::kill_code() noexcept {
    const bool was_dead = std::exchange(dead_, true);
    root_.reset();
    loop_.clear();
    commands_.forget_waiters();
    dead_ = was_dead;
}

// ---- Requests of the code ----------------------------------------------------------------------

void Execution::refuse_if_canceled(bool shielded) {
    if (dead_ || !cancellation_.is_requested() || shielded) return;
    stop_.count_refusal();
    throw Canceled(cancellation_.record()->reason);
}

std::shared_ptr<Operation> Execution::schedule(OperationSpec spec, bool shielded) {
    if (dead_) return nullptr;
    refuse_if_canceled(shielded);
    try {
        scheduler_.check(spec);
        return scheduler_.schedule(std::move(spec), shielded);
    } catch (...) {
        stop_.count_refusal();
        throw;
    }
}

void Execution::start_detached(OperationSpec spec, bool shielded) {
    if (dead_) return;
    refuse_if_canceled(shielded);
    scheduler_.start_detached(std::move(spec));
}

void Execution::drop(Operation& operation) noexcept {
    if (!dead_) scheduler_.drop(operation);
}

void Execution::received(const Operation& operation) noexcept {
    inbox_.set_taken(operation.number());
}

std::optional<Payload> Execution::try_take(MessageKind kind, const std::string& name) {
    if (dead_) return std::nullopt;
    return inbox_.try_take(kind, name);
}

std::size_t Execution::depth(MessageKind kind, const std::string& name) {
    return dead_ ? inbox_.buffered(kind, name) : inbox_.depth(kind, name);
}

std::shared_ptr<detail::Completion> Execution::arrival(MessageKind kind, const std::string& name) {
    return inbox_.arrival(kind, name);
}

void Execution::add_rollback(OperationSpec spec) {
    if (!dead_) rollback_.add(std::move(spec));
}

void Execution::continue_as_new(Payload input, std::string version) {
    if (dead_) return;
    require_payload("the input of the next execution", input, limits_);
    if (!version.empty()) require_name("a version", version, limits_.name_bytes);
    ending_.ask_to_continue(std::move(input), std::move(version));
    dead_ = true;  // Code that leaves its function destroys its variables: no decisions any more.
}

void Execution::set_custom_status(Payload status) {
    if (dead_) return;
    journal_.check_room();
    require_custom_status(status, limits_);
    custom_status_ = status;
    journal_.record(model::CustomStatusSet{std::move(status)});
}

void Execution::open_shield(Millis extend) noexcept { cancellation_.open_shield(extend); }

void Execution::close_shield(Millis extend) noexcept { cancellation_.close_shield(extend); }

bool Execution::stop_here() noexcept { return dead_ || stop_.is_set(); }

std::uint64_t Execution::random_bits() { return dead_ ? 0 : random_.next(); }

void Execution::set_value(const std::string& key, Payload value) {
    if (!dead_) key_values_.set(key, std::move(value));
}

const Payload* Execution::value(const std::string& key) const noexcept {
    return key_values_.find(key);
}

void Execution::clear_value(const std::string& key) {
    if (!dead_) key_values_.clear(key);
}

void Execution::clear_values() {
    if (!dead_) key_values_.clear_all();
}

bool Execution::patched(const std::string& name) { return !dead_ && patches_.patched(name); }

void Execution::retire_patch(const std::string& name) {
    if (!dead_) patches_.retire(name);
}

void Execution::log(LogLevel level, std::string_view message) noexcept {
    if (!dead_) log_.write(level, message);
}

}  // namespace belay::replay
