// Runs activities of every kind: on threads, as coroutines, as child processes.
#pragma once

#include <belay/executor.hpp>
#include <belay/executor_options.hpp>
#include <belay/time.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace belay {

/// The executor of a real process. Threads are made when they are first needed.
/// docs/guides/activities.md tells how each kind of activity stops, and what is left of one that
/// does not.
///
/// Call `begin`, `request_stop`, `abort` and `withdraw` from one thread at a time, all else from
/// any. `done` is called on the thread that ran a plain function; for the other kinds, on a thread
/// of the loop.
class ThreadExecutor final : public ActivityExecutor {
public:
    /// Throws std::invalid_argument that names the setting if an option is out of range.
    explicit ThreadExecutor(const ExecutorOptions& options = ExecutorOptions());
    ThreadExecutor(const ThreadExecutor&) = delete;
    ThreadExecutor& operator=(const ThreadExecutor&) = delete;
    /// Calls `shut_down`, with the grace period of the options. Not on one of its own threads.
    ~ThreadExecutor() override;

    void begin(std::shared_ptr<ActivityTask> task, Done done) override;
    void request_stop(const std::shared_ptr<ActivityTask>& task, StopReason reason) override;
    [[nodiscard]] bool abort(const std::shared_ptr<ActivityTask>& task) override;
    [[nodiscard]] bool withdraw(const std::shared_ptr<ActivityTask>& task) override;
    [[nodiscard]] std::uint32_t room(ActivityKind kind) const override;

    /// Makes another thread come for the plain functions that wait for one. For a thread in
    /// `after_done` that is about to block.
    void wake_another();
    /// For a thread in `after_done` that may not come back. Returns a function that takes the
    /// thread from the executor, if another thread calls it before `after_done` has returned. The
    /// executor then makes another thread when it needs one, and its shutdown does not wait for the
    /// lost one.
    [[nodiscard]] std::function<void()> leaving();

    /// Begins nothing more, asks all to stop (shutdown), and aborts activities that have not ended
    /// after the grace period. Then no thread and no child process of it is left except abandoned
    /// ones. Returns the names of these. They keep alive what they use, and touch nothing else when
    /// they end. Acts once; later calls only return those that are still abandoned.
    std::vector<std::string> shut_down(Millis grace);

    /// The abandoned activities that have not ended yet, by name.
    [[nodiscard]] std::vector<std::string> abandoned() const;
    /// Returns the number of threads, without abandoned ones.
    [[nodiscard]] std::uint32_t threads() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace belay
