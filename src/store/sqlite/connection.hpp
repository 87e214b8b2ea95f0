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

enum class Access : std::uint8_t { write, read };

/// A statement that is prepared for one use, because nobody knows when it is wanted again.
class OneTimeStatement {
public:
    explicit OneTimeStatement(sqlite3_stmt* statement) : statement_(statement) {}
    ~OneTimeStatement() { sqlite3_finalize(statement_); }
    OneTimeStatement(const OneTimeStatement&) = delete;
    OneTimeStatement& operator=(const OneTimeStatement&) = delete;

    /// Goes before the statement does.
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
    /// Opens `path`, which for writing is created when it is not there, and sets it up: WAL, no
    /// checkpoint but ours. Says nothing about what is in the file.
    Connection(const std::string& path, Access access, const SqliteOptions& options);
    ~Connection();
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    /// The statement, prepared when it is first asked for. One Query of it at a time.
    template <class Row, class Parameters>
    [[nodiscard]] Query<Row, Parameters> use(Statement<Row, Parameters> statement) {
        return Query<Row, Parameters>(prepared(statement), kStatements[statement.place].name);
    }
    /// Text that was put together from constants; `name` is what errors call it.
    [[nodiscard]] OneTimeStatement prepare_once(const std::string& sql, const char* name);
    /// Pragmas, migrations, and the borders of transactions.
    void execute(const char* sql);
    /// The single number that `sql` selects.
    [[nodiscard]] std::int64_t ask(const char* sql);

    /// Differs from what it was whenever anybody, this connection or another one, has changed the
    /// file; stays as it is while a transaction lasts.
    [[nodiscard]] std::uint32_t data_version() const;

    /// The time that a statement waits for locks that other programs have. At first: lock_timeout.
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
    /// Rows that were inserted, changed or deleted since it began.
    [[nodiscard]] std::uint64_t changes() const;

private:
    Connection& connection_;
    std::int64_t changes_before_;
};

}  // namespace belay::sqlite
