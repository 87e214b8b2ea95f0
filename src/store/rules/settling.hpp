// When a run has settled, and who hears of it.
#pragma once

#include "store/rules/change.hpp"

namespace belay::store {

/// True if it is settled, but for children that go on when their parent ends: whoever replaces it
/// waits for nothing else.
[[nodiscard]] bool is_at_rest(Rows& rows, const Run& run);
/// Marks a run settled if it is now, and so on upwards; runs that waited for it, or for one above
/// it, may then be claimed.
void settle(Change& change, Run& run);
/// `gone` is at rest, or deleted: those that waited for it can go ahead.
void wake_waiters(Change& change, const Run& gone);

}  // namespace belay::store
