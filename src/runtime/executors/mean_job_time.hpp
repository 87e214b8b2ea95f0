// The mean time of jobs, and so the number of jobs that may wait for a thread.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace belay::runtime {

/// Uses the mean time of recent jobs, and not a quantile: a few long jobs hold up all that wait.
/// Not thread-safe.
class MeanJobTime {
public:
    using Duration = std::chrono::nanoseconds;

    /// Jobs may wait for a thread this long: a store that is busy takes longer to give them to
    /// somebody else.
    static constexpr Duration kShortWait = std::chrono::milliseconds(10);

    void note(Duration took) noexcept {
        if (noted_ < kMostNoted) ++noted_;
        mean_ += (took - mean_) / noted_;
    }

    /// The number of jobs that may wait for one of `threads`, because they will soon get it.
    [[nodiscard]] std::uint64_t may_wait(std::uint32_t threads) const noexcept {
        if (noted_ < kFewestNoted) return 0;
        const auto each = static_cast<std::uint64_t>(kShortWait / std::max(mean_, kShortest));
        return std::min(threads * each, kMostWaiting);
    }

private:
    static constexpr std::uint64_t kMostWaiting = 16'384;
    /// Fewer jobs than this say nothing of those to come.
    static constexpr std::uint32_t kFewestNoted = 8;
    /// The mean goes over at most so many jobs. With fewer, one that lost its core for a moment
    /// would keep all others out. With more, it would take long to notice that jobs have become
    /// longer.
    static constexpr std::uint32_t kMostNoted = 64;
    /// The shortest time that a clock can measure.
    static constexpr Duration kShortest = std::chrono::microseconds(1);

    Duration mean_{0};
    std::uint32_t noted_ = 0;  // The number of jobs in the mean.
};

}  // namespace belay::runtime
