// Running the code, and how an execution ends.
#include "base/utf8.hpp"
#include "model/thrown.hpp"
#include "replay/execution.hpp"
#include <belay/exceptions.hpp>

#include <utility>

namespace belay::replay {

/// What an exception that left the code means. Only called while it is being handled.
Failure Execution::failure_of_current_exception() const {
    Failure failure = model::failure_of_current_exception();
    if (failure.where.empty()) failure.where = identity_.definition;
    return failure;
}

/// Lets the code go on until it waits, and sees whether that was the end.
void Execution::run() {
    run_code();
    if (finished()) return;
    if (!code_ended_ && root_) {
        if (continuing_) {
            kill_code();
            code_ended_ = true;
        } else if (root_->completion().ready()) {
            end_code();
        } else if (must_stop()) {
            end_code_by_force(stop_why_);
        }
    }
    if (!code_ended_ || (cancel_follows_ && !cancel_)) return;
    if (continuing_ && !cancel_ && !failure_) continue_or_fail();
    if (!continued_) go_on_with_rollbacks();
}

/// Hands over to the next execution, unless what it would take along is too much.
void Execution::continue_or_fail() {
    keep_all_handed_over();
    Payload next = pack_input(std::move(*continuing_));
    if (next.bytes.size() > limits_.carried_bytes) {
        failure_ =
            Failure{.kind = FailureKind::limit,
                    .message = "the input of the next execution, with the " +
                               std::to_string(received_count_) + " messages and " +
                               std::to_string(values_.size()) + " key-values it takes along, is " +
                               std::to_string(next.bytes.size()) + " bytes; at most " +
                               std::to_string(limits_.carried_bytes) +
                               " are allowed (Limits::carried_bytes): receive messages and clear "
                               "key-values before it continues",
                    .where = identity_.definition};
        return;
    }
    continued_ = std::move(next);
    if (!next_version_.empty()) record(model::NextVersionChosen{next_version_});
    record(model::ExecutionContinued{*continued_});
    dead_ = true;
}

/// Whether code that still waits has exceeded a limit that it does not honour by itself.
bool Execution::must_stop() {
    const std::uint64_t some_more = limits_.history_events / 10;
    if (position_ + retired_ahead() > limits_.history_events + some_more && stop_why_.empty()) {
        stop_why_ = "its history has more than " + std::to_string(limits_.history_events) +
                    " events; continue as new before that";
    }
    return !stop_why_.empty();
}

void Execution::run_code() {
    while (!code_ended_ && !continuing_ && stop_why_.empty() && loop_.run_one()) {
    }
}

void Execution::end_code() {
    code_ended_ = true;
    try {
        output_ = root_->take();
        check_payload("the result", output_);
    } catch (const Canceled& canceled) {
        if (!cancel_) cancel_self(canceled.reason());
    } catch (...) {
        failure_ = failure_of_current_exception();
    }
    kill_code();
}

void Execution::cancel_self(const std::string& reason) {
    if (reason.size() > limits_.reason_bytes) {
        failure_ = Failure{.kind = FailureKind::limit,
                           .message = "the reason it canceled itself for is " +
                                      std::to_string(reason.size()) + " bytes; at most " +
                                      std::to_string(limits_.reason_bytes) + " are allowed",
                           .where = identity_.definition};
        return;
    }
    self_cancel_ = CancelRecord{.source = CancelSource::self,
                                .by = identity_.name.id,
                                .reason = reason,
                                .requested_at = now_};
}

void Execution::end_code_by_force(std::string why) {
    kill_code();
    code_ended_ = true;
    failure_ = Failure{.kind = FailureKind::limit,
                       .message = "the orchestration was ended: " + std::move(why),
                       .where = identity_.definition};
}

/// Destroys the coroutines where they stand. Meanwhile the engine is dead, so that nothing their
/// destructors do is taken for a decision.
void Execution::kill_code() noexcept {
    const bool was_dead = std::exchange(dead_, true);
    root_.reset();
    loop_.clear();
    for (const std::shared_ptr<detail::Operation>& operation : operations_) {
        if (operation) operation->forget_waiter();
    }
    dead_ = was_dead;
}

/// Compensates, last registered first, one at a time; then ends.
void Execution::go_on_with_rollbacks() {
    if (!failure_ && !cancel_ && !self_cancel_) rollbacks_.clear();
    if (!rollbacks_.empty() && !rollback_) drop_leftovers();
    for (;;) {
        if (rollback_) {
            if (!rollback_->ready()) return;
            if (rollback_->state() != detail::Operation::State::completed) {
                cleanup_failures_.push_back(rollback_name_ + ": " + rollback_->failure().message);
            }
            rollback_.reset();
        }
        if (rollbacks_.empty()) break;
        detail::OperationSpec spec = std::move(rollbacks_.back());
        rollbacks_.pop_back();
        rollback_name_ = spec.name;
        // Not subject to the limits of the history: a run that ends because of them is cleaned up
        // too.
        rollback_ = add_operation(std::move(spec), true);
    }
    end();
}

/// What the code left open (in futures that it leaked, or when it was ended by force) would outlive
/// it.
void Execution::drop_leftovers() noexcept {
    for (std::size_t i = 0; open_count_ > 0; ++i) {
        if (operations_[i]) drop(*operations_[i]);
    }
}

void Execution::end() {
    outcome_ = final_outcome();
    record(model::ExecutionEnded{*outcome_});
    dead_ = true;
}

Outcome Execution::final_outcome() const {
    Outcome outcome;
    std::string problems;
    const auto add_problem = [&](const std::string& problem) {
        problems += (problems.empty() ? "" : "; ") + problem;
    };
    for (const std::string& failure : cleanup_failures_) add_problem(failure);
    if (cancel_ || self_cancel_) {
        if (failure_) add_problem(failure_->message);
        outcome.status = Status::canceled;
        outcome.cancel = cancel_ ? *cancel_ : *self_cancel_;
        outcome.cleanup = problems.empty() ? Cleanup::done : Cleanup::failed;
        outcome.cleanup_detail = base::shortened(std::move(problems), limits_.failure_bytes);
    } else if (failure_) {
        outcome.status = Status::failed;
        outcome.failure = *failure_;
        if (!problems.empty()) {
            outcome.failure.detail +=
                (outcome.failure.detail.empty() ? "" : "; ") + ("compensation failed: " + problems);
        }
        outcome.failure = model::shortened(std::move(outcome.failure), limits_);
    } else {
        outcome.output = output_;
    }
    return outcome;
}

}  // namespace belay::replay
