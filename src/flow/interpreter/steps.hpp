// The coroutines of steps: helpers of one run, one for each step.
#pragma once

#include "flow/interpreter/graph_run.hpp"
#include <belay/orchestration.hpp>

#include <cstddef>
#include <memory>

namespace belay::flow {

/// Waits for the turn of a step, runs it or skips it, and records its end in the graph.
[[nodiscard]] Orchestration<void> run_step(OrchestrationContext ctx,
                                           std::shared_ptr<GraphRun> graph,
                                           std::size_t step);

/// Does the action of a step, or of an item of its map, once. Throws if it fails.
[[nodiscard]] Orchestration<StepEnd> run_action(OrchestrationContext ctx,
                                                std::shared_ptr<GraphRun> graph,
                                                Spot spot,
                                                expr::Map variables);

/// Does the work of a step, or of an item, until it ends or somebody cancels it alone: then it
/// fails with kind canceled once its cleanup has run.
[[nodiscard]] Orchestration<StepEnd> run_unless_canceled(OrchestrationContext ctx,
                                                         std::shared_ptr<GraphRun> graph,
                                                         Spot spot,
                                                         Orchestration<StepEnd> work);

/// Runs what is left to be cleaned up by the steps of a list that has ended. A cleanup that fails
/// is logged, and no other one is kept from running.
[[nodiscard]] Orchestration<void> clean_up(OrchestrationContext ctx,
                                           std::shared_ptr<GraphRun> graph);

}  // namespace belay::flow
