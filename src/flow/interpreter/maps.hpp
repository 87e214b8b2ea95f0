// Maps: one item for each element of a list, a window of them at a time.
#pragma once

#include "flow/interpreter/graph_run.hpp"
#include "flow/interpreter/run_input.hpp"
#include <belay/orchestration.hpp>

#include <cstddef>
#include <memory>

namespace belay::flow {

/// The most items that run in the run of the flow itself. Further ones run in children with as many
/// each, so that no history becomes too long.
inline constexpr std::size_t kItemsPerRun = 1'000;

/// The bytes of results, as JSON, that one child gives back: half of what a payload may have by
/// default. It does not follow Limits::payload_bytes, because a replay under other limits must hand
/// over the same items. A child whose results are more leaves its last items to the next one.
inline constexpr std::size_t kResultsPerChild = std::size_t{1024} * 1024;

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
