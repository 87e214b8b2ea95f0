// The time until work goes on after a worker was killed.
#pragma once

#include "report.hpp"

#include <cstdint>
#include <string>

namespace belay::bench {

/// Seconds from kill -9 of a worker with 10,000 runs in flight until the first 1,000 of them have
/// ended elsewhere: in a worker that is started then, and in one that is there.
void measure_takeover(Report& report);

/// The task of its processes: they print their number, and wait to be killed.
[[noreturn]] void hold_until_killed(const std::string& path, std::uint32_t count);
/// Prints the time when so many runs have ended here, in ticks of SteadyClock.
[[noreturn]] void succeed_until_killed(const std::string& path, std::uint32_t count);

}  // namespace belay::bench
