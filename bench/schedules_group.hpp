// Schedules that wait for their time.
#pragma once

#include "report.hpp"

namespace belay::bench {

void run_schedules_group(Report& report);

}  // namespace belay::bench
