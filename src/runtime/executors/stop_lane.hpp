// The threads that run activities' stop callbacks.
#pragma once

#include "runtime/executors/pool.hpp"
#include <belay/detail/mutex.hpp>
#include <belay/executor.hpp>

#include <chrono>
#include <cstdint>
#include <deque>
#include <list>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace belay::runtime {

/// Requests the stop of one task after the other, on a thread of its own. A callback that blocks
/// keeps the others waiting for no longer than `patience`: then another thread goes on with them,
/// as long as there are not too many. All of it is safe from any thread; shared with its threads.
class StopLane : public std::enable_shared_from_this<StopLane> {
public:
    StopLane(std::uint32_t threads, std::chrono::milliseconds patience)
        : most_(threads), patience_(patience) {}

    /// Never blocks, and never throws: without a thread the token is not requested, and all else
    /// that a stop does is done.
    void push(std::shared_ptr<ActivityTask> task) noexcept;
    [[nodiscard]] std::uint32_t threads() const;
    /// Ends its threads and waits for them until `deadline`. Returns the activities whose callbacks
    /// still run.
    std::vector<std::string> close(Deadline deadline);

private:
    using Time = std::chrono::steady_clock::time_point;
    struct Worker {
        std::thread thread;
        std::shared_ptr<ActivityTask> task;  // Its callbacks run here.
        Time since{};
        bool ended = false;
    };

    void work(Worker& self) BELAY_EXCLUDES(mutex_);
    /// The time at which a waiting thread may go on with the queue: now, if none is at it; later,
    /// if another one is, which may be stuck.
    [[nodiscard]] Time next_turn() const BELAY_REQUIRES(mutex_);
    /// False if none can be made: those that there are go on.
    bool add_thread() noexcept BELAY_REQUIRES(mutex_);

    const std::uint32_t most_;
    const std::chrono::milliseconds patience_;
    mutable detail::Mutex mutex_;
    detail::Condition wake_;
    detail::Condition ended_;
    std::deque<std::shared_ptr<ActivityTask>> queue_ BELAY_GUARDED_BY(mutex_);
    std::list<Worker> workers_ BELAY_GUARDED_BY(mutex_);
    bool closed_ BELAY_GUARDED_BY(mutex_) = false;
};

/// An activity, for people.
[[nodiscard]] std::string describe(const ActivityDetails& details);

}  // namespace belay::runtime
