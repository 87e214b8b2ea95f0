#include "store/sqlite/queue_limits_cache.hpp"

namespace belay::sqlite {

namespace {

using LimitRow = columns::queue_limit_list;

std::optional<StartRate> maybe_rate(const Query<LimitRow>& query, LimitRow count, LimitRow per) {
    if (query.null(count)) return std::nullopt;
    return StartRate{query.small(count), query.duration(per)};
}

}  // namespace

QueueLimits read_limits(const Query<LimitRow>& query) {
    QueueLimits limits;
    limits.running = query.maybe_small(LimitRow::running);
    limits.running_per_key = query.maybe_small(LimitRow::running_per_key);
    limits.started = maybe_rate(query, LimitRow::started, LimitRow::started_per);
    limits.started_per_key =
        maybe_rate(query, LimitRow::started_per_key, LimitRow::started_per_key_per);
    return limits;
}

std::shared_ptr<const LimitsByQueue> read_limits(Connection& connection) {
    auto limits = std::make_shared<LimitsByQueue>();
    Query query = connection.use(Sql::queue_limit_list);
    while (query.step()) limits->emplace(query.text(LimitRow::queue), read_limits(query));
    return limits;
}

std::shared_ptr<const PausedNames> read_pauses(Connection& connection) {
    auto pauses = std::make_shared<PausedNames>();
    Query query = connection.use(Sql::pause_list);
    using Row = columns::pause_list;
    while (query.step()) pauses->emplace(query.as<PauseKind>(Row::kind), query.text(Row::name));
    return pauses;
}

bool QueueLimitsCache::are_true(const Connection& connection) const {
    return limits_ != nullptr && version_ == connection.data_version();
}

void QueueLimitsCache::refresh(Connection& connection) {
    if (are_true(connection)) return;
    limits_ = read_limits(connection);
    pauses_ = read_pauses(connection);
    version_ = connection.data_version();
}

const std::shared_ptr<const LimitsByQueue>& QueueLimitsCache::get(Connection& connection) {
    refresh(connection);
    return limits_;
}

const std::shared_ptr<const PausedNames>& QueueLimitsCache::pauses(Connection& connection) {
    refresh(connection);
    return pauses_;
}

void QueueLimitsCache::commit(Connection& connection, Transaction& transaction) {
    const bool known = are_true(connection);
    transaction.commit();
    if (known) version_ = connection.data_version();
}

}  // namespace belay::sqlite
