// The group `kernel`: the engine on the memory store, where nothing but our own code costs time.
#pragma once

#include "report.hpp"

namespace belay::bench {

void run_kernel_group(Report& report);

}  // namespace belay::bench
