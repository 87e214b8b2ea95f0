// The output of steps, and of the runs that they start.
#pragma once

#include "cli/context.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace belay::cli {

/// Returns the name of an activity of a child: "kids-3/build". `child`: the id of the child behind
/// that of its root; empty: the root itself. An item of a large map keeps its name.
[[nodiscard]] std::string prefixed(const std::string& child, const std::string& source);

/// True if the output belongs to a step: to itself, to an item, or to a child. "build" has
/// "build[3]" and "build-3/compile"; "build[3]" has "build-3/compile".
[[nodiscard]] bool is_output_of(std::string_view source, std::string_view step);

/// The run and the step that wrote the output of a failure.
struct FailedOutput {
    std::string run;
    std::string step;
};

/// Finds the output of the step whose failure failed the run, in a child if it was there. Returns
/// none if the step has written nothing.
[[nodiscard]] std::optional<FailedOutput> find_failed_output(Context& context, InstanceInfo run);

}  // namespace belay::cli
