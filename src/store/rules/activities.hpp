// The rows of the worker queue, with their counts and timers.
#pragma once

#include "store/rules/rows.hpp"

namespace belay::store {

/// Adds the row, with a timer if it must start by some time.
void add_activity(Rows& rows, Run& run, Activity& activity, const NewActivity& about);
/// Writes a change of its lease, attempts or visibility.
void update_activity(Rows& rows, Activity& activity);
/// Removes the time by which it must start, because it has begun once.
void forget_start_time(Rows& rows, Activity& activity);
/// Removes the row, with its start timer. `activity` may be the object that was found.
void remove_activity(Rows& rows, Run& run, const Activity& activity);
[[nodiscard]] std::vector<ActivityRef> activities_of(Rows& rows, const Run& run);

/// Records that its handler was told to stop and may run until `until`. Called while the row of the
/// activity is there.
void add_stopping(
    Rows& rows, Run& run, const StoppingKey& key, const std::string& worker, Timestamp until);
/// Removes a record; the caller settles the run.
void remove_stopping(Rows& rows, Run& run, const StoppingKey& key);

}  // namespace belay::store
