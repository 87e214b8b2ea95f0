// The runtime of one process: claims work from a store and does it.
#pragma once

#include <belay/engine_event.hpp>
#include <belay/executor.hpp>
#include <belay/limits.hpp>
#include <belay/random.hpp>
#include <belay/registry.hpp>
#include <belay/retention.hpp>
#include <belay/runtime_counts.hpp>
#include <belay/store/store.hpp>
#include <belay/time.hpp>
#include <belay/turn_executor.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace belay {

/// How a runtime is set up. Chained setters: `RuntimeOptions().worker("w1").activity_slots(8)`.
class RuntimeOptions {
public:
    RuntimeOptions() = default;

    /// Its name, for people: in leases, and ActivityContext::worker. "worker" unless something is
    /// said.
    RuntimeOptions& worker(std::string name) { return set(worker_, std::move(name)); }
    /// Turns that are claimed at once, and threads for turns that take long; 64 unless something is
    /// said.
    RuntimeOptions& turn_slots(std::uint32_t count) { return set(turn_slots_, count); }
    /// Activities at once, whatever their kind; 16,384 unless something is said. The executor
    /// bounds each kind by what it has room for.
    RuntimeOptions& activity_slots(std::uint32_t count) { return set(activity_slots_, count); }
    /// Executions that are kept in memory between their turns; 10,000 unless something is said.
    /// Others are made again from their history.
    RuntimeOptions& residents(std::size_t count) { return set(residents_, count); }
    /// Whose activities it runs; the empty name is the default queue, which is all unless something
    /// is said. None: only turns are taken.
    RuntimeOptions& queues(std::vector<std::string> names) {
        return set(queues_, std::move(names));
    }
    /// Runs the activities of every queue.
    RuntimeOptions& any_queue(bool any) { return set(any_queue_, any); }
    /// How many sessions this process may have at once; 100 unless something is said. 0: it takes
    /// no activities that belong to one. See docs/activities.md.
    RuntimeOptions& sessions(std::uint32_t count) { return set(sessions_, count); }
    /// On unless something is said. Off: a start, the end of an activity and each turn are commits
    /// of their own, and every activity and turn is claimed, even if what comes next could be done
    /// here at once.
    RuntimeOptions& share_commits(bool share) { return set(share_commits_, share); }
    /// What this process keeps of a namespace, unless a policy was set for it at run time
    /// (Client::set_retention). Nothing said, nothing set: everything.
    RuntimeOptions& retention(RetentionPolicy policy, std::string space = "default") {
        retention_.insert_or_assign(std::move(space), std::move(policy));
        return *this;
    }
    /// What this process keeps, read now and every Policy::retention_interval: for the namespaces
    /// that it names it goes before `retention`. An error at the start is thrown as one of the
    /// options; a later one is logged, and what was read last counts. What it throws is such an
    /// error. Called by the thread that steps the runtime. For a file see retention_file in
    /// retention_config.hpp.
    RuntimeOptions& retention_source(RetentionSource source) {
        return set(retention_source_, std::move(source));
    }
    /// Equal in all processes that run the same orchestrations: see Limits.
    RuntimeOptions& limits(const Limits& limits) { return set(limits_, limits); }
    /// How long things may take.
    RuntimeOptions& policy(const Policy& policy) { return set(policy_, policy); }
    /// Must outlive the runtime; the machine's unless something is said.
    RuntimeOptions& clock(Clock& clock) { return set(clock_, &clock); }
    /// Must outlive the runtime; the operating system's unless something is said.
    RuntimeOptions& random(Random& random) { return set(random_, &random); }
    /// Receives what the engine says of itself, and the lines that orchestrations and activities
    /// log. Default: a Worker writes warnings and errors to standard error; a Runtime is silent.
    /// An empty function: silence.
    RuntimeOptions& events(EngineEventSink sink) { return set(events_, std::move(sink)); }
    /// True once `events` was called.
    [[nodiscard]] bool has_events() const noexcept { return events_.has_value(); }

    /// Where turns run. Must outlive the runtime. Unless something is said, and it is a Worker's,
    /// which has threads for them: on the thread that steps it.
    RuntimeOptions& turn_executor(TurnExecutor& executor) { return set(turn_executor_, &executor); }

    [[nodiscard]] std::uint32_t turn_slots() const noexcept { return turn_slots_; }
    [[nodiscard]] const Policy& policy() const noexcept { return policy_; }
    [[nodiscard]] Clock& clock() const noexcept { return *clock_; }

private:
    friend class Runtime;
    template <class T, class U>
    RuntimeOptions& set(T& member, U&& value) {
        member = std::forward<U>(value);
        return *this;
    }

    std::string worker_ = "worker";
    std::uint32_t turn_slots_ = 64;
    std::uint32_t activity_slots_ = 16'384;
    std::size_t residents_ = 10'000;
    std::vector<std::string> queues_{std::string()};
    bool any_queue_ = false;
    std::uint32_t sessions_ = 100;
    bool share_commits_ = true;
    RetentionPolicies retention_;
    RetentionSource retention_source_;
    Limits limits_;
    Policy policy_;
    Clock* clock_ = &system_clock();
    Random* random_ = &system_random();
    std::optional<EngineEventSink> events_;
    TurnExecutor* turn_executor_ = nullptr;
};

/// The deterministic core: it has no thread of its own. Whoever owns it calls `step`, which does
/// one small thing (send a claim, take a turn, handle an answer) and never blocks; all time, chance
/// and execution of activities is injected. So a simulator can drive many of them in one thread.
///
/// Store, registry and executor must outlive it; the registry is complete by then. `step`,
/// `shut_down` and the destructor: one thread at a time. Destroying it is like a crash that nobody
/// notices: what it holds stays leased until the leases expire.
class Runtime {
public:
    /// Options out of range: throws std::invalid_argument that names the setting.
    Runtime(Store& store,
            const Registry& registry,
            ActivityExecutor& executor,
            const RuntimeOptions& options = RuntimeOptions());
    /// A registry that is gone before the runtime is.
    Runtime(Store& store,
            const Registry&& registry,
            ActivityExecutor& executor,
            const RuntimeOptions& options = RuntimeOptions()) = delete;
    Runtime(const Runtime&) = delete;
    Runtime& operator=(const Runtime&) = delete;
    ~Runtime();

    /// Does one thing; false when there is nothing to do until an answer comes, a notification
    /// arrives, or `next_due`.
    bool step();
    /// Steps until there is nothing to do now.
    void run_until_idle();
    /// On the injected monotonic clock: when there is something to do, if nothing happens before.
    [[nodiscard]] Millis next_due() const;

    /// The store, for clients of this process: a run that is started through it is committed
    /// together with its first turn, which saves a commit and a claim. Everything else goes
    /// straight to the store. Any thread; answers to such starts come from `step`. Not to be used
    /// beyond the life of the runtime.
    [[nodiscard]] Store& store() noexcept;

    /// Claims nothing more, asks running activities to stop, and gives back what is not finished,
    /// with what it said of its progress last; then lets go of its sessions. Go on stepping until
    /// `idle`.
    void shut_down();
    /// Nothing claimed, nothing running, nothing to report.
    [[nodiscard]] bool idle() const noexcept;

    /// Drops one resident execution, as memory pressure would; false if there is none.
    bool evict_one();
    /// Any thread.
    [[nodiscard]] RuntimeCounts counts() const;

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace belay
