// The steps that wait: for time, for an event, for a person.
#pragma once

#include "flow/interpreter/graph_run.hpp"
#include <belay/orchestration.hpp>

#include <memory>

namespace belay::flow {

[[nodiscard]] Orchestration<StepEnd> run_sleep(OrchestrationContext ctx,
                                               std::shared_ptr<GraphRun> graph,
                                               Spot spot,
                                               expr::Map variables);
[[nodiscard]] Orchestration<StepEnd> run_wait(OrchestrationContext ctx,
                                              std::shared_ptr<GraphRun> graph,
                                              Spot spot);
/// The answer is an event with JSON: {"approved": true, "by": "ann", "role": "operator", "values":
/// {...}}. An answer that does not fit is logged and ignored. A refusal fails the step.
[[nodiscard]] Orchestration<StepEnd> run_approval(OrchestrationContext ctx,
                                                  std::shared_ptr<GraphRun> graph,
                                                  Spot spot,
                                                  expr::Map variables);

/// Returns the event that answers an approval: "approval/check", or "approval/check/17".
[[nodiscard]] std::string approval_event(std::string_view step, std::optional<std::uint64_t> item);

}  // namespace belay::flow
