// The place of a store's file, whatever name it is opened by.
#pragma once

#include <belay/error.hpp>

#include <string>

namespace belay::sqlite {

/// Returns the one absolute name of the file `path`, which need not be there yet. Follows symbolic
/// links, even if they lead to nothing. The lock, the log and the news are beside that name, so all
/// processes that open the file find the same ones.
///
/// Returns `invalid_argument` for a file that is not regular, such as a pipe. Also for a file with
/// several names by hard links: under each name it would have a log and a lock of its own.
[[nodiscard]] Result<std::string> locate(const std::string& path);

/// Refuses an empty file that Belay has not made: its contents are lost, or it is the wrong file.
/// Belay makes the lock before it makes the database. So it did not make an empty file without a
/// lock. Call it before the lock is opened. Returns `unsupported`.
[[nodiscard]] Result<void> refuse_empty(const std::string& path);
/// Refuses an empty file that has a log: it was cut off. A process that dies while it makes the
/// file leaves an empty one without a log. Call it under the write lock.
[[nodiscard]] Result<void> refuse_cut_off(const std::string& path);

}  // namespace belay::sqlite
