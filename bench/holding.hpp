// Activities that run until they are told to stop, and say when they were.
#pragma once

#include "measure.hpp"
#include "workloads.hpp"

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>

namespace belay::bench {

/// A Step that ends when it is canceled.
class Holding {
public:
    struct Stop {
        std::int64_t input = 0;
        Instant at;  ///< The handler went on then.
    };

    /// Single, with a Step that waits. This object must outlive the worker that runs it.
    [[nodiscard]] Registry code();

    /// Until so many have begun and not ended.
    void wait_until_running(std::uint32_t count);
    /// The next one that has been told to stop; waits for it.
    [[nodiscard]] Stop next_stop();

private:
    std::int64_t hold(ActivityContext& context, std::int64_t input);

    std::mutex mutex_;
    std::condition_variable changed_;
    std::uint32_t running_ = 0;
    std::deque<Stop> stops_;
};

}  // namespace belay::bench
