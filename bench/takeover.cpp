#include "takeover.hpp"

#include "children.hpp"
#include "measure.hpp"
#include "sqlite_run.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <memory>
#include <vector>

namespace belay::bench {

namespace {

constexpr const char* kRestart = "sqlite.full.takeover.restart.10000";
constexpr const char* kAlive = "sqlite.full.takeover.alive.10000";
constexpr std::uint32_t kInFlight = 10'000;
constexpr std::uint32_t kBack = 1'000;
/// Each slice starts and kills processes.
constexpr std::size_t kMostSlices = 5;

std::unique_ptr<Store> open(const std::string& path) {
    auto store = make_sqlite_store(path);
    if (!store) throw std::runtime_error(store.error().describe());
    return std::move(*store);
}

[[noreturn]] void wait_to_be_killed() {
    while (true) ::pause();
}

void say(long long number) {
    std::printf("%lld\n", number);
    std::fflush(stdout);
}

/// Says when the last of so many runs has ended.
class Count final : public StoreListener {
public:
    explicit Count(std::uint32_t count) : left_(count) {}
    void instance_ended(RunRef /*run*/) override {
        if (--left_ == 0) say(SteadyClock::now().time_since_epoch().count());
    }

private:
    std::atomic<std::int64_t> left_;
};

/// A process of the benchmark that is killed in the end.
class Victim {
public:
    Victim(const char* role, const SqliteFile& file, std::uint32_t count)
        : process_({role, file.path(), std::to_string(count)}), pid_(std::stoi(process_.line())) {}
    ~Victim() { kill(); }
    Victim(const Victim&) = delete;
    Victim& operator=(const Victim&) = delete;

    void kill() {
        if (pid_ > 0) ::kill(pid_, SIGKILL);
        pid_ = -1;
    }
    [[nodiscard]] Instant when() { return Instant(Instant::duration(std::stoll(process_.line()))); }

private:
    Child process_;
    pid_t pid_;
};

double seconds_to_restart() {
    const SqliteFile file;
    Victim doomed(kDoomedRole, file, kInFlight);
    const Instant at = SteadyClock::now();
    doomed.kill();
    Victim successor(kSuccessorRole, file, kBack);
    return seconds_between(at, successor.when());
}

double seconds_elsewhere() {
    const SqliteFile file;
    Victim doomed(kDoomedRole, file, kInFlight);
    Victim successor(kSuccessorRole, file, kBack);
    const Instant at = SteadyClock::now();
    doomed.kill();
    return seconds_between(at, successor.when());
}

template <class Measure>
Figure figure(const char* name, std::size_t slices, Measure measure) {
    std::vector<double> seconds;
    while (seconds.size() < std::min(slices, kMostSlices)) seconds.push_back(measure());
    return Figure{name, estimate(seconds), "s", 1.0};
}

}  // namespace

void measure_takeover(Report& report) {
    const std::size_t slices = report.plan().slices();
    if (report.wants(kRestart)) report.add(figure(kRestart, slices, seconds_to_restart));
    if (report.wants(kAlive)) report.add(figure(kAlive, slices, seconds_elsewhere));
}

void hold_until_killed(const std::string& path, std::uint32_t count) {
    std::atomic<std::uint32_t> begun{0};
    Registry registry = orchestrations();
    registry.add(Step, [&](ActivityContext& ctx, std::int64_t value) -> Async<std::int64_t> {
        ++begun;
        begun.notify_one();
        co_await ctx.sleep(std::chrono::hours(1));
        co_return value;
    });
    SqliteWorker worker(std::move(registry), open(path));
    worker.start_all(Single, 1, count, 500);
    for (std::uint32_t seen = begun; seen < count; seen = begun) begun.wait(seen);
    say(::getpid());
    wait_to_be_killed();
}

void succeed_until_killed(const std::string& path, std::uint32_t count) {
    std::unique_ptr<Store> store = open(path);
    say(::getpid());
    Count ends(count);
    store->subscribe(ends);
    SqliteWorker worker(code_without_effects(), std::move(store));
    wait_to_be_killed();
}

}  // namespace belay::bench
