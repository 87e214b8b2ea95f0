#include "testing/virtual_executor.hpp"

#include <belay/detail/assert.hpp>

#include <algorithm>
#include <exception>

namespace belay::testing {

namespace {

/// Nobody sleeps longer, and no sum of times overflows.
constexpr Millis kLongestSleep = std::chrono::hours(24 * 365 * 100);

ActivityResult call(ActivityTask& task, const ActivityHandler& code) {
    ActivityContext context = task.context(nullptr);
    try {
        return code.call(context, task.input());
    } catch (...) {
        return task.failure();
    }
}

}  // namespace

void Arrivals::add(std::shared_ptr<VirtualRun> run) {
    const detail::MutexLock lock(mutex_);
    if (closed_) return;  // The caller's copy is destroyed when the lock is open.
    arrived_.push_back(std::move(run));
    changed_.notify_all();
}

void Arrivals::close() {
    std::vector<std::shared_ptr<VirtualRun>> dropped;  // With users' code: not under the lock.
    const detail::MutexLock lock(mutex_);
    closed_ = true;
    dropped.swap(arrived_);
}

std::vector<std::shared_ptr<VirtualRun>> Arrivals::take() {
    const detail::MutexLock lock(mutex_);
    return std::exchange(arrived_, {});
}

bool Arrivals::wait(std::chrono::milliseconds patience) {
    const detail::MutexLock lock(mutex_);
    const auto until = std::chrono::steady_clock::now() + patience;
    while (arrived_.empty() && changed_.wait_until(mutex_, until)) {
    }
    return !arrived_.empty();
}

VirtualExecutor::~VirtualExecutor() {
    if (watcher_) watcher_->close();
    ready_.clear();
    timers_.clear();
    runs_.clear();
    arrivals_->close();
}

void VirtualExecutor::begin(std::shared_ptr<ActivityTask> task, Done done) {
    begins_(*task);
    const ActivityHandler* const other = replacement_(task->details().name);
    // A copy: the code itself may replace it.
    const ActivityHandler code = other != nullptr ? *other : task->handler();
    if (code.is_function()) {
        done(call(*task, code));
        return;
    }
    const ActivityTask* const key = task.get();
    auto run = std::make_shared<VirtualRun>(std::move(task), code, std::move(done), arrivals_);
    runs_.emplace(key, run);
    ready_.push_back(std::move(run));
}

std::shared_ptr<VirtualRun> VirtualExecutor::find(const ActivityTask& task) const {
    const auto at = runs_.find(&task);
    return at == runs_.end() ? nullptr : at->second;
}

// ---- Running -----------------------------------------------------------------------------------

bool VirtualExecutor::step() {
    for (const std::shared_ptr<VirtualRun>& run : arrivals_->take()) arrived(*run);
    fire_timers();
    if (ready_.empty()) return false;
    const std::shared_ptr<VirtualRun> run = std::move(ready_.front());
    ready_.pop_front();
    if (run->state_ == VirtualRun::State::ready) drive(*run);
    return true;
}

void VirtualExecutor::drive(VirtualRun& run) {
    for (;;) {
        run.resume();
        if (run.result_) {
            finish(run);
            return;
        }
        if (!begin_wait(run)) return;
    }
}

bool VirtualExecutor::begin_wait(VirtualRun& run) {
    using Wait = detail::AsyncRun::Wait;
    const Wait wait = std::exchange(run.wait_, Wait::none);
    if (wait == Wait::foreign) return begin_foreign(run);
    run.minds_stop_ = run.shields_ == 0 || wait == Wait::stop;
    if (run.minds_stop_ && run.task_->stop_requested()) {
        run.stopped_ = true;
        run.next_ = run.waiter_;
        return true;
    }
    switch (wait) {
        case Wait::sleep:
            if (run.duration_ <= Millis(0)) {
                make_ready(run);  // Behind the others.
                return false;
            }
            run.state_ = VirtualRun::State::sleeping;
            run.until_.emplace(clock_.monotonic() + std::min(run.duration_, kLongestSleep),
                               ++last_sleep_);
            timers_.emplace(*run.until_, &run);
            return false;
        case Wait::call:
            run.call_->call();
            run.next_ = run.waiter_;
            return true;
        case Wait::program: return begin_program(run);
        case Wait::stop: run.state_ = VirtualRun::State::until_stopped; return false;
        case Wait::foreign:
        case Wait::none: break;
    }
    BELAY_ASSERT(false);
    return false;
}

/// It may be over before it has begun to wait: then it has arrived, and is found there.
bool VirtualExecutor::begin_foreign(VirtualRun& run) {
    run.state_ = VirtualRun::State::foreign;
    const std::coroutine_handle<> resumer = detail::Resumer::make(run.shared_from_this()).handle();
    if (run.foreign_->begin(resumer)) return false;
    resumer.destroy();
    run.state_ = VirtualRun::State::ready;
    run.next_ = run.waiter_;
    return true;
}

runtime::Watcher& VirtualExecutor::watcher() {
    if (!watcher_) watcher_ = std::make_shared<runtime::Watcher>(64);
    return *watcher_;
}

bool VirtualExecutor::begin_program(VirtualRun& run) {
    try {
        run.terminated_ = false;
        run.state_ = VirtualRun::State::program;
        run.program_id_ =
            watcher().start(run.program_->program, [self = run.self()](detail::ProgramEnd end) {
                self->program_->end = std::move(end);
                self->arrivals_->add(self);
            });
        return false;
    } catch (const std::exception& problem) {
        run.program_->end.problem = problem.what();
        run.program_->end.ours = true;
        run.state_ = VirtualRun::State::ready;
        run.next_ = run.waiter_;
        return true;
    }
}

void VirtualExecutor::arrived(VirtualRun& run) {
    if (run.state_ == VirtualRun::State::program) {
        run.program_id_ = 0;
        if (run.aborted_) {
            finish(run);
            return;
        }
        if (run.terminated_ && !run.program_succeeded()) run.stopped_ = true;
    } else if (run.state_ != VirtualRun::State::foreign) {
        return;  // It was abandoned: its holder lets go of it, and so destroys it.
    }
    make_ready(run);
}

void VirtualExecutor::make_ready(VirtualRun& run) {
    run.state_ = VirtualRun::State::ready;
    run.next_ = run.waiter_;
    ready_.push_back(run.self());
}

void VirtualExecutor::finish(VirtualRun& run) {
    const std::shared_ptr<VirtualRun> alive = run.self();
    run.state_ = VirtualRun::State::ended;
    run.root_.reset();  // The users' destructors run here, innermost frame first.
    std::erase_if(runs_, [&](const auto& one) { return one.second == alive; });
    const Done done = std::move(run.done_);
    done(run.result_ ? std::move(*run.result_) : ActivityResult(run.ended_by_force()));
}

// ---- Time --------------------------------------------------------------------------------------

void VirtualExecutor::fire_timers() {
    const Millis now = clock_.monotonic();
    while (!timers_.empty() && timers_.begin()->first.first <= now) {
        VirtualRun& run = *timers_.begin()->second;
        forget_timer(run);
        make_ready(run);
    }
}

void VirtualExecutor::forget_timer(VirtualRun& run) {
    if (run.until_) timers_.erase(*run.until_);
    run.until_.reset();
}

std::optional<Millis> VirtualExecutor::next_due() const {
    if (timers_.empty()) return std::nullopt;
    return timers_.begin()->first.first;
}

std::vector<std::string> VirtualExecutor::outside() const {
    std::vector<std::string> names;
    for (const auto& [task, run] : runs_) {
        if (run->state_ == VirtualRun::State::program) {
            names.push_back(task->details().name + ", which runs a program");
        } else if (run->state_ == VirtualRun::State::foreign) {
            names.push_back(task->details().name + ", which awaits something of another library");
        }
    }
    return names;
}

// ---- Stopping ----------------------------------------------------------------------------------

void VirtualExecutor::request_stop(const std::shared_ptr<ActivityTask>& task, StopReason reason) {
    const std::shared_ptr<VirtualRun> run = find(*task);
    if (!run) return;  // It has ended.
    run->task_->request_stop(reason);
    if (!run->minds_stop_) return;
    switch (run->state_) {
        case VirtualRun::State::program:
            run->terminated_ = true;
            watcher().terminate(run->program_id_);
            return;
        case VirtualRun::State::sleeping:
        case VirtualRun::State::until_stopped:
            forget_timer(*run);
            run->stopped_ = true;
            make_ready(*run);
            return;
        case VirtualRun::State::ready:  // It looks when it waits the next time.
        case VirtualRun::State::foreign:
        case VirtualRun::State::ended: return;
    }
}

bool VirtualExecutor::abort(const std::shared_ptr<ActivityTask>& task) {
    const std::shared_ptr<VirtualRun> run = find(*task);
    if (!run) return true;  // It has ended.
    if (run->state_ == VirtualRun::State::program) {
        run->aborted_ = true;
        watcher().kill(run->program_id_);
        return true;
    }
    if (run->state_ == VirtualRun::State::foreign) {
        run->state_ = VirtualRun::State::ended;
        runs_.erase(task.get());
        return false;
    }
    forget_timer(*run);
    finish(*run);
    return true;
}

}  // namespace belay::testing
