#include "store/sqlite/keys.hpp"

namespace belay::sqlite {

std::optional<KeyRow> taken_key(Tables& tables, const KeyId& id) {
    std::optional<KeyRow> row = tables.find_key(id);
    if (!row) return std::nullopt;
    const Run* run = row->deleted ? nullptr : &tables.run_of(row->run.key);
    const bool ended = run == nullptr || run->ended();
    const Status status = run == nullptr ? row->last_status : run->status;
    const bool taken = store::is_taken(row->scope, row->until, ended, status, tables.now());
    return taken ? row : std::nullopt;
}

InstanceBrief brief_of(Tables& tables, const KeyId& id, const KeyRow& row) {
    if (!row.deleted) return tables.run_of(row.run.key).brief();
    return InstanceBrief{row.run, InstanceName{id.space, row.id}, row.last_status, true};
}

void take_key(Tables& tables, Run& run, const IdempotencyKey& key) {
    BELAY_ASSERT(run.birth);
    KeyRow row;
    row.run = run.ref;
    row.id = run.name.id;
    row.digest = run.birth->digest;
    row.scope = key.scope;
    if (key.scope == KeyScope::window) row.until = later(tables.now(), key.window);
    tables.put_key(store::key_id(*run.birth->about, key), row);
    run.birth->key = key.key;
    run.has_key = true;
}

void outlive(Tables& tables, const Run& run) {
    const std::optional<KeyId> id = tables.key_of(run);
    if (!id) return;
    const std::optional<KeyRow> row = tables.find_key(*id);
    // Since it was freed, another run may have taken it.
    if (!row || row->run != run.ref) return;
    // Nothing that was deleted is active, whatever it was doing.
    const bool ended = true;
    if (store::is_taken(row->scope, row->until, ended, run.status, tables.now())) {
        tables.outlive_key(*id, run.status);
    } else {
        tables.delete_key(*id);
    }
}

}  // namespace belay::sqlite
