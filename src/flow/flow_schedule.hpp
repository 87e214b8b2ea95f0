// Schedules of flows.
#pragma once

#include "expr/value.hpp"
#include "flow/definition/bundle.hpp"
#include <belay/schedules.hpp>

#include <string>
#include <vector>

namespace belay::flow {

/// A schedule and its name.
struct NamedSchedule {
    std::string name;
    ScheduleSpec spec;
};

/// Makes runs of this flow the target of a schedule, on the terms of `flow_start`. The priority,
/// the expiry, the concurrency key and the labels that the schedule has stay. Errors as
/// `flow_start`.
[[nodiscard]] Result<void> set_target(const Bundle& bundle,
                                      const expr::Value& params,
                                      ScheduleSpec& spec);

/// Returns the schedule with runs of this flow as its target, as `set_target`. Its
/// document and its params stay as they are now: a changed file does not change it. Errors as
/// `flow_start`, and those of ScheduleSpec::check.
[[nodiscard]] Result<ScheduleSpec> schedule_flow(const Bundle& bundle,
                                                 const expr::Value& params,
                                                 const std::string& name,
                                                 ScheduleSpec times);

/// Returns the schedules that the definition itself has, in their order. Their names are the name
/// of the flow, '-', and their own name or number. Errors as `schedule_flow`, with the name.
[[nodiscard]] Result<std::vector<NamedSchedule>> schedules_of(const Bundle& bundle);

}  // namespace belay::flow
