// A fifo by which a test hears from child processes.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>
#include <utility>

namespace belay::executor_tests {

/// A pipe by name: a script says through it that it has come to a point, and everyone who has it
/// open for writing is gone when it ends.
class Fifo {
public:
    explicit Fifo(std::string path) : path_(std::move(path)) {
        EXPECT_EQ(::mkfifo(path_.c_str(), 0600), 0);
        read_ = ::open(path_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
        ::fcntl(read_, F_SETFL, 0);
        // Held open, so that there is no end before the first writer comes.
        write_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    }
    Fifo(const Fifo&) = delete;
    Fifo& operator=(const Fifo&) = delete;
    ~Fifo() {
        ::close(read_);
        if (write_ >= 0) ::close(write_);
    }
    [[nodiscard]] const std::string& path() const noexcept { return path_; }
    /// The next line that somebody writes.
    std::string line() {
        std::string text;
        char one = 0;
        while (::read(read_, &one, 1) == 1 && one != '\n') text += one;
        return text;
    }
    /// For whoever reads the next line.
    void write(const std::string& text) const {
        const std::string line = text + "\n";
        EXPECT_EQ(::write(write_, line.data(), line.size()), static_cast<ssize_t>(line.size()));
    }
    /// Waits until nobody has it open any more.
    void wait_for_end() {
        ::close(write_);
        write_ = -1;
        char one = 0;
        while (::read(read_, &one, 1) > 0) {
        }
    }

private:
    std::string path_;
    int read_ = -1;
    int write_ = -1;
};

}  // namespace belay::executor_tests
