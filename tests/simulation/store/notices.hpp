// Notifications that go wrong.
#pragma once

#include "simulation/store/transport.hpp"
#include "simulation/world/faults.hpp"
#include "simulation/world/rng.hpp"

namespace belay::sim {

/// Sends it as things are in a fault phase: now and then not at all, twice, or up to `latest` late.
void send_with_faults(
    Transport& transport, Notice notice, Rng& rng, FaultCounts& faults, Millis latest);

}  // namespace belay::sim
