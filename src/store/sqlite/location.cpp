#include "store/sqlite/location.hpp"

#include <sys/stat.h>

#include <filesystem>

namespace belay::sqlite {

namespace {

namespace fs = std::filesystem;

constexpr int kMostLinks = 40;

/// Follows links in the last part of a path until the name is not a link.
fs::path follow(fs::path path) {
    std::error_code none;
    for (int links = 0; links < kMostLinks && fs::is_symlink(path, none); ++links) {
        const fs::path target = fs::read_symlink(path, none);
        if (none) break;
        path = path.parent_path() / target;
    }
    return path;
}

bool is_empty_file(const std::string& path) {
    struct stat status{};
    return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && status.st_size == 0;
}

bool exists(const std::string& path) {
    struct stat status{};
    return ::stat(path.c_str(), &status) == 0;
}

}  // namespace

Result<std::string> locate(const std::string& path) {
    std::error_code problem;
    const fs::path name = follow(fs::absolute(path, problem));
    const fs::path directory = fs::canonical(name.parent_path(), problem);
    // If the directory is wrong, opening the file reports it.
    const std::string found = problem ? path : (directory / name.filename()).string();
    struct stat status{};
    if (::stat(found.c_str(), &status) != 0) return found;
    if (!S_ISREG(status.st_mode)) {
        return Error(Errc::invalid_argument, "'" + path + "' is no regular file");
    }
    if (status.st_nlink > 1) {
        return Error(Errc::invalid_argument,
                     "'" + path + "' has " + std::to_string(status.st_nlink) +
                         " names (hard links), and would have a log and a lock under each: "
                         "leave it one");
    }
    return found;
}

Result<void> refuse_empty(const std::string& path) {
    // Checked in this order, because a process that is about to make the file makes the lock first.
    if (!is_empty_file(path) || exists(path + "-lock")) return {};
    return Error(
        Errc::unsupported,
        "'" + path + "' is empty, and Belay has not made it; remove it if a new store is wanted");
}

Result<void> refuse_cut_off(const std::string& path) {
    if (!is_empty_file(path) || !exists(path + "-wal")) return {};
    return Error(Errc::corrupt,
                 "'" + path + "' is empty, but has a log: it was cut off. Restore a backup");
}

}  // namespace belay::sqlite
