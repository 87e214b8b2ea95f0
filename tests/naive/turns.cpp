// A turn: its guards in the order of the contract, its effects in theirs.
#include "naive/change.hpp"

#include <algorithm>

namespace belay::naive {

void Change::apply(const Turn& turn) {
    address(turn.run, true);
    if (turn.version) check_version(*turn.version);
    if (const auto* next = std::get_if<ContinuesAsNew>(&turn.after)) check_version(next->version);
    for (const NewChild& child : turn.children) check_names(child.instance);
    Run& run = alive(turn.run);
    if (turn.lock) {
        (void)locked(turn.run, *turn.lock);
    } else {
        check_unclaimed(run, turn);
    }
    if (run.cancel && !turn.cancel_seen) refuse(Errc::cancel_unseen, "it was canceled meanwhile");
    if (turn.execution != run.execution() || turn.position != run.position()) {
        refuse(Errc::position_moved, "another turn was committed first");
    }
    check_sense(run, turn);
    check_children(run, turn);
    const Ends* ends = std::get_if<Ends>(&turn.after);
    if (ends != nullptr) check_end(run, *ends);

    changed_.insert(run.ref());
    append(run, turn);
    std::erase_if(run.inbox,
                  [consumed = std::set(turn.consumed.begin(), turn.consumed.end())](
                      const Waiting& one) { return consumed.contains(one.number); });
    schedule(run, turn);
    set_timers(run, turn);
    start_children(run, turn);
    canceled_children_ = children_canceled_by(run, turn);
    if (turn.custom_status) {
        run.custom_status = *turn.custom_status;
        ++run.custom_status_version;
        told_.custom_status.push_back(run.ref());
        told_.changed(run.ref(), RunChange::custom_status);
    }
    if (!turn.key_values.empty()) told_.key_values.push_back(run.ref());
    for (const KeyValueChange& change : turn.key_values) {
        if (change.value) {
            run.key_values[change.key] = *change.value;
        } else if (change.key.empty()) {
            run.key_values.clear();
        } else {
            run.key_values.erase(change.key);
        }
    }
    if (turn.version) run.about.version = *turn.version;
    note_turn(run, turn);
    if (const auto* next = std::get_if<ContinuesAsNew>(&turn.after)) continue_as_new(run, *next);
    if (ends != nullptr) {
        Outcome outcome = ends->outcome;
        if (outcome.status == Status::canceled) {
            if (!run.cancel) {
                run.cancel = outcome.cancel;
                if (run.cancel->requested_at == Timestamp()) run.cancel->requested_at = now_;
                if (run.cancel->sequence == 0) run.cancel->sequence = run.next_message;
            }
            outcome.cancel = *run.cancel;
        }
        end(run, outcome, ends->parent_notice);
    }
    for (const RunRef ref : canceled_children_) {
        ending_.insert(ref);
        cancel_by_parent(*state_.write(ref), "canceled by its parent");
    }
    canceled_children_.clear();
}

// ---- Guards ------------------------------------------------------------------------------------

/// One that nobody has claimed.
void Change::check_unclaimed(const Run& run, const Turn& turn) const {
    if (run.locked(now_)) refuse(Errc::lease_lost, "somebody holds its lock");
    if (run.held) refuse(Errc::lease_lost, "it is held");
    if (run.waits_for) refuse(Errc::still_running, "it waits for the run it replaces");
    if (!run.cancel && state_.pauses.contains({PauseKind::definition, run.about.definition})) {
        refuse(Errc::still_running, "its definition is paused");
    }
    if (run.line > 0) refuse(Errc::still_running, "it waits in line");
    if (expires_at(run) <= now_) refuse(Errc::lease_lost, "it was not begun in time");
    if (turn.in_line && !ready_messages(run, now_).empty()) {
        refuse(Errc::messages_waiting, "messages came first");
    }
}

namespace {

template <class New>
std::set<CommandNo> commands_of(const std::vector<New>& all) {
    std::set<CommandNo> commands;
    for (const New& one : all) {
        demand(commands.insert(one.command).second, "two of one command");
    }
    return commands;
}

}  // namespace

void Change::check_sense(const Run& run, const Turn& turn) const {
    for (const CommandNo command : commands_of(turn.activities)) {
        demand(state_.activities.find({turn.run, turn.execution, command}) == nullptr,
               "there is an activity of this command");
    }
    const std::set<CommandNo> timers = commands_of(turn.timers);
    for (const Waiting& one : run.inbox) {
        demand(!one.timer || !timers.contains(*one.timer), "there is a timer of this command");
    }
    demand(turn.history.count > 0 || turn.history.bytes.empty(), "bytes without events");
    demand(!turn.keep_lock || turn.lock, "a lock kept that was not given");
}

void Change::check_children(const Run& run, const Turn& turn) const {
    std::set<CommandNo> commands;
    std::set<RunKey> keys;
    for (const NewChild& child : turn.children) {
        check_new(child.instance, nullptr);
        check_document(child.instance, false, &run);
        check_on_fail(child.instance);
        if (!keys.insert(child.instance.run.key).second) {
            refuse(Errc::run_key_taken, "two runs of one key");
        }
        if (!child.instance.parent) continue;
        demand(child.instance.parent->run == run.ref() &&
                   child.instance.parent->execution == turn.execution,
               "a child of somebody else");
        demand(commands.insert(child.instance.parent->command).second, "two of one command");
    }
    if (commands.empty()) return;
    for (const RunRef ref : children_of(state_, run.ref())) {
        const ParentLink& link = *state_.find(ref)->about.parent;
        demand(link.execution != turn.execution || !commands.contains(link.command),
               "there is a child of this command");
    }
}

void Change::check_end(const Run& run, const Ends& ends) const {
    const Outcome& outcome = ends.outcome;
    demand(is_terminal(outcome.status), "that is no end");
    const bool canceled = outcome.status == Status::canceled;
    demand(!run.cancel || canceled, "it was canceled and ends otherwise");
    demand(run.cancel || !canceled || outcome.cancel.source == CancelSource::self,
           "nobody has canceled it");
}

// ---- Effects -----------------------------------------------------------------------------------

void Change::append(Run& run, const Turn& turn) {
    if (turn.history.count == 0) return;
    run.current().rows.push_back({run.position() + 1, turn.history});
    run.current().info.events += turn.history.count;
}

void Change::schedule(Run& run, const Turn& turn) {
    const std::set canceled(turn.canceled_activities.begin(), turn.canceled_activities.end());
    const bool goes_on = std::holds_alternative<GoesOn>(turn.after);
    for (const NewActivity& about : turn.activities) {
        // Nobody begins what goes in the same turn.
        if (!goes_on || canceled.contains(about.command)) continue;
        Activity row;
        row.ref = {run.ref(), turn.execution, about.command};
        row.about = about;
        const std::int64_t sum = std::int64_t{run.priority} + about.priority;
        row.about.priority = static_cast<std::int32_t>(
            std::max<std::int64_t>(INT32_MIN, std::min<std::int64_t>(INT32_MAX, sum)));
        row.place = state_.next_place++;
        row.visible_at = now_ + about.delay;
        const bool handed = about.hand_over && can_hand_over(row);
        Activity& made = state_.activities.put(row.ref, row);
        if (handed) {
            const NewActivity::HandOver& to = *about.hand_over;
            lease(state_, made, to.token, to.worker, to.lease, to.session_idle, now_);
            answer_.leased.push_back(about.command);
        }
        wait_for_start(made);
    }
    for (const CommandNo command : canceled) stop({run.ref(), turn.execution, command});
}

/// A claim could take it, and nothing older that its holder, or with limits anybody, could have.
bool Change::can_hand_over(const Activity& row) const {
    if (state_.pauses.contains({PauseKind::queue, row.about.queue})) return false;
    const NewActivity::HandOver& to = *row.about.hand_over;
    const auto knows = [&](const Activity& one) {
        return !to.names ||
               std::find(to.names->begin(), to.names->end(), one.about.name) != to.names->end();
    };
    const auto can_have = [&](const Activity& one) {
        return free_from(one, now_) <= now_ &&
               room_from(state_, one.about.queue, one.about.fairness_key, now_) <= now_ &&
               session_from(state_, session_of(state_, one), to.token.holder, to.sessions, now_) <=
                   now_;
    };
    const bool wanted =
        followed_ == nullptr ||
        std::find(followed_->leased.begin(), followed_->leased.end(), row.about.command) !=
            followed_->leased.end();
    if (!wanted || !knows(row) || !can_have(row)) return false;
    const bool limited = state_.limits.contains(row.about.queue);
    return std::none_of(state_.activities.begin(), state_.activities.end(), [&](const auto& other) {
        const Activity& one = other.second;
        return one.about.queue == row.about.queue && (limited || knows(one)) && can_have(one);
    });
}

void Change::set_timers(Run& run, const Turn& turn) {
    for (const NewTimer& timer : turn.timers) {
        Waiting made;
        made.number = run.next_message++;
        made.at = timer.due_at;
        made.timed = true;
        made.timer = timer.command;
        made.content = timer.message;
        run.inbox.push_back(made);
    }
    for (const CommandNo command : turn.canceled_timers) {
        std::erase_if(run.inbox, [&](const Waiting& one) { return one.timer == command; });
    }
}

void Change::start_children(Run& run, const Turn& turn) {
    for (const NewChild& child : turn.children) {
        const NewInstance& about = child.instance;
        if (state_.find(about.name) == nullptr) {
            create(about).started_by = transition_.commit;
        } else if (about.parent) {
            send(run, child.on_conflict);
        }
    }
}

std::set<RunRef> Change::children_canceled_by(const Run& run, const Turn& turn) const {
    std::set<RunRef> found;
    for (const CommandNo command : turn.canceled_children) {
        for (const RunRef ref : children_of(state_, run.ref())) {
            const ParentLink& link = *state_.find(ref)->about.parent;
            if (link == ParentLink{run.ref(), turn.execution, command}) found.insert(ref);
        }
    }
    return found;
}

/// Effects of every turn, before an end or a next execution.
void Change::note_turn(Run& run, const Turn& turn) {
    told_.changed(run.ref(), RunChange::turn_committed);
    if (run.status == Status::pending) {
        run.status = Status::running;
        told_.changed(run.ref(), RunChange::status);
    }
    if (!run.started_at) run.started_at = now_;
    run.nothing_to_clean_up = false;
    if (const auto* next = std::get_if<ContinuesAsNew>(&turn.after)) {
        run.nothing_to_clean_up = next->nothing_to_clean_up;
    }
    if (const auto* goes_on = std::get_if<GoesOn>(&turn.after)) {
        run.nothing_to_clean_up = goes_on->nothing_to_clean_up;
        if (run.cancel && goes_on->cancel_deadline) run.cancel_deadline = goes_on->cancel_deadline;
    } else {
        ending_.insert(run.ref());
    }
    run.last_commit = transition_.commit;
    run.message_room = turn.message_room;
    run.wants_turn.reset();
    run.not_before = kAlways;
    run.attempts = 0;
    run.overruns = 0;
    forget_missing_code(run);
    if (turn.keep_lock) {
        run.lock->until = now_ + *turn.keep_lock;
        run.lock->cancel_seen = turn.cancel_seen;
    } else {
        run.lock.reset();
    }
}

void Change::continue_as_new(Run& run, const ContinuesAsNew& next) {
    clear_execution(run, true);
    run.current().info.status = Status::continued_as_new;
    run.current().info.ended_at = now_;
    run.executions.push_back({{run.execution() + 1, Status::running, 0, now_, std::nullopt}, {}});
    run.about.input = next.input;
    run.about.version = next.version;
    run.wants_turn = now_;
    cancel_children(run.ref(), "its parent continued as new");
}

}  // namespace belay::naive
