// How runs come to be.
#pragma once

#include "store/memory/change.hpp"

namespace belay::memory {

/// Creates a pending run that is ready from `ready_at` on, and makes it known to its parent.
Run& create_run(Change& change, NewInstance instance, Timestamp ready_at);

void apply(Change& change, Start& part);
void apply(Change& change, Import& part);

}  // namespace belay::memory
