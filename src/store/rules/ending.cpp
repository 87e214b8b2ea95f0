#include "store/rules/ending.hpp"

#include "store/rules/activities.hpp"
#include "store/rules/inbox.hpp"
#include "store/rules/on_fail.hpp"
#include "store/rules/queue_uses.hpp"
#include "store/rules/settling.hpp"
#include <belay/store/operations.hpp>

#include <algorithm>
#include <utility>

namespace belay::store {

namespace {

/// The child's end answers a command of one execution of its parent. If that execution is over,
/// there is nobody to tell.
void tell_parent(Change& change, const ParentLink& link, const NewMessage& notice) {
    const Run* parent = change.rows.find_run(link.run);
    if (parent != nullptr && !parent->ended() && parent->execution != link.execution) return;
    deliver(change, link.run, notice);
}

void close_queues(Change& change, Run& run) {
    clear_inbox(change.rows, run);
    cancel_activities(change, run, Shielded::cancel);
    run.lock.reset();
    if (run.held) change.rows.set_hold_reason(run, std::nullopt);
    run.held = false;
    run.wants_turn_at.reset();
    run.not_before = Timestamp();
    run.waits_for.reset();
    if (run.code_missing_since) change.rows.remove_put_off(run.ref.key);
}

/// True if it has not received the end of an activity or of a child.
bool has_completion(Rows& rows, const Run& run) {
    if (run.plain_messages == 0) return false;
    const std::vector<Message> messages = rows.ready_messages(run, std::nullopt);
    return std::any_of(messages.begin(), messages.end(), [](const Message& one) {
        const NewMessage& content = one.content;
        return content.command != 0 && content.kind != MessageKind::timer_fired &&
               !op::is_not_started(content);
    });
}

/// True if its code has said that a cancel needs no cleanup, and knows all that has happened.
/// Nothing of a pending run is committed yet: a first turn under way will be refused.
bool needs_no_cleanup(Rows& rows, const Run& run) {
    if (run.status == Status::pending) return true;
    return run.nothing_to_clean_up && !has_completion(rows, run);
}

/// True if a cancel ends the run in its own commit because there is no code to run.
bool has_no_code(const Run& run, Timestamp now, Millis deadline) {
    // The owners of the code may still be starting. A cancel waits for them until its deadline.
    const bool nobody_has_the_code =
        run.code_missing_since && now - *run.code_missing_since >= deadline;
    return (run.held || nobody_has_the_code) && !run.locked(now);
}

}  // namespace

Outcome meaning_of(Outcome outcome) {
    Outcome kept;
    kept.status = outcome.status;
    switch (outcome.status) {
        case Status::completed: kept.output = std::move(outcome.output); break;
        case Status::failed: kept.failure = std::move(outcome.failure); break;
        case Status::canceled:
            kept.cancel = std::move(outcome.cancel);
            kept.cleanup = outcome.cleanup;
            kept.cleanup_detail = std::move(outcome.cleanup_detail);
            break;
        case Status::skipped: kept.skip_reason = std::move(outcome.skip_reason); break;
        default: break;
    }
    return kept;
}

void deliver(Change& change, RunRef ref, const NewMessage& message) {
    Run* run = change.rows.find_run(ref);
    if (run == nullptr) {
        change.rows.insert_letter(ref, message, "there is no run " + to_string(ref));
        ++change.answer.undelivered;
    } else if (!run->ended()) {
        add_message(change.rows, *run, message);
    }
}

void cancel_activity(Change& change, Run& run, const ActivityRef& ref) {
    const Activity* found = change.rows.find_activity(ref);
    BELAY_ASSERT(found != nullptr);
    const Activity activity = *found;
    if (activity.token) {
        const Timestamp leased = std::max(activity.leased_until, change.now);
        const Timestamp until = later(leased, change.stop.grace);
        add_stopping(change.rows, run, StoppingKey{ref, *activity.token}, activity.worker, until);
        note_canceled(change.rows, activity, until);
        change.answer.stopped.push_back(*activity.token);
        change.rows.notices.stopped.push_back(*activity.token);
    }
    remove_activity(change.rows, run, activity);
}

void cancel_activities(Change& change, Run& run, Shielded shielded) {
    for (const ActivityRef& ref : activities_of(change.rows, run)) {
        if (shielded == Shielded::keep && change.rows.find_activity(ref)->shielded) continue;
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
        change.rows.damaged("the record of a cancel is missing, or there is one too many");
    }
    std::optional<Failure> failure;
    if (outcome.status == Status::failed && run.on_fail) failure = outcome.failure;
    run.status = outcome.status;
    run.new_outcome = meaning_of(std::move(outcome));
    run.ended_at = change.now;
    close_queues(change, run);
    change.rows.touch(run);
    change.rows.notices.ended.push_back(run.ref);
    change.rows.notices.changed(run.ref, RunChange::ended);

    cancel_children(change, run, change.rows.dependent_children_of(run), "its parent ended");
    if (run.parent && parent_notice) tell_parent(change, *run.parent, *parent_notice);
    settle(change, run);
    if (failure) start_on_fail(change, run, *failure);
}

void end_run(Change& change, Run& run, Outcome outcome) {
    std::optional<NewMessage> notice;
    if (run.parent) notice = op::child_ended(*run.parent, outcome);
    end_run(change, run, std::move(outcome), notice);
}

bool cancel_run(Change& change, Run& run, CancelRecord record, Millis deadline) {
    if (run.ended() || run.cancel) return false;
    const bool no_cleanup = needs_no_cleanup(change.rows, run);
    const bool at_once = no_cleanup || has_no_code(run, change.now, deadline);
    record.requested_at = change.now;
    record.sequence = run.next_message;
    run.cancel = std::move(record);
    change.rows.touch(run);
    if (at_once) {
        Outcome outcome;
        outcome.status = Status::canceled;
        outcome.cancel = *run.cancel;
        // After the first committed turn there may be something to undo, and nobody will do it.
        outcome.cleanup = no_cleanup ? Cleanup::not_needed : Cleanup::skipped;
        end_run(change, run, std::move(outcome));
        return true;
    }
    run.status = Status::canceling;
    change.rows.notices.changed(run.ref, RunChange::status);
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
                   change.rows.run_of(next.run),
                   std::move(next.record),
                   change.stop.cancel_deadline);
    }
}

}  // namespace belay::store
