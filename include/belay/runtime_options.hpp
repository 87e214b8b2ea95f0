// Options of a runtime, and so of a worker.
#pragma once

#include <belay/engine_event.hpp>
#include <belay/limits.hpp>
#include <belay/random.hpp>
#include <belay/retention/rules.hpp>
#include <belay/time.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace belay {

class TurnExecutor;

/// Options of a runtime. Chained setters: `RuntimeOptions().worker("w1").activity_slots(8)`.
class RuntimeOptions {
public:
    RuntimeOptions() = default;

    /// The worker's name, for people: in leases, and ActivityContext::worker. Default: "worker".
    RuntimeOptions& worker(std::string name) { return set(worker_, std::move(name)); }
    /// Turns that are claimed at once, and threads for turns that take long. Default: 64.
    RuntimeOptions& turn_slots(std::uint32_t count) { return set(turn_slots_, count); }
    /// Activities at once, of all kinds together. Default: 16,384. The executor bounds each kind by
    /// the room it has. Those of the engine itself, as of schedules, do not count.
    RuntimeOptions& activity_slots(std::uint32_t count) { return set(activity_slots_, count); }
    /// Executions that are kept in memory between their turns. Default: 10,000. Others are made
    /// again from their history.
    RuntimeOptions& residents(std::size_t count) { return set(residents_, count); }
    /// The queues whose activities it runs; the empty name is the default queue. Default: only the
    /// default queue. Without any queue, only turns are taken.
    RuntimeOptions& queues(std::vector<std::string> names) {
        return set(queues_, std::move(names));
    }
    /// Runs the activities of every queue.
    RuntimeOptions& any_queue(bool any) { return set(any_queue_, any); }
    /// The number of sessions that this process may have at once. Default: 100. With 0 it takes no
    /// activities that belong to a session. See docs/guides/queues.md.
    RuntimeOptions& sessions(std::uint32_t count) { return set(sessions_, count); }
    /// Commits a start, or the end of an activity, together with the work that follows from it.
    /// Default: on. Off: a start, the end of an activity and each turn are separate commits, and
    /// every activity and turn is claimed, even if it could be done here at once.
    RuntimeOptions& share_commits(bool share) { return set(share_commits_, share); }
    /// The retention of a namespace in this process, unless a policy was set for it at run time
    /// (Client::set_retention). Default: everything is kept.
    RuntimeOptions& retention(RetentionPolicy policy, std::string space = "default") {
        retention_.insert_or_assign(std::move(space), std::move(policy));
        return *this;
    }
    /// A source of retention policies, read now and every Policy::retention_interval. It takes
    /// precedence over `retention` for the namespaces that it names. An error at the start is
    /// thrown as one of the options. A later error is logged, and the last good answer counts. An
    /// exception that it throws is such an error. Called by the thread that steps the runtime. For
    /// a file see retention_file in retention_config.hpp.
    RuntimeOptions& retention_source(RetentionSource source) {
        return set(retention_source_, std::move(source));
    }
    /// Limits. Must be equal in all processes that run the same orchestrations: see Limits.
    RuntimeOptions& limits(const Limits& limits) { return set(limits_, limits); }
    /// Times, retries and batch sizes.
    RuntimeOptions& policy(const Policy& policy) { return set(policy_, policy); }
    /// The clock. Must outlive the runtime. Default: the machine's clock.
    RuntimeOptions& clock(Clock& clock) { return set(clock_, &clock); }
    /// The random numbers. Must outlive the runtime. Default: the operating system's.
    RuntimeOptions& random(Random& random) { return set(random_, &random); }
    /// Receives the events of the engine, and the lines that orchestrations and activities log.
    /// Default: a Worker writes warnings and errors to standard error; a Runtime is silent. An
    /// empty function is silent too.
    RuntimeOptions& events(EngineEventSink sink) { return set(events_, std::move(sink)); }
    /// True once `events` was called.
    [[nodiscard]] bool has_events() const noexcept { return events_.has_value(); }

    /// The executor of turns. Must outlive the runtime. Default: turns run on the thread that steps
    /// the runtime, or, in a Worker, on threads of its own.
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

}  // namespace belay
