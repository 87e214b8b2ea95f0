// The wake-up of one thread that blocks in a wait.
#pragma once

#include <belay/detail/mutex.hpp>
#include <belay/error.hpp>
#include <belay/requests/finding.hpp>

#include <chrono>
#include <memory>
#include <utility>

namespace belay::client {

/// The result of one read of a run, or the reason why it cannot be waited for. All waiters of the
/// run share it.
using Sighting = std::shared_ptr<const Result<InspectedRun>>;

/// A thread sleeps on its own Sleeper, so that nobody else is woken with it. It is woken when its
/// wait is over, or when it is called to read for all who wait. Safe from any thread.
class Sleeper {
public:
    using Time = std::chrono::steady_clock::time_point;

    /// The wait is over.
    void answer(Sighting sighting) {
        const detail::MutexLock lock(mutex_);
        sighting_ = std::move(sighting);
        woken_.notify_one();
    }
    /// The thread is to read for all.
    void call() {
        const detail::MutexLock lock(mutex_);
        called_ = true;
        woken_.notify_one();
    }

    /// True if it was called since it was last asked.
    [[nodiscard]] bool take_call() {
        const detail::MutexLock lock(mutex_);
        return std::exchange(called_, false);
    }
    /// Returns none if the wait is not over.
    [[nodiscard]] Sighting answer() {
        const detail::MutexLock lock(mutex_);
        return sighting_;
    }
    /// Sleeps until it is answered or called. Returns false when it is that time.
    [[nodiscard]] bool sleep_until(Time time) {
        const detail::MutexLock lock(mutex_);
        while (sighting_ == nullptr && !called_) {
            if (!woken_.wait_until(mutex_, time)) return sighting_ != nullptr || called_;
        }
        return true;
    }
    /// Sleeps until it is answered.
    [[nodiscard]] Sighting await_answer() {
        const detail::MutexLock lock(mutex_);
        while (sighting_ == nullptr) woken_.wait(mutex_);
        return sighting_;
    }

private:
    detail::Mutex mutex_;
    detail::Condition woken_;
    Sighting sighting_ BELAY_GUARDED_BY(mutex_);
    bool called_ BELAY_GUARDED_BY(mutex_) = false;
};

}  // namespace belay::client
