// Threads for code that may block.
#pragma once

#include "runtime/executors/mean_job_time.hpp"
#include <belay/detail/mutex.hpp>

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace belay::runtime {

using Deadline = std::chrono::steady_clock::time_point;

/// Something for a thread of the pool to do.
class PoolJob {
public:
    /// Life of a job: queued -> begun -> over; or withdrawn while it is queued; or abandoned once
    /// it was begun.
    enum class State : std::uint8_t { fresh, queued, begun, over, withdrawn, abandoned };

    PoolJob() = default;
    PoolJob(const PoolJob&) = delete;
    PoolJob& operator=(const PoolJob&) = delete;
    virtual ~PoolJob() = default;

    /// Users' code; may take for ever.
    virtual void run() noexcept = 0;
    /// After `run`, on the same thread. True if the pool's hook is to be called after it.
    virtual bool finish(bool abandoned) noexcept = 0;
    /// For people.
    [[nodiscard]] virtual std::string describe() const = 0;

private:
    friend class Pool;
    State state_ = State::fresh;  // See Pool::state_of.
};

/// Up to so many threads, made when they are needed and kept. A thread whose job is abandoned is no
/// longer one of them, and ends with its job. All of it is safe from any thread.
///
/// Shared with its threads, so that one that was abandoned finds it when it comes back, however
/// late.
class Pool : public std::enable_shared_from_this<Pool> {
public:
    enum class Ended : std::uint8_t {
        withdrawn,  ///< It had not begun, and will not.
        abandoned,  ///< It runs on, without us.
        over,       ///< It has ended by itself: `finish` was called, or is just about to be.
    };

    /// `after_done` is called on a thread of the pool after each job that asks for it.
    Pool(std::uint32_t threads, std::function<void()> after_done)
        : most_(threads), after_done_(std::move(after_done)) {}

    /// While there is one on this thread, jobs that the thread submits to any pool are gathered: a
    /// thread is woken for some dozens of jobs, or when it goes, and not for each. Waking takes
    /// longer than many a job. One at a time, and not for longer than jobs may be kept waiting.
    class Burst {
    public:
        Burst() noexcept;
        Burst(const Burst&) = delete;
        Burst& operator=(const Burst&) = delete;
        ~Burst();

    private:
        friend class Pool;
        /// Returns false if it is time to wake somebody.
        bool gather(Pool& pool) noexcept;

        std::shared_ptr<Pool> pool_;  // The pool whose jobs are gathered ...
        std::uint32_t gathered_ = 0;  // ... and the jobs that nobody was woken for.
    };

    /// Throws if there is no thread for it and none can be made, or the pool is closed.
    ///
    /// The first job that `after_done` submits wakes nobody: its thread takes it when `after_done`
    /// returns.
    void submit(const std::shared_ptr<PoolJob>& job);
    /// Wakes a thread for queued jobs. For an `after_done` that is about to block.
    void wake_another();
    /// For a thread in `after_done` that may not come back: called by another thread, the result
    /// takes it from the pool, as if what it does were a job that is abandoned. Not once
    /// `after_done` has returned.
    [[nodiscard]] std::function<void()> leaving();
    /// True if the job had not begun: then it will not.
    bool withdraw(const std::shared_ptr<PoolJob>& job);
    Ended abandon(const std::shared_ptr<PoolJob>& job);

    /// The number of jobs that could begin now or very soon, judged by the time of recent jobs.
    [[nodiscard]] std::uint32_t room() const;
    [[nodiscard]] std::uint32_t threads() const;
    /// The jobs that are queued or running.
    [[nodiscard]] std::vector<std::shared_ptr<PoolJob>> jobs() const;
    /// The abandoned jobs that have not ended.
    [[nodiscard]] std::vector<std::string> abandoned() const;

    /// False if it was not empty in time.
    bool wait_until_empty(Deadline deadline);
    /// Ends its threads and waits for them. Abandons jobs that still run.
    void close();

private:
    struct Worker {
        std::thread thread;
        std::shared_ptr<PoolJob> job;
        bool left = false;  // It is none of the pool's any more.
    };

    [[nodiscard]] PoolJob::State& state_of(PoolJob& job) const noexcept BELAY_REQUIRES(mutex_) {
        return job.state_;
    }
    void work(Worker& self) BELAY_EXCLUDES(mutex_);
    /// The next one, outside the lock. True if the thread is still one of ours.
    bool run_job(Worker& self) BELAY_REQUIRES(mutex_);
    void call_after(Worker& self) BELAY_EXCLUDES(mutex_);
    void let_leave(Worker& worker) BELAY_EXCLUDES(mutex_);
    /// True if the thread that runs `after_done` will take one job that nobody was woken for.
    [[nodiscard]] bool keep_one() const noexcept;
    void end_burst(std::uint32_t gathered) noexcept BELAY_EXCLUDES(mutex_);
    /// Sees to it that one more thread comes to the queue: an idle one, a new one, or else the next
    /// that has finished its job. False if a new one was wanted and could not be made: then the
    /// others have to see to it, if there are any.
    bool wake_one() noexcept BELAY_REQUIRES(mutex_);
    void add_thread() BELAY_REQUIRES(mutex_);
    void let_go_of(std::list<Worker>::iterator worker) BELAY_REQUIRES(mutex_);
    [[nodiscard]] std::uint64_t may_wait() const BELAY_REQUIRES(mutex_);

    const std::uint32_t most_;
    const std::function<void()> after_done_;
    mutable detail::Mutex mutex_;
    detail::Condition wake_;
    detail::Condition empty_;
    std::deque<std::shared_ptr<PoolJob>> queue_ BELAY_GUARDED_BY(mutex_);
    std::list<Worker> workers_ BELAY_GUARDED_BY(mutex_);
    std::list<Worker> left_ BELAY_GUARDED_BY(mutex_);  // Until they come back from `after_done`.
    std::list<std::shared_ptr<PoolJob>> abandoned_ BELAY_GUARDED_BY(mutex_);
    std::uint32_t busy_ BELAY_GUARDED_BY(mutex_) = 0;    // In a job.
    std::uint32_t idle_ BELAY_GUARDED_BY(mutex_) = 0;    // Waiting to be woken ...
    std::uint32_t waking_ BELAY_GUARDED_BY(mutex_) = 0;  // ... and those of them that have been.
    MeanJobTime mean_job_time_ BELAY_GUARDED_BY(mutex_);
    Deadline last_begun_ BELAY_GUARDED_BY(mutex_);
    bool closed_ BELAY_GUARDED_BY(mutex_) = false;
};

}  // namespace belay::runtime
