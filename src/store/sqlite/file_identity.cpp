#include "store/sqlite/file_identity.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <filesystem>

namespace belay::sqlite {

namespace {

/// Asks for the number of the file, but not for its times. Linux from 6.13 on keeps finer times
/// once somebody has asked for them. The next write then dirties the inode, and each sync of the
/// log writes the inode too. Each commit then waited for the disk one more time.
std::optional<FileIdentity> look_at(int directory, const char* path, int flags) {
    struct statx status{};
    if (::statx(directory, path, flags, STATX_INO, &status) != 0) return std::nullopt;
    return FileIdentity{makedev(status.stx_dev_major, status.stx_dev_minor), status.stx_ino};
}

}  // namespace

std::optional<FileIdentity> identity_of(const std::string& path) {
    return look_at(AT_FDCWD, path.c_str(), 0);
}

std::optional<FileIdentity> identity_of(int descriptor) {
    return look_at(descriptor, "", AT_EMPTY_PATH);
}

bool is_open_here(const FileIdentity& file) {
    namespace fs = std::filesystem;
    std::error_code hidden;
    fs::directory_iterator open("/proc/self/fd", hidden);
    if (hidden) return true;
    for (; !hidden && open != fs::directory_iterator(); open.increment(hidden)) {
        if (identity_of(open->path().string()) == file) return true;
    }
    return false;
}

}  // namespace belay::sqlite
