// Starts a program as a child process.
#pragma once

#include <belay/program.hpp>

#include <sys/types.h>

#include <string>
#include <utility>

namespace belay::runtime {

/// A file descriptor that is closed at the end.
class Fd {
public:
    Fd() = default;
    explicit Fd(int fd) noexcept : fd_(fd) {}
    Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    Fd& operator=(Fd&& other) noexcept {
        if (this != &other) {
            reset();
            fd_ = std::exchange(other.fd_, -1);
        }
        return *this;
    }
    ~Fd() { reset(); }

    void reset() noexcept;
    [[nodiscard]] int get() const noexcept { return fd_; }
    explicit operator bool() const noexcept { return fd_ >= 0; }

private:
    int fd_ = -1;
};

/// A child process that runs, and our ends of its streams, none of which blocks.
struct Spawned {
    pid_t pid = -1;
    Fd process;  ///< Readable when it has ended.
    Fd input;    ///< None if it has no input.
    Fd output;
    Fd error;
};

/// Why there is no child process.
struct SpawnProblem {
    int code = 0;  ///< errno; 0 if all is well.
    std::string message{};
    bool begun = false;  ///< It may have run for a moment, and was killed.
};

/// Starts it as the leader of a process group of its own. It is killed when the calling thread ends
/// (prctl(2), PR_SET_PDEATHSIG), so that must be one that outlives it. All signals must be blocked
/// there.
[[nodiscard]] SpawnProblem spawn(const Program& program, Spawned& child);

}  // namespace belay::runtime
