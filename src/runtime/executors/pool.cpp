#include "runtime/executors/pool.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace belay::runtime {

namespace {

/// The pool's hook that runs on this thread, and what it has submitted.
struct Hook {
    const Pool* pool = nullptr;
    bool kept = false;  // One job has been queued for which nobody was woken.
    void* worker = nullptr;
};
thread_local Hook hook;

thread_local Pool::Burst* burst = nullptr;

/// So many jobs of a burst are worth waking a thread for.
constexpr std::uint32_t kMostGathered = 64;

}  // namespace

Pool::Burst::Burst() noexcept { burst = this; }

Pool::Burst::~Burst() {
    burst = nullptr;
    if (pool_ != nullptr) pool_->end_burst(gathered_);
}

bool Pool::Burst::gather(Pool& pool) noexcept {
    if (pool_ == nullptr) pool_ = pool.shared_from_this();
    if (pool_.get() != &pool) return false;
    gathered_ = (gathered_ + 1) % kMostGathered;
    return gathered_ != 0;
}

void Pool::end_burst(std::uint32_t gathered) noexcept {
    const detail::MutexLock lock(mutex_);
    if (gathered == 0 || queue_.empty() || (gathered == 1 && keep_one())) return;
    if (waking_ == 0) static_cast<void>(wake_one());
}

bool Pool::keep_one() const noexcept {
    return hook.pool == this && !std::exchange(hook.kept, true);
}

void Pool::submit(const std::shared_ptr<PoolJob>& job) {
    const detail::MutexLock lock(mutex_);
    if (closed_) throw std::runtime_error("belay: the pool is closed");
    state_of(*job) = PoolJob::State::queued;
    queue_.push_back(job);
    // With no thread at all, one is made at once, or it is said that none can be.
    if (burst != nullptr && !workers_.empty()) {
        if (burst->gather(*this)) return;
    } else if (keep_one()) {
        return;
    }
    // A thread that is on its way here wakes the next one if it leaves something behind.
    if (waking_ > 0 || wake_one() || !workers_.empty()) return;
    queue_.pop_back();
    state_of(*job) = PoolJob::State::fresh;
    throw std::runtime_error("belay: no thread can be made");
}

void Pool::wake_another() {
    const detail::MutexLock lock(mutex_);
    if (hook.pool == this) hook.kept = false;
    if (!queue_.empty() && waking_ == 0) static_cast<void>(wake_one());
}

bool Pool::wake_one() noexcept {
    if (waking_ < idle_) {
        ++waking_;
        wake_.notify_one();
    } else if (workers_.size() < most_) {
        try {
            add_thread();
        } catch (...) {
            return false;
        }
    }
    return true;
}

void Pool::add_thread() {
    Worker& worker = workers_.emplace_back();
    try {
        worker.thread = std::thread([self = shared_from_this(), &worker] { self->work(worker); });
    } catch (...) {
        workers_.pop_back();
        throw;
    }
}

void Pool::work(Worker& self) {
    const detail::MutexLock lock(mutex_);
    for (;;) {
        if (!queue_.empty()) {
            if (!run_job(self)) return;
        } else if (closed_) {
            return;
        } else {
            ++idle_;
            wake_.wait(mutex_);
            --idle_;
            if (waking_ > 0) --waking_;
        }
    }
}

bool Pool::run_job(Worker& self) {
    std::shared_ptr<PoolJob> job = std::move(queue_.front());
    queue_.pop_front();
    if (!queue_.empty() && waking_ == 0) static_cast<void>(wake_one());
    state_of(*job) = PoolJob::State::begun;
    self.job = job;
    ++busy_;
    const Deadline begun = std::chrono::steady_clock::now();
    last_begun_ = begun;
    std::chrono::steady_clock::duration took{};
    {
        const detail::MutexUnlock open(mutex_);
        job->run();
        took = std::chrono::steady_clock::now() - begun;
    }
    if (state_of(*job) == PoolJob::State::abandoned) {
        // `self` is gone.
        std::erase(abandoned_, job);
        const detail::MutexUnlock open(mutex_);
        job->finish(true);
        job.reset();  // Perhaps with users' code in it, so not under the lock.
        return false;
    }
    mean_job_time_.note(took);
    // Before its end is told: the listener may ask for room.
    state_of(*job) = PoolJob::State::over;
    self.job.reset();
    --busy_;
    {
        const detail::MutexUnlock open(mutex_);
        if (job->finish(false) && after_done_) call_after(self);
        job.reset();  // As above.
    }
    if (self.left) {
        left_.remove_if([&](const Worker& one) { return &one == &self; });
        return false;
    }
    if (busy_ == 0 && queue_.empty()) empty_.notify_all();
    return true;
}

