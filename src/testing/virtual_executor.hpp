// Activities in a world's time, on the thread that drives it.
#pragma once

#include "runtime/executors/coroutine_task.hpp"
#include "runtime/executors/watcher.hpp"
#include <belay/detail/mutex.hpp>
#include <belay/executor.hpp>
#include <belay/time.hpp>

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace belay::testing {

class VirtualRun;

/// Coroutines that have come back from outside: from a program's end, or an awaitable of another
/// library. Any thread. Outlives the executor if an awaitable does.
class Arrivals {
public:
    void add(std::shared_ptr<VirtualRun> run);
    [[nodiscard]] std::vector<std::shared_ptr<VirtualRun>> take();
    /// Nobody takes anything any more.
    void close();
    /// False if nothing comes for so long.
    [[nodiscard]] bool wait(std::chrono::milliseconds patience);

private:
    detail::Mutex mutex_;
    detail::Condition changed_;
    std::vector<std::shared_ptr<VirtualRun>> arrived_ BELAY_GUARDED_BY(mutex_);
    bool closed_ BELAY_GUARDED_BY(mutex_) = false;
};

/// One coroutine activity. All but `foreign_resumed` belongs to the thread of its world.
class VirtualRun final : public runtime::CoroutineTask {
public:
    VirtualRun(std::shared_ptr<ActivityTask> task,
               ActivityHandler code,
               ActivityExecutor::Done done,
               std::shared_ptr<Arrivals> arrivals)
        : CoroutineTask(std::move(task), std::move(code)),
          done_(std::move(done)),
          arrivals_(std::move(arrivals)) {}
    VirtualRun(const VirtualRun&) = delete;
    VirtualRun& operator=(const VirtualRun&) = delete;
    ~VirtualRun() override { root_.reset(); }

    void foreign_resumed() override { arrivals_->add(self()); }

private:
    friend class VirtualExecutor;
    enum class State : std::uint8_t { ready, sleeping, until_stopped, program, foreign, ended };

    [[nodiscard]] std::shared_ptr<VirtualRun> self() {
        return std::static_pointer_cast<VirtualRun>(shared_from_this());
    }

    ActivityExecutor::Done done_;
    const std::shared_ptr<Arrivals> arrivals_;
    State state_ = State::ready;
    bool minds_stop_ = false;
    bool aborted_ = false;     // Destroyed when its program has ended.
    bool terminated_ = false;  // Its program was told to stop.
    std::optional<std::pair<Millis, std::uint64_t>> until_;
    runtime::Watcher::Id program_id_ = 0;
};

/// Functions run to their end where they are begun. Coroutines run in `step`, one stretch at a
/// time, and sleep by the injected clock.
class VirtualExecutor final : public ActivityExecutor {
public:
    /// Returns the code to run instead of a task's own; null: its own.
    using Replacement = std::function<const ActivityHandler*(const std::string& activity)>;
    /// Told of each task that is begun.
    using Begins = std::function<void(const ActivityTask&)>;

    VirtualExecutor(Clock& clock, Replacement replacement, Begins begins)
        : clock_(clock), replacement_(std::move(replacement)), begins_(std::move(begins)) {}
    VirtualExecutor(const VirtualExecutor&) = delete;
    VirtualExecutor& operator=(const VirtualExecutor&) = delete;
    ~VirtualExecutor() override;

    void begin(std::shared_ptr<ActivityTask> task, Done done) override;
    void request_stop(const std::shared_ptr<ActivityTask>& task, StopReason reason) override;
    [[nodiscard]] bool abort(const std::shared_ptr<ActivityTask>& task) override;

    /// Runs one coroutine until it waits; false if none can go on now.
    bool step();
    /// The time at which the first one that sleeps goes on.
    [[nodiscard]] std::optional<Millis> next_due() const;
    /// The activities that wait for something outside of the world.
    [[nodiscard]] std::vector<std::string> outside() const;
    /// Really waits for one of them; false if none comes back in time.
    [[nodiscard]] bool wait_outside(std::chrono::milliseconds patience) {
        return arrivals_->wait(patience);
    }

private:
    [[nodiscard]] std::shared_ptr<VirtualRun> find(const ActivityTask& task) const;
    void drive(VirtualRun& run);
    /// Begins the wait of the coroutine. Returns true if it can go on at once.
    bool begin_wait(VirtualRun& run);
    bool begin_foreign(VirtualRun& run);
    bool begin_program(VirtualRun& run);
    void arrived(VirtualRun& run);
    void make_ready(VirtualRun& run);
    void fire_timers();
    void forget_timer(VirtualRun& run);
    void finish(VirtualRun& run);
    [[nodiscard]] runtime::Watcher& watcher();

    Clock& clock_;
    Replacement replacement_;
    Begins begins_;
    const std::shared_ptr<Arrivals> arrivals_ = std::make_shared<Arrivals>();
    std::shared_ptr<runtime::Watcher> watcher_;  // Made when the first program is run.
    std::map<const ActivityTask*, std::shared_ptr<VirtualRun>> runs_;  // By what was begun.
    std::deque<std::shared_ptr<VirtualRun>> ready_;
    // The first to sleep goes on first.
    std::map<std::pair<Millis, std::uint64_t>, VirtualRun*> timers_;
    std::uint64_t last_sleep_ = 0;
};

}  // namespace belay::testing
