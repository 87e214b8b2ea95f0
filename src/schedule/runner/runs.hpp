// The runs of a schedule, as its planner sees them.
#pragma once

#include "schedule/runner/state.hpp"
#include <belay/schedules.hpp>
#include <belay/status.hpp>

#include <optional>
#include <string>
#include <vector>

namespace belay::schedule {

/// A run to be started. Repeats of one request start one run.
struct RunRequest {
    Timestamp tick{};
    ScheduleCause cause = ScheduleCause::tick;
    std::uint64_t serial = 0;  ///< As WaitingTick::serial.
};

/// The run that a request has started, or the reason why it could not be started.
struct BegunRun {
    std::string id{};
    RunKey key{};
    Status status = Status::pending;
    std::string refused{};  ///< Not empty: nothing was started, and a repeat would start nothing.
};

/// A run that is still there.
struct SeenRun {
    Status status = Status::pending;
    bool settled = false;
};

/// All functions throw if the store cannot answer now.
class Runs {
public:
    virtual ~Runs() = default;

    [[nodiscard]] virtual BegunRun start(const ScheduleSpec& spec, const RunRequest& request) = 0;
    /// Returns them in order; none for a run that is deleted.
    [[nodiscard]] virtual std::vector<std::optional<SeenRun>> look(
        const std::vector<const StartedRun*>& runs) = 0;
    virtual void cancel(const StartedRun& run) = 0;
    /// The store's time, which may be before the time of the turn if the clock was set back.
    [[nodiscard]] virtual Timestamp now() = 0;
};

}  // namespace belay::schedule
