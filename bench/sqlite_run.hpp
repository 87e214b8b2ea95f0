// A worker on a SQLite file, and a client that keeps it busy.
#pragma once

#include "measure.hpp"
#include "sqlite_file.hpp"
#include "workloads.hpp"
#include <belay/client.hpp>
#include <belay/registry.hpp>
#include <belay/worker.hpp>

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace belay::bench {

/// The result of one measurement.
struct WorkerRun {
    double seconds = 0;
    std::vector<double> latencies_ms;  ///< From the call that started it to hearing of its end.
    StoreCounts counts;                ///< The counts of the store for it.
};

/// The run that is started again and again.
struct Job {
    std::string definition;
    Payload input;
    StartOptions options{};
};

[[nodiscard]] Job job_of(const Run& definition, std::int64_t input);

/// Hears of starts and ends, on any thread.
class Ends final : public StoreListener {
public:
    explicit Ends(Store& store) : store_(store) { store_.subscribe(*this); }
    Ends(const Ends&) = delete;
    Ends& operator=(const Ends&) = delete;
    ~Ends() override { store_.unsubscribe(*this); }

    void instance_ended(RunRef run) override;
    /// The answer to a start that was asked for at `at`. Its end may have come before.
    void answered(const Result<StartResult>& result, Instant at);

    /// Waits until at most `most` of those asked for have not ended. Returns their number. Throws
    /// if one could not be started.
    std::uint32_t wait_until_open(std::uint32_t asked, std::uint32_t most);
    /// Waits until the answers to at most this many of the starts asked for are missing.
    void wait_until_unanswered(std::uint32_t asked, std::uint32_t most);
    /// Waits until all of them have ended and their starters know.
    void wait_until_over(std::uint32_t asked);
    [[nodiscard]] std::vector<double> take_latencies_ms();
    [[nodiscard]] InstanceName last() const { return last_; }

private:
    Store& store_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::uint32_t ended_ = 0;
    std::uint32_t answered_ = 0;
    std::string problem_;
    InstanceName last_;
    std::unordered_map<RunKey, Instant> starts_;
    // The ends of runs whose start is not known yet; those of children stay.
    std::unordered_map<RunKey, Instant> ends_;
    std::vector<double> latencies_ms_;
};

/// A store file with a worker on it, set up as it is by default.
class SqliteWorker {
public:
    SqliteWorker(Registry registry,
                 Synchronous synchronous,
                 const ExecutorOptions& executor = ExecutorOptions());
    /// On a file that is there, instead of one of its own.
    SqliteWorker(Registry registry, std::unique_ptr<Store> store);

    /// Takes instances through, so many at a time. `between`: called after each one when they are
    /// taken one at a time, and not part of any time.
    [[nodiscard]] WorkerRun run(const Job& job,
                                std::uint32_t instances,
                                std::uint32_t in_flight,
                                const std::function<void()>& between = {});
    [[nodiscard]] WorkerRun run(const Run& definition,
                                std::int64_t input,
                                std::uint32_t instances,
                                std::uint32_t in_flight,
                                const std::function<void()>& between = {}) {
        return run(job_of(definition, input), instances, in_flight, between);
    }
    /// Lets `run` send each instance a message of kQueue when it is started, if more than one is in
    /// flight.
    void send_messages(bool send) noexcept { sends_ = send; }

    /// Starts instances that do not end, with so many starts under way at a time.
    void start_all(const Run& definition,
                   std::int64_t input,
                   std::uint32_t instances,
                   std::uint32_t in_flight);

    [[nodiscard]] Client& client() noexcept { return client_; }

private:
    WorkerRun one_at_a_time(const Job& job,
                            std::uint32_t instances,
                            const std::function<void()>& between);
    /// Returns at once; `ends` hears the answer.
    void start_one(const Job& job, Ends& ends);
    void send_one(const InstanceName& name);
    WorkerRun many_at_a_time(const Job& job, std::uint32_t instances, std::uint32_t in_flight);

    Registry registry_;
    std::optional<SqliteFile> file_;
    std::unique_ptr<Store> store_;
    Worker worker_;
    Client client_;
    InstanceName last_;
    bool sends_ = false;
};

}  // namespace belay::bench
