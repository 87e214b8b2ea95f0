// The use that leased activities make of their queue's limits and of their session.
#pragma once

#include "store/rules/rows.hpp"

namespace belay::store {

/// Called when it was leased just now. `key`: its fairness key. `idle`: the time its session is
/// kept when nothing of it runs.
void note_begun(Rows& rows, const Activity& activity, const std::string& key, Millis idle);
/// Called when its lease was extended.
void note_renewed(Rows& rows, const Activity& activity);
/// Called when it has ended under its token or was given back. CountAttempt::no: nothing of it ran.
void note_ended(Rows& rows, const Activity& activity, CountAttempt count);
/// Called when its handler had begun, and ended because its worker leaves.
void note_interrupted(Rows& rows, const Activity& activity);
/// Called when the activity is canceled under its lease, while the row is still there. Its handler
/// may run until `until`.
void note_canceled(Rows& rows, const Activity& activity, Timestamp until);
/// Called when it was told to stop. It may run until `until`.
void note_stopping(Rows& rows, LeaseToken token, Timestamp until);
/// Called when a handler that was told to stop has ended.
void note_stopped(Rows& rows, LeaseToken token);

void set_limits(Rows& rows, const SetQueueLimits& part);

}  // namespace belay::store
