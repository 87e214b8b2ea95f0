// Parts of a measurement that need a process of their own: belay-bench calls itself.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

namespace belay::bench {

/// What a process of its own can be asked for; the word is its first argument.
inline constexpr const char* kHoldRole = "--hold";        ///< Runs activities until canceled.
inline constexpr const char* kWaitingRole = "--waiting";  ///< Has many instances wait.
inline constexpr const char* kBusyRole = "--busy";        ///< Takes instances through.

/// The program itself as another process, whose output can be read line by line.
class Child {
public:
    explicit Child(const std::vector<std::string>& arguments);
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;
    /// Waits for its end.
    ~Child();

    /// The next line it prints. Throws if there is none.
    [[nodiscard]] std::string line();

private:
    std::FILE* output_ = nullptr;
};

/// Runs such a part; the exit code. -1 if the arguments ask for none.
[[nodiscard]] int run_child(const std::vector<std::string>& arguments);

}  // namespace belay::bench
