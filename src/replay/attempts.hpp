// Retried operations: several commands in turn.
//
//   stage        event                                       next         recorded
//   (none)       begin                                       attempting   command, its timeout
//   attempting   the command completes                       completed    cancel of the timeout
//   attempting   the command fails, and may be retried       pausing      the same, and a timer
//   attempting   the command fails otherwise                 failed       cancel of the timeout
//   attempting   its timeout fires                           as failed    cancel of the command
//   pausing      its timer fires                             attempting   command, its timeout
//   pausing      its timer fires after the deadline          failed       nothing
//   pausing      its timer fires, and a limit is reached     failed       nothing
//   any          the code drops it, or the run is canceled   canceled     cancel of the timeout
//
// An attempt and a pause are commands with numbers of their own. The operation that the code awaits
// stays the same; it changes which command it is. The timeout of an attempt is a timer beside it,
// in the slot behind.
#pragma once

#include "replay/commands.hpp"
#include "replay/identity.hpp"
#include "replay/journal.hpp"
#include "replay/seeded_random.hpp"
#include "replay/turn_clock.hpp"
#include <belay/detail/engine.hpp>
#include <belay/limits.hpp>

#include <cstdint>
#include <memory>

namespace belay::replay {

class Attempts {
public:
    using Shared = std::shared_ptr<detail::Operation>;
    /// The stage of an open operation. `single`: it is not retried.
    enum class Stage : std::uint8_t { single, attempting, pausing };

    Attempts(const Identity& identity,
             const Limits& limits,
             const TurnClock& clock,
             Journal& journal,
             Commands& commands,
             SeededRandom& random) noexcept
        : identity_(identity),
          limits_(limits),
          clock_(clock),
          journal_(journal),
          commands_(commands),
          random_(random) {}

    [[nodiscard]] static Stage stage_of(const detail::Operation& operation) noexcept;

    /// Schedules the next attempt. Throws as the scheduler does.
    void begin(const Shared& operation);
    /// Called when an open command of the operation has completed: an attempt, its timeout or a
    /// pause.
    void complete(const Shared& operation, CommandNo command, const Payload& result);
    /// Called when the open command of the operation has failed.
    void fail(const Shared& operation, const Failure& failure);
    /// Called when the operation has ended: its timeout is of no more use. Does nothing if it has
    /// none.
    void cancel_timeout(detail::Operation& operation) noexcept;

private:
    void bound(const Shared& operation);
    void time_out(const Shared& operation);
    void pause_or_fail(const Shared& operation, Failure failure);
    [[nodiscard]] Failure without_room(Failure last) const;
    void pause(const Shared& operation, Millis delay);
    void resume(const Shared& operation);

    const Identity& identity_;
    const Limits& limits_;
    const TurnClock& clock_;
    Journal& journal_;
    Commands& commands_;
    SeededRandom& random_;
};

}  // namespace belay::replay
