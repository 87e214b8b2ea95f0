// Reads for people: which instances there are, how many, what waits, and who holds what. Each
// request names the type of its answer and is answered as of one moment.
#pragma once

#include <belay/store/match.hpp>
#include <belay/store/query.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace belay {

// ---- Instances ---------------------------------------------------------------------------------

/// In what order instances are listed. Each is total: what is equal in it comes by run key. None
/// of what it is made of ever changes, so that a place in it stays where it is.
enum class InstanceOrder : std::uint8_t {
    /// By run key: the order of the starts as far as the clocks of those who started them agree.
    started = 1,
    created = 2,  ///< By the store's time of the start.
    ended = 3,    ///< By the time of the end; what has not ended is not listed.
    id = 4,       ///< By the bytes of the id.
};

/// A place in an order: that of one instance, which need not be there any more.
struct InstancePlace {
    Timestamp at{};    ///< `created`, `ended`: its time.
    std::string id{};  ///< `id`: its id.
    RunKey key;
    bool operator==(const InstancePlace&) const = default;
};

/// An instance as it is listed: what can be had without reading payloads.
struct ListedInstance {
    InstanceBrief instance;
    std::string definition;
    std::string version;
    std::string owner;
    std::string started_by;
    ExecutionNo execution = 1;
    Timestamp created_at{};
    std::optional<Timestamp> started_at;  ///< First turn.
    std::optional<Timestamp> ended_at;
    std::optional<std::string> parent_id;
    std::optional<CancelRecord> cancel;
    bool held = false;
    std::string held_detail;  ///< What is wrong, readable.
    /// Of a failed one: kind, place, attempt and the beginning of the message, no detail.
    std::optional<Failure> failure;
    Labels labels;
};

/// A page of the instances of a namespace that match.
///
/// Whoever reads page after page, each behind the last one of the page before, meets no instance
/// twice, and every one that was there and matched all the time. What starts or ends meanwhile
/// comes if its place is still ahead.
struct ListInstances : InstanceMatch {
    using Answer = std::vector<ListedInstance>;

    InstanceOrder order = InstanceOrder::created;
    bool descending = false;
    std::optional<InstancePlace> after;  ///< Only what comes behind this place.
    std::uint32_t max = 50;
};

/// How many instances of a definition are in a status. Children count, earlier runs of a name do
/// not.
struct InstanceCount {
    std::string definition;
    Status status = Status::pending;
    std::uint64_t count = 0;
    bool operator==(const InstanceCount&) const = default;
};

/// Those that match, by definition, then by status; without those that would be zero. With nothing
/// but the namespace set, it is quick also where there are many.
struct CountInstances : InstanceMatch {
    using Answer = std::vector<InstanceCount>;
};

// ---- Idempotency keys --------------------------------------------------------------------------

/// An idempotency key that is known, whether it still keeps others from starting or not.
struct KeyInfo {
    std::string owner;
    std::string definition;
    std::string key;
    KeyScope scope = KeyScope::forever;
    std::optional<Timestamp> until;  ///< Of a window.
    /// The run that was started with it, as it is; or as it was when it was deleted.
    InstanceBrief instance;
    bool taken = true;  ///< A start with it would be refused.
};

/// A place in the order of keys: by owner, definition and key.
struct KeyPlace {
    std::string owner;
    std::string definition;
    std::string key;
    auto operator<=>(const KeyPlace&) const = default;
};

/// A page of the keys of a namespace, in their order. What is set must all be true of one.
struct ListKeys {
    using Answer = std::vector<KeyInfo>;

    std::string space;
    std::optional<std::string> owner;
    std::optional<std::string> definition;
    std::string prefix;             ///< Of the key; bytes; empty: any.
    std::optional<KeyPlace> after;  ///< Only what comes behind this place.
    std::uint32_t max = 50;
};

// ---- Queues and leases -------------------------------------------------------------------------

