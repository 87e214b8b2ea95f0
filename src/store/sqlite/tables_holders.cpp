// The locks and leases of a holder.
#include "store/sqlite/tables.hpp"

namespace belay::sqlite {

Timestamp Tables::leases_end(std::uint64_t holder) {
    Query query = connection_.use(Sql::holder_until);
    query.bind(holder);
    return query.step() ? query.time(columns::holder_until::until) : Timestamp::max();
}

std::vector<RunKey> Tables::locked_by(std::uint64_t holder, std::uint32_t max) {
    flush();
    const Timestamp end = leases_end(holder);
    Query query = connection_.use(Sql::run_locked_by);
    query.bind(holder, now(), end, max);
    return read_keys(query);
}

std::vector<ActivityRef> Tables::leased_by(std::uint64_t holder, std::uint32_t max) {
    std::vector<ActivityRef> found;
    const Timestamp end = leases_end(holder);
    Query waiting = connection_.use(Sql::activity_leased_by);
    waiting.bind(holder, now(), end, max);
    while (waiting.step()) found.push_back(read_ref(waiting));
    if (found.size() == max) return found;
    Query in_line = connection_.use(Sql::activity_leased_in_line);
    in_line.bind(holder, now(), max - found.size());
    while (in_line.step()) found.push_back(read_ref(in_line));
    return found;
}

std::vector<StoppingKey> Tables::stopping_by(std::uint64_t holder, std::uint32_t max) {
    std::vector<StoppingKey> found;
    Query query = connection_.use(Sql::stopping_by);
    query.bind(holder, max);
    while (query.step()) found.emplace_back(read_ref(query), read_token(query));
    return found;
}

void Tables::end_uses(std::uint64_t holder) {
    connection_.use(Sql::queue_use_end).bind(holder).run();
}

void Tables::forget_holder(std::uint64_t holder) {
    connection_.use(Sql::holder_forget).bind(holder).run();
}

}  // namespace belay::sqlite
