// Notifications that go wrong.
#pragma once

#include "simulation/faults.hpp"
#include "simulation/rng.hpp"
#include "simulation/wire.hpp"

namespace belay::sim {

/// Sends it as things are in a storm: now and then not at all, twice, or up to `latest` late.
void send_in_storm(Wire& wire, Notice notice, Rng& rng, FaultCounts& faults, Millis latest);

}  // namespace belay::sim
