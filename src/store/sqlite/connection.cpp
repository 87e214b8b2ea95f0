#include "store/sqlite/connection.hpp"

#include "store/sqlite/glance.hpp"

#include <algorithm>
#include <limits>

namespace belay::sqlite {

namespace {

int open_database(const std::string& path, Access access, sqlite3** database) {
    switch (access) {
        case Access::write:
            return sqlite3_open_v2(path.c_str(),
                                   database,
                                   SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
                                   nullptr);
        case Access::read:
            return sqlite3_open_v2(
                path.c_str(), database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
        case Access::read_only:
        case Access::read_unlocked: break;
    }
    const char* const how = access == Access::read_only ? "readonly_shm=1" : "immutable=1";
    return sqlite3_open_v2(uri_of(path, how).c_str(),
                           database,
                           SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX,
                           nullptr);
}

}  // namespace

Connection::Connection(const std::string& path, Access access, const SqliteOptions& options) {
    const int code = open_database(path, access, &db_);
    try {
        if (db_ != nullptr) sqlite3_extended_result_codes(db_, 1);
        if (code != SQLITE_OK) fail(code, db_, "open");
        configure(access, options);
    } catch (...) {
        sqlite3_close(db_);
        throw;
    }
}

Connection::~Connection() {
    for (sqlite3_stmt* statement : statements_) sqlite3_finalize(statement);
    const int code = sqlite3_close(db_);
    BELAY_ASSERT(code == SQLITE_OK);
}

void Connection::configure(Access access, const SqliteOptions& options) {
    // The locks left to wait for, after our own: those of foreign programs, and of readers that
    // recover the log after a crash.
    set_patience(options.lock_timeout());
    // The file is ours, but anyone may have written its schema.
    sqlite3_db_config(db_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(db_, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    // SQLite before 3.51.3 can lose the log when one connection resets it while another
    // checkpoints: every checkpoint is ours, under the write lock.
    sqlite3_db_config(db_, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
    execute("pragma wal_autocheckpoint = 0");
    execute("pragma temp_store = memory");
    if (access != Access::write) {
        execute("pragma query_only = 1");
        return;
    }
    if (sqlite3_db_readonly(db_, "main") == 1) fail(SQLITE_READONLY, nullptr, "open");
    execute(options.synchronous() == Synchronous::full ? "pragma synchronous = full"
                                                       : "pragma synchronous = normal");
}

void Connection::set_patience(Millis patience) {
    constexpr auto kMost = static_cast<Millis::rep>(std::numeric_limits<int>::max());
    sqlite3_busy_timeout(db_,
                         static_cast<int>(std::clamp(patience.count(), Millis::rep{0}, kMost)));
}

sqlite3_stmt* Connection::prepared(AnyStatement statement) {
    const NamedSql& sql = kStatements[statement.place];
    sqlite3_stmt*& prepared = statements_[statement.place];
    if (prepared == nullptr) prepared = prepare(sql.text, sql.name, SQLITE_PREPARE_PERSISTENT);
    BELAY_ASSERT(sqlite3_stmt_busy(prepared) == 0);
    return prepared;
}

OneTimeStatement Connection::prepare_once(const std::string& sql, const char* name) {
    return OneTimeStatement(prepare(sql.c_str(), name));
}

sqlite3_stmt* Connection::prepare(const char* sql, const char* name, unsigned int flags) {
    sqlite3_stmt* prepared = nullptr;
    const int code = sqlite3_prepare_v3(db_, sql, -1, flags, &prepared, nullptr);
    if (code != SQLITE_OK) fail(code, db_, name);
    return prepared;
}

void Connection::execute(const char* sql) {
    const int code = sqlite3_exec(db_, sql, nullptr, nullptr, nullptr);
    if (code != SQLITE_OK) fail(sqlite3_extended_errcode(db_), db_, sql);
}

std::int64_t Connection::ask(const char* sql) {
    sqlite3_stmt* prepared = prepare(sql, sql);
    int code = sqlite3_step(prepared);
    const std::int64_t answer = code == SQLITE_ROW ? sqlite3_column_int64(prepared, 0) : 0;
    sqlite3_finalize(prepared);
    if (code != SQLITE_ROW) fail(code, db_, sql);
    return answer;
}

std::uint32_t Connection::data_version() const {
    std::uint32_t version = 0;
    const int code = sqlite3_file_control(db_, "main", SQLITE_FCNTL_DATA_VERSION, &version);
    if (code != SQLITE_OK) fail(code, db_, "data version");
    return version;
}

Transaction::Transaction(Connection& connection, Kind kind)
    : connection_(connection), changes_before_(sqlite3_total_changes64(connection.handle())) {
    connection_.execute(kind == Kind::write ? "begin immediate" : "begin");
}

Transaction::~Transaction() {
    // SQLite rolls back by itself after some errors.
    if (!connection_.in_transaction()) return;
    sqlite3_exec(connection_.handle(), "rollback", nullptr, nullptr, nullptr);
}

std::uint64_t Transaction::changes() const {
    return static_cast<std::uint64_t>(sqlite3_total_changes64(connection_.handle()) -
                                      changes_before_);
}

void Transaction::commit() { connection_.execute("commit"); }

}  // namespace belay::sqlite
