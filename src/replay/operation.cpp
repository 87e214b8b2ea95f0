#include <belay/detail/engine.hpp>
#include <belay/exceptions.hpp>

namespace belay::detail {

Payload Operation::take() {
    switch (state_) {
        case State::completed: return std::move(result_);
        case State::failed: throw OperationFailed(failure_);
        case State::canceled: throw Canceled("the run was canceled");
        case State::open: break;
    }
    BELAY_ASSERT(false);
    return {};
}

void Operation::complete(Payload result) {
    BELAY_ASSERT(state_ == State::open);
    state_ = State::completed;
    result_ = std::move(result);
    set_ready();
}

void Operation::fail(Failure failure) {
    BELAY_ASSERT(state_ == State::open);
    state_ = State::failed;
    failure_ = std::move(failure);
    set_ready(!failure_is_value_);
}

void Operation::cancel() {
    BELAY_ASSERT(state_ == State::open);
    state_ = State::canceled;
    set_ready(true);
}

}  // namespace belay::detail
