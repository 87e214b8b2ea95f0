// The JSON form of a schedule's times and target.
#pragma once

#include "schedule/runner/strict_object.hpp"
#include <belay/schedules.hpp>

#include <string_view>

namespace belay::schedule {

/// Reads the form, without a check that the values can be used. Every field must be known.
[[nodiscard]] ScheduleSpec read_spec(std::string_view json, Problems& problems);

}  // namespace belay::schedule
