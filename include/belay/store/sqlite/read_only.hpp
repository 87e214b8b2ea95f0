// A file for a user who may read it, and not write to it.
#pragma once

#include <belay/store/sqlite.hpp>
#include <belay/store/store.hpp>
#include <belay/time.hpp>

#include <memory>
#include <string>

namespace belay::sqlite {

/// True if this user may write to the file `path` and the files beside it, as `make_sqlite_store`
/// must. True too if there is no file and it can be made.
[[nodiscard]] bool may_write(const std::string& path);

/// Opens the store in the file `path` for reading only. Makes and changes no file, so it also works
/// on a read-only file system. Commits and claims are answered with `store_lost`. Listeners hear of
/// nothing. Waits look again at intervals, as they always do.
///
/// Fails with `invalid_argument` if the file cannot be read, or if its log has no index (-shm):
/// only a user who may write can make that anew. Fails with `unsupported` if the file is another
/// program's, a newer release's or an older one's: `make_sqlite_store` upgrades that. Otherwise as
/// `make_sqlite_store`.
[[nodiscard]] Result<std::unique_ptr<Store>> make_read_only_sqlite_store(
    const std::string& path,
    const SqliteOptions& options = SqliteOptions(),
    Clock& clock = system_clock());

}  // namespace belay::sqlite
