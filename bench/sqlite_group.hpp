// The figures of `scripts/bench engine`: the engine on a SQLite file.
#pragma once

#include "report.hpp"

namespace belay::bench {

void run_sqlite_group(Report& report);

}  // namespace belay::bench
