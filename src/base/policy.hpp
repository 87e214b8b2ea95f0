// Whether a policy makes sense.
#pragma once

#include <belay/limits.hpp>

namespace belay::base {

/// No duration that can be set is longer: so any few of them can be added to any time.
inline constexpr Millis kLongest = std::chrono::days(3650);

/// Throws std::invalid_argument that names the first setting that is out of range.
void check_policy(const Policy& policy);

}  // namespace belay::base
