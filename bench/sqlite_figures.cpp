#include "sqlite_figures.hpp"

#include "children.hpp"
#include "holding.hpp"
#include "measure.hpp"
#include "sqlite_raw.hpp"
#include "sqlite_run.hpp"

#include <algorithm>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

namespace belay::bench {

namespace {

constexpr const char* kCancelHere = "sqlite.full.cancel.500";
constexpr const char* kCancelElsewhere = "sqlite.full.cancel.other_process";
constexpr const char* kSequence = "sqlite.full.sequence.10000";
constexpr const char* kJoin = "sqlite.full.join.10000";
constexpr const char* kWaitingMemory = "sqlite.full.waiting.100000.memory";
constexpr const char* kWaitingIdle = "sqlite.full.waiting.100000.idle";
constexpr const char* kBusyMemory = "sqlite.full.single.500.memory";

constexpr std::int64_t kMany = 10'000;
constexpr std::int64_t kFew = 1'000;

InstanceName start(Client& client, std::int64_t input) {
    Result<StartResult> started = client.start(Single, StartOptions(), input);
    require(started.ok(), "an instance could not be started");
    return std::move(started->instance.name);
}

Figure cancel_here() {
    constexpr std::uint32_t kRunning = 500;
    constexpr std::uint32_t kCancels = 200;
    Holding holding;
    SqliteWorker worker(holding.code(), Synchronous::full, ExecutorOptions().threads(kRunning));
    BareCommits bare(Synchronous::full);
    std::vector<InstanceName> names;
    for (std::uint32_t i = 0; i < kRunning; ++i) names.push_back(start(worker.client(), i));

    std::vector<double> seen_ms;
    std::vector<double> commits_ms;
    for (std::uint32_t i = 0; i < kCancels; ++i) {
        holding.wait_until_running(kRunning);
        commits_ms.push_back(bare.commit_ms());
        const Instant at = SteadyClock::now();
        require(worker.client().cancel(names[i]).ok(), "an instance could not be canceled");
        seen_ms.push_back(seconds_between(at, holding.next_stop().at) * 1000);
        names.push_back(start(worker.client(), kRunning + i));
    }
    return Figure{kCancelHere, median(seen_ms) / median(commits_ms), "durable commits", 3};
}

Figure cancel_elsewhere() {
    constexpr std::uint32_t kCancels = 100;
    const SqliteFile file;
    const std::unique_ptr<Store> store = file.open(Synchronous::full);
    Client client(*store);
    std::vector<InstanceName> names;
    for (std::uint32_t i = 0; i < kCancels; ++i) names.push_back(start(client, i));
    Child other({kHoldRole, file.path(), std::to_string(kCancels)});
    require(other.line() == "up\n", "the other process is not up");

    std::vector<double> seen_ms;
    for (std::uint32_t i = 0; i < kCancels; ++i) {
        const Instant at = SteadyClock::now();
        require(client.cancel(names[i]).ok(), "an instance could not be canceled");
        std::istringstream line(other.line());
        std::uint32_t which = 0;
        Instant::rep ticks = 0;
        line >> which >> ticks;
        require(which == i, "another activity was stopped than the canceled one");
        // One clock for all processes of the machine.
        seen_ms.push_back(seconds_between(at, Instant(Instant::duration(ticks))) * 1000);
    }
    return Figure{kCancelElsewhere, median(seen_ms), "ms", 10};
}

/// A thousand steps from `first` on.
double thousand_steps(const std::vector<Instant>& stamps, std::size_t first) {
    return seconds_between(stamps[first], stamps[first + kFew - 1]);
}

/// The best of a few repetitions of each: a disk that stalls for a moment is not what is measured,
/// and whatever grows with the history is in all of them.
Figure sequence() {
    double first = std::numeric_limits<double>::max();
    double last = first;
    for (int i = 0; i < kRepetitions; ++i) {
        std::vector<Instant> stamps;
        stamps.reserve(kMany);
        Registry registry = orchestrations();
        registry.add(Step, [&stamps](std::int64_t value) {
            stamps.push_back(SteadyClock::now());
            return value;
        });
        SqliteWorker worker(std::move(registry), Synchronous::full);
        (void)worker.run(Sequence, kMany, 1, 1);
        require(stamps.size() == kMany, "an activity did not run exactly once");
        first = std::min(first, thousand_steps(stamps, 0));
        last = std::min(last, thousand_steps(stamps, kMany - kFew));
    }
    return Figure{kSequence, last / first, "last thousand / first", 1.3};
}

/// As many activities in joins of a thousand as in one of ten thousand: both take as long, and meet
/// what the disk does once in a while. The best of each is compared, after one of the wide ones has
/// made the threads and the memory that both need: what the host takes away now and then is not
/// what is measured, and what grows with the width is in all of them.
Figure join() {
    constexpr int kRounds = 7;
    constexpr std::uint32_t kTimes = kMany / kFew;
    SqliteWorker worker(code_without_effects(), Synchronous::full);
    (void)worker.run(WideJoin, kMany, 1, 1);
    double few = std::numeric_limits<double>::max();
    double many = few;
    for (int i = 0; i < kRounds; ++i) {
        few = std::min(few, worker.run(WideJoin, kFew, kTimes, 1).seconds / kTimes);
        many = std::min(many, worker.run(WideJoin, kMany, 1, 1).seconds);
    }
    return Figure{kJoin, many / few, "joins of 1,000", 13};
}

}  // namespace

void measure_cancels(Report& report) {
    if (report.wants(kCancelHere)) report.add(cancel_here());
    if (report.wants(kCancelElsewhere)) report.add(cancel_elsewhere());
}

void measure_scaling(Report& report) {
    if (report.wants(kSequence)) report.add(sequence());
    if (report.wants(kJoin)) report.add(join());
}

void measure_footprint(Report& report) {
    if (report.wants(kWaitingMemory) || report.wants(kWaitingIdle)) {
        Child waiting({kWaitingRole});
        report.add(Figure{kWaitingMemory, std::stod(waiting.line()), "MiB", 300});
        report.add(Figure{kWaitingIdle, std::stod(waiting.line()), "% of a core", 0.5});
    }
    if (report.wants(kBusyMemory)) {
        Child busy({kBusyRole});
        report.add(Figure{kBusyMemory, std::stod(busy.line()), "MiB", 50});
    }
}

}  // namespace belay::bench
