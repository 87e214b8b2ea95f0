// The signals that end `belay run`.
#pragma once

#include <array>
#include <csignal>

namespace belay::cli {

/// Counts SIGINT, and remembers SIGTERM and SIGHUP, as long as it lives. One at a time.
class StopSignals {
public:
    StopSignals();
    StopSignals(const StopSignals&) = delete;
    StopSignals& operator=(const StopSignals&) = delete;
    ~StopSignals();

    /// Returns how often the keyboard has interrupted.
    [[nodiscard]] static int interrupts() noexcept;
    /// True once the process was told to end.
    [[nodiscard]] static bool terminated() noexcept;

private:
    static constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP};
    std::array<struct sigaction, kSignals.size()> before_{};
};

}  // namespace belay::cli
