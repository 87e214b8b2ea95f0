// Everything about the engine on SQLite that is not a rate of instances.
#pragma once

#include "report.hpp"

namespace belay::bench {

/// The time until a running activity sees a cancel: in this process, by the time of a durable
/// commit; in another process on the same file, in milliseconds.
void measure_cancels(Report& report);

/// Ten thousand activities in sequence, and a join of ten thousand beside one of a thousand.
void measure_scaling(Report& report);

/// The cost of 100,000 waiting instances in memory and in time, and of 500 busy ones in memory.
void measure_footprint(Report& report);

}  // namespace belay::bench
