#include <belay/detail/engine.hpp>
#include <belay/exceptions.hpp>

#include <string>
#include <utility>

namespace belay::detail {

Payload Operation::take() {
    taken_ = true;
    if (engine_ != nullptr) std::exchange(engine_, nullptr)->received(*this);
    switch (state_) {
        case State::completed: return std::move(result_);
        case State::failed: throw OperationFailed(failure_);
        case State::canceled: throw Canceled(failure_.message);
        case State::open: break;
    }
    BELAY_ASSERT(false);
    return {};
}

void Operation::complete(Payload result) {
    BELAY_ASSERT(state_ == State::open);
    state_ = State::completed;
    result_ = std::move(result);
    if (kind_ != OperationKind::wait) detach();  // Only a message can be put back.
    set_ready();
}

void Operation::fail(Failure failure) {
    BELAY_ASSERT(state_ == State::open);
    state_ = State::failed;
    failure_ = std::move(failure);
    detach();
    set_ready(!failure_is_value_);
}

void Operation::cancel(std::string reason) {
    BELAY_ASSERT(state_ == State::open);
    state_ = State::canceled;
    failure_ = Failure{.kind = FailureKind::canceled, .message = std::move(reason)};
    detach();
    set_ready(true);
}

void Operation::take_back() noexcept {
    lent_ = false;
    if (disowned_) disown();
}

void Operation::disown() noexcept {
    disowned_ = true;
    if (engine_ == nullptr || (ready() && lent_)) return;
    Engine& engine = *engine_;
    engine.drop(*this);
    // Code that awaits it by reference must not wait for ever.
    if (!ready() && lent_ && !engine.dead()) set_ready(true);
}

void Operation::give_up() {
    if (ready() || engine_ == nullptr || engine_->dead()) return;
    engine_->drop(*this);
    failure_ = Failure{.kind = FailureKind::canceled, .message = "the code gave it up"};
    set_ready(true);
}

}  // namespace belay::detail
