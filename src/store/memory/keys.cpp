#include "store/memory/keys.hpp"

namespace belay::memory {

const KeyRow* taken_key(const Tables& tables, const KeyId& id, Timestamp now) {
    const auto found = tables.keys.find(id);
    if (found == tables.keys.end()) return nullptr;
    const KeyRow& row = found->second;
    const Run* run = row.deleted ? nullptr : find_run(tables, row.run);
    BELAY_ASSERT(row.deleted || run != nullptr);
    const bool ended = run == nullptr || run->ended();
    const Status status = run == nullptr ? row.last_status : run->status;
    return store::is_taken(row.scope, row.until, ended, status, now) ? &row : nullptr;
}

InstanceBrief brief_of(const Tables& tables, const KeyRow& row) {
    if (!row.deleted) {
        const Run* run = find_run(tables, row.run);
        BELAY_ASSERT(run != nullptr);
        return brief_of(*run);
    }
    return InstanceBrief{row.run, row.name, row.last_status, true};
}

void take_key(Tables& tables, Run& run, const IdempotencyKey& key, Timestamp now) {
    const KeyId id = store::key_id(run.about, key);
    erase_key(tables, id);
    KeyRow row;
    row.run = run.ref();
    row.name = run.about.name;
    row.input_digest = run.input_digest;
    row.scope = key.scope;
    row.created_at = now;
    if (key.scope == KeyScope::window) {
        row.until = later(now, key.window);
        tables.keys_until.insert({*row.until, id});
    }
    tables.keys.emplace(id, std::move(row));
    run.key = id;
}

void erase_key(Tables& tables, const KeyId& id) {
    const auto found = tables.keys.find(id);
    if (found == tables.keys.end()) return;
    if (found->second.until) tables.keys_until.erase({*found->second.until, id});
    tables.keys.erase(found);
}

void outlive(Tables& tables, const Run& run, Timestamp now) {
    if (!run.key) return;
    const auto found = tables.keys.find(*run.key);
    // Since it was freed, another run may have taken it.
    if (found == tables.keys.end() || found->second.run != run.ref()) return;
    KeyRow& row = found->second;
    // Nothing that was deleted is active, whatever it was doing.
    const bool ended = true;
    if (store::is_taken(row.scope, row.until, ended, run.status, now)) {
        row.deleted = true;
        row.last_status = run.status;
    } else {
        erase_key(tables, KeyId(*run.key));
    }
}

}  // namespace belay::memory
