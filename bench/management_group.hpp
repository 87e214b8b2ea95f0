// Listing, counting and deleting on a file with a million finished instances.
#pragma once

#include "report.hpp"

namespace belay::bench {

void run_management_group(Report& report);

}  // namespace belay::bench
