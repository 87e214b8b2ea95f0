// Parts of a measurement that need a process of their own: belay-bench calls itself, or another
// build of it.
#pragma once

#include <cstdio>
#include <optional>
#include <string>
#include <vector>

namespace belay::bench {

/// The tasks for a process of its own; the word is its first argument.
inline constexpr const char* kHoldRole = "--hold";            ///< Runs activities until canceled.
inline constexpr const char* kWaitingRole = "--waiting";      ///< Has many instances wait.
inline constexpr const char* kBusyRole = "--busy";            ///< Takes instances through.
inline constexpr const char* kDoomedRole = "--doomed";        ///< Holds activities until killed.
inline constexpr const char* kSuccessorRole = "--successor";  ///< Takes over the work of a killed
                                                              ///< process.

inline constexpr const char* kMapRole = "--maps";  ///< Runs a flow with a map of so many items.

/// The path of the program that runs.
[[nodiscard]] std::string own_program();

/// A program as another process, whose output can be read line by line.
class Child {
public:
    /// Its words must not contain quotes.
    explicit Child(const std::vector<std::string>& arguments,
                   const std::string& program = own_program());
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;
    /// Waits for its end.
    ~Child();

    /// The next line it prints, with its end. Throws if there is none.
    [[nodiscard]] std::string line();
    /// The same; nothing if there is none.
    [[nodiscard]] std::optional<std::string> next_line();

private:
    std::FILE* output_ = nullptr;
};

/// Runs such a part. Returns the exit code; -1 if the arguments ask for none.
[[nodiscard]] int run_child(const std::vector<std::string>& arguments);

}  // namespace belay::bench
