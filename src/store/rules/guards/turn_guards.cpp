// The guards of a turn.
#include "store/names.hpp"
#include "store/rules/guards/guards.hpp"

#include <algorithm>

namespace belay::store {

namespace {

Refusal invalid(const std::string& what) {
    return refuse(Errc::invalid_argument, "a turn " + what);
}

/// Builds the message about the run only if there is something wrong.
Refusal refuse_turn(const Turn& turn, Errc code, const std::string& what) {
    return refuse(code, "run " + to_string(turn.run) + what);
}

/// True if two of `rows` belong to the same command.
template <class Rows, class Command>
bool repeats_command(const Rows& rows, Command command) {
    if (rows.size() < 2) return false;
    std::set<CommandNo> seen;
    return !std::all_of(rows.begin(), rows.end(), [&](const auto& row) {
        return seen.insert(command(row)).second;
    });
}

/// True if the turn may leave the run or runs below it ended or asked to end.
bool may_end_others(const Turn& turn) {
    return !std::holds_alternative<GoesOn>(turn.after) || !turn.canceled_children.empty();
}

bool can_fail(const Turn& turn) {
    const auto* ends = std::get_if<Ends>(&turn.after);
    return ends != nullptr && ends->outcome.status == Status::failed;
}

}  // namespace

auto Guards::check(const Turn& part) -> Verdict {
    const auto run = rows_.run(part.run);
    const auto started = started_.find(part.run);
    if (!run && started == started_.end()) return no_such_run(part.run);

    if (run) {
        if (auto refusal = check_state(part, *run)) return refusal;
        const Effect effect = may_end_others(part) ? Effect::ends_tree : Effect::exclusive;
        if (auto conflict = address(*run, effect)) return conflict;
    } else {
        if (auto refusal = check_fused(part, started->second)) return refusal;
        if (!changed_.insert(part.run).second) return invalid("of a new run is committed twice");
    }
    if (auto refusal = check_input(part, run)) return refusal;
    if (auto refusal = check_children(part, run)) return refusal;
    if (!can_fail(part)) return std::nullopt;
    if (run) {
        may_fail(*run);
    } else if (const auto it = on_fail_.find(part.run); it != on_fail_.end()) {
        give_away_for_failure(it->second->name, *it->second->on_fail);
    }
    return std::nullopt;
}

auto Guards::check_state(const Turn& turn, const RunFacts& run) const -> Verdict {
    if (run.ended()) {
        Refusal refusal = refuse_turn(turn, Errc::already_ended, " has ended");
        refusal.instance = run.brief();
        return refusal;
    }
    if (turn.lock) {
        if (run.lock != turn.lock) {
            return refuse_turn(turn, Errc::lease_lost, " is not locked by this token");
        }
    } else {
        if (run.locked) return refuse_turn(turn, Errc::lease_lost, " is locked by another token");
        if (run.held) return refuse_turn(turn, Errc::lease_lost, " is held for a person");
        if (run.waits) {
            return refuse_turn(turn, Errc::still_running, " waits for the run it replaces");
        }
        if (run.in_line) return refuse_turn(turn, Errc::still_running, " waits in line");
        if (run.paused && !run.canceled) {
            return refuse_turn(turn, Errc::still_running, " is of a definition that is paused");
        }
        if (run.expired) {
            return refuse_turn(turn, Errc::lease_lost, " was not begun in time");
        }
        if (turn.in_line && (run.has_ready_message || messaged_.contains(turn.run))) {
            return refuse_turn(turn, Errc::messages_waiting, " has messages that came first");
        }
    }
    if (run.canceled && !turn.cancel_seen) {
        return refuse_turn(turn, Errc::cancel_unseen, " was canceled");
    }
    if (run.execution != turn.execution || run.position != turn.position) {
        return refuse_turn(turn,
                           Errc::position_moved,
                           " is at event " + std::to_string(run.position) + " of execution " +
                               std::to_string(run.execution));
    }
    return std::nullopt;
}

auto Guards::check_fused(const Turn& turn, bool must_wait) const -> Verdict {
    if (turn.lock) return refuse_turn(turn, Errc::lease_lost, " is not locked by this token");
    if (must_wait) {
        return refuse_turn(turn, Errc::still_running, " waits for another run to end");
    }
    if (turn.in_line && messaged_.contains(turn.run)) {
        return refuse_turn(turn, Errc::messages_waiting, " has messages that came first");
    }
    if (turn.execution != 1 || turn.position != 0) {
        return refuse_turn(turn, Errc::position_moved, " has only just been started");
    }
    return std::nullopt;
}

auto Guards::check_input(const Turn& turn, const std::optional<RunFacts>& run) -> Verdict {
    if (turn.history.count == 0 && !turn.history.bytes.empty()) {
        return invalid("has history bytes but no event");
    }
    if (turn.keep_lock && !turn.lock) return invalid("cannot keep a lock it does not have");
    for (const KeyValueChange& change : turn.key_values) {
        if (change.key.empty() && change.value) return invalid("sets a value without a key");
    }
    if (turn.version) {
        if (const auto valid = check_version(*turn.version); !valid) {
            return Refusal{valid.error(), std::nullopt, false};
        }
    }
    // Nothing can be there yet for a run that is being started.
    const bool is_new = !run;
    if (auto refusal = check_activities(turn, is_new)) return refusal;
    if (auto refusal = check_timers(turn, is_new)) return refusal;
    return check_after(turn, run && run->canceled);
}

auto Guards::check_activities(const Turn& turn, bool is_new) -> Verdict {
    if (repeats_command(turn.activities, [](const NewActivity& one) { return one.command; })) {
        return invalid("schedules two activities for one command");
    }
    if (is_new) return std::nullopt;
    for (const NewActivity& wanted : turn.activities) {
        const ActivityRef ref{turn.run, turn.execution, wanted.command};
        if (!rows_.activity(ref)) continue;
        // If it is acked in the same transition, there is room for another try. If abandoned, there
        // is none.
        if (!acked_.contains(ref)) return invalid("schedules an activity that is already there");
    }
    return std::nullopt;
}

auto Guards::check_timers(const Turn& turn, bool is_new) -> Verdict {
    if (repeats_command(turn.timers, [](const NewTimer& one) { return one.command; })) {
        return invalid("sets two timers for one command");
    }
    if (is_new) return std::nullopt;
    for (const NewTimer& wanted : turn.timers) {
        const auto number = rows_.timer(turn.run, turn.execution, wanted.command);
        if (!number) continue;
        if (std::find(turn.consumed.begin(), turn.consumed.end(), *number) == turn.consumed.end()) {
            return invalid("sets a timer that is already set");
        }
    }
    return std::nullopt;
}

auto Guards::check_children(const Turn& turn, const std::optional<RunFacts>& run) -> Verdict {
    std::set<CommandNo> commands;
    for (const NewChild& wanted : turn.children) {
        const NewInstance& child = wanted.instance;
        if (child.parent) {
            if (child.parent->run != turn.run || child.parent->execution != turn.execution) {
                return invalid("starts a child of another run");
            }
            if (!commands.insert(child.parent->command).second) {
                return invalid("starts two children for one command");
            }
            if (auto refusal = check_key_order(child)) return refusal;
        }
        const auto valid = check_names(child);
        if (!valid) return Refusal{valid.error(), std::nullopt, false};
        if (auto refusal = check_run_key(child.run)) return refusal;
        if (auto refusal = check_child_document(wanted, run)) return refusal;
        if (auto refusal = check_on_fail(child)) return refusal;
        new_names_.insert(child.name);
    }
    return std::nullopt;
}

/// A run that goes on pins its own document.
auto Guards::check_child_document(const NewChild& child, const std::optional<RunFacts>& starter)
    -> Verdict {
    const NewInstance& instance = child.instance;
    const bool pinned = instance.document && starter && starter->has_document &&
                        starter->name->space == instance.name.space &&
                        rows_.document_of(starter->ref) == *instance.document;
    return pinned ? std::nullopt : check_document(instance, std::nullopt);
}

auto Guards::check_after(const Turn& turn, bool canceled) -> Verdict {
    if (const auto* next = std::get_if<ContinuesAsNew>(&turn.after)) {
        if (const auto valid = check_version(next->version); !valid) {
            return Refusal{valid.error(), std::nullopt, false};
        }
    }
    const auto* ends = std::get_if<Ends>(&turn.after);
    if (ends == nullptr) return std::nullopt;
    const Status status = ends->outcome.status;
    if (!is_terminal(status)) return invalid("cannot end as " + std::string(to_string(status)));
    if (status != Status::canceled) {
        if (canceled || turn.cancel_seen) return invalid("of a canceled run ends as canceled only");
    } else if (!canceled && ends->outcome.cancel.source != CancelSource::self) {
        return invalid("cannot end as canceled: nobody canceled the run");
    }
    return std::nullopt;
}

}  // namespace belay::store
