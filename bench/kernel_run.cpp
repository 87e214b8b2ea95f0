#include "kernel_run.hpp"

#include "counting_store.hpp"
#include "measure.hpp"
#include <belay/client.hpp>
#include <belay/executor.hpp>
#include <belay/runtime.hpp>
#include <belay/store/memory.hpp>

#include <unordered_map>

namespace belay::bench {

namespace {

/// Knows when each instance was started and hears when it ends.
class Endings final : public StoreListener {
public:
    explicit Endings(Store& store) : store_(store) { store_.subscribe(*this); }
    Endings(const Endings&) = delete;
    Endings& operator=(const Endings&) = delete;
    ~Endings() override { store_.unsubscribe(*this); }

    void started(RunKey run, Instant at) { open_.emplace(run, at); }
    void instance_ended(RunRef run) override {
        const auto at = open_.find(run.key);
        if (at == open_.end()) return;
        latencies_ms_.push_back(seconds_between(at->second, SteadyClock::now()) * 1000);
        open_.erase(at);
    }

    [[nodiscard]] std::size_t open() const noexcept { return open_.size(); }
    [[nodiscard]] std::vector<double> take_latencies_ms() { return std::move(latencies_ms_); }

private:
    Store& store_;
    std::unordered_map<RunKey, Instant> open_;
    std::vector<double> latencies_ms_;
};

InstanceName start_one(Client& client,
                       const Run& definition,
                       std::int64_t input,
                       Endings& endings) {
    const Instant at = SteadyClock::now();
    Result<StartResult> started = client.start(definition, StartOptions(), input);
    require(started.ok(), "an instance could not be started");
    endings.started(started->instance.run.key, at);
    return std::move(started->instance.name);
}

EngineRun run_on(Store& store,
                 const Registry& registry,
                 const Run& definition,
                 std::int64_t input,
                 std::uint32_t instances,
                 std::uint32_t in_flight) {
    Endings endings(store);
    InlineExecutor executor;
    Client client(store);
    Runtime runtime(store, registry, executor, RuntimeOptions().activity_slots(64));

    EngineRun run;
    InstanceName last;
    std::uint32_t started = 0;
    const Instant begin = SteadyClock::now();
    while (started < instances || endings.open() > 0) {
        while (started < instances && endings.open() < in_flight) {
            last = start_one(client, definition, input, endings);
            ++started;
        }
        // Everything answers at once, so a run that has not ended has a next step.
        require(runtime.step(), "the engine stands still");
    }
    run.seconds = seconds_between(begin, SteadyClock::now());
    run.latencies_ms = endings.take_latencies_ms();
    // They all do the same, so one speaks for the others: a quick failure is not speed.
    const Result<Outcome> outcome = client.outcome(last);
    require(outcome.ok() && outcome->status == Status::completed, "an instance did not complete");
    return run;
}

}  // namespace

EngineRun run_engine(const Registry& registry,
                     const Run& definition,
                     std::int64_t input,
                     std::uint32_t instances,
                     std::uint32_t in_flight) {
    const std::unique_ptr<Store> store = make_memory_store(system_clock());
    return run_on(*store, registry, definition, input, instances, in_flight);
}

double commits_per_instance(const Workload& workload, std::uint32_t in_flight) {
    const std::uint32_t instances = std::max(100U, 2 * in_flight);
    const std::unique_ptr<Store> store = make_memory_store(system_clock());
    CountingStore counting(*store);
    const Registry registry = code_without_effects();
    (void)run_on(counting, registry, workload.definition, 1, instances, in_flight);
    return static_cast<double>(counting.writes()) / instances;
}

}  // namespace belay::bench
