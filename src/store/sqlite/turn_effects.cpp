// What a turn writes, in the order the contract gives.
#include "store/sqlite/effects.hpp"
#include "store/sqlite/ending.hpp"
#include "store/sqlite/starting.hpp"

#include <set>

namespace belay::sqlite {

namespace {

/// Leases activities of one turn to who wants them.
class HandOvers {
public:
    HandOvers(Change& change, const Run& run) : change_(change), run_(run), rows_(change.tables) {}

    /// Whether it can be created leased: it overtakes nobody, and limits of its queue and its
    /// session allow it. What was allowed counts for the next.
    [[nodiscard]] bool allow(const NewActivity& wanted) {
        const NewActivity::HandOver& to = *wanted.hand_over;
        if (!admission_ || holder_ != to.token.holder) {
            holder_ = to.token.holder;
            admission_.emplace(rows_, to.token.holder, to.sessions, change_.now);
        }
        return !change_.tables.has_in_line(wanted.queue, to.names.get(), *admission_) &&
               admission_->admit(wanted.queue,
                                 wanted.fairness_key,
                                 store::SessionKey{run_.name.space, wanted.session},
                                 later(change_.now, to.lease));
    }

private:
    Change& change_;
    const Run& run_;
    AdmissionRows rows_;
    std::optional<store::Admission> admission_;
    std::uint64_t holder_ = 0;  ///< Of the admission.
};

void add_activity(Change& change, Run& run, HandOvers& hand_overs, const NewActivity& wanted) {
    Activity activity;
    activity.ref = ActivityRef{run.ref, run.execution, wanted.command};
    activity.visible_at = later(change.now, wanted.delay);
    activity.schedule_to_start = wanted.schedule_to_start;
    const bool late = wanted.schedule_to_start && *wanted.schedule_to_start <= change.now;
    activity.queue = wanted.queue;
    activity.session = wanted.session;
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
    change.tables.add_activity(run, activity, wanted);
    if (leased) {
        change.tables.note_begun(activity, wanted.fairness_key, wanted.hand_over->session_idle);
    }
}

void change_activities(Change& change, Run& run, const Turn& turn) {
    const std::set<CommandNo> canceled(turn.canceled_activities.begin(),
                                       turn.canceled_activities.end());
    // What is scheduled and canceled in one turn nets to nothing, and so does what is scheduled by
    // the last turn of an execution: nobody is to be told to stop what never began.
    if (std::holds_alternative<GoesOn>(turn.after)) {
        HandOvers hand_overs(change, run);
        for (const NewActivity& wanted : turn.activities) {
            if (!canceled.contains(wanted.command)) add_activity(change, run, hand_overs, wanted);
        }
    }
    for (const CommandNo command : canceled) {
        const ActivityRef ref{run.ref, run.execution, command};
        if (change.tables.find_activity(ref) != nullptr) cancel_activity(change, run, ref);
    }
}

void change_timers(Change& change, Run& run, const Turn& turn) {
    for (const NewTimer& wanted : turn.timers) {
        change.tables.add_timed(run, wanted.due_at, wanted.message, wanted.command);
    }
    for (const CommandNo command : turn.canceled_timers) {
        const auto number = change.tables.find_timer(run, run.execution, command);
        if (number) change.tables.remove_waiting(run, *number);
    }
}

void change_children(Change& change, Run& run, const Turn& turn) {
    for (const NewChild& wanted : turn.children) {
        if (!change.tables.holders_of(wanted.instance.name).current) {
            create_run(change, wanted.instance, change.now);
        } else if (wanted.instance.parent) {
            change.tables.add_message(run, wanted.on_conflict);
        }
    }
    for (const CommandNo command : turn.canceled_children) {
        cancel_children(
            change, run, change.tables.open_children_of(run, command), "canceled by its parent");
    }
}

void finish(Change&, Run& run, const GoesOn& after) {
    if (after.cancel_deadline && run.cancel) run.cancel_deadline = after.cancel_deadline;
}

void finish(Change& change, Run& run, const Ends& after) {
    Outcome outcome = after.outcome;
    if (outcome.status == Status::canceled) {
        if (!run.cancel) {
            // It canceled itself; when, is for the store to say unless the code did.
            run.cancel = outcome.cancel;
            if (run.cancel->requested_at == Timestamp()) run.cancel->requested_at = change.now;
            if (run.cancel->sequence == 0) run.cancel->sequence = run.next_message;
        }
        outcome.cancel = *run.cancel;
    }
    end_run(change, run, std::move(outcome), after.parent_notice);
}

void finish(Change& change, Run& run, const ContinuesAsNew& after) {
    cancel_activities(change, run, Shielded::cancel);
    change.tables.clear_timers(run);
    cancel_children(
        change, run, change.tables.dependent_children_of(run), "its parent continued as new");
    change.tables.close_execution(run, change.now);
    ++run.execution;
    run.last_activity = 0;
    run.execution_at = change.now;
    run.position = 0;
    run.wants_turn_at = change.now;
    change.tables.set_next_input(run, after.input, after.version);
}

}  // namespace

void apply(Change& change, const Turn& turn) {
    Tables& tables = change.tables;
    Run& run = tables.run_of(turn.run.key);
    tables.touch(run);
    tables.append_history(run, turn.history);
    for (const MessageNo number : turn.consumed) tables.remove_waiting(run, number);
    change_activities(change, run, turn);
    change_timers(change, run, turn);
    change_children(change, run, turn);
    if (turn.custom_status) {
        tables.set_custom_status(run, *turn.custom_status);
        tables.notices.custom_status.push_back(run.ref);
    }
    for (const KeyValueChange& one : turn.key_values) tables.change_key_value(run, one);
    if (turn.version) tables.set_version(run, *turn.version);

    if (!run.started_at) run.started_at = change.now;
    if (run.status == Status::pending) run.status = Status::running;
    run.attempts = 0;
    run.unregistered = 0;
    if (run.code_missing_since) tables.remove_put_off(run.ref.key);
    run.code_missing_since.reset();
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
    // Lists of runs may have written it half way.
    tables.touch(run);
    std::visit([&](const auto& after) { finish(change, run, after); }, turn.after);
    tables.touch(run);
}

}  // namespace belay::sqlite
