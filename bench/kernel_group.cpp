#include "kernel_group.hpp"

#include "figures.hpp"
#include "kernel_raw.hpp"
#include "kernel_run.hpp"
#include "measure.hpp"
#include "workloads.hpp"

#include <array>
#include <string>
#include <vector>

namespace belay::bench {

namespace {

constexpr std::array<std::uint32_t, 4> kInFlight{1, 20, 100, 500};

std::string name_of(const Workload& workload, std::uint32_t in_flight) {
    return std::string("memory.none.") + workload.name + "." + std::to_string(in_flight);
}

/// Engine and raw take turns, so that whatever else the machine does meets both.
Rate measure(const Workload& workload, std::uint32_t in_flight) {
    const Registry registry = code_without_effects();
    std::vector<double> engine;
    std::vector<double> raw;
    std::vector<double> p50;
    std::vector<double> p99;
    const std::uint32_t instances = workload.instances;
    for (int i = 0; i < kRepetitions; ++i) {
        const EngineRun run = run_engine(registry, workload.definition, 1, instances, in_flight);
        engine.push_back(instances / run.seconds);
        p50.push_back(quantile(run.latencies_ms, 0.5));
        p99.push_back(quantile(run.latencies_ms, 0.99));
        raw.push_back(instances / run_raw(workload, instances, in_flight));
    }
    Rate rate;
    rate.name = name_of(workload, in_flight);
    rate.per_second = median(engine);
    rate.p50_ms = median(p50);
    rate.p99_ms = median(p99);
    rate.raw_per_second = median(raw);
    rate.commits = commits_per_instance(workload, in_flight);
    return rate;
}

}  // namespace

void run_kernel_group(Report& report) {
    for (const Workload& workload : kWorkloads) {
        for (const std::uint32_t in_flight : kInFlight) {
            if (report.wants(name_of(workload, in_flight))) {
                report.add(measure(workload, in_flight));
            }
        }
    }
    if (report.wants("engine.replay")) report.add(measure_replay());
    if (report.wants("engine.await")) report.add(measure_await());
    if (report.wants("memory.none.sequence")) report.add(measure_sequence());
    if (report.wants("memory.none.join")) report.add(measure_join());
}

}  // namespace belay::bench
