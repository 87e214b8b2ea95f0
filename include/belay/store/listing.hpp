// Reads for people: lists and counts of instances, waiting work, and holders of leases. Each
// request names the type of its answer and is answered as of one moment.
#pragma once

#include <belay/output.hpp>
#include <belay/pause.hpp>
#include <belay/payload.hpp>
#include <belay/store/brief.hpp>
#include <belay/store/match.hpp>
#include <belay/store/query.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace belay {

// ---- Instances ---------------------------------------------------------------------------------

/// The order in which instances are listed. Each is total: equal ones are ordered by run key. Each
/// uses only fields that never change, so that a place in it stays where it is.
enum class InstanceOrder : std::uint8_t {
    /// By run key: the order of the starts as far as the clocks of the starters agree.
    started = 1,
    created = 2,  ///< By the store's time of the start.
    ended = 3,    ///< By the time of the end; instances that have not ended are left out.
    id = 4,       ///< By the bytes of the id.
};

/// A place in an order: that of one instance, which need not exist any more.
struct InstancePlace {
    Timestamp at{};    ///< `created`, `ended`: its time.
    std::string id{};  ///< `id`: its id.
    RunKey key;
    bool operator==(const InstancePlace&) const = default;
};

/// An instance in a list: everything that can be read without payloads.
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
    std::string held_detail;  ///< The problem, readable.
    /// The failure of a failed one: kind, place, attempt and the beginning of the message, no
    /// detail.
    std::optional<Failure> failure;
    Labels labels;
};

/// A page of the instances of a namespace that match.
///
/// A reader of all pages, each after the last instance of the page before, sees no instance twice,
/// and sees every one that was there and matched all the time. An instance that starts or ends
/// meanwhile is seen if its place is still ahead.
struct ListInstances : InstanceMatch {
    using Answer = std::vector<ListedInstance>;

    InstanceOrder order = InstanceOrder::created;
    bool descending = false;
    std::optional<InstancePlace> after;  ///< Only instances after this place.
    std::uint32_t max = 50;
};

/// The number of instances of a definition that are in a status. Children count, earlier runs of a
/// name do not.
struct InstanceCount {
    std::string definition;
    Status status = Status::pending;
    std::uint64_t count = 0;
    bool operator==(const InstanceCount&) const = default;
};

/// Counts of those that match, by definition, then by status, without zeros. Fast even for many
/// instances if only the namespace is set.
struct CountInstances : InstanceMatch {
    using Answer = std::vector<InstanceCount>;
};

// ---- Idempotency keys --------------------------------------------------------------------------

/// A known idempotency key, whether it still keeps others from starting or not.
struct KeyInfo {
    std::string owner;
    std::string definition;
    std::string key;
    KeyScope scope = KeyScope::forever;
    std::optional<Timestamp> until;  ///< The end of a window.
    /// The run that was started with it, in its current state, or in its last state before it was
    /// deleted.
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

/// A page of the keys of a namespace, in their order. A key must meet all conditions that are set.
struct ListKeys {
    using Answer = std::vector<KeyInfo>;

    std::string space;
    std::optional<std::string> owner;
    std::optional<std::string> definition;
    std::string prefix;             ///< A prefix of the key, in bytes; empty: any.
    std::optional<KeyPlace> after;  ///< Only keys after this place.
    std::uint32_t max = 50;
};

// ---- Documents ---------------------------------------------------------------------------------

/// A kept document, and the number of runs that have it.
struct DocumentInfo {
    DocumentHead head;
    std::uint64_t runs = 0;
};

/// A place in the order of documents: by name and number.
struct DocumentPlace {
    std::string name;
    std::uint64_t number = 0;
    auto operator<=>(const DocumentPlace&) const = default;
};

/// A page of the documents of a namespace, in their order. Counts the runs of each one.
struct ListDocuments {
    using Answer = std::vector<DocumentInfo>;

