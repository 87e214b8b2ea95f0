// The standard error as a pipe that a test reads.
#pragma once

#include <belay/detail/assert.hpp>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace belay::support {

/// While it lives, the standard error is a pipe.
class PipeForErrors {
public:
    PipeForErrors() {
        BELAY_ASSERT(::pipe2(ends_.data(), O_CLOEXEC) == 0);
        BELAY_ASSERT(::dup2(ends_[1], STDERR_FILENO) == STDERR_FILENO);
    }
    PipeForErrors(const PipeForErrors&) = delete;
    PipeForErrors& operator=(const PipeForErrors&) = delete;
    ~PipeForErrors() {
        BELAY_ASSERT(::dup2(before_, STDERR_FILENO) == STDERR_FILENO);
        for (const int end : {ends_[0], ends_[1], before_}) ::close(end);
    }
    /// Nothing more can be written without somebody reading.
    void fill() {
        const std::string many(1024, 'x');
        for (pollfd one{ends_[1], POLLOUT, 0}; ::poll(&one, 1, 0) > 0;) {
            BELAY_ASSERT(::write(ends_[1], many.data(), many.size()) > 0);
        }
    }
    /// All that is in it.
    std::string read() {
        std::string text(1U << 20U, '\0');
        const ssize_t count = ::read(ends_[0], text.data(), text.size());
        text.resize(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
        return text;
    }
    /// Nobody will read.
    void break_off() { ::close(std::exchange(ends_[0], -1)); }

private:
    int before_ = ::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
    std::array<int, 2> ends_{};
};

}  // namespace belay::support
