// The creation of runs.
#pragma once

#include "store/rules/change.hpp"

namespace belay::store {

/// Creates a pending run that is ready from `ready_at` on. Registers it with its parent.
Run& create_run(Change& change, const NewInstance& instance, Timestamp ready_at);

void apply(Change& change, const Start& part);
void apply(Change& change, const Import& part);

}  // namespace belay::store
