// The work of a step, as a call of an activity or of a child.
#pragma once

#include "flow/interpreter/graph_run.hpp"
#include <belay/context.hpp>
#include <belay/payload.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace belay::flow {

/// Makes the call of a step that runs a program, sends a request, calls an activity or runs another
/// flow. Throws OperationFailed if an expression cannot be evaluated.
[[nodiscard]] belay::Call<Payload> call_of(const OrchestrationContext& ctx,
                                           const GraphRun& graph,
                                           const Spot& spot,
                                           const expr::Map& variables);

/// Makes the call of the step's `on_cancel`. Throws OperationFailed also for an action that is no
/// call.
[[nodiscard]] belay::Call<Payload> cleanup_call_of(const OrchestrationContext& ctx,
                                                   const GraphRun& graph,
                                                   const Spot& spot,
                                                   const expr::Map& variables);

/// Evaluates a form. Throws OperationFailed.
[[nodiscard]] expr::Value evaluated(const Form& form, const expr::Map& variables);

}  // namespace belay::flow
