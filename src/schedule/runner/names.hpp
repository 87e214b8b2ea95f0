// The names under which schedules are stored.
#pragma once

#include <belay/error.hpp>

#include <string>
#include <string_view>

namespace belay::schedule {

/// The orchestration of schedules.
inline constexpr std::string_view kDefinition = "belay.schedule";
/// The activity that decides each step of a schedule.
inline constexpr std::string_view kAdvance = "belay.schedule.advance";
/// The queue of a schedule that receives changes.
inline constexpr const char* kChanges = "belay.schedule.changes";
/// The key under which a schedule keeps its times and its target; the rest of a long text follows
/// under `kSpec` with a number.
inline constexpr const char* kSpec = "spec";
/// The label of the runs that a schedule starts: its name.
inline constexpr const char* kLabel = "belay.schedule";
/// The longest name, so that a name fits the ids of its runs.
inline constexpr std::size_t kLongestName = 200;

/// Returns the id of the instance that keeps the schedule of this name. The prefix keeps names
/// apart from the ids of other instances.
[[nodiscard]] std::string id_of(std::string_view name);
/// The inverse of `id_of`. Returns the whole id if it has no such prefix.
[[nodiscard]] std::string name_of(std::string_view id);
/// Checks the name of a schedule.
[[nodiscard]] Result<void> check_schedule_name(std::string_view name);

}  // namespace belay::schedule
