// The event that records a scheduled command.
#pragma once

#include "model/event.hpp"
#include "replay/turn_clock.hpp"
#include <belay/detail/engine.hpp>

namespace belay::replay {

/// `retrying`: null for a command that is not retried.
[[nodiscard]] model::Event scheduled_event(const detail::OperationSpec& spec,
                                           CommandNo command,
                                           bool shielded,
                                           const TurnClock& clock,
                                           const detail::Retrying* retrying);

/// True if the command is a child that goes on when the code drops it.
[[nodiscard]] bool is_abandoned_child(const detail::OperationSpec& spec) noexcept;

}  // namespace belay::replay
