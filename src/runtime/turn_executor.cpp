#include <belay/turn_executor.hpp>

namespace belay {

bool TurnTask::begin() noexcept {
    begun_at_ = clock_->monotonic().count();
    State expected = State::waiting;
    return state_.compare_exchange_strong(expected, State::running);
}

void TurnTask::complete() noexcept {
    work();
    State expected = State::running;
    if (state_.compare_exchange_strong(expected, State::over)) {
        tell();
    } else {
        discard();
    }
}

TurnTask::State TurnTask::give_up() noexcept {
    State state = state_.load();
    while (state != State::over && !state_.compare_exchange_weak(state, State::given_up)) {
    }
    return state;
}

std::optional<Millis> TurnTask::begun_at() const noexcept {
    if (state_.load() == State::waiting) return std::nullopt;
    const Millis at(begun_at_.load());
    return at < Millis(0) ? std::nullopt : std::optional(at);
}

}  // namespace belay
