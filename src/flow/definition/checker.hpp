// Checks the expressions of a definition: names, types, and references between steps.
#pragma once

#include "flow/definition/draft.hpp"
#include "flow/definition/graph.hpp"

#include <vector>

namespace belay::flow {

/// Reports the mistakes. Sets the types of what is passed to other definitions. `graphs`: in the
/// order of kParts.
void check_expressions(Reading& in, Draft& draft, const std::vector<Graph>& graphs);

}  // namespace belay::flow
