// Time, and what to make of several measurements of it.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace belay::bench {

using SteadyClock = std::chrono::steady_clock;
using Instant = SteadyClock::time_point;

/// Every figure is the median of this many measurements.
inline constexpr int kRepetitions = 3;

[[nodiscard]] inline double seconds_between(Instant begin, Instant end) {
    return std::chrono::duration<double>(end - begin).count();
}

/// The value below which the part `share` of the values lies; 0.5 is the median.
[[nodiscard]] inline double quantile(std::vector<double> values, double share) {
    if (values.empty()) return 0;
    const auto last = static_cast<double>(values.size() - 1);
    const auto at = values.begin() + static_cast<std::ptrdiff_t>(last * share + 0.5);
    std::nth_element(values.begin(), at, values.end());
    return *at;
}

[[nodiscard]] inline double median(std::vector<double> values) {
    return quantile(std::move(values), 0.5);
}

/// A benchmark of something that went wrong measures nothing.
inline void require(bool fine, const std::string& what) {
    if (!fine) throw std::runtime_error(what);
}

}  // namespace belay::bench
