// Time as Belay stores it: whole milliseconds, UTC.
#pragma once

#include <chrono>
#include <cstdint>

namespace belay {

/// The type of all durations; finer ones do not convert by themselves.
using Millis = std::chrono::milliseconds;
/// The type of all times: UTC.
using Timestamp = std::chrono::sys_time<Millis>;

/// Returns milliseconds since 1970, as they are stored.
[[nodiscard]] constexpr std::int64_t to_unix_ms(Timestamp at) noexcept {
    return at.time_since_epoch().count();
}
/// The inverse of to_unix_ms.
[[nodiscard]] constexpr Timestamp from_unix_ms(std::int64_t ms) noexcept {
    return Timestamp(Millis(ms));
}

/// A process's source of time. Injected, so that tests and the simulator control it.
/// Implementations are safe to call from any thread.
class Clock {
public:
    virtual ~Clock() = default;
    /// Returns civil time; may jump.
    [[nodiscard]] virtual Timestamp wall() = 0;
    /// Returns the time since some fixed point of this process; never goes back.
    [[nodiscard]] virtual Millis monotonic() = 0;
};

/// The machine's own clocks.
[[nodiscard]] Clock& system_clock() noexcept;

}  // namespace belay
