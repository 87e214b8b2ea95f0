// Runs activities of every kind: on threads, as coroutines, as child processes.
#pragma once

#include <belay/executor.hpp>
#include <belay/time.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace belay {

/// Options of a ThreadExecutor. Chained setters: `ExecutorOptions().threads(8)`.
class ExecutorOptions {
public:
    ExecutorOptions() = default;

    /// Plain functions that run at once, each on a thread of its own. Default: 16. More are
    /// accepted as long as they take so little time that the next would wait no more than ten
    /// milliseconds.
    ExecutorOptions& threads(std::uint32_t most) { return set(threads_, most); }
    /// Coroutine activities at once, waiting ones included. Default: 10,000.
    ExecutorOptions& coroutines(std::uint32_t most) { return set(coroutines_, most); }
    /// The threads that run the code of coroutines between their waits. Default: 1.
    ExecutorOptions& loop_threads(std::uint32_t most) { return set(loop_threads_, most); }
    /// Functions that coroutines have called by `ctx.run`, at once; more wait for their turn.
    /// Default: 16.
    ExecutorOptions& call_threads(std::uint32_t most) { return set(call_threads_, most); }
    /// Child processes at once, those of coroutines included; more wait for their turn. Default:
    /// 64.
    ExecutorOptions& programs(std::uint32_t most) { return set(programs_, most); }
    /// Threads for stop callbacks. If one callback takes longer than `stop_patience`, the next are
    /// called on another thread. Default: 16.
    ExecutorOptions& stop_threads(std::uint32_t most) { return set(stop_threads_, most); }
    /// The time that one stop callback may keep the next waiting. Default: 20 ms.
    ExecutorOptions& stop_patience(Millis patience) { return set(stop_patience_, patience); }
    /// The time that the destructor lets activities stop by themselves. Default: 10 s.
    ExecutorOptions& grace(Millis grace) { return set(grace_, grace); }
    /// Called on a thread for plain functions each time it has called `done`. Must not throw.
    ///
    /// The first activity that it begins wakes no other thread: its own thread takes it after
    /// `after` has returned. See ThreadExecutor::share.
    ExecutorOptions& after(std::function<void()> hook) { return set(after_, std::move(hook)); }

private:
    friend class ThreadExecutor;
    template <class T, class U>
    ExecutorOptions& set(T& member, U&& value) {
        member = std::forward<U>(value);
        return *this;
    }

    std::uint32_t threads_ = 16;
    std::uint32_t coroutines_ = 10'000;
    std::uint32_t loop_threads_ = 1;
    std::uint32_t call_threads_ = 16;
    std::uint32_t programs_ = 64;
    std::uint32_t stop_threads_ = 16;
    Millis stop_patience_{20};
    Millis grace_{10'000};
    std::function<void()> after_;
};

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

    /// Makes another thread come for the plain functions that wait for one. For a thread in `after`
    /// that is about to block.
    void share();
    /// For a thread in `after` that may not come back. Returns a function that takes the thread
    /// from the executor, if another thread calls it before `after` has returned. The executor then
    /// makes another thread when it needs one, and its shutdown does not wait for the lost one.
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
