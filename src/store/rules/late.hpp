// Runs that were not begun, have not ended or have not cleaned up in time.
#pragma once

#include "store/rules/change.hpp"

namespace belay::store {

/// Ends a run whose time is over (Rows::past_deadline), without code. Cancels that follow from it
/// are left to `finish_cascade`.
void end_late(Change& change, Run& run);

}  // namespace belay::store
