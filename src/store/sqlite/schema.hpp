// What a file must be to be ours, and how an older one becomes current.
#pragma once

#include "store/sqlite/connection.hpp"

#include <span>

namespace belay::sqlite {

/// "BELY": marks the file as ours.
inline constexpr std::int64_t kApplicationId = 0x42454c59;
/// The schema that this release writes: the number of its last migration.
inline constexpr std::int64_t kSchemaVersion = std::size(kMigrations);

/// Looks at the first bytes of a file before anything is created beside it. Says `unsupported` or
/// `corrupt` where these are clear, and nothing of a file that is not there or not yet marked.
[[nodiscard]] Result<void> peek(const std::string& path);

/// Makes a new file ours, brings an older one up to date in one transaction, and checks every
/// other. Says `unsupported` of another program's file and of one that a newer release has made
/// unreadable to this one. To be called under the write lock. Throws SqliteFailure.
[[nodiscard]] Result<void> prepare_file(Connection& connection,
                                        std::span<const char* const> migrations = kMigrations);

}  // namespace belay::sqlite
