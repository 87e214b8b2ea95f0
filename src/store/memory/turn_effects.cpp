// What a turn writes, in the order the contract gives.
#include "store/capability.hpp"
#include "store/memory/admission.hpp"
#include "store/memory/effects.hpp"
#include "store/memory/ending.hpp"
#include "store/memory/starting.hpp"

#include <algorithm>

namespace belay::memory {

namespace {

void append_history(Run& run, HistoryRow history) {
    if (history.count == 0) return;
    Execution& execution = run.executions.back();
    run.event_count += history.count;
    run.history_bytes += history.bytes.size();
    const EventNo first = run.position + 1;
    run.position += history.count;
    execution.info.events = run.position;
    execution.history.push_back(RecordedRow{first, std::move(history)});
}

/// How many in line a hand-over looks at; then somebody is taken to be among them.
constexpr std::uint32_t kMostLookedAt = 256;

/// Leases activities of one turn to who wants them.
class HandOvers {
public:
    HandOvers(Change& change, const Run& run)
        : change_(change), run_(run), rows_(change.tables, change.now) {}

    /// Whether it can be created leased: it overtakes nobody, and limits of its queue and its
    /// session allow it. What was allowed counts for the next.
    [[nodiscard]] bool allow(const NewActivity& wanted) {
        const NewActivity::HandOver& to = *wanted.hand_over;
        if (!admission_ || holder_ != to.token.holder) {
            holder_ = to.token.holder;
            admission_.emplace(rows_, to.token.holder, to.sessions, change_.now);
        }
        return !has_in_line(wanted.queue, to.names.get()) &&
               admission_->admit(wanted.queue,
                                 wanted.fairness_key,
                                 SessionKey{run_.about.name.space, wanted.session},
                                 later(change_.now, to.lease));
    }

private:
    /// Whether anything is in line that who has these names could take; null: all names.
    [[nodiscard]] bool has_in_line(const std::string& queue,
                                   const std::vector<std::string>* names) {
        promote_activities(change_.tables, change_.now);
        const auto found = change_.tables.claimable.find(queue);
        if (found == change_.tables.claimable.end()) return false;
        const auto& line = found->second.all();
        if (names == nullptr) return !line.empty();
        const store::NameFilter filter(names);
        // Who lacks a name must not take the room that others wait for, either.
        const bool limited = change_.tables.limits.contains(queue);
        std::uint32_t seen = 0;
        return std::any_of(line.begin(), line.end(), [&](const auto& key) {
            if (++seen > kMostLookedAt) return true;
            const NewActivity& about = find_activity(change_.tables, key.activity)->about;
            if (!limited && !filter.has(about.name)) return false;
            return admission_->has_room(queue, about.fairness_key);
        });
    }

