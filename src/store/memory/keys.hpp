// Idempotency keys: who holds one, and until when.
#pragma once

#include "store/memory/tables.hpp"

namespace belay::memory {

/// The row that keeps others from using the key, or null when it is free.
[[nodiscard]] const KeyRow* taken_key(const Tables& tables, const KeyId& id, Timestamp now);
/// Whom the key belongs to; of a deleted instance, what is still known of it.
[[nodiscard]] InstanceBrief brief_of(const Tables& tables, const KeyRow& row);

/// Gives a key that is free to `run`.
void take_key(Tables& tables, Run& run, const IdempotencyKey& key, Timestamp now);
void erase_key(Tables& tables, const KeyId& id);
/// The instance is about to be deleted: the key stays for its scope.
void outlive(Tables& tables, const Run& run, Timestamp now);

}  // namespace belay::memory
