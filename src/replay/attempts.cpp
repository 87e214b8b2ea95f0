#include "replay/attempts.hpp"

#include "base/utf8.hpp"
#include "model/thrown.hpp"
#include "replay/child_id.hpp"
#include "replay/scheduled_event.hpp"
#include <belay/exceptions.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace belay::replay {

using detail::Operation;
using detail::OperationKind;
using detail::Retrying;

Attempts::Stage Attempts::stage_of(const Operation& operation) noexcept {
    if (operation.retrying() == nullptr) return Stage::single;
    return operation.kind() == OperationKind::timer ? Stage::pausing : Stage::attempting;
}

void Attempts::begin(const Shared& operation) {
    Retrying& retrying = *operation->retrying();
    const CommandNo command = commands_.next();
    std::string explicit_id = retrying.spec.child_id;
    if (retrying.spec.kind == OperationKind::child) {
        retrying.spec.child_id =
            child_id(identity_, limits_, journal_, retrying.spec, command, retrying.attempts + 1);
    }
    ++retrying.attempts;
    if (retrying.first == 0) {
        retrying.first = command;
        if (const auto total = retrying.policy().deadline()) {
            retrying.deadline = clock_.after(*total);
        }
    }
    operation->become(commands_.add(operation, retrying.spec.kind), retrying.spec.kind);
    if (is_abandoned_child(retrying.spec)) commands_.set_abandoned(command);
    journal_.record(
        scheduled_event(retrying.spec, command, operation->shielded(), clock_, &retrying));
    retrying.spec.child_id = std::move(explicit_id);
    bound(operation);
}

/// Sets the timer that ends the attempt if it takes too long.
void Attempts::bound(const Shared& operation) {
    Retrying& retrying = *operation->retrying();
    std::optional<Timestamp> until = retrying.deadline;
    if (const auto each = retrying.policy().attempt_timeout()) {
        const Timestamp latest = clock_.after(*each);
        until = until ? std::min(*until, latest) : latest;
    }
    if (!until) return;
    retrying.timeout = commands_.add(operation, OperationKind::timer);
    journal_.record(model::TimerScheduled{retrying.timeout, *until, operation->shielded()});
}

void Attempts::cancel_timeout(Operation& operation) noexcept {
    Retrying* const retrying = operation.retrying();
    if (retrying == nullptr || retrying->timeout == 0) return;
    const CommandNo timer = std::exchange(retrying->timeout, 0);
    journal_.record(model::CommandCanceled{timer});
    commands_.close(timer);
}

void Attempts::complete(const Shared& operation, CommandNo command, const Payload& result) {
    commands_.close(command);
    const Stage stage = stage_of(*operation);
    if (stage == Stage::pausing) {
        resume(operation);
    } else if (stage == Stage::attempting && command == operation->retrying()->timeout) {
        time_out(operation);
    } else {
        cancel_timeout(*operation);
        operation->complete(result);
    }
}

void Attempts::fail(const Shared& operation, const Failure& failure) {
    commands_.close(operation->number());
    if (stage_of(*operation) == Stage::single) {
        operation->fail(failure);
    } else {
        pause_or_fail(operation, failure);
    }
}

void Attempts::time_out(const Shared& operation) {
    Retrying& retrying = *operation->retrying();
    retrying.timeout = 0;
    // A child with ParentClose::abandon is canceled too: the next attempt takes its place.
    commands_.clear_abandoned(operation->number());
    journal_.record(model::CommandCanceled{operation->number()});
    commands_.close(operation->number());
    const bool at_deadline = retrying.deadline && clock_.now() >= *retrying.deadline;
    pause_or_fail(operation,
                  Failure{.kind = FailureKind::timeout,
                          .message = at_deadline ? "the deadline for all attempts has passed"
                                                 : "the attempt took longer than it may",
                          .where = retrying.spec.name,
                          .retryable = !at_deadline});
}

/// The failure of an operation that the history has no room to try again. The caller must know that
/// its policy was not followed to the end.
Failure Attempts::without_room(Failure last) const {
    last.message = base::shortened("it is not tried again: this execution's history has reached " +
                                       std::to_string(limits_.history_events) +
                                       " events; the last attempt failed: " + last.message,
                                   limits_.failure_bytes);
    last.kind = FailureKind::limit;
    last.type.clear();
    last.retryable = false;
    return last;
}

void Attempts::pause_or_fail(const Shared& operation, Failure failure) {
    cancel_timeout(*operation);
    Retrying& retrying = *operation->retrying();
    const RetryPolicy& policy = retrying.policy();
    failure.attempt = retrying.attempts;
    if (policy.again_after(failure, retrying.attempts)) {
        Millis delay = policy.delay_after(retrying.attempts);
        if (policy.has_jitter()) delay = policy.jittered(delay, random_.next());
        const bool in_time = !retrying.deadline || clock_.after(delay) < *retrying.deadline;
        if (in_time) {
            // No further attempt is made if it could not be recorded any more.
            if (journal_.position() >= limits_.history_events) {
                operation->fail(without_room(std::move(failure)));
                return;
            }
            retrying.last = std::move(failure);
            pause(operation, delay);
            return;
        }
    }
    operation->fail(std::move(failure));
}

void Attempts::pause(const Shared& operation, Millis delay) {
    // The recorded wait may come from another policy than the code has now. Without a deadline
    // nothing else follows from its length. With a deadline, the delay has decided that there is a
    // wait, and the jitter setting has decided if a number was drawn. Both stay as they are under
    // running histories.
    const auto* const recorded = journal_.next_in_history<model::TimerScheduled>();
    const Timestamp due = recorded != nullptr ? recorded->due_at : clock_.after(delay);
    const CommandNo timer = commands_.add(operation, OperationKind::timer);
    operation->become(timer, OperationKind::timer);
    journal_.record(model::TimerScheduled{timer, due, operation->shielded()});
}

/// The pause is over, perhaps long after it was due.
void Attempts::resume(const Shared& operation) {
    Retrying& retrying = *operation->retrying();
    if (retrying.deadline && clock_.now() >= *retrying.deadline) {
        operation->fail(std::move(retrying.last));
        return;
    }
    try {
        begin(operation);
    } catch (const LimitExceeded&) {
        Failure failure = model::failure_of_current_exception(identity_.definition);
        failure.attempt = retrying.attempts;
        operation->fail(std::move(failure));
    }
}

}  // namespace belay::replay
