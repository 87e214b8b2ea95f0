#include "runtime/turn_threads.hpp"

#include <algorithm>
#include <thread>
#include <utility>

namespace belay::runtime {

namespace {

/// A turn that takes longer than this costs a thread, and a shorter one does not.
constexpr Millis kPatience{10};

/// Most turns are over by then.
constexpr Millis kMoment{1};

}  // namespace

void TurnThreads::begin(std::shared_ptr<TurnTask> task) {
    const detail::MutexLock lock(mutex_);
    if (closed_) return;
    queue_.push_back(std::move(task));
    waiting_ = true;
    ++begun_;
    last_begun_ = std::chrono::steady_clock::now();
}

bool TurnThreads::expects_ends() const {
    return std::chrono::steady_clock::now() - last_begun_.load() < kMoment;
}

TurnThreads::Ran TurnThreads::run_one(Who who, const Leave& leave) {
    std::shared_ptr<TurnTask> task;  // Destroyed when the lock is open.
    bool left = false;
    {
        const detail::MutexLock lock(mutex_);
        if (queue_.empty() || !steppers_.begin_turn(who)) return Ran::none;
        task = std::move(queue_.front());
        queue_.pop_front();
        waiting_ = !queue_.empty();
        const auto at = running_.insert(
            running_.end(), Running{task, std::chrono::steady_clock::now(), &leave, who});
        {
            const detail::MutexUnlock open(mutex_);
            task->run();
        }
        left = at->left;
        running_.erase(at);
        if (!left) steppers_.end_turn(who);
        if (closed_) ended_.notify_all();
    }
    if (!left) {
        signal_->note();
        return Ran::one;
    }
    signal_->tell();
    return Ran::left;
}

void TurnThreads::gave_up(const std::shared_ptr<TurnTask>& task) {
    const detail::MutexLock lock(mutex_);
    std::erase(queue_, task);
    waiting_ = !queue_.empty();
    for (Running& running : running_) {
        if (running.task != task) continue;
        running.given_up = true;
        let_go_of(running, Replace::yes);
    }
}

void TurnThreads::let_go_of(Running& running, Replace replace) {
    if (running.left || !(*running.leave)(replace)) return;
    running.left = true;
    steppers_.give_up_turn();
    if (running.who == Who::stepper && replace == Replace::yes) steppers_.add();
}

std::uint32_t TurnThreads::away() const {
    const auto counts = [](const Running& one) { return one.left && !one.given_up; };
    return static_cast<std::uint32_t>(std::count_if(running_.begin(), running_.end(), counts));
}

void TurnThreads::relieve() {
    const detail::MutexLock lock(mutex_);
    if (running_.empty()) return;
    const Deadline now = std::chrono::steady_clock::now();
    for (Running& running : running_) {
        if (running.left || now - running.begun < kPatience) continue;
        if (!running.given_up && away() >= most_) continue;
        let_go_of(running, Replace::yes);
    }
}

Millis TurnThreads::until_relief() const {
    const detail::MutexLock lock(mutex_);
    const bool room = away() < most_;
    Millis least = Millis::max();
    const Deadline now = std::chrono::steady_clock::now();
    for (const Running& running : running_) {
        if (running.left || !(room || running.given_up)) continue;
        const auto left = std::chrono::ceil<Millis>(running.begun + kPatience - now);
        least = std::min(least, std::max(left, Millis(1)));
    }
    return least;
}

void TurnThreads::close(Deadline deadline) {
    const detail::MutexLock lock(mutex_);
    closed_ = true;
    const auto is_given_up = [](const Running& one) { return one.given_up; };
    while (!(queue_.empty() && std::ranges::all_of(running_, is_given_up)) &&
           ended_.wait_until(mutex_, deadline)) {
    }
    for (Running& running : running_) let_go_of(running, Replace::no);
    waiting_ = false;
    if (queue_.empty()) return;
    // Their destructors are code of users, and there is no more time.
    std::thread([left = std::exchange(queue_, {})]() mutable { left.clear(); }).detach();
}

std::vector<std::string> TurnThreads::abandoned() const {
    const detail::MutexLock lock(mutex_);
    std::vector<std::string> found;
    found.reserve(running_.size());
    for (const Running& running : running_) {
        // One that is over is being looked at by its runtime.
        const bool over = running.task->state() == TurnTask::State::over;
        if (running.left && !over) found.push_back(running.task->describe());
    }
    return found;
}

}  // namespace belay::runtime
