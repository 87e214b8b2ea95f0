// The activities that run the steps of flows.
#pragma once

#include "flow/steps/requests.hpp"
#include "flow/steps/step_options.hpp"
#include <belay/registry.hpp>

namespace belay::flow {

/// Registers `belay.exec`, if programs are allowed, and `belay.http`. Both need a ThreadExecutor.
void add_step_activities(Registry& registry, const StepOptions& options = StepOptions());

}  // namespace belay::flow
