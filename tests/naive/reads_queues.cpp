// Reads of queues and leases: everything is looked through.
#include "base/sort_stably.hpp"
#include "naive/naive_store.hpp"

#include <algorithm>

namespace belay::naive {

namespace {

/// The earlier of a time that may not be known yet and another one.
void earlier(std::optional<Timestamp>& first, Timestamp at) {
    first = first ? std::min(*first, at) : at;
}

}  // namespace

ListActivities::Answer read(const State& state, const ListActivities& request, Timestamp now) {
    ListActivities::Answer all;
    for (const auto& [ref, row] : state.activities) {
        if (request.run && ref.run != *request.run) continue;
        ActivityInfo info;
        info.activity = ref;
        info.name = row.about.name;
        info.queue = row.about.queue;
        info.attempt = row.attempt;
        info.unregistered = row.unregistered;
        info.shielded = row.about.shielded;
        info.leased = row.leased(now);
        info.token = row.token.value_or(LeaseToken());
        info.worker = row.worker;
        info.visible_at = row.set_aside ? kNever : row.visible_at;
        info.leased_until = row.leased_until;
        info.progress = row.progress;
        info.progress_at = row.progress_at;
        info.session = row.about.session;
        all.push_back(info);
    }
    return all;
}

CheckLeases::Answer read(const State& state, const CheckLeases& request, Timestamp /*now*/) {
    CheckLeases::Answer held;
    for (const auto& [ref, token] : request.leases) {
        const Activity* row = state.activities.find(ref);
        if (row != nullptr && row->token == token) held.push_back(token);
    }
    return held;
}

/// It knows of no process.
ReadDeadHolders::Answer read(const State& /*state*/,
                             const ReadDeadHolders& /*request*/,
                             Timestamp /*now*/) {
    return {};
}

CountQueues::Answer read(const State& state, const CountQueues& /*request*/, Timestamp now) {
    QueueDepths depths;
    std::map<std::string, QueueDepth> queues;
    for (const auto& [ref, row] : state.activities) {
        QueueDepth& queue = queues[row.about.queue];
        queue.queue = row.about.queue;
        if (row.leased(now)) {
            ++queue.leased;
        } else if (row.set_aside || (!row.token && row.visible_at > now)) {
            ++queue.delayed;
        } else {
            ++queue.claimable;
            earlier(queue.oldest, row.visible_at);
        }
    }
    for (const auto& [name, queue] : queues) depths.activities.push_back(queue);
    for (const auto& [key, run] : state.runs) {
        if (run.locked(now)) {
            ++depths.locked;
            earlier(depths.oldest_locked, run.lock->since);
        } else if (ready_at(run) <= now) {
            ++depths.ready;
            earlier(depths.oldest_ready, ready_at(run));
        }
        if (run.held) {
            ++depths.held;
            earlier(depths.oldest_held, run.held_since);
        }
        for (const Waiting& one : run.inbox) {
            if (!one.timed) continue;
            ++depths.timers;
            if (one.at <= now) earlier(depths.oldest_timer, one.at);
        }
    }
    depths.dead_letters = state.letters.size();
    for (const auto& [id, letter] : state.letters) earlier(depths.oldest_letter, letter.at);
    for (const Stopping& one : state.stopping) {
        if (one.orphan) continue;
        ++depths.stopping;
        earlier(depths.oldest_stopping, one.since);
    }
    for (const auto& [name, limits] : state.limits) depths.limits.push_back(limits);
    for (const auto& [name, pause] : state.pauses) depths.pauses.push_back(pause);
    return depths;
}

ListLeases::Answer read(const State& state, const ListLeases& request, Timestamp now) {
    ListLeases::Answer all;
    for (const auto& [ref, row] : state.activities) {
        if (!row.leased(now)) continue;
        all.activities.push_back({ref,
                                  state.find(ref.run)->about.name,
                                  row.about.name,
                                  row.about.queue,
                                  row.worker,
                                  row.attempt,
                                  row.leased_until,
                                  row.leased_since});
    }
    for (const auto& [key, run] : state.runs) {
        if (!run.locked(now)) continue;
        const Lock& lock = *run.lock;
        all.turns.push_back(
            {run.brief(), lock.worker, run.attempts, lock.until, lock.since, run.overruns});
    }
    for (const auto& [name, session] : state.sessions) {
        const Timestamp until = session_until(state, name, session);
        if (until > now) all.sessions.push_back({name.first, name.second, session.worker, until});
    }
    const auto first = [&](auto& rows) {
        base::sort_stably(rows, [](const auto& a, const auto& b) { return a.until < b.until; });
        if (rows.size() > request.max) rows.resize(request.max);
    };
    first(all.activities);
    first(all.turns);
    first(all.sessions);
    return all;
}

}  // namespace belay::naive
