#include "simulation/world/runner.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>
#include <vector>

namespace belay::sim {

namespace {

constexpr std::size_t kMostThreads = 64;
std::array<std::atomic<std::uint64_t>, kMostThreads> under_way{};

void add_result(Totals& totals, const SeedResult& result) {
    ++(result.violation ? totals.failed : totals.passed);
    totals.faults.add(result.faults);
    totals.features.add(result.features);
    totals.flows.add(result.flows);
    add(totals.runtime, result.runtime);
    totals.steps += result.steps;
    totals.commits += result.commits;
    totals.instances += result.instances;
    totals.deleted += result.deleted;
    totals.pruned += result.pruned;
    totals.redriven += result.redriven;
    totals.discarded += result.discarded;
    totals.held += result.held;
    totals.waits.add(result.waits);
    totals.judged_worlds += result.judged > 0 ? 1 : 0;
    totals.judged += result.judged;
}

}  // namespace

SeedResult run_seed(
    std::uint64_t seed, bool trace, StoreKind store, bool judged, Workload workload) {
    World world(seed, trace, store, judged, workload);
    return world.run();
}

std::string seeds_under_way() {
    std::string text;
    for (const auto& seed : under_way) {
        if (seed != 0) text += " " + std::to_string(seed - 1);
    }
    return text;
}

Totals run_campaign(const Campaign& campaign) {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point began = Clock::now();
    const auto late = [&] {
        const std::chrono::duration<double> passed = Clock::now() - began;
        return campaign.seconds > 0 && passed.count() > campaign.seconds;
    };
    std::atomic<std::uint64_t> next{0};
    std::mutex mutex;
    Totals totals;
    const auto work = [&](std::size_t thread) {
        for (;;) {
            const std::uint64_t index = next.fetch_add(1);
            if (index >= campaign.count) break;
            const std::uint64_t seed = campaign.first + index;
            bool stop = late();
            if (!stop) {
                const std::lock_guard lock(mutex);
                stop = totals.failed >= campaign.stop_after_failures;
            }
            if (stop) {
                const std::lock_guard lock(mutex);
                ++totals.skipped;
                continue;
            }
            under_way[thread] = seed + 1;
            const bool judged = campaign.judge_every > 0 && seed % campaign.judge_every == 0;
            const SeedResult result =
                run_seed(seed, false, campaign.store, judged, campaign.workload);
            under_way[thread] = 0;
            const std::lock_guard lock(mutex);
            add_result(totals, result);
            if (result.violation && campaign.on_failure) campaign.on_failure(seed, result);
            if (campaign.on_progress && (totals.passed + totals.failed) % 500 == 0) {
                campaign.on_progress(totals);
            }
        }
    };
    std::vector<std::thread> threads;
    for (std::size_t i = 1; i < campaign.threads && i < kMostThreads; ++i) {
        threads.emplace_back(work, i);
    }
    work(0);
    for (std::thread& thread : threads) thread.join();
    return totals;
}

}  // namespace belay::sim
