// Turns messages of the store into inputs of an execution.
#pragma once

#include "model/event.hpp"
#include <belay/detail/engine.hpp>
#include <belay/message.hpp>

#include <optional>

namespace belay::replay {

/// The kind of command that a message answers; none for a message that the code waits for.
[[nodiscard]] std::optional<detail::OperationKind> answered_kind(MessageKind kind) noexcept;

/// The input that a message is recorded as; none for a kind that is unknown.
[[nodiscard]] std::optional<model::Event> input_of(const NewMessage& message);

}  // namespace belay::replay
