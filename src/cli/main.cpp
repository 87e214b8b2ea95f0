// belay: the command line.
#include "cli/app.hpp"
#include "cli/fd_stream.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <iostream>

namespace {

std::optional<std::string> variable(const std::string& name) {
    const char* const value = std::getenv(name.c_str());
    if (value == nullptr) return std::nullopt;
    return std::string(value);
}

struct Size {
    std::size_t width = 80;
    std::size_t height = 24;
};

Size terminal_size() {
    Size found;
    struct winsize size{};
    if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return found;
    if (size.ws_col != 0) found.width = std::max<std::size_t>(size.ws_col, 20);
    if (size.ws_row != 0) found.height = size.ws_row;
    return found;
}

void measure(std::size_t& width, std::size_t& height) {
    const Size size = terminal_size();
    width = size.width;
    height = size.height;
}

bool wants_colours() {
    const auto forbidden = variable("NO_COLOR");
    return ::isatty(STDOUT_FILENO) != 0 && (!forbidden || forbidden->empty()) &&
           variable("TERM").value_or("dumb") != "dumb";
}

volatile std::sig_atomic_t interrupted = 0;

/// A command that pauses is ended by Ctrl-C between two things, with all that it has printed; the
/// second time at once. Others are ended at once, as ever.
bool pause(belay::Millis time) {
    static const bool kListens = [] {
        struct sigaction action{};
        action.sa_handler = [](int) { interrupted = 1; };
        action.sa_flags = static_cast<int>(SA_RESETHAND);
        return ::sigaction(SIGINT, &action, nullptr) == 0;
    }();
    const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
    const timespec wanted{.tv_sec = seconds.count(),
                          .tv_nsec = std::chrono::nanoseconds(time - seconds).count()};
    // A signal ends it early.
    if (interrupted == 0) ::nanosleep(&wanted, nullptr);
    return !kListens || interrupted == 0;
}

}  // namespace

int main(int argc, char** argv) {
    // The reader of our output may go away at any time. Then a write fails, and that is seen.
    ::signal(SIGPIPE, SIG_IGN);
    const Size size = terminal_size();
    belay::cli::FdBuffer out_buffer(STDOUT_FILENO);
    belay::cli::FdBuffer err_buffer(STDERR_FILENO);
    std::ostream out(&out_buffer);
    std::ostream err(&err_buffer);
    belay::cli::Terminal terminal{
        .out = out,
        .err = err,
        .in = std::cin,
        .out_is_terminal = ::isatty(STDOUT_FILENO) != 0,
        .err_is_terminal = ::isatty(STDERR_FILENO) != 0,
        .in_is_terminal = ::isatty(STDIN_FILENO) != 0,
        .width = size.width,
        .height = size.height,
        .colours = wants_colours(),
        .clock = belay::system_clock(),
        .pause = pause,
        .measure = measure,
    };
    std::error_code ignored;
    const belay::cli::Environment environment{
        .variable = variable, .directory = std::filesystem::current_path(ignored).string()};
    const std::vector<std::string> words(argv + 1, argv + argc);
    const belay::cli::Exit code = belay::cli::run(words, terminal, environment);
    out.flush();
    const int problem = out_buffer.problem();
    if (problem != 0 && problem != EPIPE) {
        err << "belay: the output could not be written: " << std::strerror(problem) << "\n";
        err.flush();
        return static_cast<int>(belay::cli::Exit::trouble);
    }
    err.flush();
    return static_cast<int>(code);
}
