// Instances through the whole engine: client, runtime, replay and store, in one thread.
#pragma once

#include "workloads.hpp"
#include <belay/store/store.hpp>

#include <cstdint>
#include <vector>

namespace belay::bench {

struct EngineRun {
    double seconds = 0;
    std::vector<double> latencies_ms;  ///< From the start of each instance to its end.
};

/// Runs `instances` of `definition` on a store of its own, so many in flight at any time: as one
/// ends, the next is started.
[[nodiscard]] EngineRun run_engine(const Registry& registry,
                                   const Run& definition,
                                   std::int64_t input,
                                   std::uint32_t instances,
                                   std::uint32_t in_flight);

/// Writes to the store, per instance: commits and claims that found something, however many
/// transitions share one. Housekeeping is not counted.
[[nodiscard]] double commits_per_instance(const Workload& workload, std::uint32_t in_flight);

}  // namespace belay::bench
