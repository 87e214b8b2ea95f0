#include "store/sqlite/file_lock.hpp"
#include "store/sqlite/file_users.hpp"
#include "store/sqlite/glance.hpp"
#include "store/sqlite/location.hpp"
#include "store/sqlite/reading.hpp"
#include "store/sqlite/schema.hpp"
#include "store/sqlite/side_file.hpp"
#include <belay/store/sqlite/examine.hpp>

#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <filesystem>

namespace belay::sqlite {

namespace {

/// The first version of the schema in which a run has `overruns`.
constexpr std::int64_t kCountsOverruns = 17;
/// The first version that has pauses.
constexpr std::int64_t kHasPauses = 22;
constexpr int kMostDamage = 10;

std::uint64_t size_of_file(const std::string& path) {
    struct stat status{};
    if (::stat(path.c_str(), &status) != 0) return 0;
    return static_cast<std::uint64_t>(status.st_size);
}

std::vector<FileBeside> files_beside(const std::string& path) {
    std::vector<FileBeside> files;
    for (const char* suffix : {"-wal", "-shm", "-lock", "-news"}) {
        const std::string name = path + suffix;
        const auto access = access_of(name);
        if (!access) continue;
        files.push_back({suffix, *access, ::access(name.c_str(), R_OK | W_OK) == 0});
    }
    return files;
}

FileFacts facts_of(const std::string& path) {
    FileFacts facts;
    struct stat status{};
    facts.exists = ::stat(path.c_str(), &status) == 0;
    if (!facts.exists) return facts;
    facts.regular = S_ISREG(status.st_mode);
    facts.readable = ::access(path.c_str(), R_OK) == 0;
    facts.writable = ::access(path.c_str(), W_OK) == 0;
    const std::string parent = std::filesystem::path(path).parent_path().string();
    const std::string directory = parent.empty() ? "." : parent;
    facts.directory_writable = ::access(directory.c_str(), W_OK | X_OK) == 0;
    facts.names = status.st_nlink;
    facts.access = access_of(path).value_or(FileAccess());
    facts.beside = files_beside(path);
    facts.bytes = static_cast<std::uint64_t>(status.st_size);
    facts.log_bytes = size_of_file(path + "-wal");
    struct statfs system{};
    if (::statfs(path.c_str(), &system) == 0) {
        facts.free_bytes = static_cast<std::uint64_t>(system.f_bavail) *
                           static_cast<std::uint64_t>(system.f_bsize);
        // The type is signed on some machines. The numbers below are unsigned.
        facts.file_system = file_system_of(static_cast<std::uint32_t>(system.f_type));
    }
    facts.users = users_of(path);
    return facts;
}

template <class Row, class... Bound>
Found count_with(Connection& connection, Statement<Row> statement, const Bound&... bound) {
    Query query = connection.use(statement);
    query.bind(bound...);
    Found found;
    if (!query.step()) return found;
    found.count = query.number(Row::count);
    if constexpr (requires { Row::oldest; }) found.oldest = query.maybe_time(Row::oldest);
    found.name = query.text(Row::name);
    return found;
}

RowFacts row_facts(Connection& connection, std::int64_t version, Timestamp now) {
    RowFacts rows;
    {
        Query query = connection.use(Sql::examine_newest);
        if (query.step()) rows.newest = query.maybe_time(columns::examine_newest::newest);
    }
    const auto due = [&](auto statement) { return count_with(connection, statement, now); };
    const auto all = [&](auto statement) { return count_with(connection, statement); };
    rows.expired_activities = due(Sql::examine_expired_activities);
    rows.expired_turns = due(Sql::examine_expired_turns);
    rows.ready_runs = due(Sql::examine_ready_runs);
    rows.ready_activities = due(Sql::examine_ready_activities);
    rows.code_missing = all(Sql::examine_code_missing);
    rows.activity_code_missing =
        count_with(connection, Sql::examine_activity_code_missing, kTriesWithoutCode);
    // An older file does not have this column, or this table.
    if (version >= kCountsOverruns) rows.overran = all(Sql::examine_overran);
    if (version >= kHasPauses) rows.paused = all(Sql::examine_paused);
    rows.held = all(Sql::examine_held);
    rows.dead_letters = all(Sql::examine_dead_letters);
    rows.stopping = all(Sql::examine_stopping);
    return rows;
}

std::vector<std::string> damage_of(Connection& connection) {
    std::vector<std::string> damage;
    const std::string sql = "pragma quick_check(" + std::to_string(kMostDamage) + ")";
    sqlite3_stmt* statement = nullptr;
    int code = sqlite3_prepare_v2(connection.handle(), sql.c_str(), -1, &statement, nullptr);
    if (code == SQLITE_OK) {
        while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
            const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, 0));
            if (text != nullptr && std::string(text) != "ok") damage.emplace_back(text);
        }
    }
    sqlite3_finalize(statement);
    if (code != SQLITE_DONE && code != SQLITE_OK) {
        damage.emplace_back(sqlite3_errmsg(connection.handle()));
    }
    return damage;
}

