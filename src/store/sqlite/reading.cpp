#include "store/sqlite/reading.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>

namespace belay::sqlite {

namespace {

bool may(const std::string& path, int what) {
    return ::faccessat(AT_FDCWD, path.c_str(), what, AT_EACCESS) == 0;
}

bool is_there(const std::string& path) { return may(path, F_OK); }

bool has_log(const std::string& path) {
    struct stat status{};
    return ::stat((path + "-wal").c_str(), &status) == 0 && status.st_size > 0;
}

bool is_same(const timespec& one, const timespec& other) {
    return one.tv_sec == other.tv_sec && one.tv_nsec == other.tv_nsec;
}

bool is_unchanged(const struct stat& one, const struct stat& other) {
    return one.st_dev == other.st_dev && one.st_ino == other.st_ino &&
           one.st_size == other.st_size && is_same(one.st_mtim, other.st_mtim) &&
           is_same(one.st_ctim, other.st_ctim);
}

}  // namespace

std::unique_ptr<Connection> ReadOnlyFile::connect(const SqliteOptions& options) {
    unlocked_.reset();
    if (has_log(path_)) {
        return std::make_unique<Connection>(path_, Access::read_only, options);
    }
    struct stat status{};
    if (::stat(path_.c_str(), &status) == 0) unlocked_ = status;
    return std::make_unique<Connection>(path_, Access::read_unlocked, options);
}

bool ReadOnlyFile::is_of_one_moment() const {
    if (!unlocked_) return true;
    struct stat status{};
    return !has_log(path_) && ::stat(path_.c_str(), &status) == 0 &&
           is_unchanged(status, *unlocked_);
}

Error ReadOnlyFile::describe(const SqliteFailure& failure) const {
    const std::string index = path_ + "-shm";
    if (unlocked_ || may(index, R_OK)) return to_error(failure);
    return Error(Errc::invalid_argument,
                 "the log of '" + path_ + "' cannot be read: its index '" + index + "' " +
                     (is_there(index) ? "may not be read by this user"
                                      : "is missing, and only a user who may write makes it anew"));
}

std::optional<std::string> unwritable_part(const std::string& path) {
    if (is_there(path) && !may(path, W_OK)) return path;
    const std::string parent = std::filesystem::path(path).parent_path().string();
    const std::string directory = parent.empty() ? "." : parent;
    const bool may_make = may(directory, W_OK | X_OK);
    for (const char* suffix : {"-lock", "-news", "-wal", "-shm"}) {
        std::string part = path + suffix;
        if (is_there(part) ? !may(part, R_OK | W_OK) : !may_make) return part;
    }
    return std::nullopt;
}

}  // namespace belay::sqlite
