// Orchestrations and activities for the processes of the crash suite.
#pragma once

#include <belay/activity.hpp>
#include <belay/registry.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace belay::crash {

/// A number through a few activities, some of them at once: its result says which of them counted,
/// and how often.
inline constexpr Definition<std::int64_t(std::int64_t)> Sum{"Sum"};
/// Waits long in an activity: ends only by being canceled. Then it cleans up, by an activity of
/// its own, if its first turn had been committed.
inline constexpr Definition<void()> Endless{"Endless"};
/// Exists in the second version of the program only.
inline constexpr Definition<std::int64_t(std::int64_t)> Newer{"Newer"};

/// The result of Sum(n).
[[nodiscard]] constexpr std::int64_t sum_of(std::int64_t n) { return 5 * n + 10; }
[[nodiscard]] constexpr std::int64_t newer_of(std::int64_t n) { return 7 * n; }

/// Which activity each of them calls, and how often.
struct Calls {
    const char* activity;
    std::size_t count;
};
inline constexpr Calls kCallsOfSum{"Add", 6};
inline constexpr Calls kCallsOfNewer{"Seven", 1};
inline constexpr const char* kCleanup = "Undo";

/// The code of version 1 or 2 of the program. Activities write what they do to `effects`, one line
/// each, at once: "<instance> <activity> <idempotency key> <attempt>".
[[nodiscard]] Registry code_of(int version, const std::string& effects);

}  // namespace belay::crash
