// Programs as activities: what to run, and what came of it.
#pragma once

#include <belay/codec.hpp>
#include <belay/limits.hpp>

#include <concepts>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace belay {

/// A program to be run as a child process, with its arguments:
///
///     belay::Program("convert", file, "-resize", "50%", "-").directory("/srv/images")
///
/// It is looked up in PATH unless its name has a slash, and gets its arguments as they are: there
/// is no shell. It leads a process group of its own, inherits no file but its three streams and no
/// blocked or ignored signal. Its input is `input`, or nothing. A process that it leaves behind in
/// its group is killed when it ends. If this process dies, in whatever way, so does the whole
/// group (SIGKILL), before the next attempt begins. A program that has gained privileges cannot be
/// killed.
class Program {
public:
    /// Starts nothing: it says what is to be run.
    template <std::convertible_to<std::string>... Arguments>
    explicit Program(std::string name, Arguments&&... arguments) : name_(std::move(name)) {
        arguments_.reserve(sizeof...(Arguments));
        (arguments_.push_back(std::string(std::forward<Arguments>(arguments))), ...);
    }

    /// One more argument, behind the others.
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
    /// It gets only those variables that are set here.
    Program& only_this_environment() & {
        inherit_ = false;
        return *this;
    }
    Program&& only_this_environment() && { return std::move(only_this_environment()); }
    /// Where it runs; in the directory of this process unless something is said.
    Program& directory(std::string path) & {
        directory_ = std::move(path);
        return *this;
    }
    Program&& directory(std::string path) && { return std::move(directory(std::move(path))); }
    /// What it reads on its standard input.
    Program& input(std::string bytes) & {
        input_ = std::move(bytes);
        return *this;
    }
    Program&& input(std::string bytes) && { return std::move(input(std::move(bytes))); }
    /// An exit status that is a success too. Zero always is.
    Program& accept(int status) & {
        accepted_.push_back(status);
        return *this;
    }
    Program&& accept(int status) && { return std::move(accept(status)); }
    /// Every exit status is a success: look at ProgramOutput::status. A signal is none.
    Program& accept_any() & {
        any_ = true;
        return *this;
    }
    Program&& accept_any() && { return std::move(accept_any()); }
    /// How much of its standard output is kept, from the beginning.
    Program& output_limit(std::size_t bytes) & {
        output_limit_ = bytes;
        return *this;
    }
    Program&& output_limit(std::size_t bytes) && { return std::move(output_limit(bytes)); }
    /// How much of its standard error is kept, up to the end.
    Program& error_limit(std::size_t bytes) & {
        error_limit_ = bytes;
        return *this;
    }
    Program&& error_limit(std::size_t bytes) && { return std::move(error_limit(bytes)); }

    /// The program, as it was said. What follows is for whoever runs it.
    [[nodiscard]] const std::string& name() const noexcept { return name_; }
    /// Without its name.
    [[nodiscard]] const std::vector<std::string>& arguments() const noexcept { return arguments_; }
    /// What is set in its environment.
    [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& variables()
        const noexcept {
        return environment_;
    }
    /// Whether it gets the variables of this process, too.
    [[nodiscard]] bool inherits_environment() const noexcept { return inherit_; }
    /// Empty: that of this process.
    [[nodiscard]] const std::string& working_directory() const noexcept { return directory_; }
    /// What it reads.
    [[nodiscard]] const std::string& standard_input() const noexcept { return input_; }
    /// See `output_limit`.
    [[nodiscard]] std::size_t most_output() const noexcept { return output_limit_; }
    /// See `error_limit`.
    [[nodiscard]] std::size_t most_error() const noexcept { return error_limit_; }
    /// Whether this exit status is a success.
    [[nodiscard]] bool accepts(int status) const noexcept;

private:
    std::string name_;
    std::vector<std::string> arguments_;
    std::vector<std::pair<std::string, std::string>> environment_;
    bool inherit_ = true;
    std::string directory_;
    std::string input_;
    std::vector<int> accepted_;
    bool any_ = false;
    std::size_t output_limit_ = Limits().program_output_bytes;
    std::size_t error_limit_ = Limits().program_error_bytes;
};

/// What a program left: a value, and a possible result of an activity.
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

/// How the run of a program ended, as the process's watcher tells it.
struct ProgramEnd {
    std::string problem{};  ///< Why it could not be started, or what was lost; empty if all is
                            ///< well.
    bool ours = false;      ///< That problem is trouble of this machine, not the program's.
    ProgramOutput output{};
};

/// The output of a program that succeeded; else throws OperationFailed with the end of its standard
/// error as the detail.
[[nodiscard]] ProgramOutput take_output(const Program& program, ProgramEnd end);

/// Throws OperationFailed if some of the output is missing: a part of a result is none.
void require_whole(const ProgramOutput& output);

/// Which results an activity can have whose code gives a Program.
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
