// The interpreter of flows: one orchestration that runs any definition.
#pragma once

#include "flow/definition/definition.hpp"
#include "flow/interpreter/observer.hpp"
#include "flow/interpreter/plan.hpp"
#include "flow/interpreter/run_input.hpp"
#include <belay/orchestration.hpp>
#include <belay/registry.hpp>

#include <memory>

namespace belay::flow {

/// Runs a flow. The output is JSON. Throws OperationFailed, with the step in Failure::where, if it
/// fails; throws Canceled if it is canceled. `observer` may be null.
///
/// Each step is a helper of this run, so the engine knows no steps: they wait for one another at
/// gates, and dropping them cancels their work.
[[nodiscard]] Orchestration<Payload> run_flow(OrchestrationContext ctx,
                                              std::shared_ptr<const Plan> plan,
                                              RunInput input,
                                              std::shared_ptr<StepObserver> observer);

/// Reads the documents of runs, which are those of `write_bundle`. A run executes the definition of
/// its own name in its document. For Registry::set_interpreter.
[[nodiscard]] DocumentCompiler interpreter();

/// Returns the code of a definition, to be registered under its name.
[[nodiscard]] OrchestrationHandler handler_of(std::shared_ptr<const Definition> definition,
                                              std::shared_ptr<StepObserver> observer = nullptr);
[[nodiscard]] OrchestrationHandler handler_of(std::shared_ptr<const Plan> plan,
                                              std::shared_ptr<StepObserver> observer = nullptr);

}  // namespace belay::flow
