// One execution, replayed from its recorded events.
#pragma once

#include "model/event.hpp"
#include <belay/limits.hpp>
#include <belay/message.hpp>
#include <belay/registry.hpp>

#include <optional>
#include <vector>

namespace belay::testing {

/// `headers` and `document` are those that its run was started with.
/// `nondeterminism` when code and events disagree; `not_found` when there is no code.
[[nodiscard]] Result<void> replay_execution(const Registry& registry,
                                            const InstanceName& name,
                                            const Headers& headers,
                                            const std::optional<Payload>& document,
                                            ExecutionNo execution,
                                            const std::vector<model::Event>& events,
                                            const Limits& limits);

}  // namespace belay::testing
