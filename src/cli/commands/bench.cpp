#include "cli/commands/all.hpp"
#include "cli/context.hpp"
#include "cli/text.hpp"
#include "cli/values.hpp"
#include <belay/detail/mutex.hpp>
#include <belay/orchestration.hpp>
#include <belay/registry.hpp>
#include <belay/worker.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

namespace belay::cli {

namespace {

using SteadyClock = std::chrono::steady_clock;

inline constexpr Activity<std::int64_t(std::int64_t)> kBenchStep{"Step"};
inline constexpr Definition<std::int64_t(std::int64_t)> kBenchRun{"Bench"};

Orchestration<std::int64_t> bench_run(OrchestrationContext ctx, std::int64_t n) {
    co_return co_await ctx.call(kBenchStep, n);
}

/// Goes away with all its files.
class ScratchDirectory {
public:
    explicit ScratchDirectory(const std::string& parent) {
        path_ = (std::filesystem::path(parent) / "belay-bench-XXXXXX").string();
        if (::mkdtemp(path_.data()) == nullptr) {
            throw Problem(Exit::trouble,
                          "cannot make a directory in '" + safe(parent) + "'",
                          "name another one with --directory");
        }
    }
    ~ScratchDirectory() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    ScratchDirectory(const ScratchDirectory&) = delete;
    ScratchDirectory& operator=(const ScratchDirectory&) = delete;

    [[nodiscard]] std::string file(const char* name) const { return path_ + "/" + name; }

private:
    std::string path_;
};

double seconds_since(SteadyClock::time_point begin) {
    return std::chrono::duration<double>(SteadyClock::now() - begin).count();
}

/// The time of one durable run, when runs follow one another: in the middle and at worst.
struct Latency {
    double median_ms = 0;
    double worst_ms = 0;
};

Latency measure_latency(Client& client, std::uint32_t runs, Progress& progress) {
    std::vector<double> times;
    for (std::uint32_t i = 0; i < runs; ++i) {
        const std::string id = "one-" + std::to_string(i);
        const auto begin = SteadyClock::now();
        (void)or_throw(client.start(kBenchRun, StartOptions().id(id), std::int64_t{i}));
        (void)or_throw(client.wait({"default", id}));
        times.push_back(1000 * seconds_since(begin));
        if (i % 50 == 0) progress.say("one at a time: " + std::to_string(i));
    }
    std::ranges::sort(times);
    return {times[times.size() / 2], times.back()};
}

/// Counts down from any thread.
class Countdown {
public:
    explicit Countdown(std::uint32_t count) : left_(count) {}
    void one() {
        const detail::MutexLock lock(mutex_);
        if (--left_ == 0) done_.notify_one();
    }
    void wait() {
        const detail::MutexLock lock(mutex_);
        while (left_ != 0) done_.wait(mutex_);
    }

private:
    detail::Mutex mutex_;
    detail::Condition done_;
    std::uint32_t left_ BELAY_GUARDED_BY(mutex_);
};

/// Starts all at once and returns the runs per second. The store tells of their ends.
double measure_rate(Store& store, Client& client, std::uint32_t runs, Progress& progress) {
    class Ends final : public StoreListener {
    public:
        explicit Ends(Countdown& left) : left_(left) {}
        void instance_ended(RunRef) override { left_.one(); }

    private:
        Countdown& left_;
    };
    progress.say("all at once");
    Countdown left(runs);
    Ends ends(left);
    store.subscribe(ends);
    const auto begin = SteadyClock::now();
    for (std::uint32_t i = 0; i < runs; ++i) {
        client.start("Bench",
                     Codec<std::int64_t>::encode(i),
                     StartOptions().id("all-" + std::to_string(i)),
                     [](const Result<StartResult>&) {});
    }
    left.wait();
    const double took = seconds_since(begin);
    store.unsubscribe(ends);
    return runs / took;
}

std::string with_decimals(double value) {
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, "%.2f", value);
    return buffer;
}

Exit run_bench(Context& context, const Arguments& arguments) {
    const std::uint32_t runs =
        std::clamp(number_option(arguments, "runs").value_or(2'000), 1U, 1'000'000U);
    const ScratchDirectory scratch(
        arguments.value_or("directory", context.environment().directory));
    const auto store = open_file({scratch.file("bench.db"), SqliteOptions()}, Opening::create);
    Registry registry;
    registry.add(kBenchRun, bench_run);
    registry.add(kBenchStep, [](std::int64_t n) { return n + 1; });
    Worker worker(*store, registry);
    Client client(worker.store());
    Progress progress(context.terminal());
    const Latency latency = measure_latency(client, std::clamp(runs / 10, 1U, 500U), progress);
    const double rate = measure_rate(worker.store(), client, runs, progress);
    if (context.json()) {
        JsonWriter document;
        document.open_object()
            .field("runs", runs)
            .field("runs_per_second", rate)
            .field("median_ms", latency.median_ms)
            .field("worst_ms", latency.worst_ms)
            .close_object();
        context.print(document);
        return Exit::ok;
    }
    context.print_line("A run with one activity, each step on the disk before the next:");
    context.print_line("  one at a time  " + with_decimals(latency.median_ms) +
                       " ms in the middle, " + with_decimals(latency.worst_ms) + " ms at worst");
    context.print_line("  " + std::to_string(runs) + " at once   " +
                       std::to_string(static_cast<std::uint64_t>(rate)) + " runs a second");
    return Exit::ok;
}

}  // namespace

Command bench_command() {
    return {
        .name = "bench",
        .summary = "Measure what this disk and this machine give",
        .details =
            "Runs a small load in a file of its own, in this directory or another one, and "
            "removes the file. Needs no store and touches none.",
        .options = {{.name = "directory",
                     .value = "DIR",
                     .help = "a directory on the disk to be measured. Default: the current one",
                     .file = true},
                    {.name = "runs", .value = "N", .help = "the number of runs. Default: 2000"}},
        .examples = {{"belay bench --directory /var/lib/orders", ""}},
        .run = run_bench,
    };
}

}  // namespace belay::cli
