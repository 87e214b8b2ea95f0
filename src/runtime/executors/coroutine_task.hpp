// A coroutine activity without a place to run.
#pragma once

#include <belay/async.hpp>
#include <belay/executor.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

namespace belay::runtime {

/// The frames of one coroutine activity, from its beginning to its result. Derived classes resume
/// it, choose the thread, and end its waits.
class CoroutineTask : public detail::AsyncRun {
public:
    explicit CoroutineTask(std::shared_ptr<ActivityTask> task)
        : task_(std::move(task)), code_(task_->handler()), context_(task_->context(&shields_)) {}
    /// Other code than its own.
    CoroutineTask(std::shared_ptr<ActivityTask> task, ActivityHandler code)
        : task_(std::move(task)), code_(std::move(code)), context_(task_->context(&shields_)) {}

    [[nodiscard]] StopReason stop_reason() const noexcept override { return task_->stop_reason(); }

protected:
    /// Runs it until it waits or has a result; begins it if need be.
    void resume();
    /// True if a program that was told to stop had already succeeded.
    [[nodiscard]] bool program_succeeded() const;
    /// The failure of an activity that was destroyed where it stood.
    [[nodiscard]] Failure ended_by_force() const;

    const std::shared_ptr<ActivityTask> task_;
    const ActivityHandler code_;
    std::uint32_t shields_ = 0;
    ActivityContext context_;
    std::optional<ActivityResult> result_;
    std::optional<Async<Payload>> root_;  ///< Uses all that there is: destroyed first.

private:
    void create();
};

}  // namespace belay::runtime
