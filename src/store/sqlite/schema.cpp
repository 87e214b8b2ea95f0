#include "store/sqlite/schema.hpp"

namespace belay::sqlite {

namespace {

void migrate(Connection& connection, std::int64_t from) {
    Transaction transaction(connection, Transaction::Kind::write);
    for (std::int64_t version = from; version < kSchemaVersion; ++version) {
        connection.execute(kMigrations[version]);
    }
    // A pragma takes no parameters; the numbers are ours.
    connection.execute(("pragma application_id = " + std::to_string(kApplicationId)).c_str());
    connection.execute(("pragma user_version = " + std::to_string(kSchemaVersion)).c_str());
    transaction.commit();
}

Error foreign(std::int64_t application) {
    return Error(Errc::unsupported,
                 "the file is a database of another program (application id " +
                     std::to_string(application) + ")");
}

Error newer(std::int64_t version, std::int64_t oldest) {
    return Error(Errc::unsupported,
                 "the file was written by a newer release: its schema is version " +
                     std::to_string(version) + " and needs a program that knows version " +
                     std::to_string(oldest) + "; this one knows " + std::to_string(kSchemaVersion));
}

}  // namespace

Result<void> prepare_file(Connection& connection) {
    const std::int64_t application = connection.ask("pragma application_id");
    const std::int64_t version = connection.ask("pragma user_version");
    const bool empty = connection.ask("select count(*) from sqlite_schema") == 0;

    if (application != kApplicationId && !(empty && application == 0 && version == 0)) {
        return foreign(application);
    }
    if (version > kSchemaVersion) {
        const std::int64_t oldest = connection.ask("select oldest_program from compatibility");
        if (oldest > kSchemaVersion) return newer(version, oldest);
    }
    if (empty) connection.execute("pragma page_size = 8192");
    connection.execute("pragma journal_mode = wal");
    if (version < kSchemaVersion) migrate(connection, version);
    return {};
}

}  // namespace belay::sqlite
