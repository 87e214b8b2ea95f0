// Idempotency keys: who holds one, and until when.
#pragma once

#include "store/rules/rows.hpp"

namespace belay::store {

[[nodiscard]] KeyId key_id(const NewInstance& instance, const IdempotencyKey& key);
/// True if a key still keeps others from using it. `ended`, `status`: of the run that has it;
/// `until`: the end of its window.
[[nodiscard]] bool is_taken(
    KeyScope scope, std::optional<Timestamp> until, bool ended, Status status, Timestamp now);

/// The row that keeps others from using the key; none when it is free.
[[nodiscard]] std::optional<KeyRow> taken_key(Rows& rows, const KeyId& id);
/// Whom the key belongs to; of a deleted instance, what is still known of it.
[[nodiscard]] InstanceBrief brief_of(Rows& rows, const KeyId& id, const KeyRow& row);

/// Gives a key that is free to `run`, which is being created.
void take_key(Rows& rows, Run& run, const IdempotencyKey& key);
/// The instance is about to be deleted: the key stays for its scope.
void outlive(Rows& rows, const Run& run);

}  // namespace belay::store
