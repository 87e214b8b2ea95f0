// Executors of turns: replay, and the code of orchestrations.
#pragma once

#include <belay/time.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace belay {

/// One turn to be taken. Shared between the runtime, which hands it out, and its executor.
///
///     waiting -> running -> over
///        |          |
///        +----------+-> given up
class TurnTask {
public:
    /// The state of the task.
    enum class State : std::uint8_t { waiting, running, over, given_up };

    TurnTask(const TurnTask&) = delete;
    TurnTask& operator=(const TurnTask&) = delete;
    virtual ~TurnTask() = default;

    /// Runs it on the calling thread: users' code, which may take for ever. Its runtime is told of
    /// the end, unless the task was given up before. Call once.
    void run() noexcept {
        if (begin()) complete();
    }
    /// The first half of `run`, for executors that measure the time. Returns false if it was given
    /// up.
    bool begin() noexcept;
    /// The second half.
    void complete() noexcept;
    /// Gives the task up: its result is dropped. Returns the state it had. A task that was waiting
    /// never runs; one that is over stays so.
    State give_up() noexcept;

    /// Any thread.
    [[nodiscard]] State state() const noexcept { return state_.load(); }
    /// Returns the time at which it began to run, on the monotonic clock of its runtime. Any
    /// thread.
    [[nodiscard]] std::optional<Millis> begun_at() const noexcept;
    /// For people. Any thread.
    [[nodiscard]] virtual std::string describe() const = 0;

protected:
    /// The clock is read when it begins, and not later.
    explicit TurnTask(Clock& clock) noexcept : clock_(&clock) {}

private:
    virtual void work() noexcept = 0;
    /// Tells the runtime that it is over.
    virtual void tell() noexcept = 0;
    /// Drops its contents after it was given up while it ran.
    virtual void discard() noexcept = 0;

    Clock* clock_;
    std::atomic<Millis::rep> begun_at_{-1};
    std::atomic<State> state_{State::waiting};
};

/// Runs turns. Injected: threads in production, a script in the simulator.
class TurnExecutor {
public:
    virtual ~TurnExecutor() = default;

    /// Runs `task` soon, on any thread, possibly before it returns. Called by the thread that steps
    /// the runtime.
    virtual void begin(std::shared_ptr<TurnTask> task) = 0;
    /// Called if `task` was given up: nobody must wait for its thread. Called by the thread that
    /// steps the runtime.
    virtual void gave_up(const std::shared_ptr<TurnTask>& task) = 0;
    /// Runs `task` as `begin` does. It is no turn: it only destroys objects that users' code made.
    /// Default: runs it at once.
    virtual void drop(const std::shared_ptr<TurnTask>& task) { task->run(); }
    /// Returns true for a moment after `begin`: turns that have begun are likely to be over soon.
    /// Commits wait for them, to share a sync. Default: they do not wait.
    [[nodiscard]] virtual bool expects_ends() const { return false; }
};

/// Runs each turn at once, on the thread that steps the runtime.
class InlineTurns final : public TurnExecutor {
public:
    void begin(std::shared_ptr<TurnTask> task) override { task->run(); }
    void gave_up(const std::shared_ptr<TurnTask>& /*task*/) override {}
};

}  // namespace belay
