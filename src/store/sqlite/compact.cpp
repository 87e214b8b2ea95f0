#include "store/sqlite/connection.hpp"
#include "store/sqlite/file_lock.hpp"
#include "store/sqlite/glance.hpp"
#include "store/sqlite/location.hpp"
#include "store/sqlite/schema.hpp"
#include "store/sqlite/wal.hpp"
#include <belay/store/sqlite/compact.hpp>

#include <filesystem>

namespace belay::sqlite {

namespace {

std::uint64_t bytes_of(const std::string& path) {
    std::uint64_t sum = 0;
    for (const char* part : {"", "-wal"}) {
        std::error_code missing;
        const std::uintmax_t size = std::filesystem::file_size(path + part, missing);
        if (!missing) sum += size;
    }
    return sum;
}

/// Writes all of the log back and cuts it off. After a rewrite it is as long as the file.
void empty_log(Connection& connection, Millis wait) {
    connection.set_patience(wait);
    const int code = sqlite3_wal_checkpoint_v2(
        connection.handle(), "main", SQLITE_CHECKPOINT_TRUNCATE, nullptr, nullptr);
    if (code != SQLITE_OK) fail(code, connection.handle(), "empty the log");
}

}  // namespace

Result<Compacted> compact(const std::string& name, Millis wait) {
    if (!std::filesystem::exists(name)) {
        return Error(Errc::not_found, "there is no file '" + name + "'");
    }
    const auto located = locate(name);
    if (!located) return located.error();
    const std::string& path = *located;
    std::error_code problem;
    if (std::filesystem::file_size(path, problem) == 0) {
        return Error(Errc::unsupported, "'" + path + "' is no file of Belay");
    }
    if (auto seen = peek(path); !seen) return seen.error();
    auto lock = FileLock::open(path);
    if (!lock) return lock.error();
    if (auto locked = lock->acquire(wait); !locked) return locked.error();
    const HeldLock held(*lock);
    try {
        Compacted result;
        result.before = bytes_of(path);
        Connection connection(path, Access::write, SqliteOptions().lock_timeout(wait));
        if (auto ready = prepare_file(connection); !ready) return ready.error();
        write_log_again(connection);
        // Vacuum makes the new file in a temporary one first, which may be larger than the memory.
        connection.execute("pragma temp_store = file");
        connection.execute("vacuum");
        empty_log(connection, wait);
        result.after = bytes_of(path);
        return result;
    } catch (const SqliteFailure& failure) {
        return to_error(failure);
    }
}

}  // namespace belay::sqlite
