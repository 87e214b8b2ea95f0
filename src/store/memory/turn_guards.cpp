// The guards of a turn.
#include "store/memory/guards.hpp"
#include "store/names.hpp"

#include <algorithm>

namespace belay::memory {

namespace {

Refusal invalid(const std::string& what) {
    return refuse(Errc::invalid_argument, "a turn " + what);
}

/// Whether two of `rows` belong to the same command.
template <class Rows, class Command>
bool repeats_command(const Rows& rows, Command command) {
    std::set<CommandNo> seen;
    return !std::all_of(rows.begin(), rows.end(), [&](const auto& row) {
        return seen.insert(command(row)).second;
    });
}

/// Whether the turn leaves the run, or other runs below it, ended or asked to end.
bool may_end_others(const Turn& turn) {
    return !std::holds_alternative<GoesOn>(turn.after) || !turn.canceled_children.empty();
}

}  // namespace

auto Guards::check(const Turn& part) -> Verdict {
    const Run* run = find_run(tables_, part.run);
    const auto started = started_.find(part.run);
    if (run == nullptr && started == started_.end()) return no_such_run(part.run);

    if (run != nullptr) {
        if (auto refusal = check_state(part)) return refusal;
        const Effect effect = may_end_others(part) ? Effect::ends_tree : Effect::exclusive;
        if (auto conflict = address(*run, effect)) return conflict;
    } else {
        if (auto refusal = check_fused(part, started->second)) return refusal;
        if (!changed_.insert(part.run).second) return invalid("of a new run is committed twice");
    }
    if (auto refusal = check_input(part)) return refusal;
    return check_children(part);
}

auto Guards::check_state(const Turn& turn) const -> Verdict {
    const Run& run = *find_run(tables_, turn.run);
    const std::string name = "run " + to_string(turn.run);
    if (run.ended()) {
        Refusal refusal = refuse(Errc::already_ended, name + " has ended");
        refusal.instance = brief_of(run);
        return refusal;
    }
    if (turn.lock) {
        if (!run.lock || run.lock->token != *turn.lock) {
            return refuse(Errc::lease_lost, name + " is not locked by this token");
        }
    } else {
        if (run.locked(now_)) return refuse(Errc::lease_lost, name + " is locked by another token");
        if (run.held) return refuse(Errc::lease_lost, name + " is held for a person");
        if (run.waits_for) {
            return refuse(Errc::still_running, name + " waits for the run it replaces");
        }
        if (turn.in_line && (run.has_ready_message(now_) || messaged_.contains(turn.run))) {
            return refuse(Errc::messages_waiting, name + " has messages that came first");
        }
    }
    if (run.cancel && !turn.cancel_seen) {
        return refuse(Errc::cancel_unseen, name + " was canceled");
    }
    if (run.execution != turn.execution || run.position != turn.position) {
        return refuse(Errc::position_moved,
                      name + " is at event " + std::to_string(run.position) + " of execution " +
                          std::to_string(run.execution));
    }
    return std::nullopt;
}

auto Guards::check_fused(const Turn& turn, bool must_wait) const -> Verdict {
    const std::string name = "run " + to_string(turn.run);
    if (turn.lock) return refuse(Errc::lease_lost, name + " is not locked by this token");
    if (must_wait) return refuse(Errc::still_running, name + " waits for the run it replaces");
    if (turn.in_line && messaged_.contains(turn.run)) {
        return refuse(Errc::messages_waiting, name + " has messages that came first");
    }
    if (turn.execution != 1 || turn.position != 0) {
        return refuse(Errc::position_moved, name + " has only just been started");
    }
    return std::nullopt;
}

auto Guards::check_input(const Turn& turn) const -> Verdict {
    if (turn.history.count == 0 && !turn.history.bytes.empty()) {
        return invalid("has history bytes but no event");
    }
    if (turn.keep_lock && !turn.lock) return invalid("cannot keep a lock it does not have");
    for (const KeyValueChange& change : turn.key_values) {
        if (change.key.empty() && change.value) return invalid("sets a value without a key");
    }
    if (auto refusal = check_activities(turn)) return refusal;
    if (auto refusal = check_timers(turn)) return refusal;
    return check_after(turn);
}

auto Guards::check_activities(const Turn& turn) const -> Verdict {
    if (repeats_command(turn.activities, [](const NewActivity& one) { return one.command; })) {
        return invalid("schedules two activities for one command");
    }
    for (const NewActivity& wanted : turn.activities) {
        const ActivityRef ref{turn.run, turn.execution, wanted.command};
        if (find_activity(tables_, ref) == nullptr) continue;
        // Acked in the same transition, it makes room for another try; abandoned, it does not.
        if (!acked_.contains(ref)) return invalid("schedules an activity that is already there");
    }
    return std::nullopt;
}

auto Guards::check_timers(const Turn& turn) const -> Verdict {
    if (repeats_command(turn.timers, [](const NewTimer& one) { return one.command; })) {
        return invalid("sets two timers for one command");
    }
    const Run* run = find_run(tables_, turn.run);
    if (run == nullptr) return std::nullopt;
    for (const NewTimer& wanted : turn.timers) {
        const auto timer = run->timers.find(CommandRef{turn.execution, wanted.command});
        if (timer == run->timers.end()) continue;
        const MessageNo number = timer->second.second;
        if (std::find(turn.consumed.begin(), turn.consumed.end(), number) == turn.consumed.end()) {
            return invalid("sets a timer that is already set");
        }
    }
    return std::nullopt;
}

auto Guards::check_children(const Turn& turn) -> Verdict {
    const auto command = [](const NewChild& one) {
        return one.instance.parent ? one.instance.parent->command : 0;
    };
    if (repeats_command(turn.children, command)) {
        return invalid("starts two children for one command");
    }
    for (const NewChild& wanted : turn.children) {
        const NewInstance& child = wanted.instance;
        if (!child.parent || child.parent->run != turn.run ||
            child.parent->execution != turn.execution) {
            return invalid("starts a child of another run");
        }
        const auto valid = check_names(child);
        if (!valid) return Refusal{valid.error(), std::nullopt, false};
        if (auto refusal = check_key_order(child)) return refusal;
        if (auto refusal = check_run_key(child.run)) return refusal;
        new_names_.insert(child.name);
    }
    return std::nullopt;
}

auto Guards::check_after(const Turn& turn) const -> Verdict {
    const auto* ends = std::get_if<Ends>(&turn.after);
    if (ends == nullptr) return std::nullopt;
    const Status status = ends->outcome.status;
    if (!is_terminal(status)) return invalid("cannot end as " + std::string(to_string(status)));
    const Run* run = find_run(tables_, turn.run);
    const bool recorded = run != nullptr && run->cancel.has_value();
    if (status != Status::canceled) {
        if (recorded || turn.cancel_seen) return invalid("of a canceled run ends as canceled only");
    } else if (!recorded && ends->outcome.cancel.source != CancelSource::self) {
        return invalid("cannot end as canceled: nobody canceled the run");
    }
    return std::nullopt;
}

}  // namespace belay::memory
