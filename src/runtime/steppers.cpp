#include "runtime/steppers.hpp"

#include <chrono>

namespace belay::runtime {

void Steppers::add() {
    const detail::MutexLock lock(mutex_);
    ++outside_turns_;
    come_back();
}

bool Steppers::begin_turn(Who who) {
    const detail::MutexLock lock(mutex_);
    if (who == Who::stepper) {
        if (outside_turns_ <= 1) return false;
        --outside_turns_;
        leave();
    }
    ++turns_;
    ++turn_changes_;
    wake_reserve();
    return true;
}

void Steppers::end_turn(Who who) {
    const detail::MutexLock lock(mutex_);
    --turns_;
    ++turn_changes_;
    if (who == Who::guest) return;
    ++outside_turns_;
    come_back();
}

void Steppers::give_up_turn() {
    const detail::MutexLock lock(mutex_);
    --turns_;
    ++turn_changes_;
}

void Steppers::begin_call() {
    const detail::MutexLock lock(mutex_);
    leave();
}

void Steppers::end_call() {
    const detail::MutexLock lock(mutex_);
    come_back();
}

void Steppers::leave() {
    if (--free_ == 0) wake_reserve();
}

void Steppers::come_back() {
    if (free_++ == 0) ++times_without_;
}

void Steppers::wake_reserve() {
    if (!reserve_sleeps_) return;
    reserve_sleeps_ = false;
    needed_.notify_one();
}

bool Steppers::has_to_look() const {
    return free_ == 0 || (turns_ > 0 && turn_changes_ != told_at_);
}

Steppers::Need Steppers::wait_until_needed(Millis patience) {
    const detail::MutexLock lock(mutex_);
    while (!closed_) {
        reserve_sleeps_ = !has_to_look();
        while (reserve_sleeps_ && !closed_) needed_.wait(mutex_);
        reserve_sleeps_ = false;
        // From here on it looks now and then, and nobody has to wake it.
        const std::uint64_t without = times_without_;
        const std::uint64_t changes = turn_changes_;
        const auto until = std::chrono::steady_clock::now() + patience;
        while (!closed_ && needed_.wait_until(mutex_, until)) {
        }
        if (closed_) break;
        if (free_ == 0 && times_without_ == without) return Need::step;
        if (turns_ > 0 && turn_changes_ == changes && changes != told_at_) {
            told_at_ = changes;
            return Need::tell;
        }
    }
    return Need::leave;
}

bool Steppers::none_free() const {
    const detail::MutexLock lock(mutex_);
    return free_ == 0;
}

void Steppers::close() {
    const detail::MutexLock lock(mutex_);
    closed_ = true;
    needed_.notify_one();
}

}  // namespace belay::runtime
