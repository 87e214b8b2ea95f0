// From the description of a schedule to its times.
#pragma once

#include "schedule/runner/strict_object.hpp"
#include "schedule/timing.hpp"
#include <belay/schedules.hpp>

#include <optional>

namespace belay::schedule {

/// The shortest interval between two ticks, and the longest jitter.
inline constexpr Millis kShortestInterval{1'000};
inline constexpr Millis kLongestJitter{24 * 3'600'000};
/// The longest interval, and the longest time to catch up with.
inline constexpr Millis kLongestTime{36'500LL * 86'400'000};
/// The longest JSON form of a schedule.
inline constexpr std::size_t kLongestSpec = 512 * 1024;

/// Returns the times; none, with at least one problem, if there are none.
[[nodiscard]] std::optional<Timing> timing_of(const ScheduleSpec& spec, Problems& problems);

/// Reports every field that cannot be used, those of the times included.
void check_spec(const ScheduleSpec& spec, Problems& problems);

}  // namespace belay::schedule
