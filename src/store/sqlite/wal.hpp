// The write-ahead log: when it is written back, and how it grows.
#pragma once

#include "store/sqlite/connection.hpp"

namespace belay::sqlite {

/// Looks after the log of a write connection. All calls under the write lock, outside of
/// transactions. Nothing here is needed for correctness, so failures are left to the next commit.
class Wal {
public:
    Wal(Connection& connection, const SqliteOptions& options);
    ~Wal();
    Wal(const Wal&) = delete;
    Wal& operator=(const Wal&) = delete;

    /// Whether `maintain` would do something.
    [[nodiscard]] bool wants_maintenance() const noexcept;
    void maintain();
    /// Writes all of the log back that no reader still needs.
    void checkpoint();

private:
    void grow();

    Connection& connection_;
    const std::uint32_t checkpoint_pages_;
    const bool preallocate_;
    std::uint32_t pages_ = 0;            ///< In the log, after the last commit.
    std::uint32_t next_checkpoint_ = 0;  ///< Not before it has this many.
    std::uint32_t grown_to_ = 0;         ///< Pages that the file has room for, as far as known.
};

}  // namespace belay::sqlite
