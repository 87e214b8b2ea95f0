// Executors of activities.
#pragma once

#include <belay/activity.hpp>
#include <belay/registry.hpp>
#include <belay/status.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <variant>

namespace belay {

/// The end of an activity: an encoded result, or a failure.
using ActivityResult = std::variant<Payload, Failure>;

namespace detail {

/// An activity in progress, as its executor knows it.
class RunningActivity {
public:
    RunningActivity() = default;
    RunningActivity(const RunningActivity&) = delete;
    RunningActivity& operator=(const RunningActivity&) = delete;
    virtual ~RunningActivity() = default;
    virtual void stop(StopReason reason) = 0;
    [[nodiscard]] virtual bool abort() = 0;
    [[nodiscard]] virtual bool withdraw() { return false; }
};

}  // namespace detail

/// One activity to be run. Shared between the dispatcher and the executor.
class ActivityTask {
public:
    /// `progress`: the last progress of an earlier attempt.
    ActivityTask(ActivityDetails details,
                 Payload input,
                 ActivityHandler handler,
                 std::optional<Payload> progress = std::nullopt)
        : details_(std::move(details)),
          input_(std::move(input)),
          handler_(std::move(handler)),
          heartbeats_(std::move(progress)) {}

    /// Returns the details that identify the activity.
    [[nodiscard]] const ActivityDetails& details() const noexcept { return details_; }
    /// Its encoded arguments.
    [[nodiscard]] const Payload& input() const noexcept { return input_; }
    /// Its code.
    [[nodiscard]] const ActivityHandler& handler() const noexcept { return handler_; }
    /// As the context's. Any thread.
    [[nodiscard]] StopReason stop_reason() const noexcept { return reason_.load(); }
    /// As the context's. Any thread.
    [[nodiscard]] bool stop_requested() const noexcept { return stop_reason() != StopReason::none; }

    /// Runs the handler on the calling thread. An exception becomes a failure, and so does a
    /// handler that is not a plain function.
    [[nodiscard]] ActivityResult run();
    /// Returns the current exception as the failure of this activity. Only in a `catch`.
    [[nodiscard]] Failure failure() const;
    /// Returns the context of a handler that will run elsewhere; it refers to this task.
    [[nodiscard]] ActivityContext context(std::uint32_t* shields) {
        return ActivityContext(details_, stop_.get_token(), reason_, heartbeats_, shields);
    }
    /// Returns its progress.
    [[nodiscard]] detail::Heartbeats& heartbeats() noexcept { return heartbeats_; }

    /// Asks the handler to stop. Runs the handler's stop callbacks on the calling thread. Only the
    /// first reason counts.
    void request_stop(StopReason reason);
    /// The first half of `request_stop`, which never blocks: the context reports the stop, the
    /// token does not yet. Returns false if a stop was requested before.
    bool announce_stop(StopReason reason) noexcept;
    /// The second half.
    void fire_stop() { stop_.request_stop(); }

    /// Lets an executor find again what it has begun. Only used by the thread that steps the
    /// runtime.
    void set_running(std::weak_ptr<detail::RunningActivity> running) noexcept {
        running_ = std::move(running);
    }
    /// Returns null if it has ended, or was never begun.
    [[nodiscard]] std::shared_ptr<detail::RunningActivity> running() const noexcept {
        return running_.lock();
    }

private:
    ActivityDetails details_;
    Payload input_;
    ActivityHandler handler_;
    std::stop_source stop_;
    std::atomic<StopReason> reason_ = StopReason::none;
    detail::Heartbeats heartbeats_;
    std::weak_ptr<detail::RunningActivity> running_;
};

/// Runs activities. Injected: threads in production, a script in the simulator.
class ActivityExecutor {
public:
    /// Receives the result.
    using Done = std::function<void(ActivityResult)>;

    virtual ~ActivityExecutor() = default;

    /// Begins `task` and calls `done` once when it has ended, on any thread, possibly before
    /// returning. Throws if it cannot; then it must not run the task. The activity is given back
    /// and retried a little later, here or elsewhere, without counting as an attempt.
    virtual void begin(std::shared_ptr<ActivityTask> task, Done done) = 0;
    /// Asks it to stop, without blocking the caller: users' stop callbacks run elsewhere. May call
    /// `done` for a task that it had not yet run.
    virtual void request_stop(const std::shared_ptr<ActivityTask>& task, StopReason reason) = 0;
    /// Called if the grace period is over and `task` has not ended.
    ///
    /// Returns true if it is being ended by force. Then `done` is still called once nothing of it
    /// runs any more, with a failure unless it ended by itself. Returns false if it cannot be ended
    /// (a thread in users' code, a coroutine in a foreign awaitable) and is abandoned. Then its
    /// slot is free, everything it uses stays alive until it ends, and `done` is never called.
    [[nodiscard]] virtual bool abort(const std::shared_ptr<ActivityTask>& task) = 0;

    /// Takes back a task that waits for its turn. Returns true if nothing of it has run. Then
    /// nothing will, and `done` is never called.
    [[nodiscard]] virtual bool withdraw(const std::shared_ptr<ActivityTask>& task);

    /// Returns the number of further activities of this kind that could begin now or very soon. Any
    /// thread.
    [[nodiscard]] virtual std::uint32_t room(ActivityKind kind) const;
};

/// Runs each activity at once, on the thread that steps the runtime.
class InlineExecutor final : public ActivityExecutor {
public:
    void begin(std::shared_ptr<ActivityTask> task, Done done) override;
    void request_stop(const std::shared_ptr<ActivityTask>& task, StopReason reason) override;
    [[nodiscard]] bool abort(const std::shared_ptr<ActivityTask>& task) override;
};

}  // namespace belay
