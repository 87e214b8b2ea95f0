#include "sqlite_figures.hpp"

#include "children.hpp"
#include "holding.hpp"
#include "measure.hpp"
#include "sqlite_raw.hpp"
#include "sqlite_run.hpp"
#include "turns.hpp"

#include <algorithm>
#include <filesystem>
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
constexpr const char* kBytes = "sqlite.full.single.500.bytes";

constexpr std::int64_t kMany = 10'000;
constexpr std::int64_t kFew = 1'000;

InstanceName start(Client& client, std::int64_t input) {
    Result<StartResult> started = client.start(Single, StartOptions(), input);
    require(started.ok(), "an instance could not be started");
    return std::move(started->instance.name);
}

Figure cancel_here(std::size_t slices) {
    constexpr std::uint32_t kRunning = 500;
    constexpr std::uint32_t kCancels = 40;
    Holding holding;
    SqliteWorker worker(holding.code(), Synchronous::full, ExecutorOptions().threads(kRunning));
    BareCommits bare(Synchronous::full);
    std::vector<InstanceName> names;
    for (std::uint32_t i = 0; i < kRunning; ++i) names.push_back(start(worker.client(), i));

    std::vector<double> in_commits;
    std::size_t next = 0;
    while (in_commits.size() < slices) {
        std::vector<double> seen_ms;
        std::vector<double> commits_ms;
        for (std::uint32_t i = 0; i < kCancels; ++i) {
            holding.wait_until_running(kRunning);
            commits_ms.push_back(bare.commit_ms());
            const Instant at = SteadyClock::now();
            require(worker.client().cancel(names[next++]).ok(),
                    "an instance could not be canceled");
            seen_ms.push_back(seconds_between(at, holding.next_stop().at) * 1000);
            names.push_back(start(worker.client(), static_cast<std::int64_t>(names.size())));
        }
        in_commits.push_back(median(seen_ms) / median(commits_ms));
    }
    return Figure{kCancelHere, estimate(in_commits), "durable commits", 3};
}

/// Milliseconds until another process has told the activity of this instance to stop.
double cancel_one(Client& client, Child& other, const InstanceName& name, std::size_t input) {
    const Instant at = SteadyClock::now();
    require(client.cancel(name).ok(), "an instance could not be canceled");
    std::istringstream line(other.line());
    std::size_t which = 0;
    Instant::rep ticks = 0;
    line >> which >> ticks;
    require(which == input, "another activity was stopped than the canceled one");
    // One clock for all processes of the machine.
    return seconds_between(at, Instant(Instant::duration(ticks))) * 1000;
}

Figure cancel_elsewhere(std::size_t slices) {
    constexpr std::size_t kCancels = 25;
    const SqliteFile file;
    const std::unique_ptr<Store> store = file.open(Synchronous::full);
    Client client(*store);
    std::vector<InstanceName> names;
    while (names.size() < slices * kCancels) {
        names.push_back(start(client, static_cast<std::int64_t>(names.size())));
    }
    Child other({kHoldRole, file.path(), std::to_string(names.size())});
    require(other.line() == "up\n", "the other process is not up");

    std::vector<double> medians;
    for (std::size_t first = 0; first < names.size(); first += kCancels) {
        std::vector<double> seen_ms;
        for (std::size_t i = first; i < first + kCancels; ++i) {
            seen_ms.push_back(cancel_one(client, other, names[i], i));
        }
        medians.push_back(median(seen_ms));
    }
    return Figure{kCancelElsewhere, estimate(medians), "ms", 10};
}

/// A thousand steps from `first` on.
double thousand_steps(const std::vector<Instant>& stamps, std::size_t first) {
    return seconds_between(stamps[first], stamps[first + kFew - 1]);
}

double last_by_first_thousand() {
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
    return thousand_steps(stamps, kMany - kFew) / thousand_steps(stamps, 0);
}

/// Each slice takes seconds, so there are fewer of them.
Figure sequence(std::size_t slices) {
    constexpr std::size_t kMost = 5;
    std::vector<double> ratios;
    while (ratios.size() < std::min(slices, kMost)) ratios.push_back(last_by_first_thousand());
    return Figure{kSequence, estimate(ratios), "last thousand / first", 1.3};
}

/// As many activities in joins of a thousand as in one of ten thousand, in turns. Both take as
/// long, and meet the same pauses of the disk. One of the wide ones goes first: it makes the
/// threads and the memory that both need.
Figure join(std::size_t slices) {
    constexpr std::uint32_t kTimes = kMany / kFew;
    SqliteWorker worker(code_without_effects(), Synchronous::full);
    (void)worker.run(WideJoin, kMany, 1, 1);
    const Turns turns = take_turns(
        slices,
        [&] { return worker.run(WideJoin, kMany, 1, 1).seconds; },
        [&] { return worker.run(WideJoin, kFew, kTimes, 1).seconds / kTimes; });
    return Figure{kJoin, turns.ratio, "joins of 1,000", 13};
}

/// The size of a file after so many instances have come and ended. The log is written back when the
/// store closes.
double bytes_after(std::uint32_t instances) {
    const SqliteFile file;
    {
        SqliteWorker worker(code_without_effects(), file.open(Synchronous::full));
        (void)worker.run(Single, 1, instances, 500);
    }
    return static_cast<double>(std::filesystem::file_size(file.path()));
}

}  // namespace

void measure_cancels(Report& report) {
    const std::size_t slices = report.plan().slices();
    if (report.wants(kCancelHere, Kind::latency)) report.add(cancel_here(slices));
    if (report.wants(kCancelElsewhere, Kind::latency)) report.add(cancel_elsewhere(slices));
}

void measure_scaling(Report& report) {
    const std::size_t slices = report.plan().slices();
    if (report.wants(kSequence)) report.add(sequence(slices));
    if (report.wants(kJoin)) report.add(join(slices));
}

void measure_footprint(Report& report) {
    const bool wants_memory = report.wants(kWaitingMemory);
    const bool wants_idle = report.wants(kWaitingIdle);
    if (wants_memory || wants_idle) {
        Child waiting({kWaitingRole});
        report.add(Figure{kWaitingMemory, exactly(std::stod(waiting.line())), "MiB", 300});
        report.add(Figure{kWaitingIdle, exactly(std::stod(waiting.line())), "% of a core", 0.5});
    }
    if (report.wants(kBytes)) {
        // Both have the size of an empty file in them.
        constexpr std::uint32_t kMore = 60'000;
        constexpr std::uint32_t kLess = 20'000;
        const double bytes = (bytes_after(kMore) - bytes_after(kLess)) / (kMore - kLess);
        report.add(Figure{kBytes, exactly(bytes), "bytes", 550});
    }
    if (report.wants(kBusyMemory)) {
        Child busy({kBusyRole});
        report.add(Figure{kBusyMemory, exactly(std::stod(busy.line())), "MiB", 50});
    }
}

}  // namespace belay::bench
