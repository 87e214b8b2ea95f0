#include "sqlite_group.hpp"

#include "engine_slices.hpp"
#include "measure.hpp"
#include "sqlite_figures.hpp"
#include "sqlite_raw.hpp"
#include "sqlite_run.hpp"
#include "takeover.hpp"
#include "turns.hpp"
#include "waiting_clients.hpp"
#include "workloads.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

namespace belay::bench {

namespace {

constexpr std::uint32_t kMostInFlight = 500;
constexpr std::array<std::uint32_t, 4> kInFlight{1, 20, 100, kMostInFlight};

/// The least part of the bare statements' rate, with every commit on the disk.
struct RateGoal {
    const char* workload;
    std::uint32_t in_flight;
    double least_ratio;
};
constexpr std::array kRateGoals{RateGoal{"single", 100, 0.5},
                                RateGoal{"single", 500, 0.7},
                                RateGoal{"fanout", 500, 0.55},
                                RateGoal{"chain", 500, 0.6},
                                RateGoal{"retry", 500, 0.3},
                                RateGoal{"child", 500, 0.25},
                                RateGoal{"queue", 500, 0.2},
                                RateGoal{"values", 500, 0.4}};

/// The most bare commits in whose time one instance alone must be through.
struct LatencyGoal {
    const Workload& workload;
    double bare_commits;
};
const std::array kLatencyGoals{LatencyGoal{kWorkloads[0], 3.5}, LatencyGoal{kWorkloads[2], 22}};

/// Returns zero if nothing is promised.
double least_ratio_of(const Workload& workload, std::uint32_t in_flight) {
    const auto* const goal =
        std::find_if(kRateGoals.begin(), kRateGoals.end(), [&](const RateGoal& one) {
            return std::string_view(one.workload) == workload.name && one.in_flight == in_flight;
        });
    return goal == kRateGoals.end() ? 0 : goal->least_ratio;
}

/// The instances of one slice: a few tenths of a second, and enough to rule out chance. A promised
/// rate has twice as many.
std::uint32_t instances_for(const Workload& workload, std::uint32_t in_flight, bool promised) {
    const std::uint32_t share = in_flight == 1     ? 25
                                : in_flight == 20  ? 5
                                : in_flight == 100 ? 2
                                                   : 1;
    return workload.instances / share * (promised ? 2 : 1);
}

std::string name_of(Synchronous synchronous, const Workload& workload, std::uint32_t in_flight) {
    return std::string(synchronous == Synchronous::full ? "sqlite.full." : "sqlite.normal.") +
           workload.name + "." + std::to_string(in_flight);
}

/// One at a time, an instance takes as long as its commits do: they are its yardstick.
void measure_alone(Report& report, const LatencyGoal& goal) {
    const Workload& workload = goal.workload;
    const std::string name = name_of(Synchronous::full, workload, 1);
    const bool wants_p50 = report.wants(name + ".p50", Kind::latency);
    // A sweep may fall into it.
    const bool wants_commits = workload.rounds == 1 && report.wants(name + ".commits");
    if (!wants_p50 && !wants_commits) return;
    const std::uint32_t instances = instances_for(workload, 1, false);
    SqliteWorker worker(code_without_effects(), Synchronous::full);
    BareCommits bare(Synchronous::full);
    (void)worker.run(workload.definition, 1, instances, 1);
    std::vector<double> in_commits;
    std::vector<double> durable;
    while (in_commits.size() < report.plan().slices()) {
        std::vector<double> commits_ms;
        const WorkerRun run = worker.run(
            workload.definition, 1, instances, 1, [&] { commits_ms.push_back(bare.commit_ms()); });
        in_commits.push_back(median(run.latencies_ms) / median(commits_ms));
        durable.push_back(static_cast<double>(run.counts.durable) / instances);
    }
    if (wants_p50) {
        report.add(Figure{name + ".p50", estimate(in_commits), "bare commits", goal.bare_commits});
    }
    if (wants_commits) {
        report.add(Figure{name + ".commits", estimate(durable), "durable commits", 2.05});
    }
}

Kind kind_of(std::uint32_t in_flight) { return in_flight == 1 ? Kind::latency : Kind::throughput; }

/// Engine and raw, in turns.
void measure(Report& report,
             const Workload& workload,
             Synchronous synchronous,
             std::uint32_t in_flight) {
    Rate rate;
    rate.name = name_of(synchronous, workload, in_flight);
    rate.kind = kind_of(in_flight);
    if (!report.wants(rate.name, rate.kind)) return;
    if (synchronous == Synchronous::full) rate.least_ratio = least_ratio_of(workload, in_flight);
    const bool promised = rate.least_ratio > 0;
    EngineSlices engine(code_without_effects(),
                        synchronous,
                        EngineLoad{job_of(workload.definition, 1),
                                   instances_for(workload, in_flight, promised),
                                   in_flight,
                                   workload.messages > 0});
    std::optional<RawRows> raw;
    Slice yardstick;
    if (report.plan().wants_yardstick()) {
        raw.emplace(workload, synchronous);
        // Half as many: it is that much faster.
        const std::uint32_t count = workload.instances / (promised ? 1 : 2);
        yardstick = [&raw, count] { return raw->per_second(count); };
        (void)yardstick();
    }
    const Turns turns =
        take_turns(report.plan().slices(), [&] { return engine.next(); }, yardstick);
    engine.tell(rate);
    rate.per_second = median(turns.subject);
    rate.raw_per_second = median(turns.yardstick);
    rate.ratio = turns.ratio;
    report.add(rate);
}

}  // namespace

void run_sqlite_group(Report& report) {
    measure_waiting_clients(report);
    for (const Synchronous synchronous : {Synchronous::full, Synchronous::normal}) {
        for (const Workload& workload : kWorkloads) {
            for (const std::uint32_t in_flight : kInFlight) {
                measure(report, workload, synchronous, in_flight);
            }
        }
    }
    for (const Workload& workload : kFeatures) {
        measure(report, workload, Synchronous::full, kMostInFlight);
    }
    for (const LatencyGoal& goal : kLatencyGoals) measure_alone(report, goal);
    measure_cancels(report);
    measure_takeover(report);
    measure_scaling(report);
    measure_footprint(report);
}

}  // namespace belay::bench
