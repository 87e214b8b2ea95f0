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

/// How a ThreadExecutor is set up. Chained setters: `ExecutorOptions().threads(8)`.
class ExecutorOptions {
public:
    ExecutorOptions() = default;

    /// Plain functions that run at once, each on a thread of its own; 16 unless something is said.
    /// As long as they take so little time that the next would wait no more than ten milliseconds,
    /// more are taken on.
    ExecutorOptions& threads(std::uint32_t most) { return set(threads_, most); }
    /// Coroutine activities at once, those that wait included; 10,000 unless something is said.
    ExecutorOptions& coroutines(std::uint32_t most) { return set(coroutines_, most); }
    /// The threads that run the code of coroutines between their waits; one unless something is
    /// said.
    ExecutorOptions& loop_threads(std::uint32_t most) { return set(loop_threads_, most); }
    /// Functions that coroutines have called by `ctx.run`, at once; more wait for their turn. 16
    /// unless something is said.
    ExecutorOptions& call_threads(std::uint32_t most) { return set(call_threads_, most); }
    /// Child processes at once, those that coroutines run included; more wait for their turn. 64
    /// unless something is said.
    ExecutorOptions& programs(std::uint32_t most) { return set(programs_, most); }
    /// Threads for stop callbacks. When one callback has taken longer than `patience`, the next are
    /// called on another thread. 16 unless something is said.
    ExecutorOptions& stop_threads(std::uint32_t most) { return set(stop_threads_, most); }
    /// How long one stop callback may keep the next waiting; 20 ms unless something is said.
    ExecutorOptions& stop_patience(Millis patience) { return set(stop_patience_, patience); }
    /// How long the destructor lets activities stop by themselves; 10 s unless something is said.
    ExecutorOptions& grace(Millis grace) { return set(grace_, grace); }
    /// Called on a thread for plain functions each time it has called `done`. Must not throw.
    ///
    /// The first activity that it begins wakes no other thread: its own takes it when `after` has
    /// returned. See ThreadExecutor::share.
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

/// The executor of a real process. Threads are made when they are first needed. How each kind of
/// activity is stopped, and what is left when one does not stop, is in docs/activities.md.
///
/// `begin`, `request_stop`, `abort` and `withdraw` are called by one thread at a time, all else by
/// any. `done` of a plain function is called on the thread that ran it, of the others on a thread
/// of the loop.
class ThreadExecutor final : public ActivityExecutor {
public:
    /// Options out of range: throws std::invalid_argument that names the setting.
    explicit ThreadExecutor(const ExecutorOptions& options = ExecutorOptions());
    ThreadExecutor(const ThreadExecutor&) = delete;
    ThreadExecutor& operator=(const ThreadExecutor&) = delete;
    /// As `shut_down`, with the grace period of the options. Not on one of its own threads.
    ~ThreadExecutor() override;

    void begin(std::shared_ptr<ActivityTask> task, Done done) override;
    void request_stop(const std::shared_ptr<ActivityTask>& task, StopReason reason) override;
    [[nodiscard]] bool abort(const std::shared_ptr<ActivityTask>& task) override;
    [[nodiscard]] bool withdraw(const std::shared_ptr<ActivityTask>& task) override;
    [[nodiscard]] std::uint32_t room(ActivityKind kind) const override;

    /// Sees to it that another thread comes for the plain functions that wait for one. For a thread
    /// in `after` that is about to block.
    void share();
    /// For a thread in `after` that may not come back. Called by another thread before `after` has
    /// returned, the result takes the thread from the executor: another one is made in its stead
    /// when it is needed, and nobody waits for it when the executor is shut down.
    [[nodiscard]] std::function<void()> leaving();

    /// Begins nothing more, asks all to stop (shutdown), and aborts what has not ended after the
    /// grace period. Then no thread and no child process of it is left but those that were
    /// abandoned: gives these, by name. They keep what they use alive, and touch nothing else when
    /// they end. Once; later calls only give what is still abandoned.
    std::vector<std::string> shut_down(Millis grace);

    /// The abandoned activities that have not ended yet, by name.
    [[nodiscard]] std::vector<std::string> abandoned() const;
    /// The threads there are, abandoned ones not counted.
    [[nodiscard]] std::uint32_t threads() const;

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace belay
