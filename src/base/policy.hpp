// Whether a policy makes sense.
#pragma once

#include <belay/limits.hpp>

namespace belay::base {

/// Throws std::invalid_argument that names the first setting that is out of range. No duration is
/// longer than ten years, so that any two of them can be added to any time.
void check_policy(const Policy& policy);

}  // namespace belay::base
