// Committing a turn of a run: what its code has decided.
#pragma once

#include <belay/ids.hpp>
#include <belay/limits.hpp>
#include <belay/message.hpp>
#include <belay/payload.hpp>
#include <belay/status.hpp>
#include <belay/store/parts/start.hpp>
#include <belay/time.hpp>

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace belay {

inline constexpr std::uint32_t kAnyNumberOfSessions = std::numeric_limits<std::uint32_t>::max();

/// An activity to be put into the worker queue.
struct NewActivity {
    CommandNo command = 0;
    std::string name;
    std::string queue;  ///< The queue, whose workers may claim it; empty is the default queue.
    /// Larger first. Added to the priority of its run (NewInstance::priority); a sum beyond the
    /// range of its type becomes the nearest number in it.
    std::int32_t priority = 0;
    std::string fairness_key;
    Payload input;
    Headers headers;
    bool shielded = false;  ///< Survives a cancel of its run.
    Millis delay{0};        ///< Not claimable until this long from now.
    /// The time by which a first attempt must have been claimed (or handed over). Afterwards the
    /// activity is not claimable any more, and its run receives op::activity_not_started, as if
    /// from a timer. An attempt that is given back and not counted never was. The turn that takes
    /// that message cancels the command too (Turn::canceled_activities), which deletes the row. A
    /// claim that finds it too late sets it aside for good, even if the clock is set back later.
    std::optional<Timestamp> schedule_to_start;
    /// The longest time of one attempt, and the longest time without a heartbeat. Kept for the
    /// runtime; a store does not act on them.
    std::optional<Millis> start_to_close;
    std::optional<Millis> heartbeat_timeout;
    /// The session, a name in the namespace of its run; empty: none. Activities of one session are
    /// leased to one holder only (LeaseToken::holder): the one that has the session.
    ///
    /// The holder that is leased the first activity has the session from then on. It keeps the
    /// session as long as a lease of one of them lasts, or the handler of a canceled one has not
    /// ended. It loses the session if nothing of it has run since the last end for the time of the
    /// claim (ClaimActivities::session_idle), or when it gives the session up (ReleaseSessions).
    /// Then any holder may have it.
    std::string session;
    /// Direct hand-over: the row is created already leased to `token` for `lease`, counted as its
    /// first attempt. Two conditions apply. Nothing older is ready in its queue that a claim by the
    /// same holder could take (by any holder if the queue has limits, because it would take the
    /// room that others wait for). And a claim could take it: limits of the queue and sessions
    /// count here too.
    ///
    /// Activities of one turn are handed over in their order, whatever their priorities. A store
    /// may look only at its own shard of that queue, and so overtake older ones in another shard.
    /// It need not look far: in a long line that cannot be taken, the row may be put at the end.
    /// The answer's `leased` lists the activities that were handed over.
    struct HandOver {
        LeaseToken token;
        Millis lease{0};
        std::string worker;
        /// As ClaimActivities::sessions and ClaimActivities::session_idle.
        std::uint32_t sessions = kAnyNumberOfSessions;
        Millis session_idle = Policy().session_idle;
        /// As ClaimActivities::names; null: any name.
        std::shared_ptr<const std::vector<std::string>> names{};
    };
    std::optional<HandOver> hand_over;
};

/// A timer to be set for a run.
struct NewTimer {
    CommandNo command = 0;
    Timestamp due_at{};
    NewMessage message;  ///< The message that its run receives when it is due.
};

/// A run to be started in the turn that asks for it: a child, or, without a `parent`, a run of its
/// own. It is not created if its id is in use. The parent of a child then receives `on_conflict`
/// instead, so that it never waits for a child that does not exist. Nobody is told about a run of
/// its own: its starter chose the id, and wants there to be such a run.
///
/// A document that it names must be kept, else the turn is refused with `not_found`. The starter's
/// own document is. Behind a deletion in the same transition it may name no other one
/// (`invalid_argument`).
struct NewChild {
    NewInstance instance;
    NewMessage on_conflict;
};

/// One change of a run's key-values.
struct KeyValueChange {
    std::string key;               ///< Empty with no value: clear everything.
    std::optional<Payload> value;  ///< No value: clear this key.
};

/// The run goes on after the turn.
struct GoesOn {
    /// Set while a shield is open, or cleanup runs: a canceling run is waited for until then.
    std::optional<Timestamp> cancel_deadline;
    /// True if a cancel may end the run in its own commit: see Cancel. Kept until the next turn.
    bool nothing_to_clean_up = false;
};

/// The run ends. A run with a cancel record ends as canceled only, and a run without one as
/// anything else. The exception is a run that cancels itself: `outcome.cancel` (source self)
/// becomes its record. Anything else is refused with `invalid_argument`.
struct Ends {
    Outcome outcome;  ///< For `canceled`, the store inserts the cancel record it has.
    /// Sent to the parent, if there is one and it is still in the execution that started this run.
    std::optional<NewMessage> parent_notice;
};

/// The execution ends and the next one of the same run begins, with this input.
struct ContinuesAsNew {
    Payload input;
    std::string version;  ///< The version of the next execution.
    /// As GoesOn::nothing_to_clean_up, until the first turn of the next execution.
    bool nothing_to_clean_up = false;
};

/// Commits one turn.
///
/// Guards: the run exists and has not ended (`not_found`, `already_ended`). With `lock`: that token
/// holds the run's lock (`lease_lost`). The token decides and not the clock: an expired lock that
/// nobody took may still commit. Without `lock`: nobody holds a live lock and the run is not held
/// (`lease_lost`), it does not wait for a run it replaces (`still_running`) and, if `in_line`, no
/// message is ready (`messages_waiting`). A recorded cancel was seen (`cancel_unseen`). Execution
/// and position are as expected (`position_moved`). These are `invalid_argument`: a command twice
/// among the activities, timers or children, or one that is there already; events counted 0 with
/// bytes; a lock kept that was not given. A version, of this or of the next execution, is checked
/// like that of a Start. The identical commit after an unknown outcome is answered
/// `already_applied` as long as no other turn of the run was committed since.
///
/// Effects, in this order:
/// 1. History is appended.
/// 2. Consumed messages and due timers are deleted.
/// 3. Activities are inserted. Then those of canceled commands are deleted: one that is scheduled
///    and canceled in the same turn leaves nothing.
/// 4. Timers are inserted, then removed.
/// 5. Children are started, then canceled.
/// 6. Messages are sent.
/// 7. The custom status and key-values are set.
/// 8. The status becomes as `after` says, and the lock is released or kept.
///
/// A turn that Ends deletes the run's messages, timers and activities, and cancels its children
/// (source parent). A turn that ContinuesAsNew deletes the timers and activities of the old
/// execution and cancels its children; messages stay, and the run is ready at once. Children that
/// were started with ParentClose::abandon are not canceled, here and wherever else a run ends. They
/// count among its children in all other ways, and so the run is not settled before they are. Only
/// a run that replaces it does not wait for them. The first committed turn makes a pending run
/// running. Cancels of children take effect last. A child that such a cancel ends at once tells
/// nothing to an execution that this turn ended.
///
/// The reach of a cancel: whenever a run ends, in any way, its open children are canceled because
/// of it. A child that ends by that at once (see Cancel) cancels its own children, and so on. The
/// children of a run that a part names are canceled in that part's commit, always. Those further
/// down should be, but a store may leave them to the next sweeps, a level each. Until then they go
/// on as if nothing had happened, and the runs above them are not settled.
struct Turn {
    RunRef run;
    ExecutionNo execution = 1;
    EventNo position = 0;  ///< Events recorded before this turn.
    bool cancel_seen = false;
    std::optional<LeaseToken> lock;
    bool in_line = true;

    HistoryRow history;
    std::vector<MessageNo> consumed;
    std::vector<NewActivity> activities;
    std::vector<CommandNo> canceled_activities;
    std::vector<NewTimer> timers;
    std::vector<CommandNo> canceled_timers;
    std::vector<NewChild> children;
    std::vector<CommandNo> canceled_children;
    std::optional<Payload> custom_status;
    std::vector<KeyValueChange> key_values;
    std::optional<std::string> version;  ///< Pins the run to this version of its code.
    /// The number of messages that may wait for the run's next turns; a Send beyond it is refused.
    /// Messages that the run has taken out of its queue, and that no code has asked for, take up
    /// this room, so the turn must state it.
    std::uint64_t message_room = Limits().buffered_messages;
    std::variant<GoesOn, Ends, ContinuesAsNew> after;
    std::optional<Millis> keep_lock;  ///< Keep the lock (extended to this long from now).
};

}  // namespace belay
