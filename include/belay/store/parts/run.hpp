// Parts that change a run other than by its turns: cancel it, end it, send it a message, or set it
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

/// Cancels a run. Idempotent: nothing changes for a canceling or ended run, the first record stays,
/// and the answer is applied with `changed` = false. Refused: `not_found`.
///
/// A pending run ends in this commit (a first turn in progress will be refused). So does a run
/// without a live lock if it is held, or if its code has been missing for at least `deadline`. None
/// of its code is run any more, its parent is told, and its children are canceled in turn. Time
/// decides, and not the number of attempts: during a deploy many workers may try in a moment, and
/// its cleanup would be skipped. The outcome's cleanup is `not_needed` for a pending run. It is
/// `skipped` for the others, which have committed a turn and may have something to undo.
///
/// A run whose last turn said that there is nothing to clean up (GoesOn::nothing_to_clean_up) ends
/// in this commit too, with cleanup `not_needed`, held or not and also under a live lock: a turn
/// under way will be refused with `already_ended`. There is one exception: a run that has not
/// received the completion or the failure of an activity or child is treated like any other,
/// because its code has not seen all that has happened. Cancels that follow from something else
/// (the end of a parent, a replacement) do the same.
///
/// A running one becomes canceling with `deadline`. Every unshielded activity row is deleted (one
/// with a token, expired or not, leaves a stopping record: its handler may still run). The run is
/// ready at once whatever its back-off, and turns claimed before are refused. The children of a run
/// that becomes canceling are left to its turn, because some may be shielded.
struct Cancel {
    InstanceName name;
    CancelSource source = CancelSource::user;
    std::string by;
    std::string reason;
    std::string request_id;
    Digest request_digest{};
    Millis deadline{0};  ///< From now.
    /// Only if this run has the name, else `not_found`. So a caller that chose this instance does
    /// not cancel its namesake.
    std::optional<RunRef> run{};
    /// Only if it is a run of this definition, else `not_found`.
    std::optional<std::string> definition{};
};

/// Ends a run without running code. With `lock` (a poisoned run, by the process that claimed it):
/// guard as Turn's lock. By `name` (terminate): any run that has not ended; nothing changes for an
/// ended one (applied, `changed` = false). `not_found` for an unknown one. Effects as a Turn that
/// Ends. A terminated run's outcome is canceled, with the record it already has, or one made from
/// source, by and reason. A run with a cancel record ends as canceled whatever `outcome` is; a
/// failure is kept as the detail of its cleanup.
struct Finish {
    std::variant<InstanceName, std::pair<RunRef, LeaseToken>> target;
    Outcome outcome;
    std::string request_id;
    Digest request_digest{};
    /// By name: only if it is held, else `not_held`. A person's decision about a held run is not
    /// applied to one that goes on.
    bool held_only = false;
    /// By name: as Cancel::run.
    std::optional<RunRef> run{};
};

/// Sends a message by name (`raise`, `enqueue`). Refused: `not_found`, `already_ended`, and
/// `limit_exceeded` if the run has no room for more messages (Turn::message_room). Delayed messages
/// count, answers to its commands do not. So a sender of too many is told, and the run is not
/// harmed.
struct Send {
    InstanceName name;
    NewMessage message;
    std::string request_id;
    Digest request_digest{};
    Millis delay{0};
    std::optional<RunRef> run{};  ///< As Cancel::run.
};

/// Sends a message by run key, from inside the engine. The message becomes a dead letter if that
/// run does not exist, and is dropped if it has ended. Never refused, and so never recognised.
/// After an unknown outcome it is safe to repeat only if it is fused with a part that is
/// recognised, or that is refused the second time (see Store::commit).
struct Deliver {
    RunRef run;
    NewMessage message;
};

/// Sets a run aside for a person. Guard: `token` holds its lock. It is not claimable until
/// released. A run with a recorded cancel ends canceled instead (cleanup failed): a cancel waits
/// for nobody.
struct Hold {
    RunRef run;
    LeaseToken token;
    std::string detail;  ///< The problem, readable.
    /// The kind of its failure, if a person ends it as failed.
    FailureKind kind = FailureKind::nondeterminism;
};

/// Lets a held run go on. Resets its count of attempts, so that repeated holds and releases do not
/// make it poison. Also resets the time for which its code was missing, because the caller says
/// that a worker has it. Refused: `not_found`, `not_held`.
struct Release {
    InstanceName name;
    std::string request_id;
    Digest request_digest{};
};

}  // namespace belay
