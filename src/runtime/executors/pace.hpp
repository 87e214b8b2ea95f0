// How long jobs take, and so how many of them may wait for a thread.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace belay::runtime {

/// Goes by the mean of what jobs took lately, and not by what most of them stay below: few that
/// take long hold up all that wait. Not thread-safe.
class Pace {
public:
    using Duration = std::chrono::nanoseconds;

    /// Jobs may wait for a thread this long: a store that is busy takes longer to give them to
    /// somebody else.
    static constexpr Duration kShortWait = std::chrono::milliseconds(10);

    void note(Duration took) noexcept {
        if (noted_ < kMostNoted) ++noted_;
        mean_ += (took - mean_) / noted_;
    }

    /// How many may wait for one of so many threads because they will soon get it.
    [[nodiscard]] std::uint64_t may_wait(std::uint32_t threads) const noexcept {
        if (noted_ < kFewestNoted) return 0;
        const auto each = static_cast<std::uint64_t>(kShortWait / std::max(mean_, kShortest));
        return std::min(threads * each, kMostWaiting);
    }

private:
    static constexpr std::uint64_t kMostWaiting = 16'384;
    /// Fewer jobs than this say nothing of those to come.
    static constexpr std::uint32_t kFewestNoted = 8;
    /// What so many jobs took counts. With fewer, one that lost its core for a moment would keep
    /// all others out; with more, it would take long to notice that jobs have become longer.
    static constexpr std::uint32_t kMostNoted = 64;
    /// What a clock can tell from nothing.
    static constexpr Duration kShortest = std::chrono::microseconds(1);

    Duration mean_{0};
    std::uint32_t noted_ = 0;  // How many the mean stands for.
};

}  // namespace belay::runtime
