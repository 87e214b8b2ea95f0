// Time as Belay stores it: whole milliseconds, UTC.
#pragma once

#include <chrono>
#include <cstdint>

namespace belay {

/// Every duration here; finer ones do not convert by themselves.
using Millis = std::chrono::milliseconds;
/// Every time here: UTC.
using Timestamp = std::chrono::sys_time<Millis>;

/// Milliseconds since 1970, as it is stored.
[[nodiscard]] constexpr std::int64_t to_unix_ms(Timestamp at) noexcept {
    return at.time_since_epoch().count();
}
/// And back.
[[nodiscard]] constexpr Timestamp from_unix_ms(std::int64_t ms) noexcept {
    return Timestamp(Millis(ms));
}

/// Where a process reads time. Injected, so that tests and the simulator decide what time it is.
/// Implementations are safe to call from any thread.
class Clock {
public:
    virtual ~Clock() = default;
    /// Civil time; may jump.
    [[nodiscard]] virtual Timestamp wall() = 0;
    /// Time since some fixed point of this process; never goes back.
    [[nodiscard]] virtual Millis monotonic() = 0;
};

/// The machine's own clocks.
[[nodiscard]] Clock& system_clock() noexcept;

}  // namespace belay
