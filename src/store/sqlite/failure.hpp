// Failures that SQLite reports, and their meaning to a caller of the store.
#pragma once

#include <belay/error.hpp>

#include <exception>
#include <string>

struct sqlite3;

namespace belay::sqlite {

/// Thrown inside this layer only, where dozens of statements make up one change. The code that
/// began the transaction catches it and rolls back. It never leaves the store; callers get an
/// Error.
class SqliteFailure final : public std::exception {
public:
    SqliteFailure(int code, std::string message) : code_(code), message_(std::move(message)) {}

    /// SQLite's extended result code.
    [[nodiscard]] int code() const noexcept { return code_; }
    [[nodiscard]] const char* what() const noexcept override { return message_.c_str(); }

private:
    int code_;
    std::string message_;
};

/// Throws the failure of `db` with `code`. `doing` is for people: "commit", or the name of a
/// statement.
[[noreturn]] void fail(int code, sqlite3* db, const char* doing);

/// Reports that the file contradicts itself. Throws: the change that met it fails.
[[noreturn]] void damaged(const std::string& what);

/// For a failure after which nothing is written, because the transaction is rolled back.
[[nodiscard]] Error to_error(const SqliteFailure& failure);
/// For a failure of COMMIT itself.
[[nodiscard]] Error to_commit_error(const SqliteFailure& failure);

/// True if the trouble is with one change (too big, a rule of the schema) and not with the file or
/// the machine. The other changes of a group can then be applied without it.
[[nodiscard]] bool concerns_one_change(const SqliteFailure& failure);
/// True if connections must be reopened. After a failed write or sync, neither SQLite's view of the
/// file nor the kernel's can be trusted.
[[nodiscard]] bool needs_reopening(const SqliteFailure& failure);

}  // namespace belay::sqlite
