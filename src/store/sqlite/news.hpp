// How other processes hear of changes: a ring of notices in a file beside the database.
#pragma once

#include "store/listeners.hpp"
#include <belay/error.hpp>

#include <cstdint>
#include <string>

namespace belay::sqlite {

/// Written under the write lock, so by one process at a time; read by anyone at any time. Writing
/// the file is also what wakes the others: they watch it with inotify, which costs nothing while
/// nothing happens. Notices are hints: a reader that was lapped has missed some, and says so.
class News {
public:
    /// Opens the news of the file `database`, which are beside it; makes them if they are missing.
    [[nodiscard]] static Result<News> open(const std::string& database);
    News(News&& other) noexcept;
    News& operator=(News&&) = delete;
    ~News();

    /// Appends what happened.
    void publish(const store::Notices& notices);

    /// A place in the ring: the number of notices ever written.
    [[nodiscard]] std::uint64_t position() const;
    /// What others wrote since `position`, which moves on.
    [[nodiscard]] store::Notices read(std::uint64_t& position) const;

    /// Marks what is published here, so that `read` leaves it out. Drawn at random by `open`.
    [[nodiscard]] std::uint32_t origin() const noexcept { return origin_; }
    /// The same file, and what the other object writes is one's own.
    [[nodiscard]] Result<News> reader() const;

    [[nodiscard]] const std::string& path() const noexcept { return path_; }
    [[nodiscard]] int descriptor() const noexcept { return fd_; }

private:
    News(int fd, std::string path, std::uint32_t origin)
        : fd_(fd), path_(std::move(path)), origin_(origin) {}

    int fd_ = -1;
    std::string path_;
    std::uint32_t origin_ = 0;
};

}  // namespace belay::sqlite
