// What can be written to a store: transitions, and the parts they are made of.
//
// A transition is a list of parts. A store first checks the guards of every part; if one fails,
// the transition is refused and nothing of it is written. Only then are the effects applied, in
// order. So a refused transition has nothing to undo, and a group of them needs no savepoints.
//
// Parts *fuse*: a Start and the first Turn of the run it starts, or the completion of an activity
// (an AckActivity without a message) and the Turn it causes, are one transition and so one commit.
// A part is judged as if those before it had been applied. To keep that decidable before anything
// is written, `invalid_argument` refuses a part that addresses a run which an earlier part changes
// (a Turn behind the Start of its run excepted), may end (itself or by its parent) or deletes; a
// FreeKey behind a deletion; and a Sweep that is not alone.
#pragma once

#include <belay/ids.hpp>
#include <belay/limits.hpp>
#include <belay/message.hpp>
#include <belay/payload.hpp>
#include <belay/queue_limits.hpp>
#include <belay/retention.hpp>
#include <belay/status.hpp>
#include <belay/time.hpp>

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace belay {

// ---- Values ------------------------------------------------------------------------------------

/// Stands for what was asked or given, to compare it: SHA-256, made by the client.
using Digest = std::array<std::uint8_t, 32>;

/// Which command of which run a child belongs to.
struct ParentLink {
    RunRef run;
    ExecutionNo execution = 0;
    CommandNo command = 0;
    bool operator==(const ParentLink&) const = default;
};

/// How long things that a transition stops may take. It comes with each transition, from the Policy
/// of whoever sends it, so that a store and the runtimes on it cannot disagree.
struct StopTerms {
    /// How long after its lease a canceled handler may take to end before its stopping record is
    /// swept.
    Millis grace = Policy().grace;
    /// The deadline of cancels that follow from something else: of children, of a replaced run.
    Millis cancel_deadline = Policy().cancel_deadline;
};

/// A run to be created. The caller draws the run key; a key in use refuses the transition with
/// `run_key_taken`. A child's key is greater than its parent's, else `invalid_argument`: so the
/// order of keys is also top-down, and a store that locks rows by key locks a tree from the top.
struct NewInstance {
    RunRef run;
    InstanceName name;
    std::string definition;  ///< The orchestration's name.
    std::string version;
    Payload input;
    std::optional<ParentLink> parent;
    std::string owner;
    std::string started_by;
    Headers headers;  ///< Trace context and the like.
    Labels labels;
    ParentClose parent_close = ParentClose::cancel;  ///< Of a child.
};

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
    /// command in the same turn (Turn::canceled_activities): so the row goes.
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
    /// first attempt, when nothing older is ready to be claimed in its queue, and a claim could
    /// take it: limits of the queue and sessions count here too. Those of one turn go in their
    /// order, whatever their priorities. A store may look only at its own shard of that queue: what
    /// is older in another one is then overtaken. The answer's `leased` says whether it was.
    struct HandOver {
        LeaseToken token;
        Millis lease{0};
        std::string worker;
        /// As those of ClaimActivities.
        std::uint32_t sessions = kAnyNumberOfSessions;
        Millis session_idle = Policy().session_idle;
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

/// What a start does when its id is in use.
enum class IdConflict : std::uint8_t {
    fail = 1,          ///< Refused with `id_in_use`.
    use_existing = 2,  ///< Refused with `id_in_use` too; the client reports it as "the existing
                       ///< one".
    /// The name moves to the new run. An active old run is canceled in the same commit, and the new
    /// run's first turn waits until the old one is at rest: settled, but for children below it that
    /// go on by themselves (ParentClose::abandon).
    replace = 3,
};

/// For how long an idempotency key keeps others from starting.
enum class KeyScope : std::uint8_t {
    while_active = 1,   ///< Free once the run has ended.
    until_success = 2,  ///< A run that failed or was canceled frees it; one that completed does
                        ///< not.
    window = 3,         ///< Free when `window` has passed since the start.
    forever = 4,
};

/// Unique per (namespace, owner, definition). Outlives deletion of its instance for its scope.
struct IdempotencyKey {
    std::string key;
    KeyScope scope = KeyScope::forever;
    Millis window{0};
};

// ---- Parts -------------------------------------------------------------------------------------

// Requests. A part with a `request_id` is answered `already_applied`, as it was the first time,
// when it was applied before under that id in the same namespace (StoreOptions::request_kept). Kept
// with it: which part it was, its target (the instance's id; of FreeKey the key; of SetRetention
// nothing; of SetQueueLimits the queue) and `request_digest`, which stands for everything else that
// was asked. When one of them differs the part is refused with `request_id_reused`. A store
// compares digests and never computes one. What was refused leaves nothing behind: its id is still
// unused. Of an instance that was deleted meanwhile the answer says so, whatever it was the first
// time.

/// Creates a pending run that is ready for its first turn.
/// Refused: `duplicate_key` (the key is taken), `id_in_use`, `run_key_taken`. The key is looked at
/// first. The answer names the instance that stands in the way, its status and whether its input
/// differs. A refused start consumes neither the key nor the id.
/// Before all that its names are looked at, of a Start and of a Turn's children alike: the id, the
/// namespace, the definition and, unless it is empty, the version. Refused: `invalid_argument` for
/// one that is no name (see check_name), `limit_exceeded` for one that has more than
/// Limits().name_bytes.
struct Start {
    NewInstance instance;
    IdConflict on_conflict = IdConflict::fail;
    std::optional<IdempotencyKey> key;
    Digest input_digest{};
    std::string request_id;
    Digest request_digest{};
    Millis delay{0};  ///< Its first turn is not claimable before.
    std::string by;   ///< Recorded as the canceler of a run that is replaced.
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
};

/// Gives back a claimed activity. Guards as AckActivity (a stopping record refuses with
/// `canceled`). Effects: unleased, claimable after `delay`; with CountAttempt::no the attempt that
/// the claim counted is taken back (never below 0).
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

/// Extends a run's lock to `extend` from now; refused with `lease_lost` when it expired or is held
/// under another token.
struct RenewTurn {
    RunRef run;
    LeaseToken token;
    Millis extend{0};
};

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
};

/// Lets a held run go on. Its attempts are counted anew: however often it is held and released,
/// that does not make it poison. Refused: `not_found`, `not_held`.
struct Release {
    InstanceName name;
    std::string request_id;
    Digest request_digest{};
};

/// Deletes an instance with its whole tree and everything that belongs to it, children before their
/// parents. What the tree is, is decided here: a child that was started a moment ago goes too.
/// Refused: `not_found`; `has_parent` (only roots are deleted); `still_running` when something in
/// the tree has not ended and `force` is not set. Leased activities of the tree are stopped
/// (`stopped` in the answer) and leave no record. Dead letters to any of its runs go along.
/// Idempotency keys stay for their scope, marked deleted. Earlier runs that lost this name by
/// IdConflict::replace go with it, or before it one by one, named by `run`. A start that created a
/// deleted run, sent again after an unknown outcome, is still recognised for as long as request ids
/// are kept: nothing brings a deleted run back. As long, a deletion that names its run is
/// recognised by its commit id, without a request id, and answered as it was.
struct Delete {
    InstanceName name;
    bool force = false;
    std::string request_id;
    Digest request_digest{};
    /// Only this run, which has the name or lost it to a replacement, else `not_found`: whoever
    /// chose the instance for what it was does not delete its namesake.
    std::optional<RunRef> run{};
};

/// Deletes exactly these instances, or none of them (`delete_instances_atomic`). They are whole
/// trees, as whoever made the list knew them; whether they still are is looked at here.
/// Refused, with the instance at fault: `not_found`; `has_parent` when one is listed without its
/// parent, and `has_children` when one is listed without its child (or without that of an earlier
/// run of its name): list the tree again; `still_running` when one has not ended and `force` is not
/// set; `invalid_argument` for none at all, for one that is listed twice, and for a child that
/// stands behind its parent; `limit_exceeded` for more than Limits().bulk_ids. Effects as Delete's.
struct DeleteInstances {
    std::string space;
    std::vector<std::string> ids;  ///< Children before their parents.
    bool force = false;
    std::string request_id;
    Digest request_digest{};
};

/// Deletes old executions of an instance's continue-as-new chain with their history: those that
/// are not among the last `keep_last` and that ended before `ended_before`; what is not set does
/// not count. The current execution is never deleted, whatever is asked for, and with it nothing
/// that is running. Messages, activities, children, key-values and handlers that are still stopping
/// belong to the instance and stay. Refused: `not_found`; `invalid_argument` for a `max` or a
/// `max_events` of 0. The answer's `deleted` counts executions and events, `changed` is false when
/// there was nothing.
struct Prune {
    InstanceName name;
    /// The current one counts as the last: 0 and 1 mean the same.
    std::optional<std::uint32_t> keep_last;
    std::optional<Timestamp> ended_before;
    /// At most so many, the oldest first ...
    std::uint32_t max = Policy().prune_batch;
    std::string request_id;
    Digest request_digest{};
    std::optional<RunRef> run{};  ///< As Delete's.
    /// ... and none behind the one with which so many events are gone, so that a commit stays small
    /// however long executions are.
    std::uint64_t max_events = Policy().bulk_rows;
};

/// Makes an idempotency key free. Refused: `not_found`. The answer names the instance that had it.
struct FreeKey {
    std::string space;
    std::string owner;
    std::string definition;
    std::string key;
    std::string request_id;
    Digest request_digest{};
};

/// Sends a dead letter again, as a new message, and removes it; in one commit, so that it is sent
/// once however often this is asked. To the run it was meant for, or to `to`. Refused: `not_found`
/// when there is no such letter (any more) or no run to send it to; `already_ended`;
/// `limit_exceeded` as Send; `invalid_argument` for an answer to a command that would go to another
/// run. The answer names who gets it.
struct Redrive {
    std::uint64_t letter = 0;
    std::optional<InstanceName> to;
    std::string space;  ///< In which `request_id` is unique.
    std::string request_id;
    Digest request_digest{};
};

/// Removes a dead letter. Refused: `not_found`. The answer names its run.
struct Discard {
    std::uint64_t letter = 0;
    std::string space;  ///< As Redrive's.
    std::string request_id;
    Digest request_digest{};
};

/// Sets what is kept of a namespace, in the place of what was set before; without a policy, nothing
/// is set any more. A store keeps it and does nothing about it: whoever applies a retention reads
/// it. Refused: `invalid_argument` and `limit_exceeded` as check_retention and check_name say.
struct SetRetention {
    std::string space;
    std::optional<RetentionPolicy> policy;
    std::string by;
    std::string request_id;
    Digest request_digest{};
};

/// One execution of an instance that is imported, with its history.
struct ImportedExecution {
    ExecutionNo execution = 1;
    Timestamp started_at{};
    Timestamp ended_at{};
    std::vector<HistoryRow> history;  ///< In order; the first holds event 1.
};

/// Writes an instance that ended elsewhere, with its history and under its own times, as if it had
/// ended here: it is listed, read, pruned and deleted like any other, and is past its time when its
/// end is long enough ago. It is a root and settled; nothing of it is ever run. It is not ready,
/// has no messages, and tells nobody.
/// Refused: `id_in_use`, `run_key_taken`, and names as those of a Start; `invalid_argument` for
/// what no run can be: a status that is no end; a cancel record that is missing, or that the
/// outcome has no use for or says otherwise; a parent; no execution, executions that do not ascend,
/// or a last one that ended at another time than the instance; a row of history without events; a
/// custom status without a version, or the reverse; a value without a key; a time before 1970 or
/// later than now; an end before its beginning, of the whole or of an execution, or executions that
/// do not follow each other in time (all by more than Limits::clock_tolerance); a deadline of a
/// cancel that nobody asked for. A store looks into no event.
struct Import {
    NewInstance instance;  ///< `version` and `input` are those of the last execution.
    Outcome outcome;
    std::optional<CancelRecord> cancel;
    std::optional<Timestamp> cancel_deadline;
    Timestamp created_at{};
    std::optional<Timestamp> started_at;
    Timestamp ended_at{};
    std::optional<Payload> custom_status;
    std::uint64_t custom_status_version = 0;
    std::map<std::string, Payload> key_values;
    std::vector<ImportedExecution> executions;  ///< In order; others may have been pruned.
    Digest input_digest{};
    std::string request_id;
    Digest request_digest{};
};

/// Sets the limits of a queue of activities, over all namespaces, in the place of those that were
/// set before; without limits, there are none any more. From then on claims and hand-overs keep to
/// them; what runs already counts, and is not stopped if it is too much. Refused:
/// `invalid_argument` as check_queue_limits says, and for a queue that can have no such name.
struct SetQueueLimits {
    std::string queue;  ///< Empty: the default queue.
    std::optional<QueueLimits> limits;
    std::string by;
    std::string space;  ///< In which `request_id` is unique.
    std::string request_id;
    Digest request_digest{};
};

/// Lets go of the sessions of a holder that nothing runs of, so that others can have them at once:
/// for a worker that leaves. Those that something runs of it keeps until that has ended. Never
/// refused, and safe to repeat; the answer's `changed` is false when there was nothing to let go
/// of.
struct ReleaseSessions {
    std::uint64_t holder = 0;  ///< Of its tokens.
};

/// Housekeeping, each at most `limit` rows: canceling runs past their deadline end as
/// canceled(timed out), as a Finish would; stopping records past their time go; so do expired
/// request ids, keys and sessions. A run that waits for the one it replaces becomes ready once that
/// is at rest. Cancels that did not reach all of a tree in their own commit go a level further
/// down.
struct Sweep {
    std::uint32_t limit = 1000;
    std::string by;
};

/// A store keeps the place in this list with a request: new ones go to the end.
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
                          ReleaseSessions>;

/// One atomic change. All parts or none.
struct Transition {
    CommitId commit;
    std::vector<Part> parts;
    StopTerms stop{};
};

}  // namespace belay
