// What is done to a run other than by its turns: it is canceled, ended, sent something, or set
// aside.
#pragma once

#include <belay/ids.hpp>
#include <belay/message.hpp>
#include <belay/status.hpp>
#include <belay/store/parts/digest.hpp>
#include <belay/time.hpp>

#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace belay {

/// Asks a run to end. Idempotent: of a canceling or ended run nothing changes, the first record
/// stays, and the answer says so (applied, `changed` = false). Refused: `not_found`.
///
/// A pending run ends in this commit (a first turn under way will be refused), and so does one that
/// nobody holds a live lock on if it is held, or if its code has been missing for at least
/// `deadline`: nothing of it (more) is run, its parent is told, its children are canceled in turn.
/// (Time decides, and not how often it was tried: while its owners are only being deployed, many
/// may try in a moment, and its cleanup would be skipped.) The outcome's cleanup is `not_needed`
/// for a pending run, and `skipped` for the others: of those a turn was committed, so there may
/// have been something to undo. A running one becomes canceling with `deadline`: every unshielded
/// activity row is deleted (one with a token on it, expired or not, leaves a stopping record: its
/// handler may still run), it is ready at once whatever back-off it was in, and turns claimed
/// before are refused. The children of a run that becomes canceling are left to its turn, because
/// some may be shielded.
struct Cancel {
    InstanceName name;
    CancelSource source = CancelSource::user;
    std::string by;
    std::string reason;
    std::string request_id;
    Digest request_digest{};
    Millis deadline{0};  ///< From now.
    /// Only if this run has the name, else `not_found`: whoever chose the instance for what it was
    /// does not cancel its namesake.
    std::optional<RunRef> run{};
};

/// Ends a run without running code.
/// With `lock` (a poisoned run, by the process that claimed it): guard as Turn's lock.
/// By `name` (terminate): any run that has not ended; of an ended one nothing changes (applied,
/// `changed` = false). `not_found` for an unknown one. Effects as a Turn that Ends; a terminated
/// run's outcome is canceled with the record it already has, or one made from source, by and
/// reason. A run with a cancel record ends as canceled whatever `outcome` says; a failure is kept
/// as the detail of its cleanup.
struct Finish {
    std::variant<InstanceName, std::pair<RunRef, LeaseToken>> target;
    Outcome outcome;
    std::string request_id;
    Digest request_digest{};
    /// By name: only if it is held, else `not_held`. What a person has decided about a run that was
    /// set aside is not done to one that goes on.
    bool held_only = false;
};

/// Sends a message by name (`raise`, `enqueue`). Refused: `not_found`, `already_ended`, and
/// `limit_exceeded` when as many messages wait as the run has room for (Turn::message_room), those
/// with a delay included and answers to its commands not: whoever sends too much is told, and the
/// run is not harmed.
struct Send {
    InstanceName name;
    NewMessage message;
    std::string request_id;
    Digest request_digest{};
    Millis delay{0};
};

/// Sends a message by run key, from inside the engine. When that run does not exist the message
/// becomes a dead letter; when it has ended, the message is dropped. Never refused, and so never
/// recognised: after an unknown outcome it is safe to repeat only when it is fused with a part that
/// is recognised, or that is refused the second time (see Store::commit).
struct Deliver {
    RunRef run;
    NewMessage message;
};

/// Sets a run aside for a person. Guard: `token` holds its lock. It is not claimable until
/// released. One with a recorded cancel ends canceled instead (cleanup failed): a cancel waits for
/// nobody.
struct Hold {
    RunRef run;
    LeaseToken token;
    std::string detail;  ///< What is wrong, readable.
    /// The kind of its failure, if a person ends it as failed.
    FailureKind kind = FailureKind::nondeterminism;
};

/// Lets a held run go on. Its attempts are counted anew, however often it is held and released:
/// that does not make it poison. So is for how long nobody had code that fits it: whoever lets it
/// go on says that somebody has. Refused: `not_found`, `not_held`.
struct Release {
    InstanceName name;
    std::string request_id;
    Digest request_digest{};
};

}  // namespace belay
