// Handlers that were told to stop and are not known to have ended.
#include "store/sqlite/tables.hpp"

namespace belay::sqlite {

bool Tables::has_stopping(const StoppingKey& key) {
    const auto& [ref, token] = key;
    Query query = connection_.use(Sql::stopping_find);
    query.bind(ref.run.key, ref.execution, ref.command, token.holder, token.serial);
    return query.step();
}

bool Tables::insert_stopping(const StoppingKey& key, const std::string& worker, Timestamp until) {
    const auto& [ref, token] = key;
    Query query = connection_.use(Sql::stopping_insert);
    using To = parameters::stopping_insert;
    query.set(To::run, ref.run.key)
        .set(To::execution, ref.execution)
        .set(To::command, ref.command)
        .set(To::holder, token.holder)
        .set(To::serial, token.serial)
        .set(To::shard, ref.run.shard)
        .set(To::worker, worker)
        .set(To::until, until)
        .set(To::since, now());
    return query.run() > 0;
}

void Tables::erase_stopping(const StoppingKey& key) {
    const auto& [ref, token] = key;
    connection_.use(Sql::stopping_delete)
        .bind(ref.run.key, ref.execution, ref.command, token.holder, token.serial)
        .run();
}

std::vector<StoppingKey> Tables::stopping_past(std::uint32_t max) {
    std::vector<StoppingKey> keys;
    Query query = connection_.use(Sql::stopping_past);
    query.bind(now(), max);
    while (query.step()) keys.emplace_back(read_ref(query), read_token(query));
    return keys;
}

std::vector<std::pair<LeaseToken, Timestamp>> Tables::stopping_of(const Run& run) {
    std::vector<std::pair<LeaseToken, Timestamp>> found;
    Query query = connection_.use(Sql::stopping_list_of_run);
    query.bind(run.ref.key);
    using Row = columns::stopping_list_of_run;
    while (query.step()) found.emplace_back(read_token(query), query.time(Row::until));
    return found;
}

}  // namespace belay::sqlite
