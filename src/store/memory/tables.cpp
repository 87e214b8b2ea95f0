#include "store/memory/tables.hpp"

#include <algorithm>
#include <utility>

namespace belay::memory {

namespace {

ReadyKey ready_key(const Run& run, Timestamp at) {
    return ReadyKey{at, run.ref.key, run.ref.shard};
}

ClaimKey claim_key(const Activity& activity) {
    return ClaimKey{-static_cast<std::int64_t>(activity.about.priority),
                    activity.visible_at,
                    activity.sequence,
                    activity.ref};
}

/// Returns the place that a run should have in the indexes.
RunIndexed place_of(const Run& run) {
    RunIndexed place;
    place.ready_at = run.claimable_at();
    place.deadline = run.status == Status::canceling ? run.cancel_deadline : run.late_from();
    place.held = run.held;
    if (!run.about.parent) place.ended_at = run.ended_at;
    place.chain = run.executions.size() > 1;
    if (run.put_off && !run.ended()) {
        place.put_off = store::code_key(store::RunCode{
            run.about.definition, run.about.version, run.about.document.has_value()});
    }
    place.open = run.parent && !run.ended();
    place.waits_for = run.waits_for;
    return place;
}

template <class Part, class Key>
void erase_from(std::map<Part, std::set<Key>>& index, const Part& part, const Key& key) {
    const auto found = index.find(part);
    BELAY_ASSERT(found != index.end() && found->second.erase(key) == 1);
    if (found->second.empty()) index.erase(found);
}

void move_ready(Tables& tables, const Run& run, const RunIndexed& from, const RunIndexed& to) {
    if (from.ready_at == to.ready_at) return;
    if (from.ready_at) tables.ready.erase(run.ref.shard, ready_key(run, *from.ready_at));
    if (to.ready_at) tables.ready.insert(run.ref.shard, ready_key(run, *to.ready_at));
}

void move_ended(Tables& tables, const Run& run, const RunIndexed& from, const RunIndexed& to) {
    if (from.ended_at == to.ended_at) return;
    const std::string& space = run.name.space;
    // An end is final: the status is still the one it was entered with.
    const OutcomeKey outcome{space, run.about.definition, run.status};
    if (from.ended_at) {
        erase_from(tables.ended, space, ready_key(run, *from.ended_at));
        erase_from(tables.outcomes, outcome, ready_key(run, *from.ended_at));
    }
    if (to.ended_at) {
        tables.ended[space].insert(ready_key(run, *to.ended_at));
        tables.outcomes[outcome].insert(ready_key(run, *to.ended_at));
    }
}

void move_relations(Tables& tables, const Run& run, const RunIndexed& from, const RunIndexed& to) {
    if (from.open != to.open) {
        Run& parent = run_of(tables, run.parent->run);
        const std::pair entry(CommandRef{run.parent->execution, run.parent->command}, run.ref);
        if (to.open) {
            parent.open_children.insert(entry);
        } else {
            parent.open_children.erase(entry);
        }
    }
    if (from.waits_for != to.waits_for) {
        if (from.waits_for) erase_from(tables.waiters, *from.waits_for, run.ref.key);
        if (to.waits_for) tables.waiters[*to.waits_for].insert(run.ref.key);
    }
}

void move(Tables& tables, Run& run, const RunIndexed& to) {
    const RunIndexed from = std::exchange(run.indexed, to);
    const RunRef ref = run.ref;
    move_ready(tables, run, from, to);
    move_ended(tables, run, from, to);
    move_relations(tables, run, from, to);
    if (from.deadline != to.deadline) {
        if (from.deadline) tables.deadlines.erase({*from.deadline, ref});
        if (to.deadline) tables.deadlines.insert({*to.deadline, ref});
    }
    if (from.held != to.held) {
        if (to.held) {
            tables.held.insert(ref);
        } else {
            tables.held.erase(ref);
        }
    }
    const ChainKey key{ref.key, ref.shard};
    if (from.put_off != to.put_off) {
        if (from.put_off) erase_from(tables.put_off, *from.put_off, key);
        if (to.put_off) tables.put_off[*to.put_off].insert(key);
    }
    if (from.chain != to.chain) {
        if (to.chain) {
            tables.chains[run.name.space].insert(key);
        } else {
            erase_from(tables.chains, run.name.space, key);
        }
    }
}

/// Removes a place from its lane.
void leave_lane(Tables& tables, const Activity& activity) {
    const auto queue = tables.lanes.find(activity.queue);
    BELAY_ASSERT(queue != tables.lanes.end());
    const auto name = queue->second.find(activity.about.name);
    BELAY_ASSERT(name != queue->second.end());
    erase_from(name->second, activity.lane, *activity.claimable);
    if (name->second.empty()) queue->second.erase(name);
    if (queue->second.empty()) tables.lanes.erase(queue);
}

}  // namespace

void unindex(Tables& tables, Activity& activity) {
    if (!activity.claimable) {
        BELAY_ASSERT(tables.waiting.erase({*activity.waits_until, activity.ref}) == 1);
        return;
    }
    leave_lane(tables, activity);
    const auto queue = tables.claimable.find(activity.queue);
    BELAY_ASSERT(queue != tables.claimable.end());
    queue->second.erase(activity.ref.run.shard, *activity.claimable);
    if (queue->second.all().empty()) tables.claimable.erase(queue);
    activity.claimable.reset();
}

void index(Tables& tables, Activity& activity) {
    if (activity.waits_until) {
        tables.waiting.insert({*activity.waits_until, activity.ref});
        return;
    }
    activity.claimable = claim_key(activity);
    tables.claimable[activity.queue].insert(activity.ref.run.shard, *activity.claimable);
    tables.lanes[activity.queue][activity.about.name][activity.lane].insert(*activity.claimable);
}

Run* find_run(Tables& tables, RunRef run) {
    const auto found = tables.runs.find(run);
    return found == tables.runs.end() ? nullptr : &found->second;
}

const Run* find_run(const Tables& tables, RunRef run) {
    const auto found = tables.runs.find(run);
    return found == tables.runs.end() ? nullptr : &found->second;
}

const Run* find_run(const Tables& tables, const InstanceName& name) {
    const auto found = tables.names.find(name);
    return found == tables.names.end() ? nullptr : find_run(tables, found->second);
}

Run* find_run(Tables& tables, const InstanceName& name) {
    const auto found = tables.names.find(name);
    return found == tables.names.end() ? nullptr : find_run(tables, found->second);
}

Run& run_of(Tables& tables, RunRef run) {
    Run* found = find_run(tables, run);
    BELAY_ASSERT(found != nullptr);
    return *found;
}

const Activity* find_activity(const Tables& tables, const ActivityRef& activity) {
    const auto found = tables.activities.find(activity);
    return found == tables.activities.end() ? nullptr : &found->second;
}

InstanceBrief brief_of(const Run& run) { return run.brief(); }

std::map<ActivityRef, Activity>::iterator first_activity(Tables& tables, RunRef run) {
    return tables.activities.lower_bound(ActivityRef{run, 0, 0});
}

void refresh(Tables& tables, Run& run) {
    const RunIndexed place = place_of(run);
    run.ready_at = place.ready_at;
    move(tables, run, place);
}

void unindex(Tables& tables, Run& run) { move(tables, run, RunIndexed()); }

void add_waiting(Run& run, MessageNo number, Timestamp at, Waiting entry) {
    if (entry.timer) {
        BELAY_ASSERT(run.timers.emplace(*entry.timer, InboxKey{at, number}).second);
    }
    run.inbox_times.emplace(number, at);
    run.inbox_ready.insert({entry.ready_from, number});
    run.inbox.emplace(InboxKey{at, number}, std::move(entry));
}

store::TakenOut remove_waiting(Run& run, MessageNo number) {
    const auto time = run.inbox_times.find(number);
    if (time == run.inbox_times.end()) return store::TakenOut::nothing;
    const auto entry = run.inbox.find(InboxKey{time->second, number});
    BELAY_ASSERT(entry != run.inbox.end());
    const bool timed = entry->second.timed;
    if (entry->second.timer) run.timers.erase(*entry->second.timer);
    run.inbox_ready.erase({entry->second.ready_from, number});
    run.inbox.erase(entry);
    run.inbox_times.erase(time);
    return timed ? store::TakenOut::timed : store::TakenOut::message;
}

void remove_activity(Tables& tables, const ActivityRef& activity) {
    const auto row = tables.activities.find(activity);
    BELAY_ASSERT(row != tables.activities.end());
    unindex(tables, row->second);
    tables.activities.erase(row);
}

void add_dead_letter(Tables& tables, DeadLetter letter) {
    letter.id = tables.next_letter++;
    tables.letters_to[letter.run].insert(letter.id);
    tables.dead_letters.emplace(letter.id, std::move(letter));
}

void remove_dead_letter(Tables& tables, std::uint64_t id) {
    const auto letter = tables.dead_letters.find(id);
    BELAY_ASSERT(letter != tables.dead_letters.end());
    erase_from(tables.letters_to, letter->second.run, id);
    tables.dead_letters.erase(letter);
}

void remove_stopping(Tables& tables, const StoppingKey& key) {
    const auto row = tables.stopping.find(key);
    BELAY_ASSERT(row != tables.stopping.end());
    tables.stopping_until.erase({row->second.until, key});
    tables.stopping.erase(row);
}

void remove_key(Tables& tables, const KeyId& id) {
    const auto found = tables.keys.find(id);
    if (found == tables.keys.end()) return;
    if (found->second.until) tables.keys_until.erase({*found->second.until, id});
    tables.keys.erase(found);
}

void remove_use(Tables& tables, LeaseToken token) {
    const auto use = tables.uses.find(token);
    BELAY_ASSERT(use != tables.uses.end());
    erase_from(tables.uses_of, use->second.queue, token);
    tables.uses.erase(use);
}

void remove_session(Tables& tables, const SessionKey& key) {
    const auto found = tables.sessions.find(key);
    if (found == tables.sessions.end()) return;
    erase_from(tables.sessions_of, found->second.holder, key);
    tables.sessions_until.erase({found->second.until, key});
    tables.sessions.erase(found);
}

void remove_session_use(Tables& tables, LeaseToken token) {
    const auto use = tables.session_uses.find(token);
    if (use == tables.session_uses.end()) return;
    erase_from(tables.session_uses_of, use->second.session, token);
    tables.session_uses.erase(use);
}

SessionKey session_of(const Tables& tables, const Activity& activity) {
    if (activity.session.empty()) return {};
    return {find_run(tables, activity.ref.run)->name.space, activity.session};
}

}  // namespace belay::memory
