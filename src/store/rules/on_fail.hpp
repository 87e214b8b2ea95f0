// The run that is created when another one fails.
#pragma once

#include "store/rules/change.hpp"

namespace belay::store {

/// Creates the run that `run` has named for its failure. `run` has just failed.
void start_on_fail(Change& change, const Run& run, const Failure& failure);

}  // namespace belay::store
