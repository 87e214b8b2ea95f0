// The rows of the worker queue, with what is counted and timed beside them.
#pragma once

#include "store/rules/rows.hpp"

namespace belay::store {

/// With the timer of one that must start by some time.
void add_activity(Rows& rows, Run& run, Activity& activity, const NewActivity& about);
/// Writes a change of its lease, attempts or visibility.
void update_activity(Rows& rows, Activity& activity);
/// It has begun once: it need not any more.
void forget_start_time(Rows& rows, Activity& activity);
/// With the timer of one that must start. `activity` may be what was found.
void remove_activity(Rows& rows, Run& run, const Activity& activity);
[[nodiscard]] std::vector<ActivityRef> activities_of(Rows& rows, const Run& run);

/// Its handler was told to stop, and may run on until then. While the row of the activity is there.
void add_stopping(
    Rows& rows, Run& run, const StoppingKey& key, const std::string& worker, Timestamp until);
/// Removes a record; the caller settles the run.
void remove_stopping(Rows& rows, Run& run, const StoppingKey& key);

}  // namespace belay::store
