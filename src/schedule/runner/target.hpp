// The target of a schedule in its JSON form: what is started, and on which terms.
#pragma once

#include "schedule/runner/strict_object.hpp"
#include <belay/schedules.hpp>

namespace belay::schedule {

void read_target(const json::Value& value, ScheduleSpec& spec, Problems& problems);
/// Writes the member `target`, without what is usual.
void write_target(json::Writer& out, const ScheduleSpec& spec);

/// Reports every field of the target that no start accepts.
void check_target(const ScheduleSpec& spec, Problems& problems);

}  // namespace belay::schedule
