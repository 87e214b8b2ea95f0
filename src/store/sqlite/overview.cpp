// Waiting work, held leases, and the work under way for one instance.
#include "store/sqlite/reader.hpp"
#include "store/sqlite/reads.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace belay::sqlite {

namespace {

/// Returns the number of rows, and since when the oldest is there.
template <class... Bound>
void count(Connection& connection,
           Statement<columns::queue_ready> statement,
           std::uint64_t& number,
           std::optional<Timestamp>& oldest,
           const Bound&... bound) {
    using Row = columns::queue_ready;
    Query query = connection.use(statement);
    if (!query.bind(bound...).step()) return;
    number = query.number(Row::count);
    oldest = query.maybe_time(Row::oldest);
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
        using Row = columns::queue_claimable;
        Query query = connection.use(Sql::queue_claimable);
        while (query.step()) {
            add_claimable(depth_of(query.text(Row::queue)),
                          query.number(Row::count),
                          query.time(Row::oldest));
        }
    }
    using Row = columns::queue_waiting;
    Query query = connection.use(Sql::queue_waiting);
    while (query.step()) {
        QueueDepth& depth = depth_of(query.text(Row::queue));
        if (query.time(Row::waits_until) <= now) {
            // Its time has come, and the next claim will put it in line.
            add_claimable(depth, 1, query.time(Row::visible_at));
        } else if (query.flag(Row::is_leased)) {
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

template <class Row>
WaitingMessage read_waiting(const Query<Row>& query) {
    WaitingMessage waiting;
    waiting.number = query.number(Row::number);
    waiting.at = query.time(Row::at);
    waiting.kind = query.template as<MessageKind>(Row::kind);
    waiting.execution = query.small(Row::execution);
    waiting.command = query.small(Row::command);
    waiting.name = query.text(Row::name);
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
            work.messages.back().timer = query.flag(columns::timer_waiting::is_timer);
        }
    }
    std::sort(work.messages.begin(), work.messages.end(), [](const auto& a, const auto& b) {
        return a.number < b.number;
    });
    Query query = connection.use(Sql::timer_counts);
    query.bind(run.ref.key);
    using Row = columns::timer_counts;
    if (query.step()) work.timer_count = query.number(Row::timers);
    work.message_count = run.plain_messages + query.number(Row::messages);
}

std::vector<StoppingInfo> stopping_of(Connection& connection, const Run& run) {
    std::vector<StoppingInfo> records;
    Query query = connection.use(Sql::stopping_list_of_run);
    query.bind(run.ref.key);
    using Row = columns::stopping_list_of_run;
    while (query.step()) {
        records.push_back(StoppingInfo{read_ref(query),
                                       read_token(query),
                                       query.text(Row::worker),
                                       query.time(Row::until),
                                       query.maybe_time(Row::since)});
    }
    return records;
}

ActivityLease read_lease(const Query<columns::lease_activities>& query) {
    using Row = columns::lease_activities;
    return ActivityLease{read_ref(query),
                         InstanceName{query.text(Row::space), query.text(Row::id)},
                         query.text(Row::name),
                         query.text(Row::queue),
                         query.text(Row::worker),
                         query.small(Row::attempt),
                         query.time(Row::leased_until),
                         query.maybe_time(Row::claimed_at)};
}

TurnLock read_turn(const Query<columns::lease_turns>& query) {
    using Row = columns::lease_turns;
    InstanceBrief brief{query.run_ref(Row::key, Row::shard),
                        InstanceName{query.text(Row::space), query.text(Row::id)},
                        query.as<Status>(Row::status),
                        false};
    return TurnLock{std::move(brief),
                    query.text(Row::lock_worker),
                    query.small(Row::attempts),
                    query.time(Row::lock_until),
                    query.maybe_time(Row::lock_since),
                    query.small(Row::overruns)};
}

}  // namespace

CountQueues::Answer read(Connection& connection, const CountQueues&, Timestamp now) {
    QueueDepths depths;
    depths.activities = activity_queues(connection, now);
    count(connection, Sql::queue_ready, depths.ready, depths.oldest_ready, now);
    count(connection, Sql::queue_locked, depths.locked, depths.oldest_locked, now);
    count(connection, Sql::queue_held, depths.held, depths.oldest_held);
    count(connection, Sql::queue_timers, depths.timers, depths.oldest_timer);
    if (depths.oldest_timer && *depths.oldest_timer > now) depths.oldest_timer.reset();
    count(connection, Sql::queue_letters, depths.dead_letters, depths.oldest_letter);
    count(connection, Sql::queue_stopping, depths.stopping, depths.oldest_stopping);
    using Row = columns::queue_limit_list;
    Query query = connection.use(Sql::queue_limit_list);
    while (query.step()) {
        depths.limits.push_back(StoredQueueLimits{query.text(Row::queue),
                                                  read_limits(query),
                                                  query.time(Row::set_at),
                                                  query.text(Row::set_by)});
    }
    using PauseRow = columns::pause_list;
    Query pauses = connection.use(Sql::pause_list);
    while (pauses.step()) {
        depths.pauses.push_back(Pause{pauses.as<PauseKind>(PauseRow::kind),
                                      pauses.text(PauseRow::name),
                                      pauses.time(PauseRow::since),
                                      pauses.text(PauseRow::set_by),
                                      pauses.text(PauseRow::reason)});
    }
    return depths;
}

ListLeases::Answer read(Connection& connection, const ListLeases& request, Timestamp now) {
    ListLeases::Answer leases;
    {
        Query query = connection.use(Sql::lease_activities);
        query.bind(now, request.max);
        while (query.step()) leases.activities.push_back(read_lease(query));
    }
    {
        using Row = columns::session_list;
        Query query = connection.use(Sql::session_list);
        query.bind(now, request.max);
        while (query.step()) {
            leases.sessions.push_back(SessionLease{query.text(Row::space),
                                                   query.text(Row::name),
                                                   query.text(Row::worker),
                                                   query.time(Row::until)});
        }
    }
    Query query = connection.use(Sql::lease_turns);
    query.bind(now, request.max);
    while (query.step()) leases.turns.push_back(read_turn(query));
    return leases;
}

ReadOpenWork::Answer read(Connection& connection, const ReadOpenWork& request, Timestamp now) {
    Reader reader(connection, now);
    const Run* run =
        request.run ? reader.tables.find_run(*request.run) : reader.tables.find_run(request.name);
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
    work.stopping = stopping_of(connection, *run);
    read_inbox(connection, *run, request.max_messages, work);
    return work;
}

}  // namespace belay::sqlite
