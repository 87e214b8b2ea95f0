#include "store/sqlite/known_limits.hpp"

namespace belay::sqlite {

namespace {

std::optional<std::uint32_t> maybe_small(const Query& query, int column) {
    return query.null(column) ? std::nullopt : std::optional(query.small(column));
}

std::optional<StartRate> maybe_rate(const Query& query, int column) {
    if (query.null(column)) return std::nullopt;
    return StartRate{query.small(column), Millis(query.integer(column + 1))};
}

}  // namespace

QueueLimits read_limits(const Query& query, int column) {
    QueueLimits limits;
    limits.running = maybe_small(query, column);
    limits.running_per_key = maybe_small(query, column + 1);
    limits.started = maybe_rate(query, column + 2);
    limits.started_per_key = maybe_rate(query, column + 4);
    return limits;
}

std::shared_ptr<const LimitsByQueue> read_limits(Connection& connection) {
    auto limits = std::make_shared<LimitsByQueue>();
    Query query = connection.use(Sql::queue_limit_list);
    while (query.step()) limits->emplace(query.text(0), read_limits(query, 3));
    return limits;
}

bool KnownLimits::are_true(const Connection& connection) const {
    return limits_ != nullptr && version_ == connection.data_version();
}

const std::shared_ptr<const LimitsByQueue>& KnownLimits::get(Connection& connection) {
    if (!are_true(connection)) {
        limits_ = read_limits(connection);
        version_ = connection.data_version();
    }
    return limits_;
}

void KnownLimits::commit(Connection& connection, Transaction& transaction) {
    const bool known = are_true(connection);
    transaction.commit();
    if (known) version_ = connection.data_version();
}

}  // namespace belay::sqlite
