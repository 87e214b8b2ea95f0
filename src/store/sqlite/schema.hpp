// The check that a file is ours, and the upgrade of older files.
#pragma once

#include "store/sqlite/connection.hpp"

#include <span>

namespace belay::sqlite {

/// The mark of our files: "BELY".
inline constexpr std::int64_t kApplicationId = 0x42454c59;
/// The schema that this release writes: the number of its last migration.
inline constexpr std::int64_t kSchemaVersion = std::size(kMigrations);

/// Looks at the first bytes of a file before anything is created beside it. Returns `unsupported`
/// or `corrupt` if that is clear. Succeeds for a file that is not there or not yet marked.
[[nodiscard]] Result<void> peek(const std::string& path);

/// Marks a new file as ours, brings an older one up to date in one transaction, and checks every
/// other. Returns `unsupported` for another program's file and for one that a newer release has
/// made unreadable to this one. Call it under the write lock. Throws SqliteFailure.
[[nodiscard]] Result<void> prepare_file(Connection& connection,
                                        std::span<const char* const> migrations = kMigrations);

}  // namespace belay::sqlite
