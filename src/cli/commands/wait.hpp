// The end of a wait.
#pragma once

#include "cli/context.hpp"
#include <belay/status.hpp>

namespace belay::cli {

/// Prints how a run ended. Returns `failed` unless it ended well.
[[nodiscard]] Exit print_outcome(Context& context,
                                 const InstanceName& name,
                                 const Outcome& outcome);

}  // namespace belay::cli
