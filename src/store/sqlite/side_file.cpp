#include "store/sqlite/side_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

namespace belay::sqlite {

namespace {

constexpr mode_t kReadAndWrite = 0666;
constexpr mode_t kOfOwner = 0600;

std::string octal(mode_t mode) {
    std::array<char, 8> text{};
    std::snprintf(text.data(), text.size(), "%04o", static_cast<unsigned>(mode));
    return text.data();
}

}  // namespace

std::optional<FileAccess> access_of(const std::string& path) {
    struct stat status{};
    if (::stat(path.c_str(), &status) != 0) return std::nullopt;
    return FileAccess{status.st_mode & kReadAndWrite, status.st_gid};
}

void take_access_of(const std::string& database, int descriptor) {
    struct stat wanted{};
    struct stat own{};
    if (::stat(database.c_str(), &wanted) != 0 || ::fstat(descriptor, &own) != 0) return;
    const bool root = ::geteuid() == 0;
    if (own.st_gid != wanted.st_gid || (root && own.st_uid != wanted.st_uid)) {
        [[maybe_unused]] const int changed =
            ::fchown(descriptor, root ? wanted.st_uid : static_cast<uid_t>(-1), wanted.st_gid);
    }
    // A read-only database must not leave a lock that its owner cannot open again.
    const mode_t mode = (wanted.st_mode & kReadAndWrite) | kOfOwner;
    if ((own.st_mode & 0777) != mode) ::fchmod(descriptor, mode);
}

void take_group_of(const std::string& database, const std::string& path) {
    const auto wanted = access_of(database);
    const auto own = access_of(path);
    if (!wanted || !own || own->group == wanted->group) return;
    [[maybe_unused]] const int changed =
        ::lchown(path.c_str(), static_cast<uid_t>(-1), wanted->group);
}

Result<void> check_own(const std::string& path, int descriptor) {
    struct stat status{};
    if (::fstat(descriptor, &status) != 0) return {};
    if (S_ISREG(status.st_mode) && status.st_nlink <= 1) return {};
    return Error(Errc::invalid_argument,
                 path +
                     (S_ISREG(status.st_mode) ? " has another name too (a hard link)"
                                              : " is no regular file") +
                     "; remove it, and it is made anew");
}

Error cannot_open(const std::string& path, const std::string& database, int reason) {
    // A lack of descriptors or memory may pass. A wrong path stays wrong.
    const bool may_pass = reason == EMFILE || reason == ENFILE || reason == ENOMEM ||
                          reason == ENOSPC || reason == EIO || reason == EINTR;
    std::string message = "cannot open " + path + ": " + std::strerror(reason);
    if (reason == ELOOP) message += "; a link is not followed there";
    const auto own = access_of(path);
    const auto wanted = access_of(database);
    if (reason == EACCES && own && wanted && *own != *wanted) {
        message += "; it has the mode " + octal(own->mode) + " and the group " +
                   std::to_string(own->group) + ", the database " + octal(wanted->mode) + " and " +
                   std::to_string(wanted->group);
    }
    return Error(may_pass ? Errc::unavailable : Errc::invalid_argument, std::move(message));
}

}  // namespace belay::sqlite
