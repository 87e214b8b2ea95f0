// Connections for reading, which run beside the writer.
#pragma once

#include "store/sqlite/connection.hpp"
#include <belay/detail/mutex.hpp>

#include <memory>
#include <string>
#include <vector>

namespace belay::sqlite {

/// Thread-safe. Opens as many connections as there are reads at a time, and keeps a few.
class Readers {
public:
    Readers(std::string path, SqliteOptions options)
        : path_(std::move(path)), options_(std::move(options)) {}

    /// Calls `read(connection)` in a transaction: all its reads are of one commit. Connections of
    /// another `generation` are too old and not used.
    template <class Read>
    auto with(std::uint64_t generation, Read read)
        -> Result<decltype(read(std::declval<Connection&>()))> {
        try {
            std::unique_ptr<Connection> connection = take(generation);
            auto answer = [&] {
                Transaction transaction(*connection, Transaction::Kind::read);
                auto found = read(*connection);
                transaction.commit();
                return found;
            }();
            give_back(std::move(connection), generation);
            return answer;
        } catch (const SqliteFailure& failure) {
            return to_error(failure);
        }
    }

private:
    [[nodiscard]] std::unique_ptr<Connection> take(std::uint64_t generation);
    void give_back(std::unique_ptr<Connection> connection, std::uint64_t generation);

    const std::string path_;
    const SqliteOptions options_;
    detail::Mutex mutex_;
    std::uint64_t generation_ BELAY_GUARDED_BY(mutex_) = 0;
    std::vector<std::unique_ptr<Connection>> idle_ BELAY_GUARDED_BY(mutex_);
};

}  // namespace belay::sqlite
