// Reading a file with the access that this user has, which may be less than a writer's.
#pragma once

#include "store/sqlite/connection.hpp"
#include <belay/error.hpp>

#include <sys/stat.h>

#include <optional>
#include <string>

namespace belay::sqlite {

/// A file that this user may only read. Nothing is made or changed beside it: what this user made
/// there could keep its owner out.
///
/// If there is a log, SQLite reads it with its index, which must be there. If there is none, the
/// file is read without locks. Then the read counts only if nobody wrote meanwhile.
class ReadOnlyFile {
public:
    explicit ReadOnlyFile(std::string path) : path_(std::move(path)) {}

    /// Returns a connection for one transaction. Throws SqliteFailure.
    [[nodiscard]] std::unique_ptr<Connection> connect(const SqliteOptions& options);
    /// Called after the transaction. False if what it has read may be of several moments.
    [[nodiscard]] bool is_of_one_moment() const;
    /// Returns the error for a failure of `connect`, or of a read.
    [[nodiscard]] Error describe(const SqliteFailure& failure) const;

private:
    const std::string path_;
    /// The file as it was when it was connected to without locks.
    std::optional<struct stat> unlocked_;
};

/// Returns the first of the files of the store that this user may not write to, or may not make.
[[nodiscard]] std::optional<std::string> unwritable_part(const std::string& path);

/// Calls `read(connection)` in a transaction, with the access that this user has. Calls it again if
/// somebody wrote meanwhile and could not be kept out. Throws nothing.
template <class Read>
auto read_file(const std::string& path, const SqliteOptions& options, Read read)
    -> Result<decltype(read(std::declval<Connection&>()))> {
    const auto in_transaction = [&](Connection& connection) {
        const Transaction transaction(connection, Transaction::Kind::read);
        return read(connection);
    };
    if (!unwritable_part(path)) {
        try {
            Connection connection(path, Access::read, options);
            return in_transaction(connection);
        } catch (const SqliteFailure& failure) {
            return to_error(failure);
        }
    }
    ReadOnlyFile file(path);
    constexpr int kMostAttempts = 10;
    for (int attempt = 0; attempt < kMostAttempts; ++attempt) {
        try {
            const auto connection = file.connect(options);
            auto found = in_transaction(*connection);
            if (file.is_of_one_moment()) return found;
        } catch (const SqliteFailure& failure) {
            if (file.is_of_one_moment()) return file.describe(failure);
        }
    }
    return Error(Errc::busy, "another process writes to the file again and again");
}

}  // namespace belay::sqlite