/// Checks if the file can be written to now. Takes both locks for a moment and writes nothing.
void try_locks(const std::string& path, Millis patience, Examination& result) {
    // If there is no lock file, no program of ours has written yet. We do not create one.
    if (::access((path + "-lock").c_str(), W_OK) != 0) return;
    auto lock = FileLock::open_as_it_is(path);
    if (!lock) {
        result.own_lock = lock.error();
        return;
    }
    if (auto acquired = lock->acquire(patience); !acquired) {
        result.own_lock = acquired.error();
        return;
    }
    const HeldLock held(*lock);
    try {
        Connection connection(path, Access::write, SqliteOptions().lock_timeout(patience));
        const Transaction transaction(connection, Transaction::Kind::write);
    } catch (const SqliteFailure& failure) {
        result.foreign_lock = to_error(failure);
    }
}

/// Looks into the file, and adds its faults to the result.
void look_into(Connection& connection, Timestamp now, Examination& result) {
    result.ours = connection.ask("pragma application_id") == kApplicationId;
    if (!result.ours) {
        result.trouble = Error(Errc::unsupported, "the file is no file of Belay");
        return;
    }
    const auto version = version_of(connection);
    if (!version) {
        result.trouble = version.error();
        return;
    }
    result.schema_version = *version;
    result.damage = damage_of(connection);
    if (result.damage.empty()) result.rows = row_facts(connection, *version, now);
}

}  // namespace

std::int64_t known_schema_version() noexcept { return kSchemaVersion; }

FileSystem file_system_of(std::uint64_t magic) noexcept {
    switch (magic) {
        case 0x6969:      // NFS
        case 0x517B:      // SMB
        case 0xFE534D42:  // SMB 2
        case 0xFF534D42:  // CIFS
        case 0x5346414F:  // AFS
        case 0x00C36400:  // Ceph
        case 0x0BD00BD0:  // Lustre
        case 0x01161970:  // GFS2
        case 0x7461636F:  // OCFS2
        case 0x73757245:  // Coda
            return FileSystem::network;
        case 0x65735546:  // FUSE: a network or not
        case 0x01021997:  // 9P
            return FileSystem::unsure;
        default: return FileSystem::local;
    }
}

Examination examine(const std::string& name, Timestamp now, Millis patience) {
    Examination result;
    const auto located = locate(name);
    const std::string path = located ? *located : name;
    result.file = facts_of(path);
    if (!result.file.exists) return result;
    if (!result.file.regular || !result.file.readable) {
        result.trouble = Error(Errc::invalid_argument, "the file cannot be read");
        return result;
    }
    if (!located) {
        result.trouble = located.error();
        return result;
    }
    if (result.file.bytes == 0) {
        result.ours = false;
        result.trouble = Error(Errc::unsupported, "the file is empty");
        return result;
    }
    if (auto seen = peek(path); !seen) {
        result.ours = false;
        result.trouble = seen.error();
        return result;
    }
    const auto looked = read_file(path, SqliteOptions(), [&](Connection& connection) {
        look_into(connection, now, result);
        return true;
    });
    if (!looked) result.trouble = looked.error();
    if (result.file.writable) try_locks(path, patience, result);
    return result;
}

}  // namespace belay::sqlite
