// A stream onto a file descriptor that remembers why it could not be written to.
#pragma once

#include <array>
#include <ostream>
#include <streambuf>

namespace belay::cli {

class FdBuffer final : public std::streambuf {
public:
    explicit FdBuffer(int fd) : fd_(fd) { setp(buffer_.data(), buffer_.data() + buffer_.size()); }

    /// 0, or the errno of the write that failed; after that nothing more is written.
    [[nodiscard]] int problem() const noexcept { return problem_; }

protected:
    int_type overflow(int_type c) override;
    int sync() override;

private:
    bool flush();

    int fd_;
    int problem_ = 0;
    std::array<char, 8192> buffer_{};
};

}  // namespace belay::cli
