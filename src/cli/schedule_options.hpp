// The times and the target of a schedule, from the options of a command line.
#pragma once

#include "cli/command.hpp"
#include "cli/context.hpp"
#include <belay/schedules.hpp>

#include <string>
#include <vector>

namespace belay::cli {

/// The options of times: --cron, --every, --at and what belongs to them.
[[nodiscard]] std::vector<Option> time_options();
/// All options of a schedule, those of times included.
[[nodiscard]] std::vector<Option> spec_options();

/// Reads the options into `spec`; those that are not given stay as they are. Throws a Problem.
void read_times(const Arguments& arguments, ScheduleSpec& spec);
/// Reads all options of the schedule of this name: first the file of --spec, then the others over
/// it. With --flow, uses the store beside that file unless one is named.
[[nodiscard]] ScheduleSpec read_schedule(Context& context,
                                         const Arguments& arguments,
                                         const std::string& name);

}  // namespace belay::cli
