// Statements of our own on a store's file, with the store's settings: the yardstick of the store.
#pragma once

#include "measure.hpp"
#include "store/sqlite/wal.hpp"

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace belay::bench {

/// One connection to a file that has its tables. Nobody else may write to it at the same time.
class Bare {
public:
    Bare(const std::string& path, Synchronous synchronous)
        : options_(SqliteOptions().synchronous(synchronous)),
          connection_(std::make_unique<sqlite::Connection>(path, sqlite::Access::write, options_)),
          wal_(std::make_unique<sqlite::Wal>(*connection_, options_)) {}
    Bare(const Bare&) = delete;
    Bare& operator=(const Bare&) = delete;
    ~Bare() {
        for (sqlite3_stmt* const statement : statements_) sqlite3_finalize(statement);
    }

    [[nodiscard]] sqlite3_stmt* prepare(const char* sql) {
        sqlite3_stmt* statement = nullptr;
        const int code = sqlite3_prepare_v3(
            connection_->handle(), sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
        require(code == SQLITE_OK, sqlite3_errmsg(connection_->handle()));
        statements_.push_back(statement);
        return statement;
    }
    void execute(const char* sql) { connection_->execute(sql); }
    void begin() { connection_->execute("begin immediate"); }
    void commit() {
        connection_->execute("commit");
        if (wal_->wants_maintenance()) {
            require(wal_->maintain(), "the log could not be written back");
        }
    }

private:
    SqliteOptions options_;
    std::unique_ptr<sqlite::Connection> connection_;
    std::unique_ptr<sqlite::Wal> wal_;
    std::vector<sqlite3_stmt*> statements_;
};

inline void bind(sqlite3_stmt* statement, int at, std::int64_t value) {
    sqlite3_bind_int64(statement, at, value);
}
/// Binds a blob. It must outlive the step.
inline void bind(sqlite3_stmt* statement, int at, const std::string& bytes) {
    sqlite3_bind_blob(statement, at, bytes.data(), static_cast<int>(bytes.size()), SQLITE_STATIC);
}
/// As text.
struct Text {
    const std::string& value;
};
inline void bind(sqlite3_stmt* statement, int at, const Text& text) {
    sqlite3_bind_text(
        statement, at, text.value.data(), static_cast<int>(text.value.size()), SQLITE_STATIC);
}

template <class... Values>
void run(sqlite3_stmt* statement, const Values&... values) {
    int at = 0;
    (bind(statement, ++at, values), ...);
    require(sqlite3_step(statement) == SQLITE_DONE, "a bare statement failed");
    sqlite3_reset(statement);
}

}  // namespace belay::bench
