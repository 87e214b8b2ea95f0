// Idempotency keys: their holders, and how long they hold them.
#pragma once

#include "store/rules/rows.hpp"

namespace belay::store {

[[nodiscard]] KeyId key_id(const NewInstance& instance, const IdempotencyKey& key);
/// True if others still cannot use the key. `ended`, `status`: those of the run that has it.
/// `until`: the end of its window.
[[nodiscard]] bool is_taken(
    KeyScope scope, std::optional<Timestamp> until, bool ended, Status status, Timestamp now);

/// Returns the row of a key that is not free. Returns none if the key is free.
[[nodiscard]] std::optional<KeyRow> taken_key(Rows& rows, const KeyId& id);
/// Returns the instance that holds the key. If it was deleted, returns what is still known of it.
[[nodiscard]] InstanceBrief brief_of(Rows& rows, const KeyId& id, const KeyRow& row);

/// Gives a free key to `run`, which is being created.
void take_key(Rows& rows, Run& run, const IdempotencyKey& key);
/// Called before the instance is deleted. The key stays for its scope.
void keep_key_of_deleted(Rows& rows, const Run& run);

}  // namespace belay::store
