// The group `engine`: the engine on the memory store, where nothing but our own code costs time.
#pragma once

#include "report.hpp"

namespace belay::bench {

void run_engine_group(Report& report);

}  // namespace belay::bench
