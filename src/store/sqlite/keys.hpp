// Idempotency keys: who holds one, and until when.
#pragma once

#include "store/sqlite/tables.hpp"

namespace belay::sqlite {

/// The row that keeps others from using the key; none when it is free.
[[nodiscard]] std::optional<KeyRow> taken_key(Tables& tables, const KeyId& id);
/// Whom the key belongs to; of a deleted instance, what is still known of it.
[[nodiscard]] InstanceBrief brief_of(Tables& tables, const KeyId& id, const KeyRow& row);

/// Gives a key that is free to `run`, which is being created.
void take_key(Tables& tables, Run& run, const IdempotencyKey& key);
/// The instance is about to be deleted: the key stays for its scope.
void outlive(Tables& tables, const Run& run);

}  // namespace belay::sqlite
