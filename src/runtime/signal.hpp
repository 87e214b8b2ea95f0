// Tells the threads of a worker that there is something to do.
#pragma once

#include <belay/detail/mutex.hpp>
#include <belay/time.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>

namespace belay::runtime {

/// Counts news. Telling costs no system call while somebody is awake.
class Signal {
public:
    /// Any thread.
    void tell() {
        news_.fetch_add(1);
        wake_one();
    }
    /// Only counts: the caller looks at the news itself.
    void note() { news_.fetch_add(1); }
    void tell_all() {
        news_.fetch_add(1);
        const detail::MutexLock lock(mutex_);
        heard_.notify_all();
    }
    [[nodiscard]] std::uint64_t news() const noexcept { return news_.load(); }

    /// Until there is more than `seen`, or for so long.
    void wait(std::uint64_t seen, Millis most) {
        const detail::MutexLock lock(mutex_);
        sleepers_.fetch_add(1);
        if (most == Millis::max()) {
            while (news_.load() == seen) heard_.wait(mutex_);
        } else {
            const auto until = std::chrono::steady_clock::now() + most;
            while (news_.load() == seen && heard_.wait_until(mutex_, until)) {
            }
        }
        sleepers_.fetch_sub(1);
    }

private:
    void wake_one() {
        // A thread that goes to sleep says so before it looks at the news for the last time.
        if (sleepers_.load() == 0) return;
        // A thread between that look and its sleep holds the mutex. It is notified without the
        // mutex, because the woken thread would only wait for it again.
        {
            const detail::MutexLock lock(mutex_);
        }
        heard_.notify_one();
    }

    std::atomic<std::uint64_t> news_{0};
    std::atomic<std::uint32_t> sleepers_{0};
    detail::Mutex mutex_;  // Guards nothing: nobody is told between its last look and its sleep.
    detail::Condition heard_;
};

}  // namespace belay::runtime
