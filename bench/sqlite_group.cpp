#include "sqlite_group.hpp"

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

/// The goal: a part of the bare statements' rate, with 500 in flight and every commit on the disk.
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

/// The instances of one slice: a few tenths of a second, and enough to rule out chance.
std::uint32_t instances_for(const Workload& workload, std::uint32_t in_flight) {
    const std::uint32_t share = in_flight == 1     ? 25
                                : in_flight == 20  ? 5
                                : in_flight == 100 ? 2
                                                   : 1;
    return workload.instances / share;
}

std::string name_of(Synchronous synchronous, const Workload& workload, std::uint32_t in_flight) {
    return std::string(synchronous == Synchronous::full ? "sqlite.full." : "sqlite.normal.") +
           workload.name + "." + std::to_string(in_flight);
}

/// One at a time, an instance takes as long as its commits do: they are its yardstick.
void measure_alone(Report& report, const Workload& workload) {
    const std::string name = name_of(Synchronous::full, workload, 1);
    const bool wants_p50 = report.wants(name + ".p50", Kind::latency);
    // A sweep may fall into it.
    const bool wants_commits = workload.rounds == 1 && report.wants(name + ".commits");
    if (!wants_p50 && !wants_commits) return;
    const std::uint32_t instances = instances_for(workload, 1);
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
        report.add(Figure{
            name + ".p50", estimate(in_commits), "bare commits", goal_of(workload).bare_commits});
    }
    if (wants_commits) {
        report.add(Figure{name + ".commits", estimate(durable), "durable commits", 2.05});
    }
}

/// The engine's side of a measurement: a worker on a file of its own, and its results.
class EngineSlices {
public:
    EngineSlices(const Workload& workload, Synchronous synchronous, std::uint32_t in_flight)
        : workload_(workload),
          instances_(instances_for(workload, in_flight)),
          in_flight_(in_flight),
          worker_(code_without_effects(), synchronous) {
        worker_.send_messages(workload.messages > 0);
        // Makes the threads, and lets the worker learn the time of the activities.
        (void)worker_.run(workload_.definition, 1, instances_, in_flight_);
    }

    /// Instances per second.
    [[nodiscard]] double next() {
        const WorkerRun run = worker_.run(workload_.definition, 1, instances_, in_flight_);
        p50_.push_back(quantile(run.latencies_ms, 0.5));
        p99_.push_back(quantile(run.latencies_ms, 0.99));
        rows_.push_back(static_cast<double>(run.counts.rows) / instances_);
        commits_.push_back(static_cast<double>(run.counts.commits) / instances_);
        return instances_ / run.seconds;
    }
    void tell(Rate& rate) const {
        rate.p50_ms = median(p50_);
        rate.p99_ms = median(p99_);
        rate.rows = median(rows_);
        rate.commits = median(commits_);
    }

private:
    const Workload& workload_;
    std::uint32_t instances_;
    std::uint32_t in_flight_;
    SqliteWorker worker_;
    std::vector<double> p50_;
    std::vector<double> p99_;
    std::vector<double> rows_;
    std::vector<double> commits_;
};

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
    EngineSlices engine(workload, synchronous, in_flight);
    std::optional<RawRows> raw;
    Slice yardstick;
    if (report.plan().wants_yardstick()) {
        raw.emplace(workload, synchronous);
        // Half as many: it is that much faster.
        yardstick = [&] { return raw->per_second(workload.instances / 2); };
        (void)yardstick();
    }
    const Turns turns =
        take_turns(report.plan().slices(), [&] { return engine.next(); }, yardstick);
    engine.tell(rate);
    rate.per_second = median(turns.subject);
    rate.raw_per_second = median(turns.yardstick);
    rate.ratio = turns.ratio;
    if (synchronous == Synchronous::full && in_flight == kMostInFlight) {
        rate.least_ratio = goal_of(workload).ratio;
    }
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
    for (const Workload& workload : kWorkloads) {
        if (goal_of(workload).bare_commits > 0) measure_alone(report, workload);
    }
    measure_cancels(report);
    measure_takeover(report);
    measure_scaling(report);
    measure_footprint(report);
}

}  // namespace belay::bench
