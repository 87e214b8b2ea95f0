// Worlds in which little is allowed.
#pragma once

#include "simulation/rng.hpp"
#include <belay/limits.hpp>

namespace belay::sim {

/// What everyone keeps to in a world: mostly the usual limits, now and then such that programs run
/// into one or two of them.
[[nodiscard]] Limits limits_of_world(Rng rng);

}  // namespace belay::sim
