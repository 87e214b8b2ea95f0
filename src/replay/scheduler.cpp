#include "replay/scheduler.hpp"

#include "replay/checks.hpp"
#include "replay/child_id.hpp"
#include "replay/scheduled_event.hpp"
#include <belay/exceptions.hpp>

#include <utility>

namespace belay::replay {

using detail::Operation;
using detail::OperationKind;
using detail::OperationSpec;

void Scheduler::check(const OperationSpec& spec) const {
    journal_.check_room();
    if (commands_.open_count() >= limits_.open_commands) {
        throw LimitExceeded(
            "more than " + std::to_string(limits_.open_commands) +
            " commands are open at once (Limits::open_commands): await some before more "
            "are started");
    }
    require_payload("the input of '" + spec.name + "'", spec.input, limits_);
    require_names(spec, limits_);
}

std::shared_ptr<Operation> Scheduler::schedule(OperationSpec spec, bool shielded) {
    const CommandNo command = commands_.next();
    const bool is_retried = spec.terms && spec.terms->retry;
    if (spec.kind == OperationKind::child && !is_retried) {
        spec.child_id = child_id(identity_, limits_, journal_, spec, command, 1);
    }
    auto operation = std::make_shared<Operation>(&engine_, command, spec, shielded);
    if (is_retried) {
        operation->set_retrying(std::move(spec));
        attempts_.begin(operation);
        return operation;
    }
    commands_.add(operation, spec.kind);
    if (is_abandoned_child(spec)) commands_.set_abandoned(command);
    journal_.record(scheduled_event(spec, command, shielded, clock_, nullptr));
    if (spec.kind == OperationKind::wait) inbox_.begin_wait(spec, operation);
    return operation;
}

void Scheduler::start_detached(OperationSpec spec) {
    check(spec);
    require_detached_id(spec.child_id, limits_);
    model::DetachedStarted event{
        std::move(spec.name), std::move(spec.child_id), std::move(spec.input), {}, {}};
    if (spec.terms) {
        event.version = std::move(spec.terms->version);
        event.labels = std::move(spec.terms->labels);
        event.with_document = spec.terms->with_document;
        event.on_fail = spec.terms->on_fail;
    }
    journal_.record(std::move(event));
}

void Scheduler::close(const Operation& operation) noexcept {
    inbox_.end_wait(operation.number());
    commands_.close(operation.number());
}

void Scheduler::drop(Operation& operation) noexcept {
    if (operation.state() != Operation::State::open) {
        inbox_.pass_on(operation);
        return;
    }
    const std::shared_ptr<Operation> alive = commands_.operation(operation.number());
    (void)operation.drop();
    journal_.record(model::CommandCanceled{operation.number()});
    close(operation);
    attempts_.cancel_timeout(operation);
}

void Scheduler::drop_all() noexcept {
    for (CommandNo command = 1; commands_.open_count() > 0; ++command) {
        if (commands_.is_open(command)) drop(*commands_.operation(command));
    }
}

void Scheduler::cancel_unshielded(const std::string& reason) {
    for (CommandNo command = 1; command < commands_.next(); ++command) {
        if (!commands_.is_open(command)) continue;
        // Closing the command drops its share.
        const std::shared_ptr<Operation> operation = commands_.operation(command);
        if (operation->shielded()) continue;
        close(*operation);
        journal_.record(model::CommandCanceled{operation->number()});
        attempts_.cancel_timeout(*operation);
        operation->cancel(reason);
    }
}

}  // namespace belay::replay
