#include "store/memory/ending.hpp"

#include "store/memory/admission.hpp"
#include "store/outcome.hpp"
#include <belay/store/operations.hpp>

#include <algorithm>

namespace belay::memory {

namespace {

/// The child's end answers a command of one execution of its parent: when that execution is over,
/// there is nobody to tell.
void tell_parent(Change& change, const ParentLink& link, NewMessage notice) {
    const Run* parent = find_run(change.tables, link.run);
    if (parent != nullptr && !parent->ended() && parent->execution != link.execution) return;
    deliver(change, link.run, std::move(notice));
}

void close_queues(Change& change, Run& run) {
    clear_inbox(run);
    cancel_activities(change, run, Shielded::cancel);
    run.lock.reset();
    run.held = false;
    run.held_detail.clear();
    run.wants_turn_at.reset();
    run.not_before = Timestamp();
    stop_waiting(change.tables, run);
}

CancelRecord record_from_parent(const Run& parent, const std::string& why) {
    CancelRecord record;
    record.source = CancelSource::parent;
    record.by = parent.about.name.id;
    record.reason = why;
    return record;
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

void deliver(Change& change, Run& run, NewMessage message) {
    add_message(change.tables, run, change.now, std::move(message));
}

void deliver(Change& change, RunRef ref, NewMessage message) {
    Run* run = find_run(change.tables, ref);
    if (run == nullptr) {
        DeadLetter letter;
        letter.run = ref;
        letter.message = std::move(message);
        letter.reason = "there is no run " + to_string(ref);
        letter.at = change.now;
        add_dead_letter(change.tables, std::move(letter));
    } else if (!run->ended()) {
        deliver(change, *run, std::move(message));
    }
}

void cancel_activity(Change& change, const ActivityRef& ref) {
    const Activity* activity = find_activity(change.tables, ref);
    BELAY_ASSERT(activity != nullptr);
    if (activity->token) {
        const LeaseToken token = *activity->token;
        const Timestamp leased = std::max(activity->leased_until, change.now);
        Stopping record{activity->worker,
                        later(leased, change.stop.grace),
                        change.now,
                        activity->about.queue,
                        activity->about.fairness_key};
        note_stopping(change.tables, token, record.until);
        add_stopping(change.tables, StoppingKey{ref, token}, std::move(record));
        change.answer.stopped.push_back(token);
        change.tables.notices.stopped.push_back(token);
    }
    remove_activity(change.tables, ref);
}

void cancel_activities(Change& change, const Run& run, Shielded shielded) {
    auto row = first_activity(change.tables, run.ref());
    while (row != change.tables.activities.end() && row->first.run == run.ref()) {
        const Activity& activity = row->second;
        ++row;
        if (shielded == Shielded::keep && activity.about.shielded) continue;
        cancel_activity(change, ActivityRef(activity.ref));
    }
}

void end_run(Change& change, Run& run, Outcome outcome, std::optional<NewMessage> parent_notice) {
    BELAY_ASSERT(!run.ended());
    BELAY_ASSERT(is_terminal(outcome.status));
    BELAY_ASSERT((outcome.status == Status::canceled) == run.cancel.has_value());
    run.status = outcome.status;
    run.outcome = store::meaning_of(std::move(outcome));
    run.ended_at = change.now;
    run.executions.back().info.ended_at = change.now;
    close_queues(change, run);
    refresh(change.tables, run);
    change.tables.notices.ended.push_back(run.ref());

    cancel_children(change, run, "its parent ended");
    if (run.about.parent) {
        const ParentLink& link = *run.about.parent;
        if (Run* parent = find_run(change.tables, link.run)) {
            parent->open_children.erase({CommandRef{link.execution, link.command}, run.ref()});
        }
        if (parent_notice) tell_parent(change, link, std::move(*parent_notice));
    }
    settle(change.tables, run);
}

void end_run(Change& change, Run& run, Outcome outcome) {
    std::optional<NewMessage> notice;
    if (run.about.parent) notice = op::child_ended(*run.about.parent, outcome);
    end_run(change, run, std::move(outcome), std::move(notice));
}

bool cancel_run(Change& change, Run& run, CancelRecord record, Millis deadline) {
    if (run.ended() || run.cancel) return false;
    const bool at_once = ends_at_once(run, change.now, deadline);
    const bool pending = run.status == Status::pending;
    record.requested_at = change.now;
    record.sequence = run.next_message;
    run.cancel = std::move(record);
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
    refresh(change.tables, run);
    return true;
}

void cancel_children(Change& change, const Run& parent, const std::string& why) {
    const CancelRecord record = record_from_parent(parent, why);
    for (const auto& [command, child] : parent.open_children) {
        if (run_of(change.tables, child).about.parent_close == ParentClose::abandon) continue;
        change.cascade.push_back(CascadedCancel{child, record});
    }
}

void cancel_children(Change& change, const Run& parent, CommandNo command, const std::string& why) {
    const CommandRef wanted{parent.execution, command};
    const CancelRecord record = record_from_parent(parent, why);
    for (auto child = parent.open_children.lower_bound({wanted, RunRef()});
         child != parent.open_children.end() && child->first == wanted;
         ++child) {
        change.cascade.push_back(CascadedCancel{child->second, record});
    }
}

void finish_cascade(Change& change) {
    while (!change.cascade.empty()) {
        CascadedCancel next = std::move(change.cascade.front());
        change.cascade.pop_front();
        cancel_run(change,
                   run_of(change.tables, next.run),
                   std::move(next.record),
                   change.stop.cancel_deadline);
    }
}

}  // namespace belay::memory
