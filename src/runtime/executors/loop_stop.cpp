// How coroutine activities are stopped, aborted and abandoned, and how the loop ends.
#include "runtime/executors/loop.hpp"

#include <exception>
#include <utility>

namespace belay::runtime {

CoroutineRun::~CoroutineRun() {
    root_.reset();  // While all that it uses is there.
    if (abandoned_) loop_->destroyed(*this);
}

void CoroutineRun::foreign_resumed() { loop_->foreign_resumed(*this); }
void CoroutineRun::stop(StopReason reason) {
    if (task_->announce_stop(reason)) loop_->stop(*this);
}
bool CoroutineRun::abort() { return loop_->abort(*this); }

void Loop::stop(CoroutineRun& run) {
    stops_->push(run.task_);
    const std::lock_guard lock(mutex_);
    if (run.state_ != CoroutineRun::State::waiting || !run.minds_stop_) return;
    if (run.program_id_ != 0) {
        run.terminated_ = true;
        watcher_->terminate(run.program_id_);
        return;
    }
    if (run.job_ && !calls_->withdraw(run.job_)) return;  // It has begun: it is waited for.
    forget_timer(run);
    run.stopped_ = true;
    make_ready(run);
}

bool Loop::abort(CoroutineRun& run) {
    ActivityExecutor::Done dropped;  // Destroyed when the lock is open.
    const std::lock_guard lock(mutex_);
    bool forced = true;
    switch (run.state_) {
        case CoroutineRun::State::ended: return true;
        case CoroutineRun::State::ready: run.aborted_ = true; return true;
        case CoroutineRun::State::waiting: forced = abort_waiting(run); break;
        case CoroutineRun::State::foreign: forced = false; break;
        case CoroutineRun::State::running: {
            forced = false;
            // Its thread is no longer one of ours, and ends with its code.
            LoopThread& stuck = *run.thread_;
            stuck.replaced = true;
            stuck.thread.detach();
            threads_.remove_if([&](const auto& one) { return one.get() == &stuck; });
            wake_one();
            break;
        }
    }
    if (forced) return true;
    dropped = std::move(run.done_);
    run.abandoned_ = true;
    abandoned_.emplace(&run, describe(run.task_->details()));
    remove(run);
    return false;
}

bool Loop::abort_waiting(CoroutineRun& run) {
    if (run.job_) {
        switch (calls_->abandon(run.job_)) {
            case Pool::Ended::abandoned: return false;
            case Pool::Ended::over: run.aborted_ = true; return true;
            case Pool::Ended::withdrawn: break;
        }
    }
    run.aborted_ = true;
    if (run.program_id_ != 0) {
        watcher_->kill(run.program_id_);  // Destroyed when that has ended.
        return true;
    }
    forget_timer(run);
    make_ready(run);
    return true;
}

std::uint32_t Loop::running(ActivityKind kind) const {
    const std::lock_guard lock(mutex_);
    if (kind == ActivityKind::program) return programs_;
    return static_cast<std::uint32_t>(runs_.size()) - programs_;
}

std::uint32_t Loop::threads() const {
    const std::lock_guard lock(mutex_);
    return static_cast<std::uint32_t>(threads_.size());
}

std::vector<std::shared_ptr<CoroutineRun>> Loop::runs() const {
    const std::lock_guard lock(mutex_);
    std::vector<std::shared_ptr<CoroutineRun>> all;
    all.reserve(runs_.size());
    for (const auto& [pointer, run] : runs_) all.push_back(run);
    return all;
}

std::vector<std::string> Loop::abandoned() const {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> names;
    names.reserve(abandoned_.size());
    for (const auto& [run, name] : abandoned_) names.push_back(name);
    return names;
}

bool Loop::wait_until_empty(Deadline deadline) {
    std::unique_lock lock(mutex_);
    return empty_.wait_until(lock, deadline, [&] { return runs_.empty(); });
}

void Loop::close() {
    std::list<std::shared_ptr<LoopThread>> threads;
    {
        const std::lock_guard lock(mutex_);
        closed_ = true;
        threads.swap(threads_);
    }
    wake_.notify_all();
    for (const auto& one : threads) one->thread.join();
}

}  // namespace belay::runtime
