// The part that leased activities take up of their queue's limits and of their session.
#pragma once

#include "store/rules/rows.hpp"

namespace belay::store {

/// It was leased just now. `key`: its fairness key; `idle`: how long its session is kept when
/// nothing of it runs.
void note_begun(Rows& rows, const Activity& activity, const std::string& key, Millis idle);
/// Its lease was extended.
void note_renewed(Rows& rows, const Activity& activity);
/// It has ended under its token, or was given back; CountAttempt::no: nothing of it ran.
void note_ended(Rows& rows, const Activity& activity, CountAttempt count);
/// Its handler had begun, and ended because its worker leaves.
void note_interrupted(Rows& rows, const Activity& activity);
/// The activity is canceled under its lease. Its handler may run on until then. Called while the
/// row is still there.
void note_canceled(Rows& rows, const Activity& activity, Timestamp until);
/// It was told to stop, and may run on until then.
void note_stopping(Rows& rows, LeaseToken token, Timestamp until);
/// One that was told to stop has ended.
void note_stopped(Rows& rows, LeaseToken token);

void set_limits(Rows& rows, const SetQueueLimits& part);

}  // namespace belay::store