    std::string space;
    std::optional<std::string> name;     ///< Only documents of this name.
    std::optional<DocumentPlace> after;  ///< Only documents after this place.
    std::uint32_t max = 50;
};

// ---- Queues and leases -------------------------------------------------------------------------

/// One queue of activities.
struct QueueDepth {
    std::string queue;  ///< Empty: the default queue.
    /// Activities that a worker could take now; expired leases included. An activity past its
    /// schedule_to_start counts until a claim sets it aside.
    std::uint64_t claimable = 0;
    std::uint64_t delayed = 0;  ///< Nobody has it, and its time has not come.
    std::uint64_t leased = 0;   ///< Under a lease that has not expired.
    /// The time since when the longest waiting claimable activity has been there to be taken. A
    /// lease that has expired since then does not reset it.
    std::optional<Timestamp> oldest;
    bool operator==(const QueueDepth&) const = default;
};

/// The work that waits, in all namespaces.
struct QueueDepths {
    std::vector<QueueDepth> activities;     ///< By name; empty queues are left out.
    std::uint64_t ready = 0;                ///< Instances that could have a turn now.
    std::optional<Timestamp> oldest_ready;  ///< Since when the longest ready one has been ready.
    std::uint64_t locked = 0;               ///< Instances whose turn is being taken.
    /// Since when the longest turn has been taken, among those that record it; older releases do
    /// not.
    std::optional<Timestamp> oldest_locked;
    // Each `oldest` below: since when the oldest one is there, as far as that was recorded.
    std::uint64_t held = 0;
    std::optional<Timestamp> oldest_held;
    std::uint64_t timers = 0;               ///< Not yet received; messages with a delay included.
    std::optional<Timestamp> oldest_timer;  ///< When the first of the due timers was due.
    std::uint64_t dead_letters = 0;
    std::optional<Timestamp> oldest_letter;
    std::uint64_t stopping = 0;  ///< Canceled handlers that have not been seen to end.
    std::optional<Timestamp> oldest_stopping;
    std::vector<StoredQueueLimits> limits;  ///< Queues that have limits, by name.
    std::vector<Pause> pauses;              ///< By kind and name.
};

/// Reads everything that waits and every instance that has not ended.
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
    std::optional<Timestamp> since{};  ///< When it was claimed; an older release does not record
                                       ///< it.
};

/// An instance whose turn a worker is taking.
struct TurnLock {
    InstanceBrief instance;
    std::string worker;
    std::uint32_t attempt = 0;         ///< Claims since the last committed turn, this one included.
    Timestamp until{};                 ///< Unless it is renewed.
    std::optional<Timestamp> since{};  ///< When it was claimed; an older release does not record
                                       ///< it.
    std::uint32_t overruns = 0;        ///< Turns before this one that ran past their limit.
};

/// A session that a worker has; see NewActivity::session.
struct SessionLease {
    std::string space;
    std::string name;
    std::string worker;
    Timestamp until{};  ///< Unless an activity of it runs or ends.
};

/// The holders of work, all three kinds as of one moment.
struct LeaseList {
    std::vector<ActivityLease> activities;
    std::vector<TurnLock> turns;
    std::vector<SessionLease> sessions;
};

/// The holders of work, in all namespaces, under leases and locks that have not expired. Those that
/// end first come first, at most `max` of each.
struct ListLeases {
    using Answer = LeaseList;
    std::uint32_t max = 1000;
};

// ---- One instance ------------------------------------------------------------------------------

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

/// All names that are deleted with this instance, as of one moment: its own and all below it, and
/// all below earlier runs that lost one of these names to a replacement (and are deleted too,
/// nameless). Children before their parents. Empty for an unknown instance.
struct ListTree {
    using Answer = std::vector<InstanceBrief>;
    InstanceName name;
};

/// The key-values of a run, as of its last turn; empty for an unknown run.
struct KeyValues {
    using Answer = std::map<std::string, Payload>;
    RunRef run;
};

/// A message that could not be delivered, and the reason.
struct DeadLetter {
    std::uint64_t id = 0;
    RunRef run;
    /// The instance it was meant for, if known. A deleted instance is known as long as request ids
    /// are kept.
    std::optional<InstanceName> instance{};
    NewMessage message;
    std::string reason;
    Timestamp at{};
};

/// Dead letters after the one numbered `after`, in the order they came.
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
    std::optional<Payload> progress;  ///< The last progress of its handler, in this attempt or
                                      ///< before.
    std::optional<Timestamp> progress_at;
    std::string session;
};

/// The worker queue: of one run, or all of it.
struct ListActivities {
    using Answer = std::vector<ActivityInfo>;
    std::optional<RunRef> run;
};

