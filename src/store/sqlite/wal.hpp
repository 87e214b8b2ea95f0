// The write-ahead log: writing it back, and its growth.
#pragma once

#include "store/sqlite/connection.hpp"

namespace belay::sqlite {

/// Looks after the log of a write connection. Make all calls under the write lock and outside of
/// transactions.
class Wal {
public:
    Wal(Connection& connection, const SqliteOptions& options);
    ~Wal();
    Wal(const Wal&) = delete;
    Wal& operator=(const Wal&) = delete;

    /// True if `maintain` would do something.
    [[nodiscard]] bool wants_maintenance() const noexcept;
    /// Returns false if the disk failed: the log must not be trusted any more.
    [[nodiscard]] bool maintain();
    /// Writes back all of the log that no reader still needs. Returns false as above.
    bool checkpoint();

private:
    void grow();

    Connection& connection_;
    const std::uint32_t checkpoint_pages_;
    const bool preallocate_;
    std::uint32_t pages_ = 0;            ///< In the log, after the last commit.
    std::uint32_t next_checkpoint_ = 0;  ///< No checkpoint before the log has this many.
    std::uint32_t grown_to_ = 0;         ///< The pages that the file has room for, as far as known.
};

/// True if the log is shorter than its index says. It was removed or cut off while other processes
/// had it open, and they still share their index. Call it under the write lock. Throws
/// SqliteFailure.
[[nodiscard]] bool log_is_cut_off(Connection& connection);

/// Makes sure that the log is on the disk. After a failed sync the kernel takes unwritten pages for
/// written, and no later sync tries them again. Everything committed behind them would be lost with
/// them, and a checkpoint would leave a file that is newer than its log. So all committed parts of
/// the log are written once more, and the rest is cut off. From then on it is known if the failed
/// commit is there. Call it under the write lock. Others may be reading; nothing changes for them.
/// Throws SqliteFailure.
void write_log_again(Connection& connection);

}  // namespace belay::sqlite
