// The check of a policy.
#pragma once

#include <belay/limits.hpp>

namespace belay::base {

/// The longest duration that can be set. A few of them can be added to any time.
inline constexpr Millis kLongest = std::chrono::days(3650);

/// Throws std::invalid_argument if a setting is out of range. It names the first one.
void check_policy(const Policy& policy);

}  // namespace belay::base
