// How the threads of a worker hear that there is something to do.
#pragma once

#include <belay/time.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace belay::runtime {

/// Counts news. Telling costs no system call while somebody is awake.
class Signal {
public:
    /// Any thread.
    void tell() {
        news_.fetch_add(1);
        wake_one();
    }
    /// Only counts: whoever calls it looks at the news itself.
    void note() { news_.fetch_add(1); }
    void tell_all() {
        news_.fetch_add(1);
        const std::lock_guard lock(mutex_);
        heard_.notify_all();
    }
    [[nodiscard]] std::uint64_t news() const noexcept { return news_.load(); }

    /// Until there is more than `seen`, or for so long.
    void wait(std::uint64_t seen, Millis most) {
        std::unique_lock lock(mutex_);
        sleepers_.fetch_add(1);
        const auto is_more = [&] { return news_.load() != seen; };
        if (most == Millis::max()) {
            heard_.wait(lock, is_more);
        } else {
            heard_.wait_for(lock, most, is_more);
        }
        sleepers_.fetch_sub(1);
    }

private:
    void wake_one() {
        // Whoever goes to sleep says so before it looks at the news for the last time.
        if (sleepers_.load() == 0) return;
        const std::lock_guard lock(mutex_);
        heard_.notify_one();
    }

    std::atomic<std::uint64_t> news_{0};
    std::atomic<std::uint32_t> sleepers_{0};
    std::mutex mutex_;
    std::condition_variable heard_;
};

}  // namespace belay::runtime
