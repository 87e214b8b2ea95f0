// Idempotency keys, requests, and the remains of deleted runs.
#include "store/sqlite/tables.hpp"

namespace belay::sqlite {

std::optional<KeyId> Tables::key_of(const Run& run) {
    if (!run.has_key) return std::nullopt;
    Query query = connection_.use(Sql::run_key);
    query.bind(run.ref.key);
    if (!query.step()) return std::nullopt;
    using Row = columns::run_key;
    return KeyId{run.name.space,
                 query.text(Row::owner),
                 query.text(Row::definition),
                 query.text(Row::idempotency_key)};
}

std::optional<KeyRow> Tables::find_key(const KeyId& id) {
    Query query = connection_.use(Sql::key_find);
    query.bind(id.space, id.owner, id.definition, id.key);
    if (!query.step()) return std::nullopt;
    using Row = columns::key_find;
    KeyRow row;
    row.scope = query.as<KeyScope>(Row::scope);
    row.until = query.maybe_time(Row::until);
    row.run = query.run_ref(Row::run, Row::shard);
    row.id = query.text(Row::id);
    row.digest = read_digest(query);
    row.deleted = query.flag(Row::deleted);
    row.last_status = query.as<Status>(Row::last_status);
    return row;
}

void Tables::put_key(const KeyId& id, const KeyRow& row) {
    using To = parameters::key_put;
    connection_.use(Sql::key_put)
        .set(To::space, id.space)
        .set(To::owner, id.owner)
        .set(To::definition, id.definition)
        .set(To::key, id.key)
        .set(To::scope, row.scope)
        .set(To::until, row.until)
        .set(To::run, row.run.key)
        .set(To::shard, row.run.shard)
        .set(To::id, row.id)
        .set(To::digest, Blob{view_of(row.digest)})
        .set(To::deleted, row.deleted)
        .set(To::last_status, row.last_status)
        .run();
}

void Tables::erase_key(const KeyId& id) {
    connection_.use(Sql::key_delete).bind(id.space, id.owner, id.definition, id.key).run();
}

std::vector<KeyId> Tables::keys_past(std::uint32_t max) {
    std::vector<KeyId> keys;
    Query query = connection_.use(Sql::key_past);
    query.bind(now(), max);
    using Row = columns::key_past;
    while (query.step()) {
        keys.push_back(KeyId{query.text(Row::space),
                             query.text(Row::owner),
                             query.text(Row::definition),
                             query.text(Row::key)});
    }
    return keys;
}

std::optional<Request> Tables::find_request(const RequestKey& key) {
    Query query = connection_.use(Sql::request_find);
    query.bind(key.first, key.second, now());
    if (!query.step()) return std::nullopt;
    using Row = columns::request_find;
    Request request;
    request.part = static_cast<std::size_t>(query.integer(Row::part));
    request.instance.run = query.run_ref(Row::run, Row::shard);
    request.instance.name = InstanceName{key.first, query.text(Row::id)};
    request.instance.status = query.as<Status>(Row::status);
    request.instance.deleted = query.flag(Row::deleted);
    request.changed = query.flag(Row::changed);
    request.deleted = read_delete_counts(query);
    request.target = query.text(Row::target);
    request.digest = read_digest(query);
    return request;
}

void Tables::put_request(const RequestKey& key, const Request& request, Timestamp until) {
    const InstanceBrief& instance = request.instance;
    const DeleteCounts& deleted = request.deleted;
    using To = parameters::request_put;
    connection_.use(Sql::request_put)
        .set(To::space, key.first)
        .set(To::request, key.second)
        .set(To::part, request.part)
        .set(To::run, instance.run.key)
        .set(To::shard, instance.run.shard)
        .set(To::id, instance.name.id)
        .set(To::status, instance.status)
        .set(To::deleted, instance.deleted)
        .set(To::changed, request.changed)
        .set(To::instances, deleted.instances)
        .set(To::executions, deleted.executions)
        .set(To::events, deleted.events)
        .set(To::messages, deleted.messages)
        .set(To::until, until)
        .set(To::target, request.target)
        .set(To::digest, Blob{view_of(request.digest)})
        .run();
}

std::uint64_t Tables::erase_requests_past(std::uint32_t max) {
    std::vector<RequestKey> keys;
    {
        Query query = connection_.use(Sql::request_past);
        query.bind(now(), max);
        using Row = columns::request_past;
        while (query.step()) keys.emplace_back(query.text(Row::space), query.text(Row::request));
    }
    for (const RequestKey& key : keys) {
        connection_.use(Sql::request_delete).bind(key.first, key.second).run();
    }
    return keys.size();
}

std::optional<DeletedRun> Tables::find_deleted_run(RunRef run) {
    if (beyond_last(run.key, last_gone_, Sql::gone_last)) return std::nullopt;
    Query query = connection_.use(Sql::gone_find);
    query.bind(run.key);
    using Row = columns::gone_find;
    if (!query.step() || query.shard(Row::shard) != run.shard) return std::nullopt;
    DeletedRun gone;
    gone.started_by_commit = CommitId{query.number(Row::start_high), query.number(Row::start_low)};
    gone.instance = InstanceBrief{run,
                                  InstanceName{query.text(Row::space), query.text(Row::id)},
                                  query.as<Status>(Row::status),
                                  true};
    if (query.null(Row::delete_high)) return gone;
    gone.deleted_by_commit =
        CommitId{query.number(Row::delete_high), query.number(Row::delete_low)};
    gone.deleted = read_delete_counts(query);
    return gone;
}

void Tables::put_deleted_run(const DeletedRun& gone, Timestamp until) {
    const auto& [run, name, status, deleted] = gone.instance;
    Query query = connection_.use(Sql::gone_insert);
    using To = parameters::gone_insert;
    query.set(To::run, run.key)
        .set(To::shard, run.shard)
        .set(To::start_high, gone.started_by_commit.high)
        .set(To::start_low, gone.started_by_commit.low)
        .set(To::space, name.space)
        .set(To::id, name.id)
        .set(To::status, status)
        .set(To::until, until);
    if (gone.deleted_by_commit == CommitId()) {
        query.set_null(To::delete_high,
                       To::delete_low,
                       To::instances,
                       To::executions,
                       To::events,
                       To::messages);
    } else {
        query.set(To::delete_high, gone.deleted_by_commit.high)
            .set(To::delete_low, gone.deleted_by_commit.low)
            .set(To::instances, gone.deleted.instances)
            .set(To::executions, gone.deleted.executions)
            .set(To::events, gone.deleted.events)
            .set(To::messages, gone.deleted.messages);
    }
    query.run();
    last_gone_.reset();
}

std::uint64_t Tables::erase_deleted_runs_past(std::uint32_t max) {
    std::vector<RunKey> keys;
    {
        Query query = connection_.use(Sql::gone_past);
        query.bind(now(), max);
        keys = read_keys(query);
    }
    for (const RunKey key : keys) connection_.use(Sql::gone_delete).bind(key).run();
    return keys.size();
}

}  // namespace belay::sqlite
