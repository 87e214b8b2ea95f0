// Idempotency keys, requests, and what is left of deleted runs.
#include "store/sqlite/read_run.hpp"
#include "store/sqlite/tables.hpp"

#include <cstring>

namespace belay::sqlite {

namespace {

std::string_view view_of(const Digest& digest) {
    return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

Digest read_digest(const Query& query, int column) {
    Digest digest{};
    const std::string_view bytes = query.view(column);
    if (bytes.size() == digest.size()) std::memcpy(digest.data(), bytes.data(), bytes.size());
    return digest;
}

}  // namespace

std::optional<KeyId> Tables::key_of(const Run& run) {
    if (!run.has_key) return std::nullopt;
    Query query = connection_.use(Sql::run_key);
    query.bind(run.ref.key);
    if (!query.step()) return std::nullopt;
    return KeyId{run.name.space, query.text(0), query.text(1), query.text(2)};
}

std::optional<KeyRow> Tables::find_key(const KeyId& id) {
    Query query = connection_.use(Sql::key_find);
    query.bind(id.space, id.owner, id.definition, id.key);
    if (!query.step()) return std::nullopt;
    KeyRow row;
    row.scope = query.as<KeyScope>(0);
    row.until = query.maybe_time(1);
    row.run = read_run(query, 2);
    row.id = query.text(4);
    row.digest = read_digest(query, 5);
    row.deleted = query.flag(6);
    row.last_status = query.as<Status>(7);
    return row;
}

void Tables::put_key(const KeyId& id, const KeyRow& row) {
    connection_.use(Sql::key_put)
        .bind(id.space, id.owner, id.definition, id.key)
        .bind(row.scope, row.until, row.run.key, row.run.shard, row.id, Blob{view_of(row.digest)})
        .run();
}

void Tables::outlive_key(const KeyId& id, Status last_status) {
    connection_.use(Sql::key_outlive)
        .bind(id.space, id.owner, id.definition, id.key, last_status)
        .run();
}

void Tables::delete_key(const KeyId& id) {
    connection_.use(Sql::key_delete).bind(id.space, id.owner, id.definition, id.key).run();
}

std::vector<KeyId> Tables::keys_past(std::uint32_t max) {
    std::vector<KeyId> keys;
    Query query = connection_.use(Sql::key_past);
    query.bind(now_, max);
    while (query.step()) {
        keys.push_back(KeyId{query.text(0), query.text(1), query.text(2), query.text(3)});
    }
    return keys;
}

std::optional<Request> Tables::find_request(const RequestKey& key) {
    Query query = connection_.use(Sql::request_find);
    query.bind(key.first, key.second, now_);
    if (!query.step()) return std::nullopt;
    Request request;
    request.part = static_cast<std::size_t>(query.integer(0));
    request.instance.run = read_run(query, 1);
    request.instance.name = InstanceName{key.first, query.text(3)};
    request.instance.status = query.as<Status>(4);
    request.instance.deleted = query.flag(5);
    request.changed = query.flag(6);
    request.deleted =
        DeleteCounts{query.number(7), query.number(8), query.number(9), query.number(10)};
    request.target = query.text(11);
    request.digest = read_digest(query, 12);
    return request;
}

void Tables::put_request(const RequestKey& key, const Request& request, Timestamp until) {
    const InstanceBrief& instance = request.instance;
    const DeleteCounts& deleted = request.deleted;
    connection_.use(Sql::request_put)
        .bind(key.first, key.second, request.part, instance.run.key, instance.run.shard)
        .bind(instance.name.id, instance.status, instance.deleted, request.changed)
        .bind(deleted.instances, deleted.executions, deleted.events, deleted.messages, until)
        .bind(request.target, Blob{view_of(request.digest)})
        .run();
}

std::uint64_t Tables::delete_requests_past(std::uint32_t max) {
    std::vector<RequestKey> keys;
    {
        Query query = connection_.use(Sql::request_past);
        query.bind(now_, max);
        while (query.step()) keys.emplace_back(query.text(0), query.text(1));
    }
    for (const RequestKey& key : keys) {
        connection_.use(Sql::request_delete).bind(key.first, key.second).run();
    }
    return keys.size();
}

std::optional<Gone> Tables::find_gone(RunRef run) {
    if (beyond_last(run.key, last_gone_, Sql::gone_last)) return std::nullopt;
    Query query = connection_.use(Sql::gone_find);
    query.bind(run.key);
    if (!query.step() || query.integer(0) != run.shard.value) return std::nullopt;
    Gone gone;
    gone.started_by_commit = CommitId{query.number(1), query.number(2)};
    gone.instance =
        InstanceBrief{run, InstanceName{query.text(3), query.text(4)}, query.as<Status>(5), true};
    if (query.null(6)) return gone;
    gone.deleted_by_commit = CommitId{query.number(6), query.number(7)};
    gone.deleted =
        DeleteCounts{query.number(8), query.number(9), query.number(10), query.number(11)};
    return gone;
}

void Tables::add_gone(const Gone& gone, Timestamp until) {
    const auto& [run, name, status, deleted] = gone.instance;
    Query query = connection_.use(Sql::gone_insert);
    query.bind(run.key, run.shard, gone.started_by_commit.high, gone.started_by_commit.low)
        .bind(name.space, name.id, status, until);
    if (gone.deleted_by_commit == CommitId()) {
        query.bind(nullptr, nullptr, nullptr, nullptr, nullptr, nullptr);
    } else {
        query.bind(gone.deleted_by_commit.high,
                   gone.deleted_by_commit.low,
                   gone.deleted.instances,
                   gone.deleted.executions,
                   gone.deleted.events,
                   gone.deleted.messages);
    }
    query.run();
    last_gone_.reset();
}

std::uint64_t Tables::delete_gone_past(std::uint32_t max) {
    std::vector<RunKey> keys;
    {
        Query query = connection_.use(Sql::gone_past);
        query.bind(now_, max);
        keys = list(query);
    }
    for (const RunKey key : keys) connection_.use(Sql::gone_delete).bind(key).run();
    return keys.size();
}

}  // namespace belay::sqlite
