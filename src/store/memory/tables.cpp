#include "store/memory/tables.hpp"

#include <belay/store/operations.hpp>

#include <algorithm>
#include <utility>

namespace belay::memory {

namespace {

ReadyKey ready_key(const Run& run, Timestamp at) {
    return ReadyKey{at, run.ref().key, run.ref().shard};
}

ClaimKey claim_key(const Activity& activity) {
    return ClaimKey{-static_cast<std::int64_t>(activity.about.priority),
                    activity.visible_at,
                    activity.sequence,
                    activity.ref};
}

/// From when on a run can be claimed, as things stand; never, if something else must happen first.
std::optional<Timestamp> ready_at(const Run& run) {
    if (run.ended() || run.held || run.waits_for) return std::nullopt;
    std::optional<Timestamp> at = run.wants_turn_at;
    if (!run.inbox_ready.empty()) {
        const Timestamp first = run.inbox_ready.begin()->first;
        at = at ? std::min(*at, first) : first;
    }
    if (!at) return std::nullopt;
    at = std::max(*at, run.not_before);
    // An expired lock is taken over by the next claim.
    if (run.lock) at = std::max(*at, run.lock->until);
    return at;
}

/// Where a run should stand in the indexes.
RunIndexed place_of(const Run& run) {
    RunIndexed place;
    place.ready_at = ready_at(run);
    if (run.status == Status::canceling) place.deadline = run.cancel_deadline;
    place.held = run.held;
    if (!run.about.parent) place.ended_at = run.ended_at;
    place.chain = run.executions.size() > 1;
    if (run.put_off && !run.ended()) {
        place.put_off = store::CodeKey(run.about.definition, run.about.version);
    }
    return place;
}

template <class Part, class Key>
void erase_from(std::map<Part, std::set<Key>>& index, const Part& part, const Key& key) {
    const auto found = index.find(part);
    BELAY_ASSERT(found != index.end() && found->second.erase(key) == 1);
    if (found->second.empty()) index.erase(found);
}

void move(Tables& tables, Run& run, const RunIndexed& to) {
    const RunIndexed from = std::exchange(run.indexed, to);
    const RunRef ref = run.ref();
    const std::string& space = run.about.name.space;
    if (from.ready_at != to.ready_at) {
        if (from.ready_at) tables.ready.erase(ref.shard, ready_key(run, *from.ready_at));
        if (to.ready_at) {
            tables.ready.insert(ref.shard, ready_key(run, *to.ready_at));
            tables.notices.instances_ready = true;
        }
    }
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
    if (from.ended_at != to.ended_at) {
        // An end is for ever: its status is still the one it was entered with.
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
    const ChainKey key{ref.key, ref.shard};
    if (from.put_off != to.put_off) {
        if (from.put_off) erase_from(tables.put_off, *from.put_off, key);
        if (to.put_off) tables.put_off[*to.put_off].insert(key);
    }
    if (from.chain != to.chain) {
        if (to.chain) {
            tables.chains[space].insert(key);
        } else {
            erase_from(tables.chains, space, key);
        }
    }
}

void unindex(Tables& tables, Activity& activity) {
    if (activity.waits_until) {
        BELAY_ASSERT(tables.waiting.erase({*activity.waits_until, activity.ref}) == 1);
        activity.waits_until.reset();
    }
    if (activity.claimable) {
        const auto queue = tables.claimable.find(activity.about.queue);
        BELAY_ASSERT(queue != tables.claimable.end());
        queue->second.erase(activity.ref.run.shard, *activity.claimable);
        if (queue->second.all().empty()) tables.claimable.erase(queue);
        activity.claimable.reset();
    }
}

void index(Tables& tables, Activity& activity, Timestamp now) {
    const Timestamp at = activity.claimable_at();
    if (at <= now) {
        activity.claimable = claim_key(activity);
        tables.claimable[activity.about.queue].insert(activity.ref.run.shard, *activity.claimable);
    } else {
        tables.waiting.insert({at, activity.ref});
        activity.waits_until = at;
    }
}

/// Sets or removes the timer of an activity that must start by some time.
void refresh_start_timer(Tables& tables, const Activity& activity, bool must_start) {
    if (!activity.about.schedule_to_start) return;
    Run& run = run_of(tables, activity.ref.run);
    const CommandRef command{activity.ref.execution, activity.ref.command};
    const auto timer = run.timers.find(command);
    if (must_start == (timer != run.timers.end())) return;
    if (must_start) {
        const Timestamp until = *activity.about.schedule_to_start;
        add_timed(tables,
                  run,
                  until,
                  op::activity_not_started(activity.ref, activity.about.name, until),
                  command);
    } else {
        remove_waiting(run, timer->second.second);
        refresh(tables, run);
    }
}

void add_waiting(Tables& tables, Run& run, Timestamp at, Waiting entry) {
    BELAY_ASSERT(!run.ended());
    const MessageNo number = run.next_message++;
    if (entry.timer) {
        BELAY_ASSERT(run.timers.emplace(*entry.timer, InboxKey{at, number}).second);
    }
    run.inbox_times.emplace(number, at);
    run.inbox_ready.insert({entry.ready_from, number});
    run.inbox.emplace(InboxKey{at, number}, std::move(entry));
    refresh(tables, run);
}

}  // namespace

Timestamp later(Timestamp at, Millis delay) noexcept {
    if (delay > Millis(0) && at > Timestamp::max() - delay) return Timestamp::max();
    return at + delay;
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

InstanceBrief brief_of(const Run& run) {
    return InstanceBrief{run.ref(), run.about.name, run.status, false};
}

std::map<ActivityRef, Activity>::iterator first_activity(Tables& tables, RunRef run) {
    return tables.activities.lower_bound(ActivityRef{run, 0, 0});
}

void refresh(Tables& tables, Run& run) { move(tables, run, place_of(run)); }

void unindex(Tables& tables, Run& run) { move(tables, run, RunIndexed()); }

void add_message(Tables& tables, Run& run, Timestamp now, NewMessage message) {
    run.last_sent = std::max(run.last_sent, now);
    ++run.plain_messages;
    Waiting entry{std::move(message)};
    entry.ready_from = now;
    add_waiting(tables, run, run.last_sent, std::move(entry));
}

void add_timed(Tables& tables,
               Run& run,
               Timestamp due_at,
               NewMessage message,
               std::optional<CommandRef> timer) {
    add_waiting(tables, run, due_at, Waiting{std::move(message), timer, true, due_at});
}

void remove_waiting(Run& run, MessageNo number) {
    const auto time = run.inbox_times.find(number);
    if (time == run.inbox_times.end()) return;
    const auto entry = run.inbox.find(InboxKey{time->second, number});
    BELAY_ASSERT(entry != run.inbox.end());
    if (entry->second.timer) run.timers.erase(*entry->second.timer);
    if (!entry->second.timed) --run.plain_messages;
    run.inbox_ready.erase({entry->second.ready_from, number});
    run.inbox.erase(entry);
    run.inbox_times.erase(time);
}

void clear_inbox(Run& run) {
    run.inbox.clear();
    run.inbox_times.clear();
    run.inbox_ready.clear();
    run.timers.clear();
    run.plain_messages = 0;
}

void add_activity(Tables& tables, Activity activity, Timestamp now) {
    activity.sequence = tables.next_activity++;
    const ActivityRef ref = activity.ref;
    const auto [row, inserted] = tables.activities.emplace(ref, std::move(activity));
    BELAY_ASSERT(inserted);
    index(tables, row->second, now);
    refresh_start_timer(tables, row->second, row->second.must_start());
    if (!row->second.token) tables.notices.activities_ready = true;
}

void remove_activity(Tables& tables, const ActivityRef& activity) {
    const auto row = tables.activities.find(activity);
    BELAY_ASSERT(row != tables.activities.end());
    unindex(tables, row->second);
    refresh_start_timer(tables, row->second, false);
    tables.activities.erase(row);
}

void refresh(Tables& tables, Activity& activity, Timestamp now) {
    unindex(tables, activity);
    index(tables, activity, now);
    refresh_start_timer(tables, activity, activity.must_start());
    if (!activity.token) tables.notices.activities_ready = true;
}

void promote_activities(Tables& tables, Timestamp now) {
    while (!tables.waiting.empty() && tables.waiting.begin()->first <= now) {
        const auto row = tables.activities.find(tables.waiting.begin()->second);
        BELAY_ASSERT(row != tables.activities.end());
        unindex(tables, row->second);
        index(tables, row->second, now);
    }
}

void add_dead_letter(Tables& tables, DeadLetter letter) {
    letter.id = tables.next_letter++;
    tables.letters_to[letter.run].insert(letter.id);
    tables.dead_letters.emplace(letter.id, std::move(letter));
}

std::uint64_t remove_dead_letters(Tables& tables, RunRef run) {
    const auto letters = tables.letters_to.find(run);
    if (letters == tables.letters_to.end()) return 0;
    const std::uint64_t count = letters->second.size();
    for (const std::uint64_t id : letters->second) tables.dead_letters.erase(id);
    tables.letters_to.erase(letters);
    return count;
}

void add_stopping(Tables& tables, const StoppingKey& key, Stopping record) {
    Run& run = run_of(tables, key.first.run);
    const Timestamp until = record.until;
    if (!tables.stopping.emplace(key, std::move(record)).second) return;
    tables.stopping_until.insert({until, key});
    ++run.stopping;
}

void remove_stopping(Tables& tables, const StoppingKey& key) {
    const auto row = tables.stopping.find(key);
    BELAY_ASSERT(row != tables.stopping.end());
    tables.stopping_until.erase({row->second.until, key});
    tables.stopping.erase(row);
    Run& run = run_of(tables, key.first.run);
    BELAY_ASSERT(run.stopping > 0);
    --run.stopping;
    settle(tables, run);
}

bool is_at_rest(const Tables& tables, const Run& run) {
    if (run.settled) return true;
    if (!run.ended() || run.stopping > 0) return false;
    const auto holds_it_up = [&](RunRef ref) {
        const Run* const child = find_run(tables, ref);
        return child != nullptr && child->about.parent_close != ParentClose::abandon &&
               !is_at_rest(tables, *child);
    };
    return std::none_of(run.open_children.begin(),
                        run.open_children.end(),
                        [&](const auto& open) { return holds_it_up(open.second); }) &&
           std::none_of(run.children.begin(), run.children.end(), holds_it_up);
}

void settle(Tables& tables, Run& run) {
    const auto parent_of = [&](const Run& child) {
        return child.about.parent ? find_run(tables, child.about.parent->run) : nullptr;
    };
    Run* at = &run;
    while (at != nullptr) {
        if (at->settled || !at->ended() || at->stopping > 0) return;
        if (at->unsettled_children > 0) break;
        at->settled = true;
        wake_waiters(tables, at->ref());
        at = parent_of(*at);
        if (at == nullptr) return;
        BELAY_ASSERT(at->unsettled_children > 0);
        --at->unsettled_children;
    }
    // What is left of these may all go on by itself.
    while (at != nullptr && at->ended() && at->stopping == 0) {
        if (tables.waiters.contains(at->ref()) && is_at_rest(tables, *at)) {
            wake_waiters(tables, at->ref());
        }
        if (at->about.parent_close == ParentClose::abandon) return;
        at = parent_of(*at);
    }
}

void stop_waiting(Tables& tables, Run& run) {
    if (!run.waits_for) return;
    const auto found = tables.waiters.find(*run.waits_for);
    BELAY_ASSERT(found != tables.waiters.end());
    found->second.erase(run.ref());
    if (found->second.empty()) tables.waiters.erase(found);
    run.waits_for.reset();
}

void wake_waiters(Tables& tables, RunRef gone) {
    const auto found = tables.waiters.find(gone);
    if (found == tables.waiters.end()) return;
    const std::set<RunRef> waiting = std::move(found->second);
    tables.waiters.erase(found);
    for (const RunRef ref : waiting) {
        Run& run = run_of(tables, ref);
        run.waits_for.reset();
        refresh(tables, run);
    }
}

}  // namespace belay::memory