/// A chunk of output that is kept, and its attempt.
struct KeptChunk {
    std::uint64_t number = 0;  ///< Ascending over the run.
    std::size_t attempt = 0;   ///< The place of its attempt in OutputPage::attempts.
    OutputStream stream = OutputStream::out;
    Timestamp at{};
    Payload text;
};

/// An attempt that has written something.
struct AttemptOutput {
    ExecutionNo execution = 1;
    CommandNo command = 0;
    CommandNo first_command = 0;  ///< That of the first attempt of a RetryPolicy.
    std::uint32_t attempt = 1;
    std::string source;  ///< A name for people.
    /// Output between the beginning and the end that is not kept any more.
    std::uint64_t left_out_bytes = 0;
    std::uint64_t left_out_lines = 0;
    /// The gap is before the first chunk with a number above this. A reader who has already read
    /// beyond it has missed nothing of the gap.
    std::uint64_t left_out_to = 0;
};

/// Some output of a run.
struct OutputPage {
    std::vector<AttemptOutput> attempts;  ///< Those of the chunks, by their first chunk here.
    std::vector<KeptChunk> chunks;        ///< By number: in the order in which they were kept.
    std::uint64_t next = 0;               ///< For `after`, to go on from here, now or later.
    bool more = false;                    ///< There is more to read now.
    /// Attempts of the run whose output has gone because of a bound.
    std::uint64_t left_out_attempts = 0;
};

/// Output of a run behind a number, at most about `max_bytes` of it, but at least one chunk. Empty
/// for an unknown run.
struct ReadOutput {
    using Answer = OutputPage;
    RunRef run;
    std::optional<ExecutionNo> execution{};  ///< None: of all executions that are left.
    std::optional<CommandNo> command{};
    std::optional<std::uint32_t> attempt{};
    std::uint64_t after = 0;
    std::uint64_t max_bytes = 1024 * 1024;
};

/// Handlers that were canceled and have not been seen to end.
struct StoppingInfo {
    ActivityRef activity;
    LeaseToken token;
    std::string worker;
    Timestamp until{};                 ///< Swept after this.
    std::optional<Timestamp> since{};  ///< When it was told to stop; an older release does not
                                       ///< record it.
};

/// A message that its run has not received: one that came, or one with a delay.
struct WaitingMessage {
    MessageNo number = 0;
    MessageKind kind = MessageKind::event_raised;
    std::string name;           ///< The event or the queue.
    ExecutionNo execution = 0;  ///< With `command`: the command that it answers; 0: no command.
    CommandNo command = 0;
    Timestamp at{};      ///< When it came, or when it is due (timers and delayed messages).
    bool timer = false;  ///< It is the message of a timer.
    bool operator==(const WaitingMessage&) const = default;
};

/// A child that has not ended, and the command, of the current execution or an earlier one, that
/// started it.
struct OpenChild {
    InstanceBrief instance;
    ExecutionNo execution = 0;
    CommandNo command = 0;
};

/// An instance with everything that is in progress for it.
struct OpenWork {
    InstanceInfo info;
    Timestamp as_of{};  ///< The store's time.
    std::optional<std::string> parent_id;
    std::string lock_worker;  ///< While `info.locked`: the worker that takes its turn ...
    std::optional<Timestamp> lock_until;  ///< ... and until when unless it is renewed.
    /// When it can be claimed for a turn. Before `as_of`: it is ready. Later: it waits for a timer,
    /// a back-off or a lock. None: something else must happen first.
    std::optional<Timestamp> claimable_at;
    /// The run that has to settle before its first turn, because this one replaces it.
    bool waits_for_former = false;
    std::uint64_t children = 0;            ///< All that it ever started, open or not.
    std::vector<OpenChild> open_children;  ///< By execution and command.
    std::vector<ActivityInfo> activities;  ///< By execution and command.
    std::vector<StoppingInfo> stopping;
    std::vector<WaitingMessage> messages;  ///< By number; the first ones of each sort.
    std::uint64_t message_count = 0;       ///< All of them but timers.
    std::uint64_t timer_count = 0;
};

/// Reads the open work of an instance; none if there is no such instance.
struct ReadOpenWork {
    using Answer = std::optional<OpenWork>;
    InstanceName name;
    /// The maximum of plain messages, and also of timers and delayed messages together.
    std::uint32_t max_messages = 1000;
    std::optional<RunRef> run{};  ///< By run key instead of by name.
};

}  // namespace belay
