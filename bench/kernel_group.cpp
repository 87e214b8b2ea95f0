#include "kernel_group.hpp"

#include "figures.hpp"
#include "kernel_raw.hpp"
#include "kernel_run.hpp"
#include "measure.hpp"
#include "turns.hpp"
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

/// Engine and raw, in turns.
void measure(Report& report, const Workload& workload, std::uint32_t in_flight) {
    Rate rate;
    rate.name = name_of(workload, in_flight);
    rate.kind = in_flight == 1 ? Kind::latency : Kind::throughput;
    if (!report.wants(rate.name, rate.kind)) return;
    const Registry registry = code_without_effects();
    const std::uint32_t instances = workload.instances;
    std::vector<double> p50;
    std::vector<double> p99;
    const auto engine = [&] {
        const EngineRun run = run_engine(registry, workload.definition, 1, instances, in_flight);
        p50.push_back(quantile(run.latencies_ms, 0.5));
        p99.push_back(quantile(run.latencies_ms, 0.99));
        return instances / run.seconds;
    };
    Slice raw;
    if (report.plan().wants_yardstick()) {
        raw = [&] { return instances / run_raw(workload, instances, in_flight); };
    }
    const Turns turns = take_turns(report.plan().slices(), engine, raw);
    rate.per_second = median(turns.subject);
    rate.p50_ms = median(p50);
    rate.p99_ms = median(p99);
    rate.raw_per_second = median(turns.yardstick);
    rate.ratio = turns.ratio;
    rate.commits = commits_per_instance(workload, in_flight);
    report.add(rate);
}

}  // namespace

void run_kernel_group(Report& report) {
    for (const Workload& workload : kWorkloads) {
        for (const std::uint32_t in_flight : kInFlight) measure(report, workload, in_flight);
    }
    const std::size_t slices = report.plan().slices();
    if (report.wants("engine.replay.50000", Kind::throughput)) report.add(measure_replay(slices));
    if (report.wants("engine.await", Kind::throughput)) report.add(measure_await(slices));
    if (report.wants("memory.none.sequence.10000")) report.add(measure_sequence(slices));
    if (report.wants("memory.none.join.10000")) report.add(measure_join(slices));
}

}  // namespace belay::bench
