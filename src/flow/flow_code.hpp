// The code of all flows, for the registry of a worker.
#pragma once

#include "flow/steps/step_options.hpp"
#include <belay/registry.hpp>

#include <string_view>

namespace belay::flow {

/// The version of the interpreter that runs of flows name.
inline constexpr std::string_view kInterpreterVersion = "1";

/// Lets a worker run flows: all that have a document, whatever their names. Registers the
/// activities of their steps, too.
void add_flow_code(Registry& registry, const StepOptions& options = StepOptions());

/// Returns the code of all definitions in a bundle: that of a run is chosen by the name of its
/// definition. Throws std::invalid_argument for a document that is no bundle.
[[nodiscard]] OrchestrationHandler compile_bundle(const Payload& document);

}  // namespace belay::flow
