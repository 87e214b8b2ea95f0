#include "store/sqlite/schema.hpp"

#include <array>
#include <fstream>
#include <string_view>

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

/// Where SQLite keeps the application id, most significant byte first, and how a file begins.
constexpr std::size_t kApplicationIdAt = 68;
constexpr std::string_view kMagic("SQLite format 3\0", 16);

}  // namespace

Result<void> peek(const std::string& path) {
    std::array<char, 100> header{};
    std::ifstream file(path, std::ios::binary);
    file.read(header.data(), header.size());
    if (file.gcount() < static_cast<std::streamsize>(header.size())) return {};
    if (!std::string_view(header.data(), header.size()).starts_with(kMagic)) {
        return Error(Errc::corrupt, "the file is no database");
    }
    std::int64_t application = 0;
    for (std::size_t i = 0; i < 4; ++i) {
        application = application * 256 + static_cast<unsigned char>(header[kApplicationIdAt + i]);
    }
    // Until the log is first written back, our own files have none.
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
