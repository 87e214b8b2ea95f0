#include "replay/rollback.hpp"

#include "replay/checks.hpp"
#include <belay/exceptions.hpp>

#include <utility>

namespace belay::replay {

void Rollback::add(detail::OperationSpec spec) {
    if (registered_.size() >= limits_.rollbacks) {
        throw LimitExceeded(
            "more than " + std::to_string(limits_.rollbacks) +
            " compensations are registered (Limits::rollbacks): let one undo several "
            "things");
    }
    // A compensation that cannot be scheduled must be refused now: when it is needed it is too
    // late.
    require_names(spec, limits_);
    require_payload("the input of '" + spec.name + "'", spec.input, limits_);
    registered_.push_back(std::move(spec));
}

Rollback::State Rollback::advance() {
    if (state_ == State::registering) begin();
    while (state_ == State::compensating && (!current_ || current_->ready())) {
        if (current_) end_current();
        if (registered_.empty()) {
            state_ = State::finished;
        } else {
            begin_next();
        }
    }
    return state_;
}

void Rollback::begin() {
    state_ = State::compensating;
    // Operations that the code left open (in futures that it leaked, or when it was ended by
    // force) would outlive it.
    if (!registered_.empty()) scheduler_.drop_all();
}

void Rollback::begin_next() {
    detail::OperationSpec spec = std::move(registered_.back());
    registered_.pop_back();
    current_name_ = spec.name;
    // Not subject to the limits of the history: a run that ends because of them is cleaned up too.
    current_ = scheduler_.schedule(std::move(spec), true);
}

void Rollback::end_current() {
    if (current_->state() != detail::Operation::State::completed) {
        failures_.push_back(current_name_ + ": " + current_->failure().message);
    }
    current_.reset();
}

}  // namespace belay::replay
