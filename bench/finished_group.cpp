#include "finished_group.hpp"

#include "finished_file.hpp"
#include "sqlite_run.hpp"
#include "turns.hpp"
#include "workloads.hpp"

#include <memory>
#include <string>

namespace belay::bench {

namespace {

constexpr std::int64_t kFinished = 1'000'000;
constexpr std::uint32_t kInFlight = 500;
constexpr double kLeast = 0.9;

double per_second(SqliteWorker& worker, const Workload& workload) {
    return workload.instances /
           worker.run(workload.definition, 1, workload.instances, kInFlight).seconds;
}

/// On an empty file: another one each time, for it does not stay empty.
double per_second_on_empty(const Workload& workload) {
    SqliteWorker worker(code_without_effects(), Synchronous::full);
    (void)worker.run(workload.definition, 1, workload.instances / 4, kInFlight);
    return per_second(worker, workload);
}

void measure(Report& report, const FinishedFile& finished, const Workload& workload) {
    const std::string name = std::string("finished.") + workload.name + "." +
                             std::to_string(kInFlight) + "." + std::to_string(kFinished);
    if (!report.wants(name)) return;
    SqliteWorker worker(code_without_effects(), finished.file().open(Synchronous::full));
    (void)worker.run(workload.definition, 1, workload.instances / 4, kInFlight);
    const Turns turns = take_turns(
        report.plan().slices(),
        [&] { return per_second(worker, workload); },
        [&] { return per_second_on_empty(workload); });
    report.add(Figure{name, turns.ratio, "of an empty file", kLeast, Figure::Limit::least});
}

}  // namespace

void run_finished_group(Report& report) {
    if (!report.plan().measures()) return;
    const FinishedFile finished(kFinished);
    for (const Workload& workload : kWorkloads) measure(report, finished, workload);
}

}  // namespace belay::bench
