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
#include <filesystem>
#include <iostream>
#include <thread>

namespace {

std::optional<std::string> variable(const std::string& name) {
    const char* const value = std::getenv(name.c_str());
    if (value == nullptr) return std::nullopt;
    return std::string(value);
}

std::size_t terminal_width() {
    constexpr std::size_t kUsual = 80;
    struct winsize size{};
    if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kUsual;
    return std::max<std::size_t>(size.ws_col, 20);
}

bool wants_colours() {
    const auto forbidden = variable("NO_COLOR");
    return ::isatty(STDOUT_FILENO) != 0 && (!forbidden || forbidden->empty()) &&
           variable("TERM").value_or("dumb") != "dumb";
}

bool pause(belay::Millis time) {
    std::this_thread::sleep_for(time);
    return true;
}

}  // namespace

int main(int argc, char** argv) {
    // Who reads our output may go away at any time: then a write fails, and that is seen.
    ::signal(SIGPIPE, SIG_IGN);
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
        .width = terminal_width(),
        .colours = wants_colours(),
        .clock = belay::system_clock(),
        .pause = pause,
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
