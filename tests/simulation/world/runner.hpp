// Runs many seeds on all cores.
#pragma once

#include "simulation/world/world.hpp"

#include <cstdint>
#include <functional>

namespace belay::sim {

[[nodiscard]] SeedResult run_seed(std::uint64_t seed,
                                  bool trace = false,
                                  StoreKind store = StoreKind::memory,
                                  bool judged = true,
                                  Workload workload = Workload::programs);

struct Totals {
    std::uint64_t passed = 0;
    std::uint64_t failed = 0;
    std::uint64_t skipped = 0;
    FaultCounts faults{};
    FeatureCounts features{};
    FlowCounts flows{};
    RuntimeCounts runtime{};
    std::uint64_t steps = 0;
    std::uint64_t commits = 0;
    std::uint64_t instances = 0;
    std::uint64_t deleted = 0;
    std::uint64_t pruned = 0;
    std::uint64_t redriven = 0;
    std::uint64_t discarded = 0;
    std::uint64_t held = 0;
    WaitCounts waits{};
    std::uint64_t judged_worlds = 0;
    std::uint64_t judged = 0;  ///< Commits and claims in them.
};

struct Campaign {
    std::uint64_t first = 1;
    std::uint64_t count = 20'000;
    unsigned threads = 2;
    StoreKind store = StoreKind::memory;
    Workload workload = Workload::programs;
    /// The naive store judges worlds whose seed is a multiple of this; 0: none.
    std::uint64_t judge_every = 8;
    /// After that many seconds no further seed is begun; those left count as skipped.
    double seconds = 0;
    std::uint64_t stop_after_failures = 5;
    /// Called under a lock, for each seed that failed.
    std::function<void(std::uint64_t, const SeedResult&)> on_failure{};
    /// Called now and then, under a lock.
    std::function<void(const Totals&)> on_progress{};
};

[[nodiscard]] Totals run_campaign(const Campaign& campaign);

/// The seeds that run right now, for the report of a crash.
[[nodiscard]] std::string seeds_under_way();

}  // namespace belay::sim
