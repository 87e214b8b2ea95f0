// The watcher of the code that runs on this thread: orchestrations, their replays, and handlers.
#pragma once

#include "simulation/world/features.hpp"
#include "simulation/world/report.hpp"

#include <cstddef>
#include <utility>

namespace belay::sim {

/// Code on this thread reports here what it must not see, such as a timer before its time.
class CodeWatch {
public:
    explicit CodeWatch(Violations& violations);
    CodeWatch(const CodeWatch&) = delete;
    CodeWatch& operator=(const CodeWatch&) = delete;
    ~CodeWatch();
    /// The features that code of processes has come to, replays included.
    [[nodiscard]] const FeatureCounts& features() const noexcept { return features_; }

private:
    friend void count_in_code(Feature feature) noexcept;
    FeatureCounts features_;
};

/// Returns null if nobody watches this thread.
[[nodiscard]] Violations* code_watcher() noexcept;

/// As Violations::expect, for code on this thread.
template <class Detail>
void expect_of_code(bool holds, const char* invariant, Detail&& detail) {
    Violations* const watcher = code_watcher();
    if (watcher != nullptr) watcher->expect(holds, invariant, std::forward<Detail>(detail));
}

/// Counts the messages that interpreted code takes on this thread.
class TakenCount {
public:
    TakenCount();
    TakenCount(const TakenCount&) = delete;
    TakenCount& operator=(const TakenCount&) = delete;
    ~TakenCount();
    [[nodiscard]] std::size_t value() const noexcept { return value_; }

private:
    std::size_t value_ = 0;
};

/// Code has taken a message.
void count_taken_message() noexcept;
/// Code has come to this. Replays that only check something do not count.
void count_in_code(Feature feature) noexcept;

}  // namespace belay::sim
