// The processes that have a file open, and the process that has its lock.
#pragma once

#include <belay/store/sqlite/examine.hpp>

#include <optional>
#include <string>
#include <vector>

namespace belay::sqlite {

/// Returns the processes that /proc shows to this user, without this process.
[[nodiscard]] std::vector<FileUser> users_of(const std::string& path);

/// A process that has a lock.
struct LockHolder {
    int pid = 0;
    std::string program;
    bool stopped = false;  ///< Stopped by a signal or by a debugger.
};

/// Returns the process whose open file has a write lock on byte `byte` of the file of `descriptor`:
/// this process, or one that /proc shows to this user. The kernel reports locks for each open file.
/// It names no process to a caller that asks for the lock.
[[nodiscard]] std::optional<LockHolder> holder_of_lock(int descriptor, int byte);

}  // namespace belay::sqlite
