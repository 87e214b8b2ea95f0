// Changes of a run other than by its turns, and the ends of runs.
#include "naive/change.hpp"
#include <belay/store/operations.hpp>

#include <algorithm>

namespace belay::naive {

// ---- Messages ----------------------------------------------------------------------------------

void Change::send(Run& run, const NewMessage& message, Millis delay) {
    Waiting made;
    made.number = run.next_message++;
    made.content = message;
    made.timed = delay > Millis(0);
    if (made.timed) {
        made.at = now_ + delay;
    } else {
        made.accepted = now_;
        made.at = run.last_sent = std::max(run.last_sent, now_);
    }
    run.inbox.push_back(made);
}

/// Answers to commands, and timers, take no room.
void Change::check_room(const Run& run, const NewMessage& message) const {
    const auto takes_room = [](const NewMessage& one) { return one.command == 0; };
    const auto waiting = std::count_if(run.inbox.begin(), run.inbox.end(), [&](const auto& one) {
        return !one.timer && !one.unstarted && takes_room(one.content);
    });
    if (takes_room(message) && static_cast<std::uint64_t>(waiting) >= run.message_room) {
        refuse(Errc::limit_exceeded, "too many messages wait", run.brief());
    }
}

/// Its run hears of it when nobody has begun it in time.
void Change::wait_for_start(const Activity& row) {
    if (!row.about.schedule_to_start || row.attempt > 0) return;
    Run& run = *state_.write(row.ref.run);
    Waiting made;
    made.number = run.next_message++;
    made.at = *row.about.schedule_to_start;
    made.timed = true;
    made.unstarted = row.ref.command;
    made.content = op::activity_not_started(row.ref, row.about.name, made.at);
    run.inbox.push_back(made);
}

void Change::apply(const Send& part) {
    Run& run = named(part.name);
    if (part.run && *part.run != run.ref()) refuse(Errc::not_found, "another run has the name");
    if (run.ended()) refuse(Errc::already_ended, "it has ended", run.brief());
    check_room(run, part.message);
    send(run, part.message, part.delay);
    answer_.instance = run.brief();
}

void Change::apply(const Deliver& part) {
    address(part.run);
    Run* run = state_.write(part.run);
    if (run == nullptr) {
        DeadLetter letter;
        letter.id = state_.next_letter++;
        letter.run = part.run;
        letter.message = part.message;
        letter.reason = "there is no such run";
        letter.at = now_;
        state_.letters[letter.id] = letter;
        ++answer_.undelivered;
    } else if (!run->ended()) {
        send(*run, part.message);
    }
}

// ---- Ends --------------------------------------------------------------------------------------

Outcome meaning(const Outcome& outcome) {
    Outcome kept;
    kept.status = outcome.status;
    if (outcome.status == Status::completed) kept.output = outcome.output;
    if (outcome.status == Status::failed) kept.failure = outcome.failure;
    if (outcome.status == Status::skipped) kept.skip_reason = outcome.skip_reason;
    if (outcome.status == Status::canceled) {
        kept.cancel = outcome.cancel;
        kept.cleanup = outcome.cleanup;
        kept.cleanup_detail = outcome.cleanup_detail;
    }
    return kept;
}

void Change::end(Run& run, Outcome outcome, const std::optional<NewMessage>& notice) {
    clear_execution(run, true);
    run.inbox.clear();
    run.lock.reset();
    run.held = false;
    run.held_detail.clear();
    run.held_kind.reset();
    run.wants_turn.reset();
    run.waits_for.reset();
    run.outcome = meaning(outcome);
    run.status = outcome.status;
    run.ended_at = now_;
    run.current().info.ended_at = now_;
    told_.ended.push_back(run.ref());
    told_.changed(run.ref(), RunChange::ended);
    if (run.about.parent && notice) {
        Run* parent = state_.write(run.about.parent->run);
        if (parent != nullptr && !parent->ended() &&
            parent->execution() == run.about.parent->execution) {
            send(*parent, *notice);
        }
    }
    cancel_children(run.ref(), "its parent ended");
    if (run.status == Status::failed && run.about.on_fail) start_on_fail(run);
}

void Change::start_on_fail(const Run& run) {
    NewInstance about = run.about;
    about.run = *run.about.on_fail;
    about.name.id = on_fail_id(about.name.id);
    about.parent.reset();
    about.parent_close = ParentClose::cancel;
    about.on_fail.reset();
    about.on_fail_of = run.ref();
    about.priority = run.priority;
    const Failure failure = run.outcome->failure;
    const std::string key = std::to_string(about.run.key.value);
    while (state_.runs.find(about.run.key) != nullptr) ++about.run.key.value;
    const Run* holder = state_.find(about.name);
    if (holder != nullptr && holder->about.on_fail_of && at_rest(state_, *holder)) {
        state_.write(holder->ref())->named = false;
    } else {
        while (state_.find(about.name) != nullptr) about.name.id += "." + key;
    }
    send(create(about), op::run_failed(failure));
}

void Change::end_without_code(Run& run, const Outcome& outcome) {
    std::optional<NewMessage> notice;
    if (run.about.parent) notice = op::child_ended(*run.about.parent, meaning(outcome));
    end(run, outcome, notice);
}

/// The activities, timers and waits of the current execution go.
void Change::clear_execution(Run& run, bool shielded_too) {
    for (const ActivityRef& ref : activities_of(state_, run.ref())) {
        if (shielded_too || !state_.activities.find(ref)->about.shielded) stop(ref);
    }
    if (!shielded_too) return;
    std::erase_if(run.inbox, [](const Waiting& one) { return one.timer || one.unstarted; });
}

/// Deletes an activity. Its handler may still run.
void Change::stop(const ActivityRef& ref) {
    const Activity* found = state_.activities.find(ref);
    if (found == nullptr) return;
    const Activity& row = *found;
    if (row.token) {
        state_.stopping.push_back({ref,
                                   *row.token,
                                   row.worker,
                                   std::max(row.leased_until, now_) + transition_.stop.grace,
                                   now_,
                                   row.about.queue,
                                   row.about.fairness_key,
                                   session_of(state_, row)});
        answer_.stopped.push_back(*row.token);
    }
    std::erase_if(state_.write(ref.run)->inbox,
                  [&](const Waiting& one) { return one.unstarted == ref.command; });
    state_.activities.erase(ref);
}

// ---- Cancels -----------------------------------------------------------------------------------

/// False when it had been canceled or had ended.
bool Change::cancel(Run& run, CancelRecord record, Millis deadline) {
    if (run.ended() || run.cancel) return false;
    record.requested_at = now_;
    record.sequence = run.next_message;
    run.cancel = record;
    const bool pending = run.status == Status::pending;
    const bool nobody_has_it =
        !run.locked(now_) &&
        (run.held || (run.code_missing_since && now_ - *run.code_missing_since >= deadline));
    const bool knows_all = std::none_of(run.inbox.begin(), run.inbox.end(), [](const Waiting& one) {
        const MessageKind kind = one.content.kind;
        return !one.timed && kind != MessageKind::event_raised &&
               kind != MessageKind::queue_message;
    });
    const bool clean = pending || (run.nothing_to_clean_up && knows_all);
    if (clean || nobody_has_it) {
        Outcome outcome;
        outcome.status = Status::canceled;
        outcome.cancel = record;
        outcome.cleanup = clean ? Cleanup::not_needed : Cleanup::skipped;
        end_without_code(run, outcome);
        return true;
    }
    run.status = Status::canceling;
    told_.changed(run.ref(), RunChange::status);
    run.cancel_deadline = now_ + deadline;
    clear_execution(run, false);
    run.wants_turn = now_;
    run.not_before = kAlways;
    return true;
}

void Change::end_late(Run& run) {
    Outcome outcome;
    outcome.status = Status::canceled;
    if (run.cancel) {
        outcome.cancel = *run.cancel;
        outcome.cleanup = Cleanup::timed_out;
        return end_without_code(run, outcome);
    }
    if (expires_at(run) <= std::min(now_, run.end_by.value_or(kNever))) {
        CancelRecord record;
        record.source = CancelSource::policy;
        record.reason = "it expired: its first turn was not begun in time";
        (void)cancel(run, record, Millis(0));
        return;
    }
    outcome.status = Status::failed;
    outcome.failure.kind = FailureKind::timeout;
    outcome.failure.message = "it did not end before its deadline";
    outcome.failure.where = run.about.definition;
    outcome.failure.retryable = false;
    end_without_code(run, outcome);
}

void Change::end_late(const std::vector<RunRef>& runs) {
    for (const RunRef ref : runs) end_late(*state_.write(ref));
    release_waiting();
}

void Change::cancel_by_parent(Run& child, const char* why) {
    CancelRecord record;
    record.source = CancelSource::parent;
    record.by = state_.find(child.about.parent->run)->about.name.id;
    record.reason = why;
    (void)cancel(child, record, transition_.stop.cancel_deadline);
}

void Change::cancel_children(RunRef parent, const char* why) {
    for (const RunRef ref : children_of(state_, parent)) {
        Run& child = *state_.write(ref);
        if (child.about.parent_close == ParentClose::abandon) continue;
        cancel_by_parent(child, canceled_children_.contains(ref) ? "canceled by its parent" : why);
    }
}

void Change::apply(const Cancel& part) {
    Run& run = named(part.name);
    if (part.run && *part.run != run.ref()) refuse(Errc::not_found, "another run has the name");
    if (part.definition && *part.definition != run.about.definition) {
        refuse(Errc::not_found, "it is a run of another definition");
    }
    changed_.insert(run.ref());
    ending_.insert(run.ref());
    CancelRecord record;
    record.source = part.source;
    record.by = part.by;
    record.reason = part.reason;
    answer_.changed = cancel(run, record, part.deadline);
    answer_.instance = run.brief();
}

void Change::apply(const Finish& part) {
    const auto* name = std::get_if<InstanceName>(&part.target);
    Run* run = nullptr;
    demand(is_terminal(part.outcome.status), "that is no end");
    if (name != nullptr) {
        run = &named(*name);
        if (part.run && *part.run != run->ref()) {
            refuse(Errc::not_found, "another run has the name");
        }
        if (part.held_only && !run->held) refuse(Errc::not_held, "it is not held", run->brief());
    } else {
        const auto& [ref, token] = std::get<std::pair<RunRef, LeaseToken>>(part.target);
        address(ref);
        run = &alive(ref);
        (void)locked(ref, token);
    }
    answer_.changed = !run->ended();
    if (!run->ended()) {
        changed_.insert(run->ref());
        ending_.insert(run->ref());
        run->last_commit = transition_.commit;
        Outcome outcome = part.outcome;
        if (!run->cancel && outcome.status == Status::canceled) {
            run->cancel = outcome.cancel;
            run->cancel->requested_at = now_;
            run->cancel->sequence = run->next_message;
        }
        if (run->cancel) {
            if (outcome.status != Status::canceled) {
                outcome.cleanup = Cleanup::failed;
                outcome.cleanup_detail = outcome.failure.message;
            }
            outcome.status = Status::canceled;
            outcome.cancel = *run->cancel;
        }
        end_without_code(*run, outcome);
    }
    answer_.instance = run->brief();
}

// ---- Set aside ---------------------------------------------------------------------------------

void Change::apply(const Hold& part) {
    address(part.run);
    Run& run = locked(part.run, part.token);
    changed_.insert(run.ref());
    if (run.cancel) {
        ending_.insert(run.ref());
        Outcome outcome;
        outcome.status = Status::canceled;
        outcome.cancel = *run.cancel;
        outcome.cleanup = Cleanup::failed;
        outcome.cleanup_detail = part.detail;
        end_without_code(run, outcome);
        return;
    }
    run.lock.reset();
    run.held = true;
    run.held_detail = part.detail;
    run.held_kind = part.kind;
    run.held_since = now_;
}

void Change::apply(const Release& part) {
    Run& run = named(part.name);
    if (!run.held) refuse(Errc::not_held, "it is not held", run.brief());
    changed_.insert(run.ref());
    run.held = false;
    run.held_detail.clear();
    run.held_kind.reset();
    run.attempts = 0;
    run.overruns = 0;
    run.wants_turn = now_;
    run.not_before = kAlways;
    forget_missing_code(run);
    answer_.instance = run.brief();
}

void Change::forget_missing_code(Run& run) {
    run.unregistered = 0;
    run.code_missing_since.reset();
    run.given_back = false;
}

}  // namespace belay::naive
