// Clients that wait for their runs, beside a listener of the store that hears of every end.
#pragma once

#include "report.hpp"

namespace belay::bench {

void measure_waiting_clients(Report& report);

}  // namespace belay::bench