/// One queue of activities.
struct QueueDepth {
    std::string queue;  ///< Empty: the default queue.
    /// A worker could take it now; expired leases included. An activity past its schedule_to_start
    /// counts until a claim sets it aside.
    std::uint64_t claimable = 0;
    std::uint64_t delayed = 0;  ///< Nobody has it, and its time has not come.
    std::uint64_t leased = 0;   ///< Under a lease that has not expired.
    /// Of those that can be claimed: since when the longest in line has been there to be taken. A
    /// lease that has expired since does not make it younger.
    std::optional<Timestamp> oldest;
    bool operator==(const QueueDepth&) const = default;
};

/// What waits, in all namespaces.
struct QueueDepths {
    std::vector<QueueDepth> activities;     ///< By name; a queue with nothing in it is not there.
    std::uint64_t ready = 0;                ///< Instances that could have a turn now.
    std::optional<Timestamp> oldest_ready;  ///< Since when the longest ready of them is.
    std::uint64_t locked = 0;               ///< Instances whose turn is being taken.
    /// Since when the longest turn has been taken, of those that say; an older release does not.
    std::optional<Timestamp> oldest_locked;
    // Of the rest: since when the oldest is there, as far as that was written down.
    std::uint64_t held = 0;
    std::optional<Timestamp> oldest_held;
    std::uint64_t timers = 0;               ///< Not yet received; messages with a delay included.
    std::optional<Timestamp> oldest_timer;  ///< Of those that are due: when the first of them was.
    std::uint64_t dead_letters = 0;
    std::optional<Timestamp> oldest_letter;
    std::uint64_t stopping = 0;  ///< Canceled handlers that have not been seen to end.
    std::optional<Timestamp> oldest_stopping;
    std::vector<StoredQueueLimits> limits;  ///< Of queues that have some, by name.
};

/// Looks at everything that waits and at every instance that has not ended.
struct CountQueues {
    using Answer = QueueDepths;
};

/// An activity that a worker has.
struct ActivityLease {
    ActivityRef activity;
    InstanceName instance;
    std::string name;
    std::string queue;
    std::string worker;
    std::uint32_t attempt = 0;         ///< 1 for the first.
    Timestamp until{};                 ///< Unless it is renewed.
    std::optional<Timestamp> since{};  ///< When it was claimed; an older release does not say.
};

/// An instance whose turn a worker is taking.
struct TurnLock {
    InstanceBrief instance;
    std::string worker;
    std::uint32_t attempt = 0;         ///< Claims since the last committed turn, this one included.
    Timestamp until{};                 ///< Unless it is renewed.
    std::optional<Timestamp> since{};  ///< When it was claimed; an older release does not say.
    std::uint32_t overruns = 0;        ///< Turns before this one that ran past their limit.
};

/// A session that a worker has; see NewActivity::session.
struct SessionLease {
    std::string space;
    std::string name;
    std::string worker;
    Timestamp until{};  ///< Unless something of it runs or ends.
};

/// Who holds what, in all namespaces, under leases and locks that have not expired: those that end
/// first come first, at most `max` of each.
struct ListLeases {
    /// Both, as of one moment.
    struct Answer {
        std::vector<ActivityLease> activities;
        std::vector<TurnLock> turns;
        std::vector<SessionLease> sessions;
    };
    std::uint32_t max = 1000;
};

// ---- One instance ------------------------------------------------------------------------------

/// One link of a continue-as-new chain.
struct ExecutionInfo {
    ExecutionNo execution = 1;
    Status status = Status::running;
    EventNo events = 0;
    Timestamp started_at{};
    std::optional<Timestamp> ended_at;
};

/// The executions of a run.
struct ListExecutions {
    using Answer = std::vector<ExecutionInfo>;  ///< In order, without those that were pruned.
    RunRef run;
};

/// Direct children, in the order they were started.
struct ListChildren {
    using Answer = std::vector<InstanceBrief>;
    RunRef run;
};

/// All names that go when this instance is deleted, as of one moment: its own and all below it, and
/// all below earlier runs that lost one of these names to a replacement (and go too, nameless).
/// Children before their parents. Nothing of an unknown one.
struct ListTree {
    using Answer = std::vector<InstanceBrief>;
    InstanceName name;
};

