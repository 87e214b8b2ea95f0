// Everything about the engine on SQLite that is not a rate of instances.
#pragma once

#include "report.hpp"

namespace belay::bench {

/// How soon a running activity sees a cancel: in this process, by durable commits' time; in another
/// process on the same file, in milliseconds.
void measure_cancels(Report& report);

/// Ten thousand activities in sequence, and a join of ten thousand beside one of a thousand.
void measure_scaling(Report& report);

/// What 100,000 waiting instances cost in memory and in time, and what 500 busy ones do in memory.
void measure_footprint(Report& report);

}  // namespace belay::bench
