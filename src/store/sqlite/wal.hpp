// The write-ahead log: when it is written back, and how it grows.
#pragma once

#include "store/sqlite/connection.hpp"

namespace belay::sqlite {

/// Looks after the log of a write connection. All calls under the write lock, outside of
/// transactions.
class Wal {
public:
    Wal(Connection& connection, const SqliteOptions& options);
    ~Wal();
    Wal(const Wal&) = delete;
    Wal& operator=(const Wal&) = delete;

    /// Whether `maintain` would do something.
    [[nodiscard]] bool wants_maintenance() const noexcept;
    /// False when the disk failed: the log must not be trusted any more.
    [[nodiscard]] bool maintain();
    /// Writes all of the log back that no reader still needs. False as above.
    bool checkpoint();

private:
    void grow();

    Connection& connection_;
    const std::uint32_t checkpoint_pages_;
    const bool preallocate_;
    std::uint32_t pages_ = 0;            ///< In the log, after the last commit.
    std::uint32_t next_checkpoint_ = 0;  ///< Not before it has this many.
    std::uint32_t grown_to_ = 0;         ///< Pages that the file has room for, as far as known.
};

/// True if the log is shorter than its index says: it was removed or cut off while other processes
/// had it open, and they still share their index. Under the write lock. Throws SqliteFailure.
[[nodiscard]] bool log_is_cut_off(Connection& connection);

/// Makes sure that the log is on the disk. After a failed sync the kernel takes pages for written
/// that are not, and no later sync tries them again: whatever is committed behind them would be
/// lost with them, and a checkpoint would leave a file that is newer than its log. So all of the
/// log that is committed is written once more, and the rest is cut off: from then on it is known
/// whether the commit that failed is there. Under the write lock; others may be reading, to whom
/// nothing changes. Throws SqliteFailure.
void write_log_again(Connection& connection);

}  // namespace belay::sqlite
