// Settling of runs, and the notices of it.
#pragma once

#include "store/rules/change.hpp"

namespace belay::store {

/// True if it is settled, except for children that go on when their parent ends. A replacement
/// waits for nothing else.
[[nodiscard]] bool is_at_rest(Rows& rows, const Run& run);
/// Marks a run settled if it is now, and then its parents upwards. Runs that waited for it, or for
/// one above it, may then be claimed.
void settle(Change& change, Run& run);
/// Lets runs go ahead that waited for `gone`, which is at rest or deleted.
void wake_waiters(Change& change, const Run& gone);

}  // namespace belay::store
