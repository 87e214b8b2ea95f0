#include "store/sqlite/schema.hpp"

#include <sqlite3.h>

#include <optional>
#include <string>

namespace belay::sqlite {

namespace {

using Migrations = std::span<const char* const>;

void migrate(Connection& connection, std::int64_t from, Migrations migrations) {
    Transaction transaction(connection, Transaction::Kind::write);
    for (const char* migration : migrations.subspan(static_cast<std::size_t>(from))) {
        connection.execute(migration);
    }
    // A pragma takes no parameters; the numbers are ours.
    const std::string application = std::to_string(kApplicationId);
    const std::string version = std::to_string(migrations.size());
    connection.execute(("pragma application_id = " + application).c_str());
    connection.execute(("pragma user_version = " + version).c_str());
    transaction.commit();
}

Error foreign(std::int64_t application) {
    return Error(Errc::unsupported,
                 "the file is a database of another program (application id " +
                     std::to_string(application) + ")");
}

Error newer(std::int64_t version, std::int64_t oldest, std::int64_t known) {
    return Error(Errc::unsupported,
                 "the file was written by a newer release: its schema is version " +
                     std::to_string(version) + " and needs a program that knows version " +
                     std::to_string(oldest) + "; this one knows " + std::to_string(known));
}

/// Reads the file as it is on the disk. Takes no lock, and neither makes nor opens a file beside
/// it. Goes through SQLite, because closing a descriptor of our own would drop the locks of all
/// connections that this process has on the file. Another program could then remove its log.
class Glance {
public:
    explicit Glance(const std::string& path) {
        code_ = sqlite3_open_v2(unchanging(path).c_str(),
                                &db_,
                                SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX,
                                nullptr);
        if (code_ == SQLITE_OK) ask();
    }
    ~Glance() {
        sqlite3_finalize(statement_);
        sqlite3_close(db_);
    }
    Glance(const Glance&) = delete;
    Glance& operator=(const Glance&) = delete;

    /// Returns none if it cannot be read. `foreign_format` is true if the file is not a database.
    [[nodiscard]] std::optional<std::int64_t> application() const { return application_; }
    [[nodiscard]] bool foreign_format() const { return (code_ & 0xff) == SQLITE_NOTADB; }

private:
    static std::string unchanging(const std::string& path) {
        std::string uri = "file:";
        for (const char byte : path) {
            switch (byte) {
                case '%': uri += "%25"; break;
                case '?': uri += "%3f"; break;
                case '#': uri += "%23"; break;
                default: uri += byte;
            }
        }
        return uri + "?immutable=1";
    }
    void ask() {
        code_ = sqlite3_prepare_v2(db_, "pragma application_id", -1, &statement_, nullptr);
        if (code_ == SQLITE_OK) code_ = sqlite3_step(statement_);
        if (code_ == SQLITE_ROW) application_ = sqlite3_column_int64(statement_, 0);
    }

    sqlite3* db_ = nullptr;
    sqlite3_stmt* statement_ = nullptr;
    int code_ = SQLITE_OK;
    std::optional<std::int64_t> application_;
};

}  // namespace

Result<void> peek(const std::string& path) {
    const Glance glance(path);
    if (glance.foreign_format()) return Error(Errc::corrupt, "the file is no database");
    // Our own files have no mark until the log is first written back. If the file cannot be read or
    // is not there, opening it reports or creates it.
    const std::int64_t application = glance.application().value_or(0);
    if (application != 0 && application != kApplicationId) return foreign(application);
    return {};
}

Result<void> prepare_file(Connection& connection, Migrations migrations) {
    const auto known = static_cast<std::int64_t>(migrations.size());
    const std::int64_t application = connection.ask("pragma application_id");
    const std::int64_t version = connection.ask("pragma user_version");
    const bool empty = connection.ask("select count(*) from sqlite_schema") == 0;

    if (application != kApplicationId && !(empty && application == 0 && version == 0)) {
        return foreign(application);
    }
    if (version < 0) {
        return Error(Errc::corrupt, "the file's schema has the version " + std::to_string(version));
    }
    if (version > known) {
        const std::int64_t oldest = connection.ask("select oldest_program from compatibility");
        if (oldest > known) return newer(version, oldest, known);
    }
    if (empty) connection.execute("pragma page_size = 8192");
    connection.execute("pragma journal_mode = wal");
    if (version < known) migrate(connection, version, migrations);
    return {};
}

}  // namespace belay::sqlite
