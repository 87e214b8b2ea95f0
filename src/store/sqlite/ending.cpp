#include "store/sqlite/ending.hpp"

#include <belay/store/operations.hpp>

#include <algorithm>

namespace belay::sqlite {

namespace {

/// The child's end answers a command of one execution of its parent: when that execution is over,
/// there is nobody to tell.
void tell_parent(Change& change, const ParentLink& link, const NewMessage& notice) {
    const Run* parent = change.tables.find_run(link.run);
    if (parent != nullptr && !parent->ended() && parent->execution != link.execution) return;
    deliver(change, link.run, notice);
}

void close_queues(Change& change, Run& run) {
    change.tables.clear_inbox(run);
    cancel_activities(change, run, Shielded::cancel);
    run.lock.reset();
    if (run.held) change.tables.set_held_detail(run, std::nullopt);
    run.held = false;
    run.wants_turn_at.reset();
    run.not_before = Timestamp();
    run.waits_for.reset();
    if (run.code_missing_since) change.tables.remove_put_off(run.ref.key);
}

/// Whether a cancel ends the run in its own commit: nobody holds it, and there is no code to run.
bool ends_at_once(const Run& run, Timestamp now, Millis deadline) {
    // Nothing of a pending run was committed: a first turn under way will be refused.
    if (run.status == Status::pending) return true;
    // As long as a cancel is waited for, the owners of the code may still be coming up.
    const bool nobody_has_the_code =
        run.code_missing_since && now - *run.code_missing_since >= deadline;
    return (run.held || nobody_has_the_code) && !run.locked(now);
}

}  // namespace

void deliver(Change& change, RunRef ref, const NewMessage& message) {
    Run* run = change.tables.find_run(ref);
    if (run == nullptr) {
        change.tables.add_dead_letter(ref, message);
    } else if (!run->ended()) {
        change.tables.add_message(*run, message);
    }
}

void cancel_activity(Change& change, Run& run, const ActivityRef& ref) {
    const Activity* found = change.tables.find_activity(ref);
    BELAY_ASSERT(found != nullptr);
    const Activity activity = *found;
    if (activity.token) {
        const Timestamp leased = std::max(activity.leased_until, change.now);
        const Timestamp until = later(leased, change.stop.grace);
        change.tables.add_stopping(run, StoppingKey{ref, *activity.token}, activity.worker, until);
        change.tables.note_stopping(*activity.token, until);
        change.answer.stopped.push_back(*activity.token);
        change.tables.notices.stopped.push_back(*activity.token);
    }
    change.tables.remove_activity(run, activity);
}

void cancel_activities(Change& change, Run& run, Shielded shielded) {
    for (const ActivityRef& ref : change.tables.activities_of(run)) {
        if (shielded == Shielded::keep && change.tables.find_activity(ref)->shielded) continue;
        cancel_activity(change, run, ref);
    }
}

void end_run(Change& change,
             Run& run,
             Outcome outcome,
             const std::optional<NewMessage>& parent_notice) {
    BELAY_ASSERT(!run.ended());
    BELAY_ASSERT(is_terminal(outcome.status));
    if ((outcome.status == Status::canceled) != run.cancel.has_value()) {
        damaged("the record of a cancel is missing, or there is one too many");
    }
    run.status = outcome.status;
    run.new_outcome = std::move(outcome);
    run.ended_at = change.now;
    close_queues(change, run);
    change.tables.touch(run);
    change.tables.notices.ended.push_back(run.ref);

    cancel_children(change, run, change.tables.dependent_children_of(run), "its parent ended");
    if (run.parent && parent_notice) tell_parent(change, *run.parent, *parent_notice);
    settle(change, run);
}

void end_run(Change& change, Run& run, Outcome outcome) {
    std::optional<NewMessage> notice;
    if (run.parent) notice = op::child_ended(*run.parent, outcome);
    end_run(change, run, std::move(outcome), notice);
}

bool is_at_rest(Tables& tables, const Run& run) {
    if (run.settled) return true;
    if (!run.ended() || run.stopping > 0) return false;
    if (tables.has_dependent_children(run)) return false;
    const std::vector<RunKey> children = tables.unsettled_dependents_of(run);
    return std::all_of(children.begin(), children.end(), [&](RunKey child) {
        return is_at_rest(tables, tables.run_of(child));
    });
}

void settle(Change& change, Run& run) {
    Tables& tables = change.tables;
    const auto parent_of = [&](const Run& child) {
        return child.parent ? tables.find_run(child.parent->run) : nullptr;
    };
    Run* at = &run;
    while (at != nullptr) {
        if (at->settled || !at->ended() || at->stopping > 0) return;
        if (at->unsettled_children > 0) break;
        at->settled = true;
        tables.touch(*at);
        wake_waiters(change, *at);
        at = parent_of(*at);
        if (at == nullptr) return;
        count_down(at->unsettled_children, "children");
        tables.touch(*at);
    }
    // What is left of these may all go on by itself.
    while (at != nullptr && at->ended() && at->stopping == 0) {
        // Whether it is at rest takes a look at all its children: only if somebody wants to know.
        if (at->former && !tables.waiting_for(at->ref.key).empty() && is_at_rest(tables, *at)) {
            wake_waiters(change, *at);
        }
        if (at->parent_close == ParentClose::abandon) return;
        at = parent_of(*at);
    }
}

void wake_waiters(Change& change, const Run& gone) {
    // Only who takes over a name waits, and that made the other a former one.
    if (!gone.former) return;
    for (const RunKey key : change.tables.waiting_for(gone.ref.key)) {
        Run& run = change.tables.run_of(key);
        run.waits_for.reset();
        change.tables.touch(run);
    }
}

bool cancel_run(Change& change, Run& run, CancelRecord record, Millis deadline) {
    if (run.ended() || run.cancel) return false;
    const bool at_once = ends_at_once(run, change.now, deadline);
    const bool pending = run.status == Status::pending;
    record.requested_at = change.now;
    record.sequence = run.next_message;
    run.cancel = std::move(record);
    change.tables.touch(run);
    if (at_once) {
        Outcome outcome;
        outcome.status = Status::canceled;
        outcome.cancel = *run.cancel;
        // Once a turn was committed there may be something to undo, and nobody will.
        outcome.cleanup = pending ? Cleanup::not_needed : Cleanup::skipped;
        end_run(change, run, std::move(outcome));
        return true;
    }
    run.status = Status::canceling;
    run.cancel_deadline = later(change.now, deadline);
    run.wants_turn_at = change.now;
    run.not_before = Timestamp();
    cancel_activities(change, run, Shielded::keep);
    return true;
}

void cancel_children(Change& change,
                     const Run& parent,
                     const std::vector<RunKey>& children,
                     const std::string& why) {
    CancelRecord record;
    record.source = CancelSource::parent;
    record.by = parent.name.id;
    record.reason = why;
    for (const RunKey child : children) change.cascade.push_back(CascadedCancel{child, record});
}

void finish_cascade(Change& change) {
    while (!change.cascade.empty()) {
        CascadedCancel next = std::move(change.cascade.front());
        change.cascade.pop_front();
        cancel_run(change,
                   change.tables.run_of(next.run),
                   std::move(next.record),
                   change.stop.cancel_deadline);
    }
}

}  // namespace belay::sqlite
