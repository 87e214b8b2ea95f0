#include "store/rules/keys.hpp"

namespace belay::store {

KeyId key_id(const NewInstance& instance, const IdempotencyKey& key) {
    return KeyId{instance.name.space, instance.owner, instance.definition, key.key};
}

bool is_taken(
    KeyScope scope, std::optional<Timestamp> until, bool ended, Status status, Timestamp now) {
    const bool succeeded = status == Status::completed || status == Status::skipped;
    switch (scope) {
        case KeyScope::while_active: return !ended;
        case KeyScope::until_success: return !ended || succeeded;
        case KeyScope::window: return until && now < *until;
        case KeyScope::forever: return true;
    }
    return true;
}

std::optional<KeyRow> taken_key(Rows& rows, const KeyId& id) {
    std::optional<KeyRow> row = rows.find_key(id);
    if (!row) return std::nullopt;
    const Run* run = row->deleted ? nullptr : &rows.run_of(row->run.key);
    const bool ended = run == nullptr || run->ended();
    const Status status = run == nullptr ? row->last_status : run->status;
    const bool taken = is_taken(row->scope, row->until, ended, status, rows.now());
    return taken ? row : std::nullopt;
}

InstanceBrief brief_of(Rows& rows, const KeyId& id, const KeyRow& row) {
    if (!row.deleted) return rows.run_of(row.run.key).brief();
    return InstanceBrief{row.run, InstanceName{id.space, row.id}, row.last_status, true};
}

void take_key(Rows& rows, Run& run, const IdempotencyKey& key) {
    BELAY_ASSERT(run.birth);
    KeyRow row;
    row.run = run.ref;
    row.id = run.name.id;
    row.digest = run.birth->digest;
    row.scope = key.scope;
    if (key.scope == KeyScope::window) row.until = later(rows.now(), key.window);
    rows.put_key(key_id(*run.birth->about, key), row);
    run.birth->key = key.key;
    run.has_key = true;
}

void keep_key_of_deleted(Rows& rows, const Run& run) {
    const std::optional<KeyId> id = rows.key_of(run);
    if (!id) return;
    std::optional<KeyRow> row = rows.find_key(*id);
    // Another run may have taken the key since it was freed.
    if (!row || row->run != run.ref) return;
    // A deleted run is never active, whatever its status was.
    const bool ended = true;
    if (is_taken(row->scope, row->until, ended, run.status, rows.now())) {
        row->deleted = true;
        row->last_status = run.status;
        rows.put_key(*id, *row);
    } else {
        rows.erase_key(*id);
    }
}

}  // namespace belay::store
