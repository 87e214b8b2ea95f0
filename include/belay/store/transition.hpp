// Writes to a store: transitions, and the parts they are made of.
//
// A transition is a list of parts. A store first checks the guards of every part; if one fails, the
// transition is refused and nothing of it is written. Only then are the effects applied, in order.
// So a refused transition has nothing to undo, and a group of them needs no savepoints.
//
// Parts *fuse*: a Start and the first Turn of the run it starts, or the completion of an activity
// (an AckActivity without a message) and the Turn it causes, are one transition and so one commit.
// A part is judged as if those before it had been applied. This must be decidable before anything
// is written. So `invalid_argument` refuses
// - a part that addresses a run which an earlier part changes, deletes or may end (itself or by its
//   parent), except a Turn after the Start of its run;
// - a FreeKey after a deletion;
// - a Sweep or a ReleaseHolder that is not alone.
//
// Requests. A part with a `request_id` is answered `already_applied`, with its first answer, if it
// was applied before under that id in the same namespace (StoreOptions::request_kept). Kept with
// it: the kind of part, its target (the instance's id; for FreeKey the key; for SetRetention
// nothing; for SetQueueLimits the queue; for SetPause the name) and `request_digest`, which stands
// for the rest of the request. If one of them differs the part is refused with `request_id_reused`.
// A store compares digests and never computes one. A refused request leaves nothing behind: its id
// is still unused. If the instance was deleted meanwhile the answer says so, whatever it was the
// first time.
//
// The parts are declared in parts/, by subject. This header has them all.
#pragma once

#include <belay/ids.hpp>
#include <belay/limits.hpp>
#include <belay/store/parts/lease.hpp>
#include <belay/store/parts/management.hpp>
#include <belay/store/parts/output.hpp>
#include <belay/store/parts/run.hpp>
#include <belay/store/parts/start.hpp>
#include <belay/store/parts/turn.hpp>
#include <belay/time.hpp>

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace belay {

/// Times for things that a transition stops. They come with each transition, from the sender's
/// Policy, so that a store and the runtimes on it cannot disagree.
struct StopTerms {
    /// The time after its lease that a canceled handler has to end before its stopping record is
    /// swept.
    Millis grace = Policy().grace;
    /// The deadline of cancels that follow from something else: of children, of a replaced run.
    Millis cancel_deadline = Policy().cancel_deadline;
};

/// Housekeeping, each task on at most `limit` rows. Canceling runs past their deadline end as
/// canceled(timed out), as a Finish would. Stopping records past their time are deleted, as are
/// expired request ids, keys and sessions. A run that waits for the one it replaces becomes ready
/// once that is at rest. Cancels that did not reach all of a tree in their own commit go a level
/// further down.
struct Sweep {
    std::uint32_t limit = 1000;
    std::string by;
};

/// A store keeps the index of an alternative with a request: add new ones at the end.
using Part = std::variant<Start,
                          Turn,
                          AckActivity,
                          AbandonActivity,
                          RenewActivity,
                          AbandonTurn,
                          RenewTurn,
                          Cancel,
                          Finish,
                          Send,
                          Deliver,
                          Hold,
                          Release,
                          Delete,
                          FreeKey,
                          Sweep,
                          DeleteInstances,
                          Prune,
                          Redrive,
                          Discard,
                          SetRetention,
                          Import,
                          SetQueueLimits,
                          ReleaseSessions,
                          ReleaseHolder,
                          SetPause,
                          AppendOutput>;

/// One atomic change. All parts or none.
struct Transition {
    CommitId commit;
    std::vector<Part> parts;
    StopTerms stop{};
};

}  // namespace belay
