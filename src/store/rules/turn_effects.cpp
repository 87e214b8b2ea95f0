// The writes of a turn, in the order that the contract gives.
#include "store/rules/activities.hpp"
#include "store/rules/effects.hpp"
#include "store/rules/ending.hpp"
#include "store/rules/hand_over.hpp"
#include "store/rules/history.hpp"
#include "store/rules/inbox.hpp"
#include "store/rules/queue_uses.hpp"
#include "store/rules/starting.hpp"

#include <set>

namespace belay::store {

namespace {

void add_activity(Change& change, Run& run, HandOvers& hand_overs, const NewActivity& wanted) {
    Activity activity;
    activity.ref = ActivityRef{run.ref, run.execution, wanted.command};
    activity.visible_at = later(change.now, wanted.delay);
    activity.schedule_to_start = wanted.schedule_to_start;
    const bool late = wanted.schedule_to_start && *wanted.schedule_to_start <= change.now;
    activity.queue = wanted.queue;
    activity.session = wanted.session;
    activity.shielded = wanted.shielded;
    const bool leased =
        wanted.hand_over && !late && activity.visible_at <= change.now && hand_overs.allow(wanted);
    if (leased) {
        activity.token = wanted.hand_over->token;
        activity.worker = wanted.hand_over->worker;
        activity.leased_until = later(change.now, wanted.hand_over->lease);
        activity.claimed_at = change.now;
        activity.attempt = 1;
        change.answer.leased.push_back(wanted.command);
    }
    if (run.priority == 0) {
        add_activity(change.rows, run, activity, wanted);
    } else {
        NewActivity of_its_run = wanted;
        of_its_run.priority = added(run.priority, wanted.priority);
        add_activity(change.rows, run, activity, of_its_run);
    }
    if (leased) {
        note_begun(change.rows, activity, wanted.fairness_key, wanted.hand_over->session_idle);
    }
}

void change_activities(Change& change, Run& run, const Turn& turn) {
    const std::set<CommandNo> canceled(turn.canceled_activities.begin(),
                                       turn.canceled_activities.end());
    // Scheduling and canceling in one turn cancel out. The same goes for activities of the last
    // turn of an execution: nothing has begun, so no handler is told to stop.
    if (std::holds_alternative<GoesOn>(turn.after)) {
        HandOvers hand_overs(change.rows, run);
        for (const NewActivity& wanted : turn.activities) {
            if (!canceled.contains(wanted.command)) add_activity(change, run, hand_overs, wanted);
        }
    }
    for (const CommandNo command : canceled) {
        const ActivityRef ref{run.ref, run.execution, command};
        if (change.rows.find_activity(ref) != nullptr) cancel_activity(change, run, ref);
    }
}

void change_timers(Change& change, Run& run, const Turn& turn) {
    for (const NewTimer& wanted : turn.timers) {
        add_timed(change.rows, run, wanted.due_at, wanted.message, wanted.command);
    }
    for (const CommandNo command : turn.canceled_timers) {
        const auto number = find_timer(change.rows, run, run.execution, command);
        if (number) remove_waiting(change.rows, run, *number);
    }
}

void change_children(Change& change, Run& run, const Turn& turn) {
    for (const NewChild& wanted : turn.children) {
        if (!change.rows.holders_of(wanted.instance.name).current) {
            create_run(change, wanted.instance, change.now);
        } else if (wanted.instance.parent) {
            add_message(change.rows, run, wanted.on_conflict);
        }
    }
    for (const CommandNo command : turn.canceled_children) {
        cancel_children(
            change, run, change.rows.open_children_of(run, command), "canceled by its parent");
    }
}

void finish(Change&, Run& run, const GoesOn& after) {
    run.nothing_to_clean_up = after.nothing_to_clean_up;
    if (after.cancel_deadline && run.cancel) run.cancel_deadline = after.cancel_deadline;
}

void finish(Change& change, Run& run, const Ends& after) {
    Outcome outcome = after.outcome;
    if (outcome.status == Status::canceled) {
        if (!run.cancel) {
            // It canceled itself. The store sets the time unless the code did.
            run.cancel = outcome.cancel;
            if (run.cancel->requested_at == Timestamp()) run.cancel->requested_at = change.now;
            if (run.cancel->sequence == 0) run.cancel->sequence = run.next_message;
        }
        outcome.cancel = *run.cancel;
    }
    end_run(change, run, std::move(outcome), after.parent_notice);
}

void finish(Change& change, Run& run, const ContinuesAsNew& after) {
    run.nothing_to_clean_up = after.nothing_to_clean_up;
    cancel_activities(change, run, Shielded::cancel);
    clear_timers(change.rows, run);
    cancel_children(
        change, run, change.rows.dependent_children_of(run), "its parent continued as new");
    change.rows.close_execution(run, change.now);
    ++run.execution;
    run.last_activity = 0;
    run.execution_at = change.now;
    run.position = 0;
    run.wants_turn_at = change.now;
    change.rows.set_next_input(run, after.input, after.version);
}

}  // namespace

void apply(Change& change, const Turn& turn) {
    Rows& rows = change.rows;
    Run& run = rows.run_of(turn.run.key);
    rows.touch(run);
    append_history(rows, run, turn.history);
    for (const MessageNo number : turn.consumed) remove_waiting(rows, run, number);
    change_activities(change, run, turn);
    change_timers(change, run, turn);
    change_children(change, run, turn);
    if (turn.custom_status) {
        set_custom_status(rows, run, *turn.custom_status);
        rows.notices.custom_status.push_back(run.ref);
        rows.notices.changed(run.ref, RunChange::custom_status);
    }
    for (const KeyValueChange& one : turn.key_values) rows.change_key_value(run, one);
    if (!turn.key_values.empty()) rows.notices.key_values.push_back(run.ref);
    if (turn.version) rows.set_version(run, *turn.version);

    if (!run.started_at) run.started_at = change.now;
    rows.notices.changed(run.ref, RunChange::turn_committed);
    if (run.status == Status::pending) {
        run.status = Status::running;
        rows.notices.changed(run.ref, RunChange::status);
    }
    run.attempts = 0;
    run.unregistered = 0;
    if (run.code_missing_since) rows.remove_put_off(run.ref.key);
    run.code_missing_since.reset();
    run.overruns = 0;
    run.message_room = turn.message_room;
    run.wants_turn_at.reset();
    run.not_before = Timestamp();
    run.last_commit = change.commit;
    if (turn.keep_lock) {
        run.lock->until = later(change.now, *turn.keep_lock);
        run.lock->cancel_seen = turn.cancel_seen;
    } else {
        run.lock.reset();
    }
    // Lists of runs may have flushed it halfway.
    rows.touch(run);
    std::visit([&](const auto& after) { finish(change, run, after); }, turn.after);
    rows.touch(run);
}

}  // namespace belay::store