/// The key-values of a run, as of its last turn; nothing of an unknown one.
struct KeyValues {
    using Answer = std::map<std::string, Payload>;
    RunRef run;
};

/// A message that could not be delivered, and why.
struct DeadLetter {
    std::uint64_t id = 0;
    RunRef run;
    /// The instance it was meant for, as far as it is known: of one that was deleted, for as long
    /// as request ids are kept.
    std::optional<InstanceName> instance{};
    NewMessage message;
    std::string reason;
    Timestamp at{};
};

/// Dead letters behind the one numbered `after`, in the order they came.
struct ListDeadLetters {
    using Answer = std::vector<DeadLetter>;
    std::uint64_t after = 0;
    std::uint32_t max = 1000;
};

/// One row of the worker queue, for operators and tests.
struct ActivityInfo {
    ActivityRef activity;
    std::string name;
    std::string queue;
    std::uint32_t attempt = 0;
    std::uint32_t unregistered = 0;
    bool shielded = false;
    bool leased = false;  ///< Under a lease that has not expired.
    LeaseToken token;
    std::string worker;
    Timestamp visible_at{};           ///< The end of time: set aside, see schedule_to_start.
    Timestamp leased_until{};         ///< Without a lease: when it was last given back, if it was.
    std::optional<Payload> progress;  ///< Said last by its handler, in this attempt or before.
    std::optional<Timestamp> progress_at;
    std::string session;
};

/// The worker queue: of one run, or all of it.
struct ListActivities {
    using Answer = std::vector<ActivityInfo>;
    std::optional<RunRef> run;
};

/// Handlers that were canceled and have not been seen to end.
struct StoppingInfo {
    ActivityRef activity;
    LeaseToken token;
    std::string worker;
    Timestamp until{};                 ///< Swept after this.
    std::optional<Timestamp> since{};  ///< When it was told to stop; an older release does not say.
};

/// A message that its run has not received: it came, or will with a delay.
struct WaitingMessage {
    MessageNo number = 0;
    MessageKind kind = MessageKind::event_raised;
    std::string name;           ///< Of an event or a queue.
    ExecutionNo execution = 0;  ///< With the command: what it answers; 0: no command.
    CommandNo command = 0;
    Timestamp at{};      ///< When it came; of a timer or a delayed one: when it is due.
    bool timer = false;  ///< What a timer will send.
    bool operator==(const WaitingMessage&) const = default;
};

/// A child that has not ended, and which command of the current execution or an earlier one
/// started it.
struct OpenChild {
    InstanceBrief instance;
    ExecutionNo execution = 0;
    CommandNo command = 0;
};

/// An instance with everything that is under way for it.
struct OpenWork {
    InstanceInfo info;
    Timestamp as_of{};  ///< The store's time.
    std::optional<std::string> parent_id;
    std::string lock_worker;              ///< While `info.locked`: who takes its turn ...
    std::optional<Timestamp> lock_until;  ///< ... and until when unless it is renewed.
    /// From when on it can be claimed for a turn: before `as_of` it is ready, later it waits for a
    /// timer, a back-off or a lock; none: something else must happen first.
    std::optional<Timestamp> claimable_at;
    /// The run that has to settle before its first turn, because this one replaces it.
    bool waits_for_former = false;
    std::uint64_t children = 0;            ///< That it ever started, open or not.
    std::vector<OpenChild> open_children;  ///< By execution and command.
    std::vector<ActivityInfo> activities;  ///< By execution and command.
    std::vector<StoppingInfo> stopping;
    std::vector<WaitingMessage> messages;  ///< By number; of each sort the first ones.
    std::uint64_t message_count = 0;       ///< All of them but timers.
    std::uint64_t timer_count = 0;
};

/// None when there is no such instance.
struct ReadOpenWork {
    using Answer = std::optional<OpenWork>;
    InstanceName name;
    /// At most so many plain messages, and as many timers and delayed ones.
    std::uint32_t max_messages = 1000;
    std::optional<RunRef> run{};  ///< By run key instead of by name.
};

}  // namespace belay
