#include "store/sqlite/file_set.hpp"

#include "store/sqlite/side_file.hpp"

#include <cerrno>
#include <cstring>

namespace belay::sqlite {

namespace {

/// False for a VFS that keeps its files outside the file system.
bool has_system_files(Connection& connection) {
    int moved = 0;
    return sqlite3_file_control(
               connection.handle(), "main", SQLITE_FCNTL_HAS_MOVED, static_cast<void*>(&moved)) ==
           SQLITE_OK;
}

bool is_missing(int reason) { return reason == ENOENT || reason == ENOTDIR || reason == ELOOP; }

Error cannot_look(const std::string& path, int reason) {
    return Error(Errc::unavailable, "cannot look at " + path + ": " + std::strerror(reason));
}

}  // namespace

FileSet::FileSet(std::string path, int lock, int news) : path_(std::move(path)) {
    if (const auto identity = identity_of(lock)) beside_.push_back({path_ + "-lock", *identity});
    if (const auto identity = identity_of(news)) beside_.push_back({path_ + "-news", *identity});
}

Result<void> FileSet::adopt(Connection& connection) {
    if (!has_system_files(connection)) return {};
    for (const char* part : {"-wal", "-shm"}) take_group_of(path_, path_ + part);
    Members opened;
    for (const char* part : {"", "-wal", "-shm"}) {
        const std::string path = path_ + part;
        const auto identity = identity_of(path);
        if (!identity && !is_missing(errno)) return cannot_look(path, errno);
        if (!identity) return lose(path, "was removed");
        if (!is_open_here(*identity)) return lose(path, "was replaced");
        opened.push_back({path, *identity});
    }
    const FileIdentity database = opened.front().identity;
    {
        const detail::MutexLock lock(mutex_);
        if (!database_) database_ = database;
        if (*database_ == database) {
            opened_ = std::make_shared<const Members>(std::move(opened));
            return {};
        }
    }
    return lose(path_, "was replaced");
}

void FileSet::forget_log() {
    const detail::MutexLock lock(mutex_);
    opened_.reset();
}

Result<void> FileSet::check() {
    if (auto whole = check_database(); !whole) return whole;
    return check(beside_);
}

Result<void> FileSet::check_database() {
    std::shared_ptr<const Members> opened;
    {
        const detail::MutexLock lock(mutex_);
        if (lost_) return *lost_;
        opened = opened_;
    }
    return opened == nullptr ? Result<void>() : check(*opened);
}

Result<void> FileSet::check(const Members& members) {
    for (const Member& member : members) {
        const auto identity = identity_of(member.path);
        if (identity == member.identity) continue;
        if (identity) return lose(member.path, "was replaced");
        if (!is_missing(errno)) return cannot_look(member.path, errno);
        return lose(member.path, "was removed");
    }
    return {};
}

Error FileSet::lose(const std::string& path, const char* what) {
    const detail::MutexLock lock(mutex_);
    if (!lost_) {
        lost_ = Error(Errc::store_lost,
                      path + " " + what +
                          " while this process had it open. The process writes no more: end it, "
                          "and start it again when the files are in place");
    }
    return *lost_;
}

}  // namespace belay::sqlite
