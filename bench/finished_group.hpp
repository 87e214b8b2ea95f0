// The speed of a worker on a file with a great many finished instances.
#pragma once

#include "report.hpp"

namespace belay::bench {

void run_finished_group(Report& report);

}  // namespace belay::bench
