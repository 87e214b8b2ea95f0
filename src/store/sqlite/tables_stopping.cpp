// Handlers that were told to stop and have not been seen to end.
#include "store/sqlite/tables.hpp"

namespace belay::sqlite {

bool Tables::has_stopping(const StoppingKey& key) {
    const auto& [ref, token] = key;
    Query query = connection_.use(Sql::stopping_find);
    query.bind(ref.run.key, ref.execution, ref.command, token.holder, token.serial);
    return query.step();
}

void Tables::add_stopping(Run& run,
                          const StoppingKey& key,
                          const std::string& worker,
                          Timestamp until) {
    const auto& [ref, token] = key;
    Query query = connection_.use(Sql::stopping_insert);
    query.bind(ref.run.key, ref.execution, ref.command, token.holder, token.serial, ref.run.shard);
    if (query.bind(worker, until, now_).run() == 0) return;
    ++run.stopping;
    touch(run);
}

void Tables::remove_stopping(Run& run, const StoppingKey& key) {
    const auto& [ref, token] = key;
    connection_.use(Sql::stopping_delete)
        .bind(ref.run.key, ref.execution, ref.command, token.holder, token.serial)
        .run();
    count_down(run.stopping, "handlers that stop");
    touch(run);
}

std::vector<StoppingKey> Tables::stopping_past(std::uint32_t max) {
    std::vector<StoppingKey> keys;
    Query query = connection_.use(Sql::stopping_past);
    query.bind(now_, max);
    while (query.step()) {
        const RunRef run{query.shard(1), RunKey{query.number(0)}};
        keys.emplace_back(ActivityRef{run, query.small(2), query.small(3)},
                          LeaseToken{query.number(4), query.number(5)});
    }
    return keys;
}

std::vector<std::pair<LeaseToken, Timestamp>> Tables::stopping_of(const Run& run) {
    std::vector<std::pair<LeaseToken, Timestamp>> found;
    if (run.stopping == 0) return found;
    Query query = connection_.use(Sql::stopping_list_of_run);
    query.bind(run.ref.key);
    while (query.step()) {
        found.emplace_back(LeaseToken{query.number(4), query.number(5)}, query.time(7));
    }
    return found;
}

}  // namespace belay::sqlite
