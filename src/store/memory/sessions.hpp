// Who has which session, and what runs of it.
#pragma once

#include "store/memory/tables.hpp"

namespace belay::memory {

// Of an activity that belongs to a session; nothing of any other.

/// It was leased just now: its holder has the session.
void enter_session(Tables& tables, const Activity& activity, Millis idle, Timestamp now);
/// Its lease was extended.
void stay_in_session(Tables& tables, const Activity& activity);
/// It was told to stop, and may run on until then.
void stop_in_session(Tables& tables, LeaseToken token, Timestamp until);
/// It runs no more under this token.
void leave_session(Tables& tables, LeaseToken token, store::Kept kept, Timestamp now);

/// Lets go of those of a holder that nothing runs of. False: there was nothing to let go of.
bool release_sessions(Tables& tables, std::uint64_t holder, Timestamp now);
/// Its time is over.
void forget_session(Tables& tables, const SessionKey& key);

}  // namespace belay::memory
