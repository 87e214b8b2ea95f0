// Lists of runs, each from an index of its own.
#include "store/sqlite/tables.hpp"

namespace belay::sqlite {

store::Holders Tables::holders_of(const InstanceName& name) {
    flush();
    store::Holders holders;
    Query query = connection_.use(Sql::run_names);
    query.bind(name.space, name.id);
    using Row = columns::run_names;
    while (query.step()) {
        const RunKey key = query.run_key(Row::key);
        if (!query.flag(Row::former)) {
            holders.current = key;
        } else {
            holders.formers.push_back(key);
        }
    }
    return holders;
}

bool Tables::has_former_roots(const std::string& space) {
    const auto [entry, fresh] = former_roots_.try_emplace(space);
    if (fresh) {
        Query query = connection_.use(Sql::run_any_former);
        query.bind(space);
        entry->second = query.step();
    }
    return entry->second;
}

std::vector<RunKey> Tables::children_of(const Run& run) {
    if (run.next_child == 1) return {};
    flush();
    Query query = connection_.use(Sql::run_children);
    query.bind(run.ref.key);
    return read_keys(query);
}

std::vector<RunKey> Tables::open_children_of(const Run& run) {
    if (run.next_child == 1) return {};
    flush();
    Query query = connection_.use(Sql::run_open_children);
    query.bind(run.ref.key);
    return read_keys(query);
}

std::vector<RunKey> Tables::dependent_children_of(const Run& run) {
    if (run.next_child == 1) return {};
    flush();
    Query query = connection_.use(Sql::run_dependent_children);
    query.bind(run.ref.key);
    return read_keys(query);
}

bool Tables::has_dependent_children(const Run& run) {
    if (run.next_child == 1) return false;
    flush();
    Query query = connection_.use(Sql::run_has_dependent_children);
    return query.bind(run.ref.key).step();
}

std::vector<RunKey> Tables::unsettled_dependents_of(const Run& run) {
    if (run.unsettled_children == 0) return {};
    flush();
    Query query = connection_.use(Sql::run_unsettled_dependents);
    query.bind(run.ref.key);
    return read_keys(query);
}

std::vector<RunKey> Tables::open_children_of(const Run& run, CommandNo command) {
    if (run.next_child == 1) return {};
    flush();
    Query query = connection_.use(Sql::run_open_children_of_command);
    query.bind(run.ref.key, run.execution, command);
    return read_keys(query);
}

std::vector<RunKey> Tables::waiting_for(RunKey run) {
    flush();
    Query query = connection_.use(Sql::run_waiters);
    query.bind(run);
    return read_keys(query);
}

void Tables::each_ready(const std::vector<Shard>& shards,
                        const store::Visit<store::ReadyRun>& visit) {
    flush();
    Query query = connection_.use(Sql::run_ready);
    using Row = columns::run_ready;
    while (query.step()) {
        if (!store::in_shards(shards, query.shard(Row::shard))) continue;
        const store::ReadyRun ready{query.run_key(Row::key),
                                    query.time(Row::ready_at),
                                    query.view(Row::definition),
                                    query.view(Row::version),
                                    query.flag(Row::interpreted),
                                    query.maybe_time(Row::late_at)};
        if (!visit(ready)) return;
    }
}

std::optional<store::CodeKey> Tables::put_off_code(const store::CodeKey& after) {
    Query query = connection_.use(Sql::put_off_code);
    query.bind(after.first, after.second);
    if (!query.step()) return std::nullopt;
    using Row = columns::put_off_code;
    return store::CodeKey{query.text(Row::definition), query.text(Row::version)};
}

std::vector<RunKey> Tables::put_off_runs(const store::CodeKey& code, std::size_t max) {
    Query query = connection_.use(Sql::put_off_runs);
    query.bind(code.first, code.second, max);
    return read_keys(query);
}

void Tables::add_put_off(Run& run) {
    const auto [definition, version] = store::code_key(code_of(run));
    connection_.use(Sql::put_off_insert).bind(run.ref.key, definition, version).run();
}

void Tables::remove_put_off(RunKey run) { connection_.use(Sql::put_off_delete).bind(run).run(); }

bool Tables::is_put_off(RunKey run) { return connection_.use(Sql::put_off_find).bind(run).step(); }

std::vector<RunKey> Tables::past_deadline(std::uint32_t max) {
    flush();
    Query query = connection_.use(Sql::run_past_deadline);
    query.bind(now(), max);
    return read_keys(query);
}

std::vector<store::ConcurrentRun> Tables::concurrent_runs(const store::ConcurrencyId& id,
                                                          std::size_t waiting) {
    std::vector<store::ConcurrentRun> found;
    Query query = connection_.use(Sql::concurrent_list);
    query.bind(id.space, id.definition, id.key);
    using Row = columns::concurrent_list;
    while (query.step()) {
        const std::uint64_t place = query.number(Row::place);
        if (place > 0 && waiting-- == 0) break;
        found.push_back(store::ConcurrentRun{
            query.run_key(Row::key), place, query.as<WhenBusy>(Row::when_busy)});
    }
    return found;
}

std::uint64_t Tables::last_in_line(const store::ConcurrencyId& id) {
    Query query = connection_.use(Sql::concurrent_last);
    query.bind(id.space, id.definition, id.key);
    using Row = columns::concurrent_last;
    return query.step() && !query.null(Row::last) ? query.number(Row::last) : 0;
}

void Tables::insert_concurrent(const store::ConcurrencyId& id, const store::ConcurrentRun& run) {
    connection_.use(Sql::concurrent_insert)
        .bind(id.space, id.definition, id.key, run.place, run.run, run.when_busy)
        .run();
}

void Tables::erase_concurrent(const store::ConcurrencyId& id, const store::ConcurrentRun& run) {
    connection_.use(Sql::concurrent_delete)
        .bind(id.space, id.definition, id.key, run.place, run.run)
        .run();
}

}  // namespace belay::sqlite
