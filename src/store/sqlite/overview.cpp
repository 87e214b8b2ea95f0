// What waits, who holds what, and what is under way for one instance.
#include "store/sqlite/read_run.hpp"
#include "store/sqlite/reader.hpp"
#include "store/sqlite/reads.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace belay::sqlite {

namespace {

/// How many there are, and since when the oldest is there.
void count(Connection& connection,
           Sql statement,
           std::uint64_t& number,
           std::optional<Timestamp>& oldest) {
    Query query = connection.use(statement);
    if (!query.step()) return;
    number = query.number(0);
    oldest = query.maybe_time(1);
}

void add_claimable(QueueDepth& depth, std::uint64_t count, Timestamp since) {
    depth.claimable += count;
    depth.oldest = depth.oldest ? std::min(*depth.oldest, since) : since;
}

std::vector<QueueDepth> activity_queues(Connection& connection, Timestamp now) {
    std::map<std::string, QueueDepth> depths;
    const auto depth_of = [&](std::string queue) -> QueueDepth& {
        QueueDepth& depth = depths[queue];
        depth.queue = std::move(queue);
        return depth;
    };
    {
        Query query = connection.use(Sql::queue_claimable);
        while (query.step()) {
            add_claimable(depth_of(query.text(0)), query.number(1), query.time(2));
        }
    }
    Query query = connection.use(Sql::queue_waiting);
    while (query.step()) {
        QueueDepth& depth = depth_of(query.text(0));
        if (query.time(2) <= now) {
            // Its time has come, and the next claim will put it in line.
            add_claimable(depth, 1, query.time(3));
        } else if (query.flag(1)) {
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

WaitingMessage read_waiting(const Query& query) {
    WaitingMessage waiting;
    waiting.number = query.number(0);
    waiting.at = query.time(1);
    waiting.kind = query.as<MessageKind>(2);
    waiting.execution = query.small(3);
    waiting.command = query.small(4);
    waiting.name = query.text(5);
    return waiting;
}

void read_inbox(Connection& connection, const Run& run, std::uint32_t max, OpenWork& work) {
    {
        Query query = connection.use(Sql::message_waiting);
        query.bind(run.ref.key, max);
        while (query.step()) work.messages.push_back(read_waiting(query));
    }
    {
        Query query = connection.use(Sql::timer_waiting);
        query.bind(run.ref.key, max);
        while (query.step()) {
            work.messages.push_back(read_waiting(query));
            work.messages.back().timer = query.flag(6);
        }
    }
    std::sort(work.messages.begin(), work.messages.end(), [](const auto& a, const auto& b) {
        return a.number < b.number;
    });
    Query query = connection.use(Sql::timer_counts);
    query.bind(run.ref.key);
    if (query.step()) work.timer_count = query.number(0);
    work.message_count = run.plain_messages + query.number(1);
}

}  // namespace

CountQueues::Answer read(Connection& connection, const CountQueues&, Timestamp now) {
    QueueDepths depths;
    depths.activities = activity_queues(connection, now);
    {
        Query query = connection.use(Sql::queue_ready);
        query.bind(now);
        if (query.step()) {
            depths.ready = query.number(0);
            depths.oldest_ready = query.maybe_time(1);
        }
    }
    {
        Query query = connection.use(Sql::queue_locked);
        query.bind(now);
        if (query.step()) {
            depths.locked = query.number(0);
            depths.oldest_locked = query.maybe_time(1);
        }
    }
    count(connection, Sql::queue_held, depths.held, depths.oldest_held);
    count(connection, Sql::queue_timers, depths.timers, depths.oldest_timer);
    if (depths.oldest_timer && *depths.oldest_timer > now) depths.oldest_timer.reset();
    count(connection, Sql::queue_letters, depths.dead_letters, depths.oldest_letter);
    count(connection, Sql::queue_stopping, depths.stopping, depths.oldest_stopping);
    return depths;
}

ListLeases::Answer read(Connection& connection, const ListLeases& request, Timestamp now) {
    ListLeases::Answer leases;
    {
        Query query = connection.use(Sql::lease_activities);
        query.bind(now, request.max);
        while (query.step()) {
            leases.activities.push_back(
                ActivityLease{ActivityRef{read_run(query, 0), query.small(2), query.small(3)},
                              InstanceName{query.text(4), query.text(5)},
                              query.text(6),
                              query.text(7),
                              query.text(8),
                              query.small(9),
                              query.time(10),
                              query.maybe_time(11)});
        }
    }
    Query query = connection.use(Sql::lease_turns);
    query.bind(now, request.max);
    while (query.step()) {
        InstanceBrief brief{read_run(query, 0),
                            InstanceName{query.text(2), query.text(3)},
                            query.as<Status>(4),
                            false};
        leases.turns.push_back(TurnLock{
            std::move(brief), query.text(5), query.small(6), query.time(7), query.maybe_time(8)});
    }
    return leases;
}

ReadOpenWork::Answer read(Connection& connection, const ReadOpenWork& request, Timestamp now) {
    Reader reader(connection, now);
    const Run* run = reader.tables.find_run(request.name);
    if (run == nullptr) return std::nullopt;
    OpenWork work;
    work.info = *read(connection, ReadInstance{request.name, run->ref}, now);
    work.as_of = now;
    if (run->parent) work.parent_id = reader.tables.run_of(run->parent->run.key).name.id;
    if (run->locked(now)) {
        work.lock_worker = run->lock->worker;
        work.lock_until = run->lock->until;
    }
    work.claimable_at = run->claimable_at();
    work.waits_for_former = run->waits_for.has_value();
    work.children = run->next_child - 1;
    for (const RunKey key : reader.tables.open_children_of(*run)) {
        const Run& child = reader.tables.run_of(key);
        work.open_children.push_back(
            OpenChild{child.brief(), child.parent->execution, child.parent->command});
    }
    work.activities = read(connection, ListActivities{run->ref}, now);
    work.stopping = read(connection, ListStopping{run->ref}, now);
    read_inbox(connection, *run, request.max_messages, work);
    return work;
}

}  // namespace belay::sqlite
