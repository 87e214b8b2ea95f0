// Trying again: operations that are several commands in turn.
//
// An attempt, and the wait for the next one, are commands with numbers of their own; the operation
// that the code awaits stays the same, and only changes which command it is. A bound on the time of
// an attempt is a timer beside it, in the slot behind.
#include "replay/execution.hpp"
#include <belay/exceptions.hpp>

#include <algorithm>
#include <utility>

namespace belay::replay {

using detail::Operation;
using detail::OperationKind;
using detail::Retrying;

void Execution::begin_attempt(const std::shared_ptr<Operation>& operation) {
    Retrying& retrying = *operation->retrying();
    const CommandNo command = next_command();
    std::string explicit_id = retrying.spec.child_id;
    if (retrying.spec.kind == OperationKind::child) {
        retrying.spec.child_id = child_id(retrying.spec, command, retrying.attempts + 1);
    }
    ++retrying.attempts;
    if (retrying.first == 0) {
        retrying.first = command;
        if (const auto total = retrying.policy().deadline()) {
            retrying.deadline = due_at(now_, *total);
        }
    }
    operation->become(add_command(operation, retrying.spec.kind), retrying.spec.kind);
    record_scheduled(retrying.spec, command, operation->shielded(), &retrying);
    retrying.spec.child_id = std::move(explicit_id);
    bound_attempt(operation);
}

/// Sets the timer that ends the attempt if it takes too long.
void Execution::bound_attempt(const std::shared_ptr<Operation>& operation) {
    Retrying& retrying = *operation->retrying();
    std::optional<Timestamp> until = retrying.deadline;
    if (const auto each = retrying.policy().attempt_timeout()) {
        const Timestamp latest = due_at(now_, *each);
        until = until ? std::min(*until, latest) : latest;
    }
    if (!until) return;
    retrying.timeout = add_command(operation, OperationKind::timer);
    record(model::TimerScheduled{retrying.timeout, *until, operation->shielded()});
}

/// The attempt is over: its timer is of no more use.
void Execution::unbound_attempt(Operation& operation) noexcept {
    Retrying* const retrying = operation.retrying();
    if (retrying == nullptr || retrying->timeout == 0) return;
    const CommandNo timer = std::exchange(retrying->timeout, 0);
    record(model::CommandCanceled{timer});
    close_command(timer);
}

void Execution::attempt_failed(const std::shared_ptr<Operation>& operation, Failure failure) {
    unbound_attempt(*operation);
    Retrying& retrying = *operation->retrying();
    const RetryPolicy& policy = retrying.policy();
    failure.attempt = retrying.attempts;
    if (policy.again_after(failure, retrying.attempts)) {
        Millis delay = policy.delay_after(retrying.attempts);
        if (policy.has_jitter()) delay = policy.jittered(delay, random_bits());
        const bool in_time = !retrying.deadline || due_at(now_, delay) < *retrying.deadline;
        // What cannot be recorded any more is not tried either.
        if (in_time && position_ < limits_.history_events) {
            retrying.last = std::move(failure);
            wait_for_attempt(operation, delay);
            return;
        }
    }
    operation->fail(std::move(failure));
}

void Execution::wait_for_attempt(const std::shared_ptr<Operation>& operation, Millis delay) {
    // How long a run has waited may come from another policy than the code has by now: nothing
    // else follows from it, without a deadline. With one, the delay has decided that there is a
    // wait at all; and whether there is jitter has decided if a number was drawn. Both stay as they
    // are under running histories.
    const auto* const recorded = next_in_history<model::TimerScheduled>();
    const Timestamp due = recorded != nullptr ? recorded->due_at : due_at(now_, delay);
    const CommandNo timer = add_command(operation, OperationKind::timer);
    operation->become(timer, OperationKind::timer);
    record(model::TimerScheduled{timer, due, operation->shielded()});
}

void Execution::attempt_timed_out(const std::shared_ptr<Operation>& operation) {
    Retrying& retrying = *operation->retrying();
    retrying.timeout = 0;
    // Also a child that goes on when nobody waits for it: the next attempt does so in its place.
    std::erase(alone_, operation->number());
    record(model::CommandCanceled{operation->number()});
    close_command(operation->number());
    const bool at_deadline = retrying.deadline && now_ >= *retrying.deadline;
    attempt_failed(operation,
                   Failure{.kind = FailureKind::timeout,
                           .message = at_deadline ? "the deadline for all attempts has passed"
                                                  : "the attempt took longer than it may",
                           .where = retrying.spec.name,
                           .retryable = !at_deadline});
}

/// The wait is over, perhaps long after it should have been.
void Execution::go_on(const std::shared_ptr<Operation>& operation) {
    Retrying& retrying = *operation->retrying();
    if (retrying.deadline && now_ >= *retrying.deadline) {
        operation->fail(std::move(retrying.last));
        return;
    }
    try {
        begin_attempt(operation);
    } catch (const LimitExceeded&) {
        Failure failure = failure_of_current_exception();
        failure.attempt = retrying.attempts;
        operation->fail(std::move(failure));
    }
}

}  // namespace belay::replay
