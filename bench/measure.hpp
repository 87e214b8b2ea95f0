// Time, and the check that stops a measurement.
#pragma once

#include <chrono>
#include <stdexcept>
#include <string>

namespace belay::bench {

using SteadyClock = std::chrono::steady_clock;
using Instant = SteadyClock::time_point;

[[nodiscard]] inline double seconds_between(Instant begin, Instant end) {
    return std::chrono::duration<double>(end - begin).count();
}

/// Throws if `fine` is false: a benchmark of something that went wrong measures nothing.
inline void require(bool fine, const std::string& what) {
    if (!fine) throw std::runtime_error(what);
}

}  // namespace belay::bench
