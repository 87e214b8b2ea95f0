// The exit codes of commands.
#pragma once

#include <belay/error.hpp>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace belay::cli {

/// Part of the interface: docs/reference/cli.md lists them, scripts depend on them.
enum class Exit : int {
    ok = 0,
    failed = 1,     ///< The thing asked about is not well: a run failed, a check found a fault.
    usage = 2,      ///< The command line makes no sense.
    not_found = 3,  ///< There is no such instance, key or letter.
    refused = 4,    ///< The state of things forbids it, or the person at the terminal did.
    trouble = 5,    ///< The store or the machine: cannot be opened, is busy, is damaged.
    timed_out = 6,  ///< It has not happened within the time that was given.
    unknown = 7,    ///< It may have been done or not.
    canceled = 8,   ///< `belay run`: the run was canceled.
    invalid = 9,    ///< A definition has mistakes.
    left = 10,  ///< `belay run` left before the end, and the run goes on when it is called again.
};

/// The work that a command had done before it failed: names and numbers.
using Before = std::vector<std::pair<std::string, std::uint64_t>>;

/// Ends a command. Thrown anywhere below `run`, which prints the fault and the advice.
class Problem final : public std::runtime_error {
public:
    Problem(Exit code, const std::string& message, std::string advice = {}, Before before = {})
        : std::runtime_error(message),
          exit_(code),
          advice_(std::move(advice)),
          before_(std::move(before)) {}

    [[nodiscard]] Exit exit() const noexcept { return exit_; }
    [[nodiscard]] const std::string& advice() const noexcept { return advice_; }
    [[nodiscard]] const Before& before() const noexcept { return before_; }

private:
    Exit exit_;
    std::string advice_;
    Before before_;
};

/// The exit code and the advice for an error of the client.
[[nodiscard]] Exit exit_of(Errc code) noexcept;
[[nodiscard]] std::string advice_of(Errc code);
[[nodiscard]] Problem problem_of(const Error& error);
/// The same, for a command that had done a part of its work. `said` tells people what, unless it is
/// empty; `before` tells scripts. More may be done: also a part of what failed.
[[nodiscard]] Problem stopped_problem(const Error& error, const std::string& said, Before before);

/// Returns the value. Throws the Problem of the error if there is none, which ends the command.
template <class T>
[[nodiscard]] T or_throw(Result<T> result) {
    if (!result) throw problem_of(result.error());
    return std::move(result).value();
}
inline void or_throw(const Result<void>& result) {
    if (!result) throw problem_of(result.error());
}

/// A mistake on the command line.
[[nodiscard]] Problem usage_problem(const std::string& message, std::string advice = {});

}  // namespace belay::cli
