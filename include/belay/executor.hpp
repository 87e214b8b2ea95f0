// Where activities run.
#pragma once

#include <belay/activity.hpp>
#include <belay/registry.hpp>
#include <belay/status.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <variant>

namespace belay {

using ActivityResult = std::variant<Payload, Failure>;

/// One activity to be run. Shared between the dispatcher and the executor.
class ActivityTask {
public:
    ActivityTask(ActivityDetails details, Payload input, const ActivityHandler& handler)
        : details_(std::move(details)), input_(std::move(input)), handler_(&handler) {}

    [[nodiscard]] const ActivityDetails& details() const noexcept { return details_; }
    [[nodiscard]] const Payload& input() const noexcept { return input_; }
    [[nodiscard]] bool stop_requested() const noexcept { return stop_.stop_requested(); }

    /// Runs the handler on the calling thread. Whatever it throws becomes a failure.
    [[nodiscard]] ActivityResult run();
    /// Asks the handler to stop. Runs the handler's stop callbacks on the calling thread.
    void request_stop(StopReason reason);

private:
    ActivityDetails details_;
    Payload input_;
    const ActivityHandler* handler_;
    std::stop_source stop_;
    StopReason reason_ = StopReason::none;
};

/// Runs activities. Injected: threads in production, a script in the simulator.
class ActivityExecutor {
public:
    using Done = std::function<void(ActivityResult)>;

    virtual ~ActivityExecutor() = default;

    /// Begins `task` and calls `done` once when it has ended, on any thread, possibly before
    /// returning. Throws if it cannot: then it must not run it, and the activity is given back to
    /// be tried again a little later, here or elsewhere, without counting as an attempt.
    virtual void begin(std::shared_ptr<ActivityTask> task, Done done) = 0;
    /// Asks it to stop, without blocking the caller: users' stop callbacks run elsewhere. May call
    /// `done`, of a task that it had not yet run.
    virtual void request_stop(const std::shared_ptr<ActivityTask>& task, StopReason reason) = 0;
    /// The grace period is over and `task` has not ended.
    ///
    /// True: it is being ended by force; `done` is still called, with a failure unless it ended by
    /// itself, once nothing of it runs any more. False: it cannot be ended (a thread in users'
    /// code, a coroutine in an awaitable that is not ours) and is abandoned: its slot is free, what
    /// it uses stays alive until it ends, and `done` is never called.
    [[nodiscard]] virtual bool abort(const std::shared_ptr<ActivityTask>& task) = 0;

    /// How many more activities could begin at once, whatever their kind. Any thread.
    [[nodiscard]] virtual std::uint32_t room() const;
    /// The same of activities with this code.
    [[nodiscard]] virtual std::uint32_t room_for(const ActivityHandler& handler) const;
};

/// Runs each activity at once, on the thread that steps the runtime.
class InlineExecutor final : public ActivityExecutor {
public:
    void begin(std::shared_ptr<ActivityTask> task, Done done) override;
    void request_stop(const std::shared_ptr<ActivityTask>& task, StopReason reason) override;
    [[nodiscard]] bool abort(const std::shared_ptr<ActivityTask>& task) override;
};

}  // namespace belay
