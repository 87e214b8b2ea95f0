// The compensations of one execution.
//
//   state          event                               next
//   registering    the code registers one              registering
//   registering    the run completes or continues      registering: none of them runs
//   registering    the run has failed or is canceled   compensating
//   compensating   none is under way, some are left    compensating: the last registered begins
//   compensating   the one under way ends              compensating
//   compensating   none is under way, none is left     finished
//
// Compensations run one at a time, under a shield. One that fails is noted, and the next one runs.
#pragma once

#include "replay/scheduler.hpp"
#include <belay/detail/engine.hpp>
#include <belay/limits.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace belay::replay {

class Rollback {
public:
    enum class State : std::uint8_t { registering, compensating, finished };

    Rollback(const Limits& limits, Scheduler& scheduler) noexcept
        : limits_(limits), scheduler_(scheduler) {}

    /// Throws LimitExceeded, or std::invalid_argument, if it could not be scheduled later.
    void add(detail::OperationSpec spec);
    /// Begins, or goes on after the compensation under way has ended. Returns the new state.
    State advance();

    [[nodiscard]] State state() const noexcept { return state_; }
    /// True if none is registered or under way.
    [[nodiscard]] bool is_empty() const noexcept { return registered_.empty() && !current_; }
    /// One line for each compensation that failed.
    [[nodiscard]] const std::vector<std::string>& failures() const noexcept { return failures_; }

private:
    void begin();
    void begin_next();
    void end_current();

    const Limits& limits_;
    Scheduler& scheduler_;
    State state_ = State::registering;
    std::vector<detail::OperationSpec> registered_;  // The next one is the last.
    std::shared_ptr<detail::Operation> current_;     // The one under way ...
    std::string current_name_;                       // ... and its activity.
    std::vector<std::string> failures_;
};

}  // namespace belay::replay
