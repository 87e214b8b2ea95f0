// Virtual time, and the clocks that show it.
#pragma once

#include <belay/time.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>

namespace belay::sim {

/// The time that passes in a simulation: it moves only when the scheduler moves it.
struct VirtualTime {
    std::int64_t ms = 0;
    [[nodiscard]] Millis now() const noexcept { return Millis(ms); }
};

inline constexpr Timestamp kEpoch = Timestamp(Millis(1'700'000'000'000));

/// The store's clock: true, but for jumps ahead and back.
class StoreClock final : public Clock {
public:
    explicit StoreClock(const VirtualTime& time) : time_(time) {}
    Timestamp wall() override { return kEpoch + time_.now() + jumped_; }
    Millis monotonic() override { return time_.now(); }
    void jump(Millis by) {
        highest_ = highest();
        jumped_ += by;
    }
    /// The latest time that it ever showed: nothing was written after it.
    [[nodiscard]] Timestamp highest() { return std::max(highest_, wall()); }
    /// The time until it shows that time again.
    [[nodiscard]] Millis behind() { return highest() - wall(); }

private:
    const VirtualTime& time_;
    Millis jumped_{0};
    Timestamp highest_{};
};

/// The clocks of one process: a wall clock that may be wrong, and a monotonic one that begins
/// anywhere and may stand still while the machine is suspended.
class SimClock final : public Clock {
public:
    SimClock(const VirtualTime& time, Millis skew, Millis offset)
        : time_(time), skew_(skew), offset_(offset) {}

    Timestamp wall() override { return kEpoch + time_.now() + skew_; }
    Millis monotonic() override { return local(stopped_at_ ? *stopped_at_ : time_.now()); }

    /// The virtual time at which `monotonic` will show `reading`.
    [[nodiscard]] Millis when(Millis reading) const { return reading - offset_ + lost_; }
    void stop() { stopped_at_ = time_.now(); }
    void resume() {
        if (stopped_at_) lost_ += time_.now() - *stopped_at_;
        stopped_at_.reset();
    }

private:
    [[nodiscard]] Millis local(Millis at) const { return at + offset_ - lost_; }

    const VirtualTime& time_;
    Millis skew_;
    Millis offset_;
    Millis lost_{0};
    std::optional<Millis> stopped_at_;
};

}  // namespace belay::sim
