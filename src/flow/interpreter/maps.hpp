// Maps: one item for each element of a list, a window of them at a time.
#pragma once

#include "flow/interpreter/graph_run.hpp"
#include "flow/interpreter/run_input.hpp"
#include <belay/orchestration.hpp>

#include <memory>

namespace belay::flow {

/// The most items that run in the run of the flow itself. Further ones run in children with as many
/// each, so that no history becomes too long.
inline constexpr std::size_t kItemsPerRun = 1'000;

/// Runs all items of a step. Throws if too many fail.
[[nodiscard]] Orchestration<StepEnd> run_map(OrchestrationContext ctx,
                                             std::shared_ptr<GraphRun> graph,
                                             Spot spot,
                                             expr::Map variables);

/// Runs the items of a child. The output tells the parent of their results and failures.
[[nodiscard]] Orchestration<Payload> run_items(OrchestrationContext ctx,
                                               std::shared_ptr<GraphRun> graph,
                                               std::shared_ptr<const ItemsInput> input);

}  // namespace belay::flow
