// A connection to the file, with its prepared statements.
#pragma once

#include "store/sqlite/query.hpp"
#include "store/sqlite/sql.hpp"
#include <belay/store/sqlite.hpp>

#include <array>
#include <cstdint>
#include <iterator>
#include <string>

namespace belay::sqlite {

enum class Access : std::uint8_t {
    write,
    read,
    read_only,      ///< Makes no file and writes to none. There must be a log and its index.
    read_unlocked,  ///< As if nobody wrote: takes no lock, and does not look for a log.
};

/// A statement that is prepared for one use, because it may not be wanted again soon.
class OneTimeStatement {
public:
    explicit OneTimeStatement(sqlite3_stmt* statement) : statement_(statement) {}
    ~OneTimeStatement() { sqlite3_finalize(statement_); }
    OneTimeStatement(const OneTimeStatement&) = delete;
    OneTimeStatement& operator=(const OneTimeStatement&) = delete;

    /// The query must be destroyed before the statement.
    template <class Row>
    [[nodiscard]] Query<Row> use(const char* name) {
        return Query<Row>(statement_, name);
    }

private:
    sqlite3_stmt* statement_;
};

/// Used by one thread at a time. Throws SqliteFailure.
class Connection {
public:
    /// Opens `path` and sets it up: WAL, and no checkpoints except ours. For writing, creates the
    /// file if it is not there. Does not check the contents of the file.
    Connection(const std::string& path, Access access, const SqliteOptions& options);
    ~Connection();
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    /// Returns the statement, which is prepared on first use. At most one Query of it may exist at
    /// a time.
    template <class Row, class Parameters>
    [[nodiscard]] Query<Row, Parameters> use(Statement<Row, Parameters> statement) {
        return Query<Row, Parameters>(prepared(statement), kStatements[statement.place].name);
    }
    /// Prepares text that was put together from constants. Errors call it `name`.
    [[nodiscard]] OneTimeStatement prepare_once(const std::string& sql, const char* name);
    /// Runs pragmas, migrations, and the begin and end of transactions.
    void execute(const char* sql);
    /// Returns the single number that `sql` selects.
    [[nodiscard]] std::int64_t ask(const char* sql);

    /// Changes whenever this connection or another one has changed the file. Stays the same while a
    /// transaction lasts.
    [[nodiscard]] std::uint32_t data_version() const;

    /// Sets how long a statement waits for locks of other programs. Default: lock_timeout.
    void set_patience(Millis patience);

    [[nodiscard]] sqlite3* handle() const noexcept { return db_; }
    [[nodiscard]] bool in_transaction() const noexcept { return sqlite3_get_autocommit(db_) == 0; }

private:
    void configure(Access access, const SqliteOptions& options);
    [[nodiscard]] sqlite3_stmt* prepared(AnyStatement statement);
    [[nodiscard]] sqlite3_stmt* prepare(const char* sql, const char* name, unsigned int flags = 0);

    sqlite3* db_ = nullptr;
    std::array<sqlite3_stmt*, std::size(kStatements)> statements_{};
};

/// Rolls back unless committed.
class Transaction {
public:
    enum class Kind : std::uint8_t { read, write };
    Transaction(Connection& connection, Kind kind);
    ~Transaction();
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;

    void commit();
    /// Returns the number of rows inserted, changed or deleted since it began.
    [[nodiscard]] std::uint64_t changes() const;

private:
    Connection& connection_;
    std::int64_t changes_before_;
};

}  // namespace belay::sqlite
