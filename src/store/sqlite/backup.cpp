#include "store/sqlite/connection.hpp"
#include "store/sqlite/glance.hpp"
#include "store/sqlite/location.hpp"
#include "store/sqlite/reading.hpp"
#include "store/sqlite/schema.hpp"
#include "store/sqlite/unshared_descriptor.hpp"
#include <belay/store/sqlite/backup.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace belay::sqlite {

namespace {

namespace fs = std::filesystem;

Error cannot_write(const std::string& copy, int reason) {
    return Error(Errc::unavailable, "cannot write '" + copy + "': " + std::strerror(reason));
}

Error is_in_the_way(const std::string& file) {
    return Error(Errc::invalid_argument, "'" + file + "' is there already, and stays as it is");
}

/// A log that is left of another file would be applied to the copy.
Result<void> check_nothing_is_there(const std::string& copy) {
    for (const char* suffix : {"", "-wal", "-shm", "-journal"}) {
        struct stat status{};
        if (::lstat((copy + suffix).c_str(), &status) == 0) return is_in_the_way(copy + suffix);
    }
    return {};
}

std::string directory_of(const std::string& file) {
    const std::string parent = fs::path(file).parent_path().string();
    return parent.empty() ? "." : parent;
}

/// A file under a name that nobody else has. It is removed unless it is published.
class UnfinishedCopy {
public:
    explicit UnfinishedCopy(const std::string& copy)
        : copy_(copy), path_(directory_of(copy) + "/.belay-backup-XXXXXX") {
        const int file = ::mkostemp(path_.data(), O_CLOEXEC);
        made_ = file >= 0;
        reason_ = errno;
        if (made_) ::close(file);
    }
    ~UnfinishedCopy() {
        if (made_) ::unlink(path_.c_str());
    }
    UnfinishedCopy(const UnfinishedCopy&) = delete;
    UnfinishedCopy& operator=(const UnfinishedCopy&) = delete;

    [[nodiscard]] Result<void> made() const {
        if (!made_) return cannot_write(copy_, reason_);
        return {};
    }
    [[nodiscard]] const std::string& path() const noexcept { return path_; }

    /// Gives it its name when it is on the disk. Returns its size.
    [[nodiscard]] Result<std::uint64_t> publish() {
        struct stat status{};
        if (!sync(path_, O_RDWR) || ::stat(path_.c_str(), &status) != 0) {
            return cannot_write(copy_, errno);
        }
        if (!rename()) return errno == EEXIST ? is_in_the_way(copy_) : cannot_write(copy_, errno);
        made_ = false;
        // Some file systems cannot sync a directory: then the name is as safe as they make it.
        if (!sync(directory_of(copy_), O_RDONLY | O_DIRECTORY) && errno != EINVAL) {
            return cannot_write(copy_, errno);
        }
        return static_cast<std::uint64_t>(status.st_size);
    }

private:
    static bool sync(const std::string& path, int flags) {
        const UnsharedDescriptor file(path, flags, 0);
        return file.get() >= 0 && ::fsync(file.get()) == 0;
    }
    /// Not all file systems can rename without overwriting; but they can link.
    [[nodiscard]] bool rename() const {
        if (::renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, copy_.c_str(), RENAME_NOREPLACE) == 0) {
            return true;
        }
        if (errno != EINVAL && errno != ENOSYS) return false;
        if (::link(path_.c_str(), copy_.c_str()) != 0) return false;
        ::unlink(path_.c_str());
        return true;
    }

    const std::string copy_;
    std::string path_;
    bool made_ = false;
    int reason_ = 0;
};

/// The database that is written. It needs no journal: nobody uses it if it is not finished.
class Destination {
public:
    explicit Destination(const std::string& path) {
        const int code = sqlite3_open_v2(
            path.c_str(), &db_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
        if (code != SQLITE_OK) {
            sqlite3_close(std::exchange(db_, nullptr));
            fail(code, nullptr, "open the copy");
        }
        sqlite3_exec(
            db_, "pragma journal_mode = off; pragma synchronous = off", nullptr, nullptr, nullptr);
    }
    ~Destination() { sqlite3_close(db_); }
    Destination(const Destination&) = delete;
    Destination& operator=(const Destination&) = delete;

    /// The source is in a transaction, so all steps copy the same moment.
    void copy_from(Connection& source) {
        constexpr int kAllPages = -1;
        sqlite3_backup* const backup = sqlite3_backup_init(db_, "main", source.handle(), "main");
        if (backup == nullptr) fail(sqlite3_extended_errcode(db_), db_, "begin the copy");
        const int stepped = sqlite3_backup_step(backup, kAllPages);
        const int finished = sqlite3_backup_finish(backup);
        if (stepped != SQLITE_DONE) fail(stepped, db_, "copy");
        if (finished != SQLITE_OK) fail(finished, db_, "finish the copy");
    }

private:
    sqlite3* db_ = nullptr;
};

/// Copies the file into `unfinished`, unless this program does not know it.
Result<void> copy_into(const std::string& unfinished, Connection& source) {
    if (source.ask("pragma application_id") != kApplicationId) {
        return Error(Errc::unsupported, "the file is no file of Belay");
    }
    Destination(unfinished).copy_from(source);
    return {};
}

}  // namespace

Result<std::uint64_t> back_up(const std::string& name, const std::string& copy) {
    const auto located = locate(name);
    if (!located) return located.error();
    const std::string& path = *located;
    if (!fs::exists(path)) return Error(Errc::not_found, "there is no file '" + name + "'");
    std::error_code problem;
    if (fs::file_size(path, problem) == 0) {
        return Error(Errc::unsupported, "'" + name + "' is no file of Belay");
    }
    if (auto seen = peek(path); !seen) return seen.error();
    if (auto free = check_nothing_is_there(copy); !free) return free.error();
    // Only to be recognised as a program of Belay by `doctor`.
    const UnsharedDescriptor lock(path + "-lock", O_RDONLY | O_NOFOLLOW | O_NOCTTY, 0);
    UnfinishedCopy unfinished(copy);
    if (auto made = unfinished.made(); !made) return made.error();
    const auto copied = read_file(path, SqliteOptions(), [&](Connection& source) {
        return copy_into(unfinished.path(), source);
    });
    if (!copied) return copied.error();
    if (!*copied) return copied->error();
    return unfinished.publish();
}

}  // namespace belay::sqlite
