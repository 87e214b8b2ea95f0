#include "flow/interpreter/attempt_log.hpp"

#include <utility>
#include <variant>

namespace belay::flow {

AttemptLog::AttemptLog(const std::vector<model::Event>& events) {
    for (const model::Event& event : events) {
        std::visit([this](const auto& each) { on(each); }, event);
    }
}

const CallAttempts* AttemptLog::find(CommandNo first) const noexcept {
    const auto found = by_first_.find(first);
    return found != by_first_.end() ? &found->second : nullptr;
}

void AttemptLog::begin(CommandNo first, CommandNo command, std::uint32_t attempt) {
    awaits_pause_ = 0;
    resumed_ = 0;
    first_of_[command] = first;
    CallAttempts& call = by_first_[first];
    call.attempts = attempt;
    call.current = command;
    call.next_at.reset();
}

void AttemptLog::on(const model::ActivityScheduled& event) {
    const CommandNo first = event.terms.first == 0 ? event.command : event.terms.first;
    begin(first, event.command, event.terms.attempt);
}

void AttemptLog::on(const model::ChildScheduled& event) {
    // Each attempt is scheduled right after the pause before it.
    const bool is_retry = event.terms.attempt > 1 && resumed_ != 0;
    const CommandNo first = is_retry ? resumed_ : event.command;
    begin(first, event.command, event.terms.attempt);
    by_first_[first].child = event.id;
    by_first_[first].is_activity = false;
}

void AttemptLog::on(const model::TimerScheduled& event) {
    const CommandNo call = std::exchange(awaits_pause_, 0);
    if (call == 0) return;
    // If the last attempt failed this is a timer of the code, and the step ends in the same turn.
    first_of_[event.command] = call;
    by_first_[call].next_at = event.due_at;
    by_first_[call].current = event.command;
}

void AttemptLog::on(const model::CommandFailed& event) {
    const auto found = first_of_.find(event.command);
    awaits_pause_ = found != first_of_.end() ? found->second : 0;
    if (awaits_pause_ != 0) by_first_[awaits_pause_].last = event.failure;
}

void AttemptLog::on(const model::CommandCompleted& event) {
    awaits_pause_ = 0;
    timer_ = event.command;
    const auto found = first_of_.find(event.command);
    const bool is_pause = found != first_of_.end() && by_first_[found->second].next_at.has_value();
    resumed_ = is_pause ? found->second : 0;
}

void AttemptLog::on(const model::CommandCanceled& event) {
    // An attempt that took too long is canceled right after its timer has completed.
    const CommandNo timer = std::exchange(timer_, 0);
    const auto found = first_of_.find(event.command);
    const bool is_attempt =
        found != first_of_.end() && by_first_[found->second].current == event.command;
    if (timer == 0 || timer == event.command || !is_attempt) return;
    awaits_pause_ = found->second;
    by_first_[awaits_pause_].last =
        Failure{.kind = FailureKind::timeout, .message = "the attempt took longer than it may"};
}

}  // namespace belay::flow
