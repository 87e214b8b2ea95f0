// The node behind a name on a Disk, and the handle behind a file that SQLite has open.
#pragma once

#include "support/disk.hpp"

#include <algorithm>

namespace belay::support {

/// The shared memory of a database in WAL mode.
struct Disk::Shared {
    std::vector<std::unique_ptr<char[]>> regions;
};

struct Disk::Node {
    std::string name;
    DiskFile data;
    bool log = false;
    bool journal = false;       ///< A log, or a rollback journal.
    bool entry_synced = false;  ///< Its name survives a loss of power.
    std::uint64_t lost_syncs = 0;
    std::vector<Handle*> users;
    std::shared_ptr<Shared> shared;

    template <class Conflicts>
    [[nodiscard]] bool anyone_else(const Handle& handle, Conflicts conflicts) const {
        return std::any_of(users.begin(), users.end(), [&](const Handle* user) {
            return user != &handle && conflicts(*user);
        });
    }
};

/// In memory that SQLite provides.
struct Disk::Handle {
    sqlite3_file base{};
    Disk* disk = nullptr;
    NodePtr node;  ///< Null: the process that had it open is gone.
    bool temporary = false;
    int level = SQLITE_LOCK_NONE;
    std::uint64_t lost_syncs = 0;    ///< Those it was told of.
    std::shared_ptr<Shared> shared;  ///< Kept for a dead one, which still has pointers into it.
    unsigned shared_locks = 0;
    unsigned exclusive_locks = 0;

    static Handle& of(sqlite3_file* file) { return *reinterpret_cast<Handle*>(file); }
};

}  // namespace belay::support
