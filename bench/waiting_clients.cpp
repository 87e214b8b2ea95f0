#include "waiting_clients.hpp"

#include "measure.hpp"
#include "sqlite_run.hpp"
#include "turns.hpp"
#include "workloads.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <latch>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace belay::bench {

namespace {

/// Clients that wait in one way: the runs in flight, and the part of the listener's rate that they
/// must reach.
struct WaitingClients {
    const char* name;
    bool blocks;
    std::uint32_t in_flight;
    std::uint32_t instances;
    std::size_t most_slices;
    double least;
};
constexpr std::array kWaitingClients{
    WaitingClients{"sqlite.full.wait.blocking.1", true, 1, 400, 9, 0.8},
    WaitingClients{"sqlite.full.wait.blocking.100", true, 100, 5'000, 9, 0.7},
    WaitingClients{"sqlite.full.wait.blocking.500", true, 500, 8'000, 9, 0.5},
    // Each slice takes seconds.
    WaitingClients{"sqlite.full.wait.callbacks.10000", false, 10'000, 20'000, 5, 0.9}};

bool completes(Client& client, const StartResult& started) {
    const Result<Outcome> outcome = client.wait(started);
    return outcome && outcome->status == Status::completed;
}

/// A thread for each run in flight, which starts one and waits for it, and then the next.
double blocking_per_second(Client& client, const WaitingClients& waiting) {
    std::atomic<std::uint32_t> next{0};
    std::atomic<std::uint32_t> failed{0};
    std::latch ready(waiting.in_flight + 1);
    std::vector<std::thread> threads;
    for (std::uint32_t i = 0; i < waiting.in_flight; ++i) {
        threads.emplace_back([&] {
            ready.arrive_and_wait();
            while (next++ < waiting.instances) {
                const Result<StartResult> started =
                    client.start(Single, StartOptions(), std::int64_t(1));
                if (!started || !completes(client, *started)) ++failed;
            }
        });
    }
    ready.arrive_and_wait();
    const Instant begin = SteadyClock::now();
    for (std::thread& thread : threads) thread.join();
    require(failed == 0, "an instance did not complete");
    return waiting.instances / seconds_between(begin, SteadyClock::now());
}

/// Counts runs that are started and not known to have ended.
class OpenRuns {
public:
    void wait_until_below(std::uint32_t most) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return open_ < most; });
        ++open_;
    }
    void wait_until_none() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return open_ == 0; });
    }
    void end_one(bool well) {
        const std::lock_guard lock(mutex_);
        --open_;
        if (!well) ++failed_;
        changed_.notify_one();
    }
    [[nodiscard]] std::uint32_t failed() {
        const std::lock_guard lock(mutex_);
        return failed_;
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::uint32_t open_ = 0;
    std::uint32_t failed_ = 0;
};

/// A callback for each run in flight, and one thread that serves them.
double callbacks_per_second(Client& client, const WaitingClients& waiting) {
    OpenRuns runs;
    std::atomic<bool> over{false};
    std::thread serving([&] {
        while (!over) {
            if (client.wait_until_due(Millis(100))) client.step();
        }
    });
    const auto wait_for = [&](const Result<StartResult>& started) {
        if (!started) return runs.end_one(false);
        client.wait(*started, [&runs](const Result<Outcome>& outcome) {
            runs.end_one(outcome && outcome->status == Status::completed);
        });
    };
    const Instant begin = SteadyClock::now();
    for (std::uint32_t i = 0; i < waiting.instances; ++i) {
        runs.wait_until_below(waiting.in_flight);
        client.start(std::string(Single.name()),
                     detail::encode_arguments<std::int64_t>(std::int64_t(1)),
                     StartOptions(),
                     wait_for);
    }
    runs.wait_until_none();
    const double seconds = seconds_between(begin, SteadyClock::now());
    over = true;
    serving.join();
    require(runs.failed() == 0, "an instance did not complete");
    return waiting.instances / seconds;
}

Figure measure_one(const WaitingClients& waiting, std::size_t slices) {
    SqliteWorker worker(code_without_effects(), Synchronous::full);
    const auto wait = [&] {
        return waiting.blocks ? blocking_per_second(worker.client(), waiting)
                              : callbacks_per_second(worker.client(), waiting);
    };
    const auto listen = [&] {
        const WorkerRun run = worker.run(Single, 1, waiting.instances, waiting.in_flight);
        return waiting.instances / run.seconds;
    };
    (void)wait();
    (void)listen();
    const Turns turns = take_turns(std::min(slices, waiting.most_slices), wait, listen);
    return Figure{
        waiting.name, turns.ratio, "of the listener's rate", waiting.least, Figure::Limit::least};
}

}  // namespace

void measure_waiting_clients(Report& report) {
    for (const WaitingClients& waiting : kWaitingClients) {
        if (!report.wants(waiting.name)) continue;
        report.add(measure_one(waiting, report.plan().slices()));
    }
}

}  // namespace belay::bench
