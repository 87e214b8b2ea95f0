#include "flow/steps/small_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace belay::flow {

namespace {

class OpenFile {
public:
    /// Without O_NONBLOCK a pipe would wait for somebody who writes to it.
    explicit OpenFile(const std::string& path)
        : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) {}
    OpenFile(const OpenFile&) = delete;
    OpenFile& operator=(const OpenFile&) = delete;
    ~OpenFile() {
        if (fd_ >= 0) ::close(fd_);
    }
    [[nodiscard]] int get() const noexcept { return fd_; }

private:
    int fd_;
};

Error file_problem() {
    const int code = errno;
    const Errc kind = code == ENOENT || code == ENOTDIR ? Errc::not_found : Errc::invalid_argument;
    return Error(kind, std::strerror(code));  // NOLINT(concurrency-mt-unsafe): glibc's is safe.
}

}  // namespace

Result<std::string> read_small_file(const std::string& path, std::size_t most) {
    const OpenFile file(path);
    if (file.get() < 0) return file_problem();
    struct stat about{};
    if (::fstat(file.get(), &about) != 0) return file_problem();
    if (!S_ISREG(about.st_mode)) return Error(Errc::invalid_argument, "it is not a regular file");
    std::string text;
    std::array<char, 16 * 1024> buffer;
    while (true) {
        const ssize_t got = ::read(file.get(), buffer.data(), buffer.size());
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return file_problem();
        if (got == 0) return text;
        text.append(buffer.data(), static_cast<std::size_t>(got));
        if (text.size() > most) {
            return Error(Errc::limit_exceeded,
                         "it has more than " + std::to_string(most) + " bytes");
        }
    }
}

}  // namespace belay::flow
