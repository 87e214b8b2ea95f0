// The line of the worker queue.
#include "store/sqlite/tables.hpp"

namespace belay::sqlite {

namespace {

/// A row of activity_next, activity_next_behind or lane_rows.
using LineRow = columns::activity_next;

store::QueuedActivity read_in_line(const Query<LineRow>& query) {
    store::QueuedActivity one;
    one.place.rank = query.integer(LineRow::rank);
    one.place.visible_at = query.time(LineRow::visible_at);
    one.place.sequence = query.number(LineRow::sequence);
    one.place.activity = read_ref(query);
    one.is_leased = !query.null(LineRow::holder);
    one.leased_until = query.time(LineRow::leased_until);
    one.attempt = query.small(LineRow::attempt);
    one.schedule_to_start = query.maybe_time(LineRow::schedule_to_start);
    one.key = query.view(LineRow::fairness_key);
    one.session.second = query.view(LineRow::session);
    one.name = query.view(LineRow::name);
    one.unregistered = query.small(LineRow::unregistered);
    one.session.first = query.view(LineRow::space);
    return one;
}

}  // namespace

bool Tables::is_queue_empty(const std::string& queue) {
    const auto [known, fresh] = empty_queues_.try_emplace(queue, false);
    if (fresh) {
        Query query = connection_.use(Sql::activity_in_line);
        query.bind(queue);
        known->second = !query.step();
    }
    return known->second;
}

std::vector<std::string> Tables::queues_in_line() {
    std::vector<std::string> queues;
    std::string after;
    if (!is_queue_empty(after)) queues.push_back(after);
    while (true) {
        Query query = connection_.use(Sql::activity_queues);
        query.bind(after);
        if (!query.step()) return queues;
        after = query.text(columns::activity_queues::queue);
        queues.push_back(after);
    }
}

std::optional<Timestamp> Tables::first_waiting() {
    Query query = connection_.use(Sql::activity_first_waiting);
    using Row = columns::activity_first_waiting;
    const std::optional<Timestamp> first =
        query.step() ? query.maybe_time(Row::earliest) : std::nullopt;
    return first == Timestamp::max() ? std::nullopt : first;
}

void Tables::each_in_line(const std::string& queue,
                          const std::vector<Shard>& shards,
                          const store::PlaceInLine* behind,
                          const store::Visit<store::QueuedActivity>& visit) {
    Query query =
        connection_.use(behind == nullptr ? Sql::activity_next : Sql::activity_next_behind);
    query.bind(queue);
    if (behind != nullptr) query.bind(behind->rank, behind->visible_at, behind->sequence);
    while (query.step()) {
        if (!store::in_shards(shards, query.shard(LineRow::shard))) continue;
        if (!visit(read_in_line(query))) return;
    }
}

std::optional<std::string> Tables::name_in_line(const std::string& queue,
                                                const std::string& after) {
    Query query = connection_.use(Sql::lane_name);
    query.bind(queue, after);
    return query.step() ? std::optional(query.text(columns::lane_name::name)) : std::nullopt;
}

std::optional<std::string> Tables::lane_in_line(const std::string& queue,
                                                const std::string& name,
                                                const std::optional<std::string>& after) {
    Query query = connection_.use(after ? Sql::lane_after : Sql::lane_first);
    query.bind(queue, name);
    if (after) query.bind(*after);
    return query.step() ? std::optional(query.text(columns::lane_first::lane)) : std::nullopt;
}

std::vector<store::QueuedActivity> Tables::lane_rows(const std::string& queue,
                                                     const std::string& name,
                                                     const std::string& lane,
                                                     const store::PlaceInLine& behind,
                                                     std::uint32_t most) {
    std::vector<store::QueuedActivity> rows;
    Query query = connection_.use(Sql::lane_rows);
    query.bind(queue, name, lane, behind.rank, behind.visible_at, behind.sequence, most);
    while (query.step()) rows.push_back(read_in_line(query));
    return rows;
}

void Tables::set_lanes(const std::string& queue, bool by_key) {
    connection_.use(by_key ? Sql::lane_set : Sql::lane_clear).bind(queue).run();
}

}  // namespace belay::sqlite
