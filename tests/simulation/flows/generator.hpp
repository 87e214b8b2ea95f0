// Random definitions of flows.
#pragma once

#include "simulation/world/rng.hpp"

#include <map>
#include <string>

namespace belay::sim {

/// The name of the flow that operators start. It may start the two others.
inline constexpr const char* kMainFlow = "main";
inline constexpr const char* kPartFlow = "part";
inline constexpr const char* kLeafFlow = "leaf";

/// Events with these beginnings: one that is sent to the run that waits for it, and one that nobody
/// ever sends.
inline constexpr const char* kSentEvent = "go_";
inline constexpr const char* kNeverEvent = "never_";

/// Definitions as people write them.
struct FlowTexts {
    std::map<std::string, std::string, std::less<>> by_name{};
};

/// Each is valid. Its steps have `needs`, `after`, conditions, maps, retries, waits, sub-flows and
/// cleanup; their expressions use one another's results.
[[nodiscard]] FlowTexts random_flows(Rng& rng);

/// The params of a run of `main`, as JSON.
[[nodiscard]] std::string random_params(Rng& rng);

}  // namespace belay::sim