    Change& change_;
    const Run& run_;
    AdmissionRows rows_;
    std::optional<store::Admission> admission_;
    std::uint64_t holder_ = 0;  ///< Of the admission.
};

void add_activity(Change& change, const Run& run, HandOvers& hand_overs, NewActivity wanted) {
    Activity activity;
    activity.ref = ActivityRef{run.ref(), run.execution, wanted.command};
    activity.visible_at = later(change.now, wanted.delay);
    const bool late = wanted.schedule_to_start && *wanted.schedule_to_start <= change.now;
    const bool leased =
        wanted.hand_over && !late && activity.visible_at <= change.now && hand_overs.allow(wanted);
    const Millis idle = wanted.hand_over ? wanted.hand_over->session_idle : Millis(0);
    if (leased) {
        activity.token = wanted.hand_over->token;
        activity.worker = wanted.hand_over->worker;
        activity.leased_until = later(change.now, wanted.hand_over->lease);
        activity.claimed_at = change.now;
        activity.attempt = 1;
        change.answer.leased.push_back(wanted.command);
    }
    activity.about = std::move(wanted);
    const ActivityRef ref = activity.ref;
    add_activity(change.tables, std::move(activity), change.now);
    if (leased) {
        note_begun(change.tables, *find_activity(change.tables, ref), idle, change.now);
    }
}

void change_activities(Change& change, const Run& run, Turn& turn) {
    const std::set<CommandNo> canceled(turn.canceled_activities.begin(),
                                       turn.canceled_activities.end());
    // What is scheduled and canceled in one turn nets to nothing, and so does what is scheduled by
    // the last turn of an execution: nobody is to be told to stop what never began.
    if (std::holds_alternative<GoesOn>(turn.after)) {
        HandOvers hand_overs(change, run);
        for (NewActivity& wanted : turn.activities) {
            if (canceled.contains(wanted.command)) continue;
            add_activity(change, run, hand_overs, std::move(wanted));
        }
    }
    for (const CommandNo command : canceled) {
        const ActivityRef ref{run.ref(), run.execution, command};
        if (find_activity(change.tables, ref) != nullptr) cancel_activity(change, ref);
    }
}

void change_timers(Change& change, Run& run, Turn& turn) {
    for (NewTimer& wanted : turn.timers) {
        add_timed(change.tables,
                  run,
                  wanted.due_at,
                  std::move(wanted.message),
                  CommandRef{run.execution, wanted.command});
    }
    for (const CommandNo command : turn.canceled_timers) {
        const auto timer = run.timers.find(CommandRef{run.execution, command});
        if (timer != run.timers.end()) remove_waiting(run, timer->second.second);
    }
}

void change_children(Change& change, Run& run, Turn& turn) {
    for (NewChild& wanted : turn.children) {
        if (!change.tables.names.contains(wanted.instance.name)) {
            create_run(change, std::move(wanted.instance), change.now);
        } else if (wanted.instance.parent) {
            deliver(change, run, std::move(wanted.on_conflict));
        }
    }
    for (const CommandNo command : turn.canceled_children) {
        cancel_children(change, run, command, "canceled by its parent");
    }
}

void change_key_values(Run& run, std::vector<KeyValueChange>& changes) {
    for (KeyValueChange& change : changes) {
        if (change.value) {
            run.key_values[change.key] = std::move(*change.value);
        } else if (change.key.empty()) {
            run.key_values.clear();
        } else {
            run.key_values.erase(change.key);
        }
    }
}

void finish(Change& change, Run& run, GoesOn& after) {
    if (after.cancel_deadline && run.cancel) run.cancel_deadline = after.cancel_deadline;
    refresh(change.tables, run);
}

void finish(Change& change, Run& run, Ends& after) {
    Outcome outcome = std::move(after.outcome);
    if (outcome.status == Status::canceled) {
        if (!run.cancel) {
            // It canceled itself; when, is for the store to say unless the code did.
            run.cancel = outcome.cancel;
            if (run.cancel->requested_at == Timestamp()) run.cancel->requested_at = change.now;
            if (run.cancel->sequence == 0) run.cancel->sequence = run.next_message;
        }
        outcome.cancel = *run.cancel;
    }
    end_run(change, run, std::move(outcome), std::move(after.parent_notice));
}

void finish(Change& change, Run& run, ContinuesAsNew& after) {
    cancel_activities(change, run, Shielded::cancel);
    while (!run.timers.empty()) remove_waiting(run, run.timers.begin()->second.second);
    cancel_children(change, run, "its parent continued as new");

    Execution& over = run.executions.back();
    over.info.status = Status::continued_as_new;
    over.info.ended_at = change.now;
    Execution next;
    next.info.execution = ++run.execution;
    next.info.started_at = change.now;
    run.executions.push_back(std::move(next));
    run.position = 0;
    run.about.input = std::move(after.input);
    run.about.version = std::move(after.version);
    run.wants_turn_at = change.now;
    refresh(change.tables, run);
}

}  // namespace

void apply(Change& change, Turn& turn) {
    Run& run = run_of(change.tables, turn.run);
    append_history(run, std::move(turn.history));
    for (const MessageNo number : turn.consumed) remove_waiting(run, number);
    change_activities(change, run, turn);
    change_timers(change, run, turn);
    change_children(change, run, turn);
    if (turn.custom_status) {
        run.custom_status = std::move(*turn.custom_status);
        ++run.custom_status_version;
        change.tables.notices.custom_status.push_back(run.ref());
    }
    change_key_values(run, turn.key_values);
    if (turn.version) run.about.version = std::move(*turn.version);

    if (!run.started_at) run.started_at = change.now;
    if (run.status == Status::pending) run.status = Status::running;
    run.attempts = 0;
    run.unregistered = 0;
    run.code_missing_since.reset();
    run.put_off = false;
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
    std::visit([&](auto& after) { finish(change, run, after); }, turn.after);
}

}  // namespace belay::memory
