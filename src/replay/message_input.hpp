// Turns messages of the store into inputs of an execution.
#pragma once

#include "model/event.hpp"
#include <belay/detail/engine.hpp>
#include <belay/message.hpp>

#include <optional>

namespace belay::replay {

/// Returns the kind of command that a message answers. Returns none for a message that the code
/// waits for.
[[nodiscard]] std::optional<detail::OperationKind> answered_kind(MessageKind kind) noexcept;

/// Returns the input under which a message is recorded. Returns none for an unknown kind.
[[nodiscard]] std::optional<model::Event> input_of(const NewMessage& message);

}  // namespace belay::replay
