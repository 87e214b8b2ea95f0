// The time that the code of an execution sees.
//
//   event         time
//   begin_turn    the store's time of that turn, or the time before it if that is later
#pragma once

#include <belay/ids.hpp>

#include <algorithm>

namespace belay::replay {

/// The store's time, recorded with each turn. It stands still during a turn and never goes back.
class TurnClock {
public:
    /// The store's clock may be set back between two turns; time never goes back for the code.
    void begin_turn(Timestamp at) noexcept { now_ = std::max(now_, at); }

    [[nodiscard]] Timestamp now() const noexcept { return now_; }
    /// Returns the time `delay` from now. Returns now if the delay is negative, and the last time
    /// there is if the sum would be later than that.
    [[nodiscard]] Timestamp after(Millis delay) const noexcept {
        if (delay < Millis(0)) return now_;
        // The time comes from history, which may hold any number: the sum must not overflow.
        return now_ > Timestamp::max() - delay ? Timestamp::max() : now_ + delay;
    }

private:
    Timestamp now_{};
};

}  // namespace belay::replay
