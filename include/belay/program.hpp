// Programs as activities, and their output.
#pragma once

#include <belay/codec.hpp>
#include <belay/limits.hpp>

#include <concepts>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace belay {

/// A stream that a program writes to.
enum class ProgramStream : std::uint8_t { output = 1, error = 2 };

/// A program to be run as a child process, with its arguments:
///
///     belay::Program("convert", file, "-resize", "50%", "-").directory("/srv/images")
///
/// It is looked up in PATH unless its name has a slash, and gets its arguments as they are: there
/// is no shell. It leads a process group of its own. It inherits no file but its three streams, and
/// no blocked or ignored signal. Its input is `input`, or nothing. A process that it leaves behind
/// in its group is killed when it ends. If this process dies, in any way, so does the whole group
/// (SIGKILL), before the next attempt begins. A program that has gained privileges cannot be
/// killed.
class Program {
public:
    /// Describes a program and starts nothing.
    template <std::convertible_to<std::string>... Arguments>
    explicit Program(std::string name, Arguments&&... arguments) : name_(std::move(name)) {
        arguments_.reserve(sizeof...(Arguments));
        (arguments_.push_back(std::string(std::forward<Arguments>(arguments))), ...);
    }

    /// Adds an argument after the others.
    Program& argument(std::string value) & {
        arguments_.push_back(std::move(value));
        return *this;
    }
    Program&& argument(std::string value) && { return std::move(argument(std::move(value))); }
    /// Sets a variable of its environment, beside those of this process.
    Program& environment(std::string name, std::string value) & {
        environment_.emplace_back(std::move(name), std::move(value));
        return *this;
    }
    Program&& environment(std::string name, std::string value) && {
        return std::move(environment(std::move(name), std::move(value)));
    }
    /// Passes only the variables that are set here.
    Program& only_this_environment() & {
        inherit_ = false;
        return *this;
    }
    Program&& only_this_environment() && { return std::move(only_this_environment()); }
    /// The working directory. Default: the directory of this process.
    Program& directory(std::string path) & {
        directory_ = std::move(path);
        return *this;
    }
    Program&& directory(std::string path) && { return std::move(directory(std::move(path))); }
    /// The bytes of its standard input.
    Program& input(std::string bytes) & {
        input_ = std::move(bytes);
        return *this;
    }
    Program&& input(std::string bytes) && { return std::move(input(std::move(bytes))); }
    /// Accepts an exit status as a success, beside zero.
    Program& accept(int status) & {
        accepted_.push_back(status);
        return *this;
    }
    Program&& accept(int status) && { return std::move(accept(status)); }
    /// Accepts every exit status as a success: see ProgramOutput::status. A signal is none.
    Program& accept_any() & {
        any_ = true;
        return *this;
    }
    Program&& accept_any() && { return std::move(accept_any()); }
    /// Accepts an end by a signal as a success: see ProgramOutput::signal.
    Program& accept_signals() & {
        signals_ = true;
        return *this;
    }
    Program&& accept_signals() && { return std::move(accept_signals()); }
    /// The signal that asks its process group to end, when the activity is stopped. Default:
    /// SIGTERM. Throws std::invalid_argument if there is no such signal.
    Program& stop_signal(int signal) &;
    Program&& stop_signal(int signal) && { return std::move(stop_signal(signal)); }
    /// Receives all that the program writes, while it runs, in pieces of any size. Called by a
    /// thread that serves all programs, never by two at once, and not after the program has ended.
    /// Must not block or throw.
    Program& watch(std::function<void(ProgramStream, std::string_view)> watcher) & {
        watcher_ = std::move(watcher);
        return *this;
    }
    Program&& watch(std::function<void(ProgramStream, std::string_view)> watcher) && {
        return std::move(watch(std::move(watcher)));
    }
    /// The number of bytes of its standard output that are kept, from the beginning.
    Program& output_limit(std::size_t bytes) & {
        output_limit_ = bytes;
        return *this;
    }
    Program&& output_limit(std::size_t bytes) && { return std::move(output_limit(bytes)); }
    /// The number of bytes of its standard error that are kept, up to the end.
    Program& error_limit(std::size_t bytes) & {
        error_limit_ = bytes;
        return *this;
    }
    Program&& error_limit(std::size_t bytes) && { return std::move(error_limit(bytes)); }

