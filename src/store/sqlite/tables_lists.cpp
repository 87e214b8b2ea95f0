// Lists of runs, each from an index of its own.
#include "store/sqlite/tables.hpp"

namespace belay::sqlite {

std::vector<RunKey> Tables::list(Query& query) {
    std::vector<RunKey> keys;
    while (query.step()) keys.push_back(RunKey{query.number(0)});
    return keys;
}

Tables::Holders Tables::holders_of(const InstanceName& name) {
    flush();
    Holders holders;
    Query query = connection_.use(Sql::run_names);
    query.bind(name.space, name.id);
    while (query.step()) {
        const RunKey key{query.number(0)};
        if (query.integer(1) == 0) {
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

std::vector<RunKey> Tables::former_roots_of(const Run& run) {
    if (run.former || !has_former_roots(run.name.space)) return {};
    std::vector<RunKey> roots = holders_of(run.name).formers;
    std::erase_if(roots, [this](RunKey former) { return run_of(former).parent.has_value(); });
    return roots;
}

std::vector<RunKey> Tables::children_of(const Run& run) {
    if (run.next_child == 1) return {};
    flush();
    Query query = connection_.use(Sql::run_children);
    query.bind(run.ref.key);
    return list(query);
}

std::vector<RunKey> Tables::open_children_of(const Run& run) {
    if (run.next_child == 1) return {};
    flush();
    Query query = connection_.use(Sql::run_open_children);
    query.bind(run.ref.key);
    return list(query);
}

std::vector<RunKey> Tables::dependent_children_of(const Run& run) {
    if (run.next_child == 1) return {};
    flush();
    Query query = connection_.use(Sql::run_dependent_children);
    query.bind(run.ref.key);
    return list(query);
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
    return list(query);
}

std::vector<RunKey> Tables::open_children_of(const Run& run, CommandNo command) {
    if (run.next_child == 1) return {};
    flush();
    Query query = connection_.use(Sql::run_open_children_of_command);
    query.bind(run.ref.key, run.execution, command);
    return list(query);
}

std::vector<RunKey> Tables::waiting_for(RunKey run) {
    flush();
    Query query = connection_.use(Sql::run_waiters);
    query.bind(run);
    return list(query);
}

Tables::FirstRuns Tables::first_ready(std::size_t max,
                                      const std::vector<Shard>& shards,
                                      const store::CodeFilter& filter) {
    flush();
    FirstRuns first;
    Query query = connection_.use(Sql::run_ready);
    while (first.found.size() < max && query.step()) {
        if (!in_shards(shards, query.shard(1))) continue;
        const ReadyRun ready{RunKey{query.number(0)}, query.time(2)};
        if (ready.at > now_) {
            first.found.push_back(ready);  // Those behind it are later still.
            break;
        }
        if (filter.has(query.view(3), query.view(4))) {
            first.found.push_back(ready);
        } else if (first.others.size() <= store::kMostPutOff) {
            first.others.push_back(ready);
        }
    }
    return first;
}

std::vector<RunKey> Tables::wrongly_put_off(const store::CodeFilter& filter, std::size_t max) {
    std::vector<RunKey> found;
    store::CodeKey code;  // No definition has an empty name.
    while (found.size() < max) {
        {
            Query next = connection_.use(Sql::put_off_code);
            next.bind(code.first, code.second);
            if (!next.step()) break;
            store::CodeKey after{next.text(0), next.text(1)};
            code = std::move(after);
        }
        if (!filter.has(code.first, code.second)) continue;
        Query query = connection_.use(Sql::put_off_runs);
        query.bind(code.first, code.second, max - found.size());
        while (query.step()) found.push_back(RunKey{query.number(0)});
    }
    return found;
}

void Tables::add_put_off(Run& run) {
    const RunCode& code = code_of(run);
    connection_.use(Sql::put_off_insert).bind(run.ref.key, code.definition, code.version).run();
}

void Tables::remove_put_off(RunKey run) { connection_.use(Sql::put_off_delete).bind(run).run(); }

bool Tables::is_put_off(RunKey run) { return connection_.use(Sql::put_off_find).bind(run).step(); }

std::vector<RunKey> Tables::past_deadline(std::uint32_t max) {
    flush();
    Query query = connection_.use(Sql::run_past_deadline);
    query.bind(now_, max);
    return list(query);
}

}  // namespace belay::sqlite
