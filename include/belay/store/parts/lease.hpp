// Parts for the holder of a claimed run or activity: end, renew or give back its lease.
#pragma once

#include <belay/ids.hpp>
#include <belay/limits.hpp>
#include <belay/message.hpp>
#include <belay/payload.hpp>
#include <belay/time.hpp>

#include <cstdint>
#include <optional>

namespace belay {

/// Ends an activity. Guard: `token` holds its row; the token decides and not the clock. Effects:
/// the row is deleted, and `completion` (if any) is put into the run's queue.
///
/// If the row is gone but a *stopping* record of this token is left, the completion decides:
/// - Without one, the record is removed and the part is applied: the handler has really ended.
/// - With one, the part is refused with `canceled`. Nothing is sent, and the record stays.
///
/// Refused with `lease_lost` if neither is there.
///
/// A repeat needs no record, because the row is the fence. The first deletes it and a token is
/// given out once, so a second finds nothing to complete, whatever became of the run since. A
/// sender that repeats it after an unknown outcome takes `lease_lost` as "it was applied, or the
/// lease was lost": either way there is nothing left to do.
struct AckActivity {
    ActivityRef activity;
    LeaseToken token;
    std::optional<NewMessage> completion;
    /// The turn that was to share a commit with this one ran past its limit, and was given up.
    /// Counted as AbandonReason::overran: that turn had no lock to give back.
    bool turn_overran = false;
};

/// Decides if a claim that is given back counts as an attempt.
enum class CountAttempt : std::uint8_t { yes = 1, no = 2 };

/// The reason why a claim is given back. It decides how the claim is shown, and if a cancel may end
/// the run at once.
enum class AbandonReason : std::uint8_t {
    released = 1,  ///< Shutdown, or a failed commit: anyone may take it.
    /// This process does not have the code, or not the keys to read the payloads. Counted
    /// separately. A run also keeps the time of the first (InstanceInfo::code_missing_since). A
    /// turn resets both; see also ClaimInstances::code. The count of an activity is reset when it
    /// is given back for any other reason, because that worker had the code.
    unregistered = 2,
    /// Only for an activity: its handler had begun, and was stopped because its worker is stopping.
    /// It was begun in time (NewActivity::schedule_to_start no longer applies) and counts as begun
    /// for the rates of its queue, also with CountAttempt::no.
    interrupted = 3,
    /// Only for a run: its turn ran past its limit (Policy::turn_limit) and was given up. Counted
    /// (InstanceInfo::overruns) until a turn is committed or the run is released.
    overran = 4,
};

/// Gives back a claimed activity. Guards as AckActivity (a stopping record refuses with
/// `canceled`). Effects: unleased, claimable after `delay`, and without a delay in its old place in
/// the queue. With CountAttempt::no the attempt that the claim counted is taken back (never below
/// 0).
struct AbandonActivity {
    ActivityRef activity;
    LeaseToken token;
    Millis delay{0};
    CountAttempt count = CountAttempt::yes;
    AbandonReason reason = AbandonReason::released;
    /// The last progress of its handler, if it may not be written yet. As RenewActivity::progress.
    std::optional<Payload> progress{};
};

/// Extends a lease to `extend` from now. Guards: as AckActivity, and the lease has not expired:
/// only renewing asks the clock. Refused with `canceled` for a canceled activity. The handler's
/// progress replaces the progress before, of this attempt or another; it is kept as long as the row
/// is.
struct RenewActivity {
    ActivityRef activity;
    LeaseToken token;
    Millis extend{0};
    std::optional<Payload> progress{};
};

/// Gives back a claimed run without a turn. Guard: `token` holds the lock. Effects: unlocked; not
/// claimable before `delay` has passed, whatever messages arrive, unless it is canceled meanwhile.
struct AbandonTurn {
    RunRef run;
    LeaseToken token;
    Millis delay{0};
    CountAttempt count = CountAttempt::yes;
    AbandonReason reason = AbandonReason::released;
};

/// Extends a run's lock to `extend` from now. Refused: `not_found` if the run was deleted,
/// `already_ended` if it has ended, `lease_lost` if the lock expired or is held under another
/// token.
struct RenewTurn {
    RunRef run;
    LeaseToken token;
    Millis extend{0};
};

/// Gives up the sessions of a holder in which nothing runs, so that others can have them at once:
/// for a worker that stops. It keeps a session in which something runs until that has ended. Never
/// refused, and safe to repeat; the answer's `changed` is false if there was nothing to give up.
/// The handler of a deleted run counts as running for as long as it may be.
struct ReleaseSessions {
    std::uint64_t holder = 0;  ///< The holder of the tokens.
};

/// Takes back the work of a dead holder. Only for a holder that is certainly dead, with every
/// handler and program that it ran (ReadDeadHolders). A holder that is slow, stopped or not
/// reachable keeps its leases until they expire. Never refused, and must be the only part.
///
/// Effects, on at most `limit` rows: its runs are unlocked, its activities unleased, with the
/// attempt counted and in their old places; its *stopping* records are deleted, as their handlers
/// have ended. Work in its first attempt can be claimed at once. A later attempt means that others
/// were lost before, and perhaps that the work kills its worker. So it can be claimed after
/// `backoff`, doubled with each further attempt, but never later than when the lease would have
/// expired. A run that was canceled meanwhile does not wait. Expired leases are left as they are.
/// When nothing is left, its sessions and its counts for the limits of queues are deleted, too. The
/// answer's `swept` is the number of rows; repeat if it equals `limit`. A repeat finds nothing to
/// do.
struct ReleaseHolder {
    std::uint64_t holder = 0;  ///< The holder of the tokens.
    Millis backoff = Policy().takeover_backoff;
    std::uint32_t limit = 1000;
};

}  // namespace belay
