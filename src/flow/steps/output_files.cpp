#include "flow/steps/output_files.hpp"

#include "flow/steps/failures.hpp"
#include "flow/steps/small_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace belay::flow {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "belay-output-";

std::string temporary_directory() {
    const char* const named = std::getenv("TMPDIR");  // NOLINT(concurrency-mt-unsafe)
    return named != nullptr && *named != '\0' ? named : "/tmp";
}

Error trouble(const std::string& what) {
    return Error(Errc::unavailable, what + ": " + std::strerror(errno));
}

/// Returns a descriptor with the lock of a directory; -1 if somebody has it, or there is none.
int lock_of(const std::string& path) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0) return -1;
    struct stat opened{};
    struct stat named{};
    // Somebody may have removed it before it was locked.
    const bool ours = ::flock(fd, LOCK_EX | LOCK_NB) == 0 && ::fstat(fd, &opened) == 0 &&
                      ::lstat(path.c_str(), &named) == 0 && opened.st_ino == named.st_ino &&
                      opened.st_dev == named.st_dev && opened.st_uid == ::geteuid();
    if (ours) return fd;
    ::close(fd);
    return -1;
}

void remove_tree(const std::string& path) {
    std::error_code ignored;
    fs::remove_all(path, ignored);
}

void remove_those_of_the_dead(const std::string& parent) {
    std::error_code problem;
    fs::directory_iterator at(parent, problem);
    for (; !problem && at != fs::directory_iterator(); at.increment(problem)) {
        const std::string path = at->path().string();
        if (!at->path().filename().string().starts_with(kPrefix)) continue;
        const int lock = lock_of(path);
        if (lock < 0) continue;
        remove_tree(path);
        ::close(lock);
    }
}

}  // namespace

OutputFolder::OutputFolder(std::string parent) : parent_(std::move(parent)) {}

OutputFolder::~OutputFolder() {
    const detail::MutexLock lock(mutex_);
    if (lock_ < 0) return;
    remove_tree(path_);
    ::close(lock_);
}

Result<void> OutputFolder::make_folder() {
    const std::string parent = parent_.empty() ? temporary_directory() : parent_;
    constexpr int kMostTries = 16;  // Another process may take a fresh one for a dead one's.
    for (int tries = 0; lock_ < 0 && tries < kMostTries; ++tries) {
        std::string path = parent + "/" + std::string(kPrefix) + "XXXXXX";
        if (::mkdtemp(path.data()) == nullptr) {
            return trouble("cannot make a private directory in '" + parent + "'");
        }
        lock_ = lock_of(path);
        if (lock_ >= 0) path_ = std::move(path);
    }
    if (lock_ < 0) return Error(Errc::busy, "cannot lock a directory in '" + parent + "'");
    remove_those_of_the_dead(parent);
    return {};
}

Result<std::string> OutputFolder::make_file() {
    const detail::MutexLock lock(mutex_);
    if (lock_ < 0) {
        if (Result<void> made = make_folder(); !made) return made.error();
    }
    // A directory of its own, so that a program may write beside the file and rename.
    const std::string folder = path_ + "/" + std::to_string(++count_);
    if (::mkdir(folder.c_str(), S_IRWXU) != 0) return trouble("cannot make '" + folder + "'");
    std::string path = folder + "/output";
    const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (fd < 0) return trouble("cannot make '" + path + "'");
    ::close(fd);
    return path;
}

OutputFile::OutputFile(std::shared_ptr<OutputFolder> folder) : folder_(std::move(folder)) {
    Result<std::string> made = folder_->make_file();
    if (!made) {
        Failure failure;
        failure.kind = FailureKind::infrastructure;
        failure.message = "there can be no file for $BELAY_OUTPUT: " + made.error().message();
        fail(std::move(failure));
    }
    path_ = std::move(*made);
}

OutputFile::~OutputFile() { remove_tree(fs::path(path_).parent_path().string()); }

std::optional<std::string> OutputFile::read(std::size_t most) const {
    Result<std::string> text = read_small_file(path_, most);
    if (text) {
        if (text->empty()) return std::nullopt;
        return std::move(*text);
    }
    switch (text.error().code()) {
        case Errc::not_found: return std::nullopt;
        case Errc::limit_exceeded:
            fail(over_limit("the file $BELAY_OUTPUT is too long: " + text.error().message()));
        default: break;
    }
    fail(final_failure("output",
                       "the file $BELAY_OUTPUT cannot be read: " + text.error().message()));
}

}  // namespace belay::flow
