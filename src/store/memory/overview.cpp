// Waiting work, held leases, and the work under way for one instance.
#include "store/memory/reads.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace belay::memory {

namespace {

void keep_oldest(std::optional<Timestamp>& oldest, Timestamp at) {
    oldest = oldest ? std::min(*oldest, at) : at;
}

std::vector<QueueDepth> activity_queues(const Tables& tables, Timestamp now) {
    std::map<std::string, QueueDepth> depths;
    for (const auto& [ref, activity] : tables.activities) {
        QueueDepth& depth = depths[activity.about.queue];
        depth.queue = activity.about.queue;
        if (activity.claimable_at() <= now) {
            ++depth.claimable;
            keep_oldest(depth.oldest, activity.visible_at);
        } else if (activity.token) {
            ++depth.leased;
        } else {
            ++depth.delayed;
        }
    }
    std::vector<QueueDepth> list;
    list.reserve(depths.size());
    for (auto& [queue, depth] : depths) list.push_back(std::move(depth));
    return list;
}

template <class Lease, class Place>
void sort_leases(std::vector<Lease>& leases, std::uint32_t max, Place place) {
    std::sort(leases.begin(), leases.end(), [&](const Lease& a, const Lease& b) {
        return std::pair(a.until, place(a)) < std::pair(b.until, place(b));
    });
    if (leases.size() > max) leases.resize(max);
}

WaitingMessage waiting_of(const InboxKey& key, const Waiting& entry) {
    WaitingMessage waiting;
    waiting.number = key.second;
    waiting.kind = entry.content.kind;
    waiting.name = entry.content.name;
    waiting.execution = entry.content.execution;
    waiting.command = entry.content.command;
    waiting.at = key.first;
    waiting.timer = entry.timer.has_value();
    return waiting;
}

/// Returns messages by number: the first `max` that have come, and the first `max` still to come.
std::vector<WaitingMessage> inbox_of(const Run& run, std::uint32_t max) {
    std::vector<WaitingMessage> plain;
    std::vector<WaitingMessage> timed;
    for (const auto& [key, entry] : run.inbox) {
        (entry.timed ? timed : plain).push_back(waiting_of(key, entry));
    }
    const auto by_number = [](const WaitingMessage& a, const WaitingMessage& b) {
        return a.number < b.number;
    };
    for (auto* list : {&plain, &timed}) {
        std::sort(list->begin(), list->end(), by_number);
        if (list->size() > max) list->resize(max);
    }
    plain.insert(plain.end(), timed.begin(), timed.end());
    std::sort(plain.begin(), plain.end(), by_number);
    return plain;
}

std::vector<OpenChild> open_children_of(const Tables& tables, const Run& run) {
    std::vector<OpenChild> children;
    for (const auto& [command, ref] : run.open_children) {
        const Run* child = find_run(tables, ref);
        BELAY_ASSERT(child != nullptr);
        children.push_back(OpenChild{brief_of(*child), command.first, command.second});
    }
    return children;
}

std::vector<StoppingInfo> stopping_of(const Tables& tables, RunRef run) {
    std::vector<StoppingInfo> records;
    const StoppingKey first{ActivityRef{run, 0, 0}, LeaseToken()};
    for (auto row = tables.stopping.lower_bound(first); row != tables.stopping.end(); ++row) {
        const auto& [key, record] = *row;
        if (key.first.run != run) break;
        records.push_back(
            StoppingInfo{key.first, key.second, record.worker, record.until, record.since});
    }
    return records;
}

}  // namespace

CountQueues::Answer read(const Tables& tables, const CountQueues&, Timestamp now) {
    QueueDepths depths;
    depths.activities = activity_queues(tables, now);
    for (const auto& [ref, run] : tables.runs) {
        if (run.indexed.ready_at && *run.indexed.ready_at <= now) ++depths.ready;
        if (run.locked(now)) {
            ++depths.locked;
            keep_oldest(depths.oldest_locked, run.lock->since.value());
        }
        depths.timers += run.inbox.size() - run.plain_messages;
        for (const auto& [key, entry] : run.inbox) {
            if (key.first > now) break;
            if (entry.timed) keep_oldest(depths.oldest_timer, key.first);
        }
    }
    for (const RunRef run : tables.held) {
        keep_oldest(depths.oldest_held, find_run(tables, run)->held_since);
    }
    for (const auto& [id, letter] : tables.dead_letters) {
        keep_oldest(depths.oldest_letter, letter.at);
    }
    for (const auto& [key, record] : tables.stopping) {
        keep_oldest(depths.oldest_stopping, record.since);
    }
    if (depths.ready > 0) depths.oldest_ready = tables.ready.all().begin()->at;
    depths.held = tables.held.size();
    depths.dead_letters = tables.dead_letters.size();
    depths.stopping = tables.stopping.size();
    for (const auto& [queue, limits] : tables.limits) depths.limits.push_back(limits);
    for (const auto& [name, pause] : tables.pauses) depths.pauses.push_back(pause);
    return depths;
}

ListLeases::Answer read(const Tables& tables, const ListLeases& request, Timestamp now) {
    ListLeases::Answer leases;
    for (const auto& [ref, activity] : tables.activities) {
        if (!activity.token || activity.leased_until <= now) continue;
        const Run* run = find_run(tables, ref.run);
        BELAY_ASSERT(run != nullptr);
        leases.activities.push_back(ActivityLease{ref,
                                                  run->about.name,
                                                  activity.about.name,
                                                  activity.about.queue,
                                                  activity.worker,
                                                  activity.attempt,
                                                  activity.leased_until,
                                                  activity.claimed_at});
    }
    for (const auto& [ref, run] : tables.runs) {
        if (!run.locked(now)) continue;
        leases.turns.push_back(TurnLock{brief_of(run),
                                        run.lock->worker,
                                        run.attempts,
                                        run.lock->until,
                                        run.lock->since,
                                        run.overruns});
    }
    sort_leases(leases.activities, request.max, [](const ActivityLease& one) {
        return std::tuple(one.activity.run.key, one.activity.execution, one.activity.command);
    });
    sort_leases(
        leases.turns, request.max, [](const TurnLock& one) { return one.instance.run.key; });
    for (const auto& [until, key] : tables.sessions_until) {
        if (until <= now || leases.sessions.size() >= request.max) continue;
        leases.sessions.push_back(
            SessionLease{key.first, key.second, tables.sessions.at(key).worker, until});
    }
    return leases;
}

ReadOpenWork::Answer read(const Tables& tables, const ReadOpenWork& request, Timestamp now) {
    const Run* run = request.run ? find_run(tables, *request.run) : find_run(tables, request.name);
    if (run == nullptr) return std::nullopt;
    OpenWork work;
    work.info = *read(tables, ReadInstance{request.name, run->ref}, now);
    work.as_of = now;
    if (run->about.parent) {
        const Run* parent = find_run(tables, run->about.parent->run);
        BELAY_ASSERT(parent != nullptr);
        work.parent_id = parent->about.name.id;
    }
    if (run->locked(now)) {
        work.lock_worker = run->lock->worker;
        work.lock_until = run->lock->until;
    }
    work.claimable_at = run->indexed.ready_at;
    work.waits_for_former = run->waits_for.has_value();
    work.children = run->children.size();
    work.open_children = open_children_of(tables, *run);
    work.activities = read(tables, ListActivities{run->ref}, now);
    work.stopping = stopping_of(tables, run->ref);
    work.messages = inbox_of(*run, request.max_messages);
    work.timer_count = run->timers.size();
    work.message_count = run->inbox.size() - work.timer_count;
    return work;
}

}  // namespace belay::memory
