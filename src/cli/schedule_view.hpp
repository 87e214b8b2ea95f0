// Schedules as people and scripts see them.
#pragma once

#include "cli/context.hpp"
#include "cli/json.hpp"
#include <belay/schedules.hpp>

#include <string>
#include <vector>

namespace belay::cli {

/// "2026-11-19T02:15:00.000Z  2026-11-19 03:15 Europe/Brussels"
[[nodiscard]] std::string tick_line(Timestamp at, const std::string& zone);
/// "active", "paused", "ended" or "in trouble".
[[nodiscard]] std::string state_word(const ScheduleView& view);

/// All of a schedule but its times and its target, which are in `spec` if that is set.
void write_schedule(JsonWriter& out, const ScheduleView& view, const ScheduleSpec* spec);
/// Prints a schedule with its next ticks.
void print_schedule(Context& context,
                    const ScheduleView& view,
                    const std::vector<Timestamp>& ticks);

}  // namespace belay::cli
