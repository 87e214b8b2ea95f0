// The state of a schedule between two steps: recorded, and shown as its custom status.
#pragma once

#include <belay/error.hpp>
#include <belay/ids.hpp>
#include <belay/schedules.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace belay::schedule {

/// The number of ended runs that are kept for people to see.
inline constexpr std::size_t kLastRuns = 20;
/// The number of runs under way that are followed.
inline constexpr std::size_t kMostFollowed = 200;
/// The number of ticks that wait for the end of a run; further ones are skipped.
inline constexpr std::size_t kMostWaiting = 1'000;

/// A run that was started, or could not be.
struct StartedRun {
    ScheduledRun shown;
    RunKey key{};          ///< Zero: it could not be started.
    bool settled = false;  ///< It has ended, and nothing of it runs any more.

    [[nodiscard]] bool under_way() const noexcept { return key.value != 0 && !settled; }
};

/// A tick that waits for the end of a run.
struct WaitingTick {
    Timestamp tick{};
    ScheduleCause cause = ScheduleCause::tick;
    std::uint64_t serial = 0;  ///< Of the change that asked for it; 0: it was due by itself.
};

/// The rest of a backfill.
struct Backfill {
    Timestamp after{};
    Timestamp until{};  ///< Included.
    std::uint64_t serial = 0;
};

struct Pause {
    std::string by;
    std::string why;
    Timestamp at{};
};

struct State {
    Timestamp cursor{};  ///< All ticks up to here were dealt with.
    std::optional<Pause> pause{};
    std::optional<Timestamp> next{};  ///< The next start, with its jitter.
    std::string problem{};            ///< The reason why its times cannot be computed.
    std::uint64_t fired = 0;
    std::uint64_t skipped = 0;
    std::uint64_t missed = 0;
    std::uint64_t refused = 0;
    std::uint64_t serial = 0;                ///< The number of changes that started runs.
    std::optional<Timestamp> canceled_at{};  ///< The last time that runs were canceled.
    std::vector<StartedRun> runs{};          ///< The oldest first.
    std::vector<WaitingTick> waiting{};      ///< In order.
    std::vector<Backfill> backfills{};       ///< In order.
};

[[nodiscard]] std::string encode(const State& state);
/// Ignores fields that it does not know: an older worker may read the state of a newer one. Returns
/// `corrupt` for a text that is no state.
[[nodiscard]] Result<State> decode_state(std::string_view json);

}  // namespace belay::schedule
