#include "runtime/steppers.hpp"

#include <chrono>

namespace belay::runtime {

void Steppers::add() {
    const detail::MutexLock lock(mutex_);
    ++outside_turns_;
    come_back();
}

bool Steppers::begin_turn() {
    const detail::MutexLock lock(mutex_);
    if (outside_turns_ <= 1) return false;
    --outside_turns_;
    leave();
    return true;
}

void Steppers::end_turn() {
    const detail::MutexLock lock(mutex_);
    ++outside_turns_;
    come_back();
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
    if (--free_ == 0 && reserve_sleeps_) needed_.notify_one();
}

void Steppers::come_back() {
    if (free_++ == 0) ++times_without_;
}

bool Steppers::wait_until_needed(Millis patience) {
    const detail::MutexLock lock(mutex_);
    while (!closed_) {
        reserve_sleeps_ = true;
        while (!closed_ && free_ > 0) needed_.wait(mutex_);
        reserve_sleeps_ = false;
        // From here on it looks now and then, and nobody has to wake it.
        for (bool busy = true; busy && !closed_;) {
            const std::uint64_t before = times_without_;
            const auto until = std::chrono::steady_clock::now() + patience;
            while (!closed_ && needed_.wait_until(mutex_, until)) {
            }
            busy = free_ == 0 || times_without_ != before;
            if (!closed_ && free_ == 0 && times_without_ == before) return true;
        }
    }
    return false;
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
