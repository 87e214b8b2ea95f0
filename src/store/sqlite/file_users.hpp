// Which processes have a file open, and which one has its lock.
#pragma once

#include <belay/store/sqlite/examine.hpp>

#include <optional>
#include <string>
#include <vector>

namespace belay::sqlite {

/// As far as /proc shows them to this user; without this process.
[[nodiscard]] std::vector<FileUser> users_of(const std::string& path);

/// A process that has a lock.
struct LockHolder {
    int pid = 0;
    std::string program;
    bool stopped = false;  ///< By a signal, or by a debugger.
};

/// Returns the process whose open file has a write lock on byte `byte` of the file of `descriptor`:
/// this process, or one that /proc shows to this user. The kernel tells it of each open file; it
/// names no process where the lock is asked for.
[[nodiscard]] std::optional<LockHolder> holder_of_lock(int descriptor, int byte);

}  // namespace belay::sqlite
