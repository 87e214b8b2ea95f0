// The limits of definitions: a definition stays small enough to be read at once, whoever wrote it.
#pragma once

#include <belay/time.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace belay::flow {

/// The longest text of a definition, in bytes.
inline constexpr std::size_t kMostSource = 1024 * 1024;
/// The largest document of a bundle, in bytes.
inline constexpr std::size_t kMostDocument = 8 * 1024 * 1024;
/// Definitions in a bundle.
inline constexpr std::size_t kMostFlows = 100;
/// The deepest nesting of sub-flows, when they run. A definition may start itself.
inline constexpr std::uint32_t kDeepestFlows = 32;

/// Steps of a definition, those of `on_fail`, `finally` and `on_cancel` included.
inline constexpr std::size_t kMostSteps = 1'000;
inline constexpr std::size_t kMostParams = 200;
inline constexpr std::size_t kMostSecrets = 100;
inline constexpr std::size_t kMostSchedules = 100;
/// Labels of a definition. A run has room for as many of its own.
inline constexpr std::size_t kMostLabels = 32;
/// Bytes of a label, with its name.
inline constexpr std::size_t kMostLabelText = 1024;

/// Starts that a rate counts. The same as belay::Limits::rate_starts.
inline constexpr std::int64_t kMostRateStarts = 100'000;

/// Items of a map.
inline constexpr std::size_t kMostItems = 1'000'000;
/// Items of a map that are under way at a time.
inline constexpr std::uint32_t kMostWindow = 10'000;
inline constexpr std::uint32_t kMostAttempts = 100'000;
inline constexpr double kMostFactor = 1'000;
/// The highest priority; the lowest one is its negative.
inline constexpr std::int64_t kMostPriority = 1'000'000;

/// The longest id of a step, and the longest name of a flow, a param, a secret or an item.
inline constexpr std::size_t kMostName = 63;
/// The longest name of a queue, a session, an event or an activity.
inline constexpr std::size_t kMostEngineName = 200;
inline constexpr std::size_t kMostDescription = 4 * 1024;
/// The longest shell script. Linux limits one argument of a program to 128 KiB.
inline constexpr std::size_t kMostScript = 120 * 1024;

/// The longest time that a definition can name.
inline constexpr Millis kLongestTime = std::chrono::days(3650);
/// The longest time that the cleanup of a canceled step may take.
inline constexpr Millis kLongestCleanup = std::chrono::minutes(50);
/// The longest time that all cleanup after a cancel may ask for: that of steps, `on_cancel` and
/// `finally`, with their defaults.
inline constexpr Millis kLongestCleanups = std::chrono::minutes(61);
/// The time after a cancel at which `finally` ends. A cancel waits for an hour at most
/// (Policy::cancel_deadline_max), turns included.
inline constexpr Millis kLastCleanup = std::chrono::minutes(59);

}  // namespace belay::flow
