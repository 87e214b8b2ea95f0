// What SQLite reports when something goes wrong, and what that means to a caller of the store.
#pragma once

#include <belay/error.hpp>

#include <exception>
#include <string>

struct sqlite3;

namespace belay::sqlite {

/// Thrown inside this layer only, where dozens of statements make up one change: whoever began the
/// transaction catches it and rolls back. It never crosses the store's border; callers get an
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

/// Throws what `db` says about `code`. `doing` is for people: "commit", a statement's name.
[[noreturn]] void fail(int code, sqlite3* db, const char* doing);

/// The file contradicts itself: a failure of the change that came upon it.
[[noreturn]] void damaged(const std::string& what);

/// For a failure after which nothing is written, since the transaction is rolled back.
[[nodiscard]] Error to_error(const SqliteFailure& failure);
/// For a failure of COMMIT itself.
[[nodiscard]] Error to_commit_error(const SqliteFailure& failure);

/// Whether the trouble is with one change (too big, a rule of the schema) and not with the file or
/// the machine: the others of a group can be applied without it.
[[nodiscard]] bool concerns_one_change(const SqliteFailure& failure);
/// Whether connections must be opened anew: after a failed write or sync SQLite's view of the file
/// cannot be trusted, nor that of the kernel.
[[nodiscard]] bool needs_reopening(const SqliteFailure& failure);

}  // namespace belay::sqlite
