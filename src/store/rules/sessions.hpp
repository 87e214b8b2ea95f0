// The holders of sessions, and for how long.
#pragma once

#include "store/rules/rows.hpp"

namespace belay::store {

/// The time that a session is kept when nothing else of it runs.
enum class Kept : std::uint8_t {
    idle,       ///< Something of it has ended: for as long as it may be idle.
    no_longer,  ///< Something was given back: as that, and no longer than it was.
};

// For activities that belong to one; nothing happens with any other.

/// It was leased just now. `idle`: how long its session is kept when nothing of it runs.
void enter_session(Rows& rows, const Activity& activity, Millis idle);
/// Its lease was extended.
void stay_in_session(Rows& rows, const Activity& activity);
/// The attempt may run on until then.
void stop_in_session(Rows& rows, LeaseToken token, Timestamp until);
/// The attempt is over.
void leave_session(Rows& rows, LeaseToken token, Kept kept);

/// Lets go of those of a holder that nothing runs of. False: there was nothing to let go of.
bool release_sessions(Rows& rows, std::uint64_t holder);
/// Forgets those of a dead holder, with all that ran of them. False: it had none.
bool forget_sessions_of(Rows& rows, std::uint64_t holder);
/// Forgets sessions that are over, and says how many.
std::uint64_t forget_sessions(Rows& rows, std::uint32_t max);

}  // namespace belay::store
