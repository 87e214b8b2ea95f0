#include "store/sqlite/schema.hpp"

#include "store/sqlite/glance.hpp"

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

Error newer(std::int64_t version, std::int64_t oldest, std::int64_t known) {
    return Error(Errc::unsupported,
                 "the file was written by a newer release: its schema is version " +
                     std::to_string(version) + " and needs a program that knows version " +
                     std::to_string(oldest) + "; this one knows " + std::to_string(known));
}

Error impossible(std::int64_t version) {
    return Error(Errc::corrupt, "the file's schema has the version " + std::to_string(version));
}

}  // namespace

Result<void> prepare_file(Connection& connection, Migrations migrations) {
    const auto known = static_cast<std::int64_t>(migrations.size());
    const std::int64_t application = connection.ask("pragma application_id");
    const std::int64_t version = connection.ask("pragma user_version");
    const bool empty = connection.ask("select count(*) from sqlite_schema") == 0;

    if (application != kApplicationId && !(empty && application == 0 && version == 0)) {
        return foreign_file(describe_application(application));
    }
    if (version < 0) return impossible(version);
    if (version > known) {
        const std::int64_t oldest = connection.ask("select oldest_program from compatibility");
        if (oldest > known) return newer(version, oldest, known);
    }
    if (empty) connection.execute("pragma page_size = 8192");
    connection.execute("pragma journal_mode = wal");
    if (version < known) migrate(connection, version, migrations);
    return {};
}

Result<std::int64_t> version_of(Connection& connection) {
    const std::int64_t version = connection.ask("pragma user_version");
    if (version <= 0) return impossible(version);
    if (version > kSchemaVersion) {
        const std::int64_t oldest = connection.ask("select oldest_program from compatibility");
        if (oldest > kSchemaVersion) return newer(version, oldest, kSchemaVersion);
    }
    return version;
}

}  // namespace belay::sqlite