void Pool::call_after(Worker& self) {
    hook = Hook{this, false, &self};
    after_done_();
    hook = Hook{};
}

std::function<void()> Pool::leaving() {
    return [pool = shared_from_this(), worker = static_cast<Worker*>(hook.worker)] {
        pool->let_leave(*worker);
    };
}

void Pool::let_leave(Worker& worker) {
    const detail::MutexLock lock(mutex_);
    const auto at = std::find_if(
        workers_.begin(), workers_.end(), [&](const Worker& one) { return &one == &worker; });
    if (at == workers_.end()) return;
    worker.left = true;
    worker.thread.detach();
    left_.splice(left_.end(), workers_, at);
    if (!queue_.empty()) static_cast<void>(wake_one());
}

bool Pool::withdraw(const std::shared_ptr<PoolJob>& job) {
    const detail::MutexLock lock(mutex_);
    if (state_of(*job) != PoolJob::State::queued) return false;
    state_of(*job) = PoolJob::State::withdrawn;
    std::erase(queue_, job);
    if (busy_ == 0 && queue_.empty()) empty_.notify_all();
    return true;
}

Pool::Ended Pool::abandon(const std::shared_ptr<PoolJob>& job) {
    if (withdraw(job)) return Ended::withdrawn;
    const detail::MutexLock lock(mutex_);
    const auto worker = std::find_if(
        workers_.begin(), workers_.end(), [&](const Worker& w) { return w.job == job; });
    if (worker == workers_.end()) return Ended::over;
    let_go_of(worker);
    if (!queue_.empty()) wake_one();
    return Ended::abandoned;
}

void Pool::let_go_of(std::list<Worker>::iterator worker) {
    state_of(*worker->job) = PoolJob::State::abandoned;
    abandoned_.push_back(std::move(worker->job));
    worker->thread.detach();
    workers_.erase(worker);
    --busy_;
    if (busy_ == 0 && queue_.empty()) empty_.notify_all();
}

/// The number of jobs that may wait for a thread because they will soon get one.
std::uint64_t Pool::may_wait() const {
    // The pace says nothing while all threads are in jobs that do not end.
    const bool stuck =
        busy_ == most_ && std::chrono::steady_clock::now() - last_begun_ > MeanJobTime::kShortWait;
    return stuck ? 0 : mean_job_time_.may_wait(most_);
}

std::uint32_t Pool::room() const {
    const detail::MutexLock lock(mutex_);
    const std::uint64_t taken = busy_ + queue_.size();
    const std::uint64_t most = most_ + may_wait();
    return taken < most ? static_cast<std::uint32_t>(most - taken) : 0;
}

std::uint32_t Pool::threads() const {
    const detail::MutexLock lock(mutex_);
    return static_cast<std::uint32_t>(workers_.size());
}

std::vector<std::shared_ptr<PoolJob>> Pool::jobs() const {
    const detail::MutexLock lock(mutex_);
    std::vector<std::shared_ptr<PoolJob>> found(queue_.begin(), queue_.end());
    for (const Worker& worker : workers_) {
        if (worker.job) found.push_back(worker.job);
    }
    return found;
}

std::vector<std::string> Pool::abandoned() const {
    const detail::MutexLock lock(mutex_);
    std::vector<std::string> found;
    found.reserve(abandoned_.size());
    for (const auto& job : abandoned_) found.push_back(job->describe());
    return found;
}

bool Pool::wait_until_empty(Deadline deadline) {
    const detail::MutexLock lock(mutex_);
    while ((busy_ != 0 || !queue_.empty()) && empty_.wait_until(mutex_, deadline)) {
    }
    return busy_ == 0 && queue_.empty();
}

void Pool::close() {
    std::list<Worker> workers;
    {
        const detail::MutexLock lock(mutex_);
        closed_ = true;
        for (auto at = workers_.begin(); at != workers_.end();) {
            const auto worker = at++;
            if (worker->job) let_go_of(worker);
        }
        queue_.clear();
        workers.splice(workers.end(), workers_);
    }
    wake_.notify_all();
    for (Worker& worker : workers) worker.thread.join();
}

}  // namespace belay::runtime
