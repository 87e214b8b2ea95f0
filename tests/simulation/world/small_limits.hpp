// Worlds with small limits.
#pragma once

#include "simulation/world/rng.hpp"
#include <belay/limits.hpp>

namespace belay::sim {

/// The limits of everyone in a world: mostly the usual ones. Now and then programs run into one or
/// two of them.
[[nodiscard]] Limits limits_of_world(Rng rng);

}  // namespace belay::sim
