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
    std::string queue;          ///< Who may claim it (a tag); empty is the default queue.
    std::int32_t priority = 0;  ///< Larger first.
    std::string fairness_key;
    Payload input;
    Headers headers;
    bool shielded = false;  ///< Survives a cancel of its run.
    Millis delay{0};        ///< Not claimable before.
    /// Until when a first attempt must have been claimed (or handed over). From then on it is not
    /// claimable any more, and its run receives op::activity_not_started, as if from a timer. An
    /// attempt that is given back and not counted never was. Whoever takes that message cancels the
    /// command in the same turn (Turn::canceled_activities): so the row goes. A claim that finds it
    /// too late sets it aside for good, also if the clock is set back later.
    std::optional<Timestamp> schedule_to_start;
    /// How long one attempt may take, and how long it may go without a heartbeat. Kept for the
    /// runtime; a store does not act on them.
    std::optional<Millis> start_to_close;
    std::optional<Millis> heartbeat_timeout;
    /// Activities of one session, which has a name in the namespace of its run, are leased to one
    /// holder only (LeaseToken::holder): to the one that has the session. Whoever is leased the
    /// first of them has it from then on, as long as a lease of one of them lasts or the handler of
    /// one that was canceled has not ended, and when nothing of it runs any more for as long as the
    /// claim said (ClaimActivities::session_idle) from the last end on. Then, or when its holder
    /// lets go of it (ReleaseSessions), anybody may have it. Empty: of none.
    std::string session;
    /// Direct hand-over: the row is created already leased to `token` for `lease`, counted as its
    /// first attempt, when nothing older is ready in its queue that a claim by the same could take
    /// (or, if the queue has limits, by anybody: it would take the room that others wait for), and
    /// a claim could take it: limits of the queue and sessions count here too. Those of one
    /// turn go in their order, whatever their priorities. A store may look only at its own shard of
    /// that queue: what is older in another one is then overtaken. It need not look far: where much
    /// is in line that cannot be taken, the row may be put behind it. The answer's `leased` says
    /// whether it was handed over.
    struct HandOver {
        LeaseToken token;
        Millis lease{0};
        std::string worker;
        /// As those of ClaimActivities.
        std::uint32_t sessions = kAnyNumberOfSessions;
        Millis session_idle = Policy().session_idle;
        /// As ClaimActivities::names; null: whatever their names are.
        std::shared_ptr<const std::vector<std::string>> names{};
    };
    std::optional<HandOver> hand_over;
};

/// A timer to be set for a run.
struct NewTimer {
    CommandNo command = 0;
    Timestamp due_at{};
    NewMessage message;  ///< What its run receives when it is due.
};

/// A run to be started in the turn that asks for it: a child, or without a `parent` a run on its
/// own. When its id is in use it is not created. The parent of a child then receives `on_conflict`
/// instead: it never waits for a child that does not exist. Of a run on its own nobody is told: who
/// starts it under an id of its choice means that there is such a run.
struct NewChild {
    NewInstance instance;
    NewMessage on_conflict;
};

/// One change of a run's key-values.
struct KeyValueChange {
    std::string key;               ///< Empty with no value: clear everything.
    std::optional<Payload> value;  ///< No value: clear this key.
};

/// What a turn leaves behind.
struct GoesOn {
    /// A shield is open, or cleanup runs: a canceling run is waited for until `cancel_deadline`.
    std::optional<Timestamp> cancel_deadline;
};

/// A run with a cancel record ends as canceled only, and a run without one only as something else,
/// unless it cancels itself: then `outcome.cancel` (source self) becomes its record. Anything else
/// is refused with `invalid_argument`.
struct Ends {
    Outcome outcome;  ///< For `canceled`, the store puts in the cancel record it has.
    /// Sent to the parent, if there is one and it is still in the execution that started this run.
    std::optional<NewMessage> parent_notice;
};

/// The execution ends and the next one of the same run begins, with this input.
struct ContinuesAsNew {
    Payload input;
    std::string version;  ///< Of the next execution.
};

/// Commits one turn (the seeds' `ack_orchestration_item`).
///
/// Guards: the run exists and has not ended (`not_found`, `already_ended`); with `lock`, that token
/// holds the run's lock (`lease_lost`) - the token decides and not the clock: an expired lock that
/// nobody took may still commit; without `lock`, nobody holds a live lock and it is not held
/// (`lease_lost`), it does not wait for a run it replaces (`still_running`) and, if `in_line`, no
/// message is ready (`messages_waiting`); a recorded cancel was seen (`cancel_unseen`); execution
/// and position are as expected (`position_moved`). What makes no sense is `invalid_argument`: a
/// command twice among the activities, timers or children, or one that is there already; events
/// counted 0 with bytes; a lock kept that was not given. A version, of this or of the next
/// execution, is checked like that of a Start.
/// The identical commit after an unknown outcome is answered `already_applied` as long as no other
/// turn of the run was committed since.
///
/// Effects, in this order: history appended; consumed messages (and due timers) deleted; activities
/// inserted; activities of canceled commands deleted, so that one scheduled and canceled in the
/// same turn nets to nothing; timers in, then out; children started, then children canceled;
/// messages sent; custom status and key-values; status as `after` says; lock released or kept.
///
/// A turn that Ends deletes the run's messages, timers and activities, and cancels its children
/// (source parent). One that ContinuesAsNew deletes the timers and activities of the old execution
/// and cancels its children; messages stay, and the run is ready at once. Children that were
/// started with ParentClose::abandon are not canceled, here and wherever else a run ends; they
/// count among its children in all other ways, and so it is not settled before they are. Only who
/// replaces it does not wait for them.
/// The first committed turn makes a pending run running.
/// Cancels of children take effect last. A child that such a cancel ends at once tells nothing to
/// an execution that this turn ended.
///
/// How far down a cancel goes: whenever a run ends, in whatever way, its open children are canceled
/// because of it. A child that ends by that at once (see Cancel) cancels its own children, and so
/// on. The children of a run that a part names are canceled in that part's commit, always. Those
/// further down should be, and a store may leave them to the next sweeps, a level each; until then
/// they go on as if nothing had happened, and the runs above them are not settled.
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
    /// How many messages may wait for the run's next turns. What it has taken out of its queue and
    /// no code has asked for fills it up, so it is for the turn to say; a Send beyond it is
    /// refused.
    std::uint64_t message_room = Limits().buffered_messages;
    std::variant<GoesOn, Ends, ContinuesAsNew> after;
    std::optional<Millis> keep_lock;  ///< Keep the lock (extended to this long from now).
};

}  // namespace belay
