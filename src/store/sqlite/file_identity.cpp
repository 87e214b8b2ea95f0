#include "store/sqlite/file_identity.hpp"

#include <sys/stat.h>

#include <filesystem>

namespace belay::sqlite {

std::optional<FileIdentity> identity_of(const std::string& path) {
    struct stat status{};
    if (::stat(path.c_str(), &status) != 0) return std::nullopt;
    return FileIdentity{status.st_dev, status.st_ino};
}

std::optional<FileIdentity> identity_of(int descriptor) {
    struct stat status{};
    if (::fstat(descriptor, &status) != 0) return std::nullopt;
    return FileIdentity{status.st_dev, status.st_ino};
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
