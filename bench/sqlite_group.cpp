#include "sqlite_group.hpp"

#include "measure.hpp"
#include "sqlite_figures.hpp"
#include "sqlite_raw.hpp"
#include "sqlite_run.hpp"
#include "workloads.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace belay::bench {

namespace {

constexpr std::uint32_t kMostInFlight = 500;
constexpr std::array<std::uint32_t, 4> kInFlight{1, 20, 100, kMostInFlight};

/// Of the bare statements' rate, with 500 in flight and every commit on the disk.
struct Goal {
    const char* workload;
    double ratio;
    double bare_commits;  ///< The most that one instance alone may take.
};
constexpr std::array kGoals{Goal{"single", 0.45, 5},
                            Goal{"fanout", 0.35, 0},
                            Goal{"chain", 0.3, 22},
                            Goal{"retry", 0.3, 0},
                            Goal{"child", 0.25, 0},
                            Goal{"queue", 0.2, 0},
                            Goal{"values", 0.4, 0}};

const Goal& goal_of(const Workload& workload) {
    return *std::find_if(kGoals.begin(), kGoals.end(), [&](const Goal& goal) {
        return std::string_view(goal.workload) == workload.name;
    });
}

/// Enough for about a second, and no fewer than rule out chance.
std::uint32_t instances_for(const Workload& workload, std::uint32_t in_flight) {
    const std::uint32_t share = in_flight == 1     ? 25
                                : in_flight == 20  ? 5
                                : in_flight == 100 ? 2
                                                   : 1;
    return workload.instances / share;
}

/// One at a time, an instance takes as long as its commits do: they are its yardstick.
void measure_alone(Report& report, const std::string& name, const Workload& workload) {
    const std::uint32_t instances = instances_for(workload, 1);
    std::vector<double> in_commits;
    std::vector<double> durable;
    for (int i = 0; i < kRepetitions; ++i) {
        SqliteWorker worker(code_without_effects(), Synchronous::full);
        BareCommits bare(Synchronous::full);
        std::vector<double> commits_ms;
        const WorkerRun run = worker.run(
            workload.definition, 1, instances, 1, [&] { commits_ms.push_back(bare.commit_ms()); });
        in_commits.push_back(median(run.latencies_ms) / median(commits_ms));
        durable.push_back(static_cast<double>(run.counts.durable) / instances);
    }
    report.add(
        Figure{name + ".p50", median(in_commits), "bare commits", goal_of(workload).bare_commits});
    // A sweep may fall into it.
    if (workload.rounds == 1) {
        report.add(Figure{name + ".commits", median(durable), "durable commits", 2.05});
    }
}

std::string name_of(Synchronous synchronous, const Workload& workload, std::uint32_t in_flight) {
    return std::string(synchronous == Synchronous::full ? "sqlite.full." : "sqlite.normal.") +
           workload.name + "." + std::to_string(in_flight);
}

/// Engine and raw take turns, so that whatever else the machine does meets both.
Rate measure(const Workload& workload, Synchronous synchronous, std::uint32_t in_flight) {
    const std::uint32_t instances = instances_for(workload, in_flight);
    std::vector<double> engine;
    std::vector<double> raw;
    std::vector<double> p50;
    std::vector<double> p99;
    StoreCounts counts;
    for (int i = 0; i < kRepetitions; ++i) {
        raw.push_back(workload.instances /
                      run_sqlite_raw(workload, workload.instances, synchronous));
        SqliteWorker worker(code_without_effects(), synchronous);
        worker.send_messages(workload.messages > 0);
        const WorkerRun run = worker.run(workload.definition, 1, instances, in_flight);
        engine.push_back(instances / run.seconds);
        p50.push_back(quantile(run.latencies_ms, 0.5));
        p99.push_back(quantile(run.latencies_ms, 0.99));
        counts.rows += run.counts.rows;
        counts.commits += run.counts.commits;
    }
    Rate rate;
    rate.name = name_of(synchronous, workload, in_flight);
    rate.per_second = median(engine);
    rate.p50_ms = median(p50);
    rate.p99_ms = median(p99);
    rate.raw_per_second = median(raw);
    rate.rows = static_cast<double>(counts.rows) / (kRepetitions * instances);
    rate.commits = static_cast<double>(counts.commits) / (kRepetitions * instances);
    if (synchronous == Synchronous::full && in_flight == kMostInFlight) {
        rate.least_ratio = goal_of(workload).ratio;
    }
    return rate;
}

}  // namespace

void run_sqlite_group(Report& report) {
    for (const Synchronous synchronous : {Synchronous::full, Synchronous::normal}) {
        for (const Workload& workload : kWorkloads) {
            for (const std::uint32_t in_flight : kInFlight) {
                if (report.wants(name_of(synchronous, workload, in_flight))) {
                    report.add(measure(workload, synchronous, in_flight));
                }
            }
        }
    }
    for (const Workload& workload : kFeatures) {
        if (report.wants(name_of(Synchronous::full, workload, kMostInFlight))) {
            report.add(measure(workload, Synchronous::full, kMostInFlight));
        }
    }
    for (const Workload& workload : kWorkloads) {
        const std::string name = name_of(Synchronous::full, workload, 1);
        if (goal_of(workload).bare_commits > 0 && report.wants(name)) {
            measure_alone(report, name, workload);
        }
    }
    measure_cancels(report);
    measure_scaling(report);
    measure_footprint(report);
}

}  // namespace belay::bench
