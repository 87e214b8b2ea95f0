#include "runtime/executors/loop.hpp"

#include <belay/detail/assert.hpp>

#include <algorithm>
#include <exception>
#include <stdexcept>

namespace belay::runtime {

namespace {

/// Nobody waits longer, and no sum of times overflows.
constexpr Millis kLongest = std::chrono::hours(24 * 365 * 100);

}  // namespace

std::shared_ptr<CoroutineRun> Loop::start(std::shared_ptr<ActivityTask> task,
                                          ActivityExecutor::Done done) {
    auto run = std::make_shared<CoroutineRun>(shared_from_this(), std::move(task), std::move(done));
    const detail::MutexLock lock(mutex_);
    if (closed_) throw std::runtime_error("belay: the executor is shut down");
    if (threads_.empty()) add_thread();
    runs_.emplace(run.get(), run);
    if (run->task_->handler().kind() == ActivityKind::program) ++programs_;
    ready_.push_back(run);
    wake_one();
    return run;
}

void Loop::add_thread() {
    auto added = std::make_shared<LoopThread>();
    added->thread = std::thread([self = shared_from_this(), added] { self->work(*added); });
    threads_.push_back(std::move(added));
}

void Loop::wake_one() noexcept {
    if (idle_ > 0) {
        wake_.notify_one();
    } else if (threads_.size() < most_ && !closed_) {
        try {
            add_thread();
        } catch (...) {
            return;  // Those that there are come to it; if there are none, the next start tries
                     // again.
        }
    }
}

void Loop::work(LoopThread& self) {
    const detail::MutexLock lock(mutex_);
    while (!self.replaced) {
        fire_timers(std::chrono::steady_clock::now());
        if (!ready_.empty()) {
            std::shared_ptr<CoroutineRun> run = std::move(ready_.front());
            ready_.pop_front();
            Progress& at = progress(*run);
            at.state = State::running;
            at.thread = &self;
            const bool over = at.aborted || at.abandoned;
            const detail::MutexUnlock open(mutex_);
            if (over) {
                finish(*run);
            } else {
                drive(*run);
            }
            run.reset();  // Perhaps with users' code in it, so not under the lock.
        } else if (closed_) {
            return;
        } else {
            ++idle_;
            if (timers_.empty()) {
                wake_.wait(mutex_);
            } else {
                const Time first = timers_.begin()->first;  // It may be gone when we wake.
                wake_.wait_until(mutex_, first);
            }
            --idle_;
        }
    }
}

void Loop::drive(CoroutineRun& run) {
    Next next = Next::resume;
    while (next == Next::resume) {
        run.resume();
        next = suspended(run);
    }
    if (next == Next::finish) finish(run);
}

Loop::Next Loop::suspended(CoroutineRun& run) {
    const detail::MutexLock lock(mutex_);
    const bool waits_for_us = run.wait_ != detail::AsyncRun::Wait::foreign;
    if (run.result_ || (progress(run).abandoned && waits_for_us)) return Next::finish;
    if (!begin_wait(run)) return Next::wait;
    return progress(run).abandoned ? Next::finish : Next::resume;
}

bool Loop::begin_wait(CoroutineRun& run) {
    using Wait = detail::AsyncRun::Wait;
    const Wait wait = std::exchange(run.wait_, Wait::none);
    const bool minds_stop = run.shields_ == 0 || wait == Wait::stop;
    if (wait == Wait::foreign) return begin_foreign(run);
    if (minds_stop && run.task_->stop_requested()) {
        run.stopped_ = true;
        run.next_ = run.waiter_;
        return true;
    }
    switch (wait) {
        case Wait::sleep: {
            if (run.duration_ <= Millis(0)) {
                make_ready(run);  // Behind the others.
                return false;
            }
            const Time until = Time::clock::now() + std::min(run.duration_, kLongest);
            progress(run).until = until;
            timers_.emplace(until, &run);
            break;
        }
        case Wait::call:
            if (begin_call(run)) return true;
            break;
        case Wait::program:
            if (begin_program(run)) return true;
            break;
        case Wait::stop: break;
        case Wait::foreign:
        case Wait::none: BELAY_ASSERT(false);
    }
    wait_here(run, minds_stop);
    return false;
}

void Loop::wait_here(CoroutineRun& run, bool minds_stop) {
    Progress& at = progress(run);
    at.state = State::waiting;
    at.thread = nullptr;
    at.minds_stop = minds_stop;
}

/// A function that a coroutine has called, as a job of the pool.
class CoroutineRun::Call final : public PoolJob {
public:
    explicit Call(std::shared_ptr<CoroutineRun> run) : run_(std::move(run)) {}
    void run() noexcept override { run_->call_->call(); }
    bool finish(bool /*abandoned*/) noexcept override {
        run_->loop_->job_ended(*run_);
        return false;
    }
    [[nodiscard]] std::string describe() const override {
        return runtime::describe(run_->task_->details());
    }

private:
    std::shared_ptr<CoroutineRun> run_;
};

bool Loop::begin_call(CoroutineRun& run) {
    std::shared_ptr<PoolJob>& job = progress(run).job;
    try {
        job = std::make_shared<CoroutineRun::Call>(run.self());
        calls_->submit(job);
        return false;
    } catch (...) {
        job.reset();
        run.call_->fail(std::current_exception());
        run.next_ = run.waiter_;
        return true;
    }
}

bool Loop::begin_program(CoroutineRun& run) {
    Progress& at = progress(run);
    try {
        at.terminated = false;
        at.program_id =
            watcher_->start(run.program_->program, [self = run.self()](detail::ProgramEnd end) {
                self->program_->end = std::move(end);
                self->loop_->program_ended(*self);
            });
        return false;
    } catch (const std::exception& problem) {
        run.program_->end.problem = problem.what();
        run.program_->end.ours = true;
        run.next_ = run.waiter_;
        return true;
    }
}

/// While the foreign awaitable is being told to wait, the coroutine counts as running: nobody else
/// may resume or destroy it, even if the awaitable is already over.
bool Loop::begin_foreign(CoroutineRun& run) {
    progress(run).resumed_early = false;
    bool waits = false;
    {
        const detail::MutexUnlock open(mutex_);
        const std::coroutine_handle<> resumer =
            detail::Resumer::make(run.shared_from_this()).handle();
        waits = run.foreign_->begin(resumer);
        if (!waits) resumer.destroy();
    }
    if (!waits) {
        run.next_ = run.waiter_;
        return true;
    }
    if (progress(run).resumed_early) {
        make_ready(run);
    } else {
        progress(run).state = State::foreign;
        progress(run).thread = nullptr;
    }
    return false;
}

void Loop::finish(CoroutineRun& run) {
    run.root_.reset();  // The users' destructors run here, innermost frame first.
    ActivityExecutor::Done done;
    {
        const detail::MutexLock lock(mutex_);
        Progress& at = progress(run);
        at.state = State::ended;
        if (!at.abandoned) done = std::move(at.done);
        remove(run);
        abandoned_.erase(&run);
    }
    if (!done) return;
    if (run.result_) {
        done(std::move(*run.result_));
        return;
    }
    done(run.ended_by_force());
}

void Loop::remove(CoroutineRun& run) {
    if (runs_.erase(&run) == 0) return;
    if (run.task_->handler().kind() == ActivityKind::program) --programs_;
    if (runs_.empty()) empty_.notify_all();
}

void Loop::make_ready(CoroutineRun& run) {
    Progress& at = progress(run);
    if (closed_ && at.abandoned) return;  // Its holder lets go of it, and so destroys it.
    at.state = State::ready;
    at.thread = nullptr;
    run.next_ = run.waiter_;
    at.job.reset();
    at.program_id = 0;
    ready_.push_back(run.self());
    wake_one();
}

void Loop::forget_timer(CoroutineRun& run) {
    std::optional<Time>& until = progress(run).until;
    if (until) timers_.erase({*until, &run});
    until.reset();
}

void Loop::fire_timers(Time now) {
    while (!timers_.empty() && timers_.begin()->first <= now) {
        CoroutineRun& run = *timers_.begin()->second;
        forget_timer(run);
        make_ready(run);
    }
}

void Loop::foreign_resumed(CoroutineRun& run) {
    const detail::MutexLock lock(mutex_);
    if (progress(run).state == State::foreign) {
        make_ready(run);
    } else {
        progress(run).resumed_early = true;
    }
}

void Loop::job_ended(CoroutineRun& run) {
    const detail::MutexLock lock(mutex_);
    make_ready(run);
}

void Loop::program_ended(CoroutineRun& run) {
    const detail::MutexLock lock(mutex_);
    if (progress(run).terminated && !run.program_succeeded()) run.stopped_ = true;
    make_ready(run);
}

void Loop::destroyed(const CoroutineRun& run) {
    const detail::MutexLock lock(mutex_);
    abandoned_.erase(&run);
}

}  // namespace belay::runtime
