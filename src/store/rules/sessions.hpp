// The holders of sessions, and how long they hold them.
#pragma once

#include "store/rules/rows.hpp"

namespace belay::store {

/// The time for which a session is kept when nothing else of it runs.
enum class Kept : std::uint8_t {
    idle,       ///< Something of it has ended: as long as it may be idle.
    no_longer,  ///< Something was given back: the same, but not longer than before.
};

// These functions are for activities that belong to a session. They do nothing for any other.

/// Called when it was leased just now. `idle`: the time its session is kept when nothing of it
/// runs.
void enter_session(Rows& rows, const Activity& activity, Millis idle);
/// Called when its lease was extended.
void stay_in_session(Rows& rows, const Activity& activity);
/// The attempt may run until `until`.
void stop_in_session(Rows& rows, LeaseToken token, Timestamp until);
/// The attempt is over.
void leave_session(Rows& rows, LeaseToken token, Kept kept);

/// Releases the sessions of a holder in which nothing runs. Returns false if there were none.
bool release_sessions(Rows& rows, std::uint64_t holder);
/// Forgets the sessions of a dead holder, with all that ran in them. Returns false if it had none.
bool forget_sessions_of(Rows& rows, std::uint64_t holder);
/// Forgets sessions that are over. Returns their number.
std::uint64_t forget_sessions(Rows& rows, std::uint32_t max);

}  // namespace belay::store
