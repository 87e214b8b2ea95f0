// The few threads that run all coroutine activities.
#pragma once

#include "runtime/executors/coroutine_task.hpp"
#include "runtime/executors/pool.hpp"
#include "runtime/executors/stop_lane.hpp"
#include "runtime/executors/watcher.hpp"
#include <belay/executor.hpp>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

namespace belay::runtime {

class Loop;

/// A thread of the loop. Once replaced, it ends when it comes back.
struct LoopThread {
    std::thread thread;
    bool replaced = false;
};

/// One coroutine activity.
///
///     ready -> running -> waiting (for something of ours) -> ready
///                |     -> foreign (for somebody else's)   -> ready
///                +-> ended
///
/// Abort: what is ready or waiting is destroyed by a thread of the loop; what is running, foreign,
/// or waits for a function that a pool's thread is in, is abandoned: it is destroyed at its next
/// suspension that is not foreign. The state is guarded by the loop; all else belongs to the thread
/// that runs it.
class CoroutineRun final : public CoroutineTask, public detail::Begun {
public:
    CoroutineRun(std::shared_ptr<Loop> loop,
                 std::shared_ptr<ActivityTask> task,
                 ActivityExecutor::Done done)
        : CoroutineTask(std::move(task)), loop_(std::move(loop)), done_(std::move(done)) {}

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
    enum class State : std::uint8_t { ready, running, waiting, foreign, ended };

    [[nodiscard]] std::shared_ptr<CoroutineRun> self() {
        return std::static_pointer_cast<CoroutineRun>(shared_from_this());
    }
    const std::shared_ptr<Loop> loop_;
    ActivityExecutor::Done done_;

    // Guarded by the loop.
    State state_ = State::ready;
    bool aborted_ = false;    // To be destroyed instead of resumed.
    bool abandoned_ = false;  // Nobody waits for its end any more.
    bool minds_stop_ = false;
    bool resumed_early_ = false;  // By a foreign awaitable that is still being told to wait.
    std::optional<std::chrono::steady_clock::time_point> until_;
    std::shared_ptr<PoolJob> job_;
    Watcher::Id program_id_ = 0;
    bool terminated_ = false;       // Its program was told to stop.
    LoopThread* thread_ = nullptr;  // Whose thread is in its code.
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
    using Time = std::chrono::steady_clock::time_point;

    void work(LoopThread& self);
    void drive(const std::shared_ptr<CoroutineRun>& run);
    /// Begins what the coroutine waits for. True if it can go on at once.
    bool begin_wait(std::unique_lock<std::mutex>& lock, CoroutineRun& run);
    bool begin_foreign(std::unique_lock<std::mutex>& lock, CoroutineRun& run);
    bool begin_call(CoroutineRun& run);
    bool begin_program(CoroutineRun& run);
    /// Destroys the coroutine and tells its end. Leaves the lock open.
    void finish(std::unique_lock<std::mutex>& lock, CoroutineRun& run);
    void make_ready(CoroutineRun& run);
    void wait_here(CoroutineRun& run, bool minds_stop);
    void forget_timer(CoroutineRun& run);
    void fire_timers(Time now);
    bool abort_waiting(CoroutineRun& run);
    void remove(CoroutineRun& run);
    void wake_one() noexcept;
    void add_thread();

    const std::uint32_t most_;
    const std::shared_ptr<Pool> calls_;
    const std::shared_ptr<Watcher> watcher_;
    const std::shared_ptr<StopLane> stops_;
    mutable std::mutex mutex_;
    std::condition_variable wake_;
    std::condition_variable empty_;
    std::deque<std::shared_ptr<CoroutineRun>> ready_;
    std::set<std::pair<Time, CoroutineRun*>> timers_;
    std::unordered_map<CoroutineRun*, std::shared_ptr<CoroutineRun>> runs_;
    std::uint32_t programs_ = 0;  // Of the runs.
    std::map<const CoroutineRun*, std::string> abandoned_;
    std::list<std::shared_ptr<LoopThread>> threads_;
    std::uint32_t idle_ = 0;
    bool closed_ = false;
};

}  // namespace belay::runtime
