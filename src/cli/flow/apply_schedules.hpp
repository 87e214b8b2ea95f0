// Brings the schedules of a store in line with those of a file.
#pragma once

#include "cli/context.hpp"
#include "cli/flow/pipeline.hpp"

#include <string>
#include <vector>

namespace belay::cli {

/// The fate of a schedule.
struct AppliedSchedule {
    std::string name;
    std::string what;  ///< "added", "updated", "unchanged", or "not in the file".
};

/// Adds the schedules of the file, and updates those that have changed. Those of an earlier
/// version of the file stay, and are named. Throws a Problem.
[[nodiscard]] std::vector<AppliedSchedule> apply_schedules(Context& context,
                                                           const Pipeline& pipeline,
                                                           const std::string& by);

/// Prints a line for each of them.
void print_applied(Context& context, const std::vector<AppliedSchedule>& applied);

}  // namespace belay::cli
