// The check that a file is ours, and the upgrade of older files.
#pragma once

#include "store/sqlite/connection.hpp"

#include <span>

namespace belay::sqlite {

/// The mark of our files: "BELY".
inline constexpr std::int64_t kApplicationId = 0x42454c59;
/// The schema that this release writes: the number of its last migration.
inline constexpr std::int64_t kSchemaVersion = std::size(kMigrations);

/// Marks a new file as ours, brings an older one up to date in one transaction, and checks every
/// other. Returns `unsupported` for another program's file and for one that a newer release has
/// made unreadable to this one. Call it under the write lock. Throws SqliteFailure.
[[nodiscard]] Result<void> prepare_file(Connection& connection,
                                        std::span<const char* const> migrations = kMigrations);

/// Returns the version of a file's schema. Returns `unsupported` or `corrupt` if this program
/// cannot read the file. Writes nothing. Throws SqliteFailure.
[[nodiscard]] Result<std::int64_t> version_of(Connection& connection);

}  // namespace belay::sqlite
