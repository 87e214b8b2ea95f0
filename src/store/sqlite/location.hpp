// Where a store's file is, whatever it is called by.
#pragma once

#include <belay/error.hpp>

#include <string>

namespace belay::sqlite {

/// Returns the one absolute name of the file `path`, which need not be there yet: symbolic links
/// are followed, also where they lead to nothing. The lock, the log and the news are beside that
/// name, so all who open the file find the same ones.
///
/// Returns `invalid_argument` for a file that is no regular one, such as a pipe, and for a file
/// that has several names by hard links: under each it would have a log and a lock of its own.
[[nodiscard]] Result<std::string> locate(const std::string& path);

/// Refuses an empty file that Belay has not made: what was in it is lost, or it is not the right
/// one. Before it makes the database Belay makes the lock; so of an empty file without a lock
/// Belay knows nothing. To be called before the lock is opened. Returns `unsupported`.
[[nodiscard]] Result<void> refuse_empty(const std::string& path);
/// Refuses an empty file that has a log: it was cut off. A process that dies while it makes the
/// file leaves an empty one without a log. To be called under the write lock.
[[nodiscard]] Result<void> refuse_cut_off(const std::string& path);

}  // namespace belay::sqlite
