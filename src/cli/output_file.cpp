#include "cli/output_file.hpp"

#include "cli/exit_code.hpp"
#include "cli/text.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <utility>

namespace belay::cli {

namespace {

/// As many as Linux follows itself.
constexpr int kMostLinks = 40;

[[noreturn]] void fail(const std::string& path, int problem) {
    throw Problem(Exit::trouble, "cannot write '" + safe(path) + "': " + std::strerror(problem));
}

class Descriptor {
public:
    explicit Descriptor(int number) noexcept : number_(number) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() {
        if (number_ >= 0) ::close(number_);
    }
    [[nodiscard]] int number() const noexcept { return number_; }
    /// Returns false on an error: some file systems report a failed write only now.
    [[nodiscard]] bool close() noexcept { return ::close(std::exchange(number_, -1)) == 0; }

private:
    int number_;
};

[[nodiscard]] bool write_all(int descriptor, std::string_view content) {
    while (!content.empty()) {
        const ssize_t written = ::write(descriptor, content.data(), content.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return false;
        content.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

/// Follows links: returns where a path leads to, also when nothing is there yet.
std::string followed(const std::string& path) {
    std::filesystem::path at = path;
    std::error_code problem;
    for (int links = 0; std::filesystem::is_symlink(at, problem); ++links) {
        if (links == kMostLinks) fail(path, ELOOP);
        const std::filesystem::path target = std::filesystem::read_symlink(at, problem);
        if (problem) fail(path, problem.value());
        at = at.parent_path() / target;  // An absolute target stands for itself.
    }
    return at.string();
}

void write_through(const std::string& path, const std::string& content) {
    Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
    if (file.number() < 0 || !write_all(file.number(), content) || !file.close()) fail(path, errno);
}

/// A name that has been given to the file lasts when its directory is on disk.
void sync_directory(const std::string& path, const std::string& directory) {
    const Descriptor descriptor(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    // Some file systems cannot: it is then as good as they make it.
    if (descriptor.number() < 0) return;
    if (::fsync(descriptor.number()) != 0 && errno != EINVAL && errno != EBADF) fail(path, errno);
}

/// Writes a file under a name that nobody has, in the same directory, and then renames it. `old`:
/// the file that is there.
void replace(const std::string& path, const std::string& content, const struct stat* old) {
    const std::filesystem::path above = std::filesystem::path(path).parent_path();
    const std::string directory = above.empty() ? "." : above.string();
    std::string fresh = directory + "/.belay-export-XXXXXX";
    Descriptor file(::mkostemp(fresh.data(), O_CLOEXEC));
    if (file.number() < 0) fail(path, errno);
    bool fine = true;
    if (old != nullptr) {
        // Only root can give a file away. Another user who writes it anew owns it from then on.
        (void)!::fchown(file.number(), old->st_uid, old->st_gid);
        fine = ::fchmod(file.number(), old->st_mode & mode_t{0777}) == 0;
    }
    fine = fine && write_all(file.number(), content) && ::fsync(file.number()) == 0 &&
           file.close() && ::rename(fresh.c_str(), path.c_str()) == 0;
    if (!fine) {
        const int problem = errno;
        ::unlink(fresh.c_str());
        fail(path, problem);
    }
    sync_directory(path, directory);
}

}  // namespace

bool replaces_file(const std::string& path) {
    std::error_code problem;
    return std::filesystem::is_regular_file(path, problem);
}

void write_file(const std::string& path, const std::string& content) {
    const std::string target = followed(path);
    struct stat old{};
    if (::stat(target.c_str(), &old) != 0) {
        if (errno != ENOENT) fail(path, errno);
        replace(target, content, nullptr);
    } else if (S_ISREG(old.st_mode)) {
        replace(target, content, &old);
    } else {
        write_through(target, content);
    }
}

}  // namespace belay::cli
