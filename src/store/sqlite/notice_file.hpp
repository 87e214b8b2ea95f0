// Notices of changes for other processes: a ring in a file beside the database.
#pragma once

#include "store/listeners.hpp"
#include <belay/error.hpp>

#include <cstdint>
#include <string>

namespace belay::sqlite {

/// Written under the write lock, so by one process at a time. Read by anyone at any time. Writing
/// the file also wakes the others: they watch it with inotify, which costs nothing while nothing
/// happens. Notices are hints: a reader that was lapped has missed some, and says so.
class NoticeFile {
public:
    /// Opens the news file beside the file `database`. Creates it if it is missing.
    [[nodiscard]] static Result<NoticeFile> open(const std::string& database);
    NoticeFile(NoticeFile&& other) noexcept;
    NoticeFile& operator=(NoticeFile&&) = delete;
    ~NoticeFile();

    /// Appends the notices.
    void publish(const store::Notices& notices);

    /// A place in the ring: the number of notices ever written.
    [[nodiscard]] std::uint64_t position() const;
    /// Returns the notices of others since `position`, and moves `position` on.
    [[nodiscard]] store::Notices read(std::uint64_t& position) const;

    /// Marks the notices that are published here, so that `read` leaves them out. Drawn at random
    /// by `open`.
    [[nodiscard]] std::uint32_t origin() const noexcept { return origin_; }
    /// Opens the same file again. `read` leaves out the notices of both objects.
    [[nodiscard]] Result<NoticeFile> reader() const;

    [[nodiscard]] const std::string& path() const noexcept { return path_; }
    [[nodiscard]] int descriptor() const noexcept { return fd_; }

private:
    NoticeFile(int fd, std::string path, std::uint32_t origin)
        : fd_(fd), path_(std::move(path)), origin_(origin) {}

    int fd_ = -1;
    std::string path_;
    std::uint32_t origin_ = 0;
};

}  // namespace belay::sqlite
