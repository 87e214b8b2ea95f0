// What the processes of the crash suite run.
#pragma once

#include <belay/activity.hpp>
#include <belay/registry.hpp>

#include <cstdint>
#include <string>

namespace belay::crash {

/// A number through a few activities, some of them at once: its result says which of them counted,
/// and how often.
inline constexpr Definition<std::int64_t(std::int64_t)> Sum{"Sum"};
/// Waits long in an activity: ends only by being canceled. Then one cleanup is recorded.
inline constexpr Definition<void()> Endless{"Endless"};
/// Of the second version of the program only.
inline constexpr Definition<std::int64_t(std::int64_t)> Newer{"Newer"};

/// What Sum(n) comes to.
[[nodiscard]] constexpr std::int64_t sum_of(std::int64_t n) { return 5 * n + 10; }
[[nodiscard]] constexpr std::int64_t newer_of(std::int64_t n) { return 7 * n; }

/// The code of version 1 or 2 of the program. Activities write what they do to `effects`, one line
/// each, at once: "<idempotency key> <attempt>".
[[nodiscard]] Registry code_of(int version, const std::string& effects);

}  // namespace belay::crash
