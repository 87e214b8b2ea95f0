// Opens and closes the commands of one execution. Their states are in commands.hpp.
#pragma once

#include "replay/attempts.hpp"
#include "replay/commands.hpp"
#include "replay/identity.hpp"
#include "replay/inbox.hpp"
#include "replay/journal.hpp"
#include "replay/turn_clock.hpp"
#include <belay/detail/engine.hpp>
#include <belay/limits.hpp>

#include <memory>
#include <string>

namespace belay::replay {

class Scheduler {
public:
    Scheduler(detail::Engine& engine,
              const Identity& identity,
              const Limits& limits,
              const TurnClock& clock,
              Journal& journal,
              Commands& commands,
              Attempts& attempts,
              Inbox& inbox) noexcept
        : engine_(engine),
          identity_(identity),
          limits_(limits),
          clock_(clock),
          journal_(journal),
          commands_(commands),
          attempts_(attempts),
          inbox_(inbox) {}

    /// Throws LimitExceeded or std::invalid_argument if the command cannot be scheduled.
    void check(const detail::OperationSpec& spec) const;
    /// Schedules a command that was checked.
    std::shared_ptr<detail::Operation> schedule(detail::OperationSpec spec, bool shielded);
    /// Starts a run without a parent. It has no number, and no answer comes.
    void start_detached(detail::OperationSpec spec);

    /// Called when the code drops an operation: closes it, or passes on the message that it was
    /// handed.
    void drop(detail::Operation& operation) noexcept;
    /// Called when the code has ended: drops every operation that it left open.
    void drop_all() noexcept;
    /// Called when the run is canceled: closes everything open, except under a shield.
    void cancel_unshielded(const std::string& reason);

private:
    void close(const detail::Operation& operation) noexcept;

    detail::Engine& engine_;
    const Identity& identity_;
    const Limits& limits_;
    const TurnClock& clock_;
    Journal& journal_;
    Commands& commands_;
    Attempts& attempts_;
    Inbox& inbox_;
};

}  // namespace belay::replay