    /// Returns the program's name as given. The functions from here on are for executors.
    [[nodiscard]] const std::string& name() const noexcept { return name_; }
    /// Returns the arguments without the name.
    [[nodiscard]] const std::vector<std::string>& arguments() const noexcept { return arguments_; }
    /// Returns the variables that are set in its environment.
    [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& variables()
        const noexcept {
        return environment_;
    }
    /// True if it gets the variables of this process, too.
    [[nodiscard]] bool inherits_environment() const noexcept { return inherit_; }
    /// Returns the working directory; empty: that of this process.
    [[nodiscard]] const std::string& working_directory() const noexcept { return directory_; }
    /// Returns the bytes of its standard input.
    [[nodiscard]] const std::string& standard_input() const noexcept { return input_; }
    /// See `output_limit`.
    [[nodiscard]] std::size_t most_output() const noexcept { return output_limit_; }
    /// See `error_limit`.
    [[nodiscard]] std::size_t most_error() const noexcept { return error_limit_; }
    /// True if this exit status is a success.
    [[nodiscard]] bool accepts(int status) const noexcept;
    /// True if an end by a signal is a success.
    [[nodiscard]] bool accepts_signals() const noexcept { return signals_; }
    /// Returns the signal that asks its process group to end.
    [[nodiscard]] int stopping_signal() const noexcept { return stop_signal_; }
    /// Passes on what it has written to its watcher, if it has one.
    void wrote(ProgramStream stream, std::string_view bytes) const {
        if (watcher_) watcher_(stream, bytes);
    }

private:
    std::string name_;
    std::vector<std::string> arguments_;
    std::vector<std::pair<std::string, std::string>> environment_;
    bool inherit_ = true;
    std::string directory_;
    std::string input_;
    std::vector<int> accepted_;
    bool any_ = false;
    bool signals_ = false;
    int stop_signal_ = SIGTERM;
    std::function<void(ProgramStream, std::string_view)> watcher_;
    std::size_t output_limit_ = Limits().program_output_bytes;
    std::size_t error_limit_ = Limits().program_error_bytes;
};

/// The output of a program: a value, and a possible result of an activity.
struct ProgramOutput {
    int status = 0;  ///< Its exit status; -1 if a signal ended it.
    int signal = 0;  ///< The signal that ended it, or 0.
    std::string output{};
    std::string error{};
    bool output_cut = false;  ///< `output` is only the beginning: it wrote more than is kept.
    bool error_cut = false;   ///< `error` is only the end.

    bool operator==(const ProgramOutput&) const = default;
};

/// All of it: status, signal, both outputs and their marks.
template <>
struct Codec<ProgramOutput> {
    static Payload encode(const ProgramOutput& value);
    static ProgramOutput decode(const Payload& payload);
};

namespace detail {

/// The end of a program, as reported by the process's watcher.
struct ProgramEnd {
    std::string problem{};  ///< The reason why it could not be started, or what was lost; empty if
                            ///< there is no problem.
    bool ours = false;      ///< True if the problem is this machine's, not the program's.
    ProgramOutput output{};
};

/// Returns the output of a program that succeeded; else throws OperationFailed with the end of its
/// standard error as the detail.
[[nodiscard]] ProgramOutput take_output(const Program& program, ProgramEnd end);

/// Throws OperationFailed if some of the output is missing: part of a result is no result.
void require_whole(const ProgramOutput& output);

/// True for types that an activity can return if its code gives a Program.
template <class R>
inline constexpr bool kProgramResult =
    std::is_void_v<R> || std::is_same_v<R, std::string> ||
    std::is_same_v<R, std::vector<std::byte>> || std::is_same_v<R, ProgramOutput>;

template <class R>
Payload program_payload(const ProgramOutput& output) {
    if constexpr (std::is_void_v<R>) {
        return {};
    } else if constexpr (std::is_same_v<R, ProgramOutput>) {
        return Codec<ProgramOutput>::encode(output);
    } else {
        require_whole(output);
        return Payload(std::is_same_v<R, std::string> ? PayloadCodec::text : PayloadCodec::bytes,
                       output.output);
    }
}

}  // namespace detail

}  // namespace belay
