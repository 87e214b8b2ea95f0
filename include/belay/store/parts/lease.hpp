// What whoever has claimed a run or an activity does with its lease: ends, renews or gives it back.
#pragma once

#include <belay/ids.hpp>
#include <belay/limits.hpp>
#include <belay/message.hpp>
#include <belay/payload.hpp>
#include <belay/time.hpp>

#include <cstdint>
#include <optional>

namespace belay {

/// Ends an activity (`ack_work_item`). Guard: `token` holds its row; the token decides and not the
/// clock. Effects: the row is deleted, and `completion` (if any) is put into the run's queue.
/// When the row is gone but a *stopping* record of this token is left: without a completion the
/// record is removed, since the handler has really ended (applied); with one, refused with
/// `canceled` and nothing is sent (and the record stays). Otherwise refused with `lease_lost`.
/// A repeated one is told nothing else: the row is the fence. The first deletes it, a token is
/// given out once, and so a second finds nothing to complete, whatever became of the run since.
/// Whoever repeats it after an unknown outcome takes `lease_lost` as "it was applied, or the lease
/// was lost": either way there is nothing left to do.
struct AckActivity {
    ActivityRef activity;
    LeaseToken token;
    std::optional<NewMessage> completion;
    /// The turn that was to share a commit with this one ran past its limit, and was given up.
    /// Counted as with AbandonReason::overran: that turn had no lock to give back.
    bool turn_overran = false;
};

/// Whether what is given back counts as tried.
enum class CountAttempt : std::uint8_t { yes = 1, no = 2 };

/// Why a claim is given back; decides how it is shown, and whether a cancel may end the run at
/// once.
enum class AbandonReason : std::uint8_t {
    released = 1,  ///< Shutdown, or a failed commit: anyone may take it.
    /// This process does not have the code, or not the keys to read the payloads. Counted
    /// separately, and of a run it is kept since when (InstanceInfo::code_missing_since); both are
    /// reset by a turn, and see ClaimInstances::code. The count of an activity is reset when it is
    /// given back for any other reason: that worker had the code.
    unregistered = 2,
    /// Of an activity: its handler had begun, and was stopped because its worker is. It was begun
    /// in time (NewActivity::schedule_to_start is done with) and counts as begun for the rates of
    /// its queue, also with CountAttempt::no.
    interrupted = 3,
    /// Given for a run: its turn ran past its limit (Policy::turn_limit) and was given up. Counted
    /// (InstanceInfo::overruns) until a turn is committed or the run is released.
    overran = 4,
};

/// Gives back a claimed activity. Guards as AckActivity (a stopping record refuses with
/// `canceled`). Effects: unleased, claimable after `delay`, and without a delay in its old place in
/// the queue; with CountAttempt::no the attempt that the claim counted is taken back (never below
/// 0).
struct AbandonActivity {
    ActivityRef activity;
    LeaseToken token;
    Millis delay{0};
    CountAttempt count = CountAttempt::yes;
    AbandonReason reason = AbandonReason::released;
    /// What its handler said of its progress last, if that may not be written yet. As
    /// RenewActivity's.
    std::optional<Payload> progress{};
};

/// Extends a lease to `extend` from now. Guards: as AckActivity, and the lease has not expired:
/// only renewing asks the clock. A canceled activity refuses with `canceled`. What the handler says
/// of its progress takes the place of what was said before, by this attempt or another; it is kept
/// as long as the row is.
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

/// Extends a run's lock to `extend` from now. Refused: `not_found` when the run was deleted,
/// `already_ended` when it has ended, `lease_lost` when the lock expired or is held under another
/// token.
struct RenewTurn {
    RunRef run;
    LeaseToken token;
    Millis extend{0};
};

/// Lets go of the sessions of a holder that nothing runs of, so that others can have them at once:
/// for a worker that leaves. Those that something runs of it keeps until that has ended. Never
/// refused, and safe to repeat; the answer's `changed` is false when there was nothing to let go
/// of. The handler of a deleted run counts as running for as long as it may be.
struct ReleaseSessions {
    std::uint64_t holder = 0;  ///< Of its tokens.
};

/// Takes back what a dead holder had. Only for a holder that is known for certain to be dead, with
/// every handler and program that it ran (ReadDeadHolders): one that is slow, stopped or not to be
/// reached keeps its leases until they expire. Never refused, and must be the only part.
///
/// Effects, on at most `limit` rows: its runs are unlocked, its activities unleased, with the
/// attempt counted and in their old places; its *stopping* records go, as their handlers have
/// ended. Whatever was in its first attempt can be claimed at once. A later attempt means that
/// others were lost before, and perhaps that the work ends whoever takes it. So it can be claimed
/// after `backoff`, doubled with each further attempt, but never later than when the lease would
/// have expired. A run that was canceled meanwhile does not wait. Leases that have expired are left
/// as they are. When nothing is left its sessions and what counts for the limits of queues go, too.
/// The answer's `swept` says how many rows there were; as many as `limit` means: again. Repeated,
/// it finds nothing to do.
struct ReleaseHolder {
    std::uint64_t holder = 0;  ///< Of its tokens.
    Millis backoff = Policy().takeover_backoff;
    std::uint32_t limit = 1000;
};

}  // namespace belay
