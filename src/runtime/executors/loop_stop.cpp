// Stops, aborts and abandons coroutine activities, and ends the loop.
#include "runtime/executors/loop.hpp"

#include <exception>
#include <utility>

namespace belay::runtime {

CoroutineRun::~CoroutineRun() {
    root_.reset();  // While all that it uses is there.
    if (progress_.abandoned) loop_->destroyed(*this);
}

void CoroutineRun::foreign_resumed() { loop_->foreign_resumed(*this); }
void CoroutineRun::stop(StopReason reason) {
    if (task_->announce_stop(reason)) loop_->stop(*this);
}
bool CoroutineRun::abort() { return loop_->abort(*this); }

void Loop::stop(CoroutineRun& run) {
    stops_->push(run.task_);
    const detail::MutexLock lock(mutex_);
    Progress& at = progress(run);
    if (at.state != State::waiting || !at.minds_stop) return;
    if (at.program_id != 0) {
        at.terminated = true;
        watcher_->terminate(at.program_id);
        return;
    }
    if (at.job && !calls_->withdraw(at.job)) return;  // It has begun: it is waited for.
    forget_timer(run);
    run.stopped_ = true;
    make_ready(run);
}

bool Loop::abort(CoroutineRun& run) {
    ActivityExecutor::Done dropped;  // Destroyed when the lock is open.
    const detail::MutexLock lock(mutex_);
    Progress& at = progress(run);
    bool forced = true;
    switch (at.state) {
        case State::ended: return true;
        case State::ready: at.aborted = true; return true;
        case State::waiting: forced = abort_waiting(run); break;
        case State::foreign: forced = false; break;
        case State::running: {
            forced = false;
            // Its thread is no longer one of ours, and ends with its code.
            LoopThread& stuck = *at.thread;
            stuck.replaced = true;
            stuck.thread.detach();
            threads_.remove_if([&](const auto& one) { return one.get() == &stuck; });
            wake_one();
            break;
        }
    }
    if (forced) return true;
    dropped = std::move(at.done);
    at.abandoned = true;
    abandoned_.emplace(&run, describe(run.task_->details()));
    remove(run);
    return false;
}

bool Loop::abort_waiting(CoroutineRun& run) {
    Progress& at = progress(run);
    if (at.job) {
        switch (calls_->abandon(at.job)) {
            case Pool::Ended::abandoned: return false;
            case Pool::Ended::over: at.aborted = true; return true;
            case Pool::Ended::withdrawn: break;
        }
    }
    at.aborted = true;
    if (at.program_id != 0) {
        watcher_->kill(at.program_id);  // Destroyed when that has ended.
        return true;
    }
    forget_timer(run);
    make_ready(run);
    return true;
}

std::uint32_t Loop::running(ActivityKind kind) const {
    const detail::MutexLock lock(mutex_);
    if (kind == ActivityKind::program) return programs_;
    return static_cast<std::uint32_t>(runs_.size()) - programs_;
}

std::uint32_t Loop::threads() const {
    const detail::MutexLock lock(mutex_);
    return static_cast<std::uint32_t>(threads_.size());
}

std::vector<std::shared_ptr<CoroutineRun>> Loop::runs() const {
    const detail::MutexLock lock(mutex_);
    std::vector<std::shared_ptr<CoroutineRun>> all;
    all.reserve(runs_.size());
    for (const auto& [pointer, run] : runs_) all.push_back(run);
    return all;
}

std::vector<std::string> Loop::abandoned() const {
    const detail::MutexLock lock(mutex_);
    std::vector<std::string> names;
    names.reserve(abandoned_.size());
    for (const auto& [run, name] : abandoned_) names.push_back(name);
    return names;
}

bool Loop::wait_until_empty(Deadline deadline) {
    const detail::MutexLock lock(mutex_);
    while (!runs_.empty() && empty_.wait_until(mutex_, deadline)) {
    }
    return runs_.empty();
}

void Loop::close() {
    std::list<std::shared_ptr<LoopThread>> threads;
    {
        const detail::MutexLock lock(mutex_);
        closed_ = true;
        threads.swap(threads_);
    }
    wake_.notify_all();
    for (const auto& one : threads) one->thread.join();
}

}  // namespace belay::runtime
