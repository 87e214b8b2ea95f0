// Other processes, and how a test talks with them.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <functional>
#include <stdexcept>

namespace belay::sqlite {

/// Another process. Runs `body` and exits with 0 when it returns true; is killed with the test.
class Process {
public:
    explicit Process(const std::function<bool()>& body) {
        pid_ = ::fork();
        if (pid_ == 0) {
            bool well = false;
            try {
                well = body();
            } catch (const std::exception& error) {
                std::fprintf(stderr, "in another process: %s\n", error.what());
            }
            ::_exit(well ? 0 : 1);
        }
    }
    ~Process() {
        if (pid_ > 0) kill();
    }
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;

    /// Its exit status; the signal's number + 128 if it was killed.
    int wait() {
        int status = 0;
        ::waitpid(pid_, &status, 0);
        pid_ = -1;
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    void kill() {
        ::kill(pid_, SIGKILL);
        wait();
    }
    [[nodiscard]] pid_t pid() const noexcept { return pid_; }
    void signal(int number) { ::kill(pid_, number); }

private:
    pid_t pid_ = -1;
};

/// Runs `check` in another process, as somebody whom file permissions bind, which root is not.
/// Returns what it returned.
inline bool as_nobody(const std::function<bool()>& check) {
    if (::geteuid() != 0) return check();
    constexpr uid_t kNobody = 65534;
    return Process([&] {
               if (::setgid(kNobody) != 0 || ::setuid(kNobody) != 0) return false;
               return check();
           }).wait() == 0;
}

/// Single bytes from one process to another.
class Pipe {
public:
    Pipe() {
        if (::pipe(ends_.data()) != 0) throw std::runtime_error("no pipe");
    }
    ~Pipe() {
        for (const int end : ends_) ::close(end);
    }
    void send(char byte) {
        if (::write(ends_[1], &byte, 1) != 1) throw std::runtime_error("cannot send");
    }
    /// The ends' numbers, for a program.
    [[nodiscard]] int output() const { return ends_[0]; }
    [[nodiscard]] int input() const { return ends_[1]; }
    char receive() {
        char byte = 0;
        if (::read(ends_[0], &byte, 1) != 1) throw std::runtime_error("nobody sends");
        return byte;
    }

private:
    std::array<int, 2> ends_{};
};

}  // namespace belay::sqlite
