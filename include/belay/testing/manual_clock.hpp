// A clock that only moves when a test moves it.
#pragma once

#include <belay/time.hpp>

#include <atomic>
#include <cstdint>

namespace belay::testing {

/// Stands still at a civil time far from zero until `advance`. Safe from any thread.
class ManualClock final : public Clock {
public:
    static constexpr Timestamp kStart = Timestamp(Millis(1'700'000'000'000));

    /// Begins at `start`.
    explicit ManualClock(Timestamp start = kStart) : wall_ms_(to_unix_ms(start)) {}

    Timestamp wall() override { return from_unix_ms(wall_ms_.load()); }
    Millis monotonic() override { return Millis(passed_ms_.load()); }

    /// Corrects the civil time; no time passes.
    void set_back(Millis by) { wall_ms_ -= by.count(); }
    /// Moves both readings on by `by`.
    void advance(Millis by) {
        wall_ms_ += by.count();
        passed_ms_ += by.count();
    }

private:
    std::atomic<std::int64_t> wall_ms_;
    std::atomic<std::int64_t> passed_ms_{0};
};

}  // namespace belay::testing
