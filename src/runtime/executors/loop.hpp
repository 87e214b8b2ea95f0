// The few threads that run all coroutine activities.
#pragma once

#include "runtime/executors/coroutine_task.hpp"
#include "runtime/executors/pool.hpp"
#include "runtime/executors/stop_lane.hpp"
#include "runtime/executors/watcher.hpp"
#include <belay/detail/mutex.hpp>
#include <belay/executor.hpp>

#include <chrono>
#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

namespace belay::runtime {

class CoroutineRun;

/// A thread of the loop. Once replaced, it ends when it comes back.
struct LoopThread {
    std::thread thread;
    bool replaced = false;
};

/// Shared with its threads and with the coroutines it runs. All of it is safe from any thread.
class Loop : public std::enable_shared_from_this<Loop> {
public:
    Loop(std::uint32_t threads,
         std::shared_ptr<Pool> calls,
         std::shared_ptr<Watcher> watcher,
         std::shared_ptr<StopLane> stops)
        : most_(threads),
          calls_(std::move(calls)),
          watcher_(std::move(watcher)),
          stops_(std::move(stops)) {}

    /// Throws if there is no thread for it, and if it is closed.
    std::shared_ptr<CoroutineRun> start(std::shared_ptr<ActivityTask> task,
                                        ActivityExecutor::Done done);
    void stop(CoroutineRun& run);
    bool abort(CoroutineRun& run);
    void foreign_resumed(CoroutineRun& run);
    void job_ended(CoroutineRun& run);
    void program_ended(CoroutineRun& run);
    void destroyed(const CoroutineRun& run);

    [[nodiscard]] std::uint32_t running(ActivityKind kind) const;
    [[nodiscard]] std::uint32_t threads() const;
    [[nodiscard]] std::vector<std::shared_ptr<CoroutineRun>> runs() const;
    /// The abandoned activities that have not ended.
    [[nodiscard]] std::vector<std::string> abandoned() const;

    bool wait_until_empty(Deadline deadline);
    /// Ends its threads and waits for them. Nothing may run any more that was not abandoned.
    void close();

private:
    friend class CoroutineRun;
    using Time = std::chrono::steady_clock::time_point;
    enum class State : std::uint8_t { ready, running, waiting, foreign, ended };
    enum class Next : std::uint8_t { resume, wait, finish };
    /// The state of a run, as the loop knows it.
    struct Progress {
        ActivityExecutor::Done done;
        State state = State::ready;
        bool aborted = false;    // To be destroyed instead of resumed.
        bool abandoned = false;  // Nobody waits for its end any more.
        bool minds_stop = false;
        bool resumed_early = false;  // By a foreign awaitable that is still being told to wait.
        std::optional<Time> until;
        std::shared_ptr<PoolJob> job;
        Watcher::Id program_id = 0;
        bool terminated = false;       // Its program was told to stop.
        LoopThread* thread = nullptr;  // The thread that is in its code.
    };

    [[nodiscard]] Progress& progress(CoroutineRun& run) const BELAY_REQUIRES(mutex_);
    void work(LoopThread& self) BELAY_EXCLUDES(mutex_);
    void drive(CoroutineRun& run) BELAY_EXCLUDES(mutex_);
    /// After it was resumed: begins its wait.
    [[nodiscard]] Next suspended(CoroutineRun& run) BELAY_EXCLUDES(mutex_);
    /// Begins the wait of the coroutine. Returns true if it can go on at once.
    bool begin_wait(CoroutineRun& run) BELAY_REQUIRES(mutex_);
    bool begin_foreign(CoroutineRun& run) BELAY_REQUIRES(mutex_);
    bool begin_call(CoroutineRun& run) BELAY_REQUIRES(mutex_);
    bool begin_program(CoroutineRun& run) BELAY_REQUIRES(mutex_);
    /// Destroys the coroutine and tells its end.
    void finish(CoroutineRun& run) BELAY_EXCLUDES(mutex_);
    void make_ready(CoroutineRun& run) BELAY_REQUIRES(mutex_);
    void wait_here(CoroutineRun& run, bool minds_stop) BELAY_REQUIRES(mutex_);
    void forget_timer(CoroutineRun& run) BELAY_REQUIRES(mutex_);
    void fire_timers(Time now) BELAY_REQUIRES(mutex_);
    bool abort_waiting(CoroutineRun& run) BELAY_REQUIRES(mutex_);
    void remove(CoroutineRun& run) BELAY_REQUIRES(mutex_);
    void wake_one() noexcept BELAY_REQUIRES(mutex_);
    void add_thread() BELAY_REQUIRES(mutex_);

    const std::uint32_t most_;
    const std::shared_ptr<Pool> calls_;
    const std::shared_ptr<Watcher> watcher_;
    const std::shared_ptr<StopLane> stops_;
    mutable detail::Mutex mutex_;
    detail::Condition wake_;
    detail::Condition empty_;
    std::deque<std::shared_ptr<CoroutineRun>> ready_ BELAY_GUARDED_BY(mutex_);
    std::set<std::pair<Time, CoroutineRun*>> timers_ BELAY_GUARDED_BY(mutex_);
    std::unordered_map<CoroutineRun*, std::shared_ptr<CoroutineRun>> runs_ BELAY_GUARDED_BY(mutex_);
    std::uint32_t programs_ BELAY_GUARDED_BY(mutex_) = 0;  // The programs of the runs.
    std::map<const CoroutineRun*, std::string> abandoned_ BELAY_GUARDED_BY(mutex_);
    std::list<std::shared_ptr<LoopThread>> threads_ BELAY_GUARDED_BY(mutex_);
    std::uint32_t idle_ BELAY_GUARDED_BY(mutex_) = 0;
    bool closed_ BELAY_GUARDED_BY(mutex_) = false;
};

/// One coroutine activity.
///
///     ready -> running -> waiting (for something of ours) -> ready
///                |     -> foreign (for somebody else's)   -> ready
///                +-> ended
///
/// Abort: a coroutine that is ready or waiting is destroyed by a thread of the loop. One that is
/// running, foreign, or waits for a function that a pool's thread is in, is abandoned: it is
/// destroyed at its next suspension that is not foreign. All but its progress belongs to the thread
/// that runs it.
class CoroutineRun final : public CoroutineTask, public detail::RunningActivity {
public:
    CoroutineRun(std::shared_ptr<Loop> loop,
                 std::shared_ptr<ActivityTask> task,
                 ActivityExecutor::Done done)
        : CoroutineTask(std::move(task)), loop_(std::move(loop)) {
        progress_.done = std::move(done);
    }

    CoroutineRun(const CoroutineRun&) = delete;
    CoroutineRun& operator=(const CoroutineRun&) = delete;
    ~CoroutineRun() override;

    void foreign_resumed() override;
    void stop(StopReason reason) override;
    [[nodiscard]] bool abort() override;

private:
    friend class Loop;
    class Call;
    friend class Call;

    [[nodiscard]] std::shared_ptr<CoroutineRun> self() {
        return std::static_pointer_cast<CoroutineRun>(shared_from_this());
    }
    const std::shared_ptr<Loop> loop_;
    Loop::Progress progress_ BELAY_GUARDED_BY(loop_->mutex_);
};

/// The lock that is held is the one of the run's own loop, since a loop has to do with no other
/// runs: the analysis does not know that the two names stand for one mutex.
inline Loop::Progress& Loop::progress(CoroutineRun& run) const BELAY_NO_THREAD_SAFETY_ANALYSIS {
    return run.progress_;
}

}  // namespace belay::runtime
