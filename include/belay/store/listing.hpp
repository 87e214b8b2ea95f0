// Reads for people: which instances there are, how many, what waits, and who holds what. Each
// request names the type of its answer and is answered as of one moment.
#pragma once

#include <belay/store/query.hpp>

#include <cstdint>
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

/// From `from` on, and before `before`; what is not set does not count.
struct TimeRange {
    std::optional<Timestamp> from{};
    std::optional<Timestamp> before{};

    /// Nothing is set: every time is in it.
    [[nodiscard]] bool empty() const noexcept { return !from && !before; }
    /// Whether a time is in it.
    [[nodiscard]] bool contains(Timestamp at) const noexcept {
        return (!from || at >= *from) && (!before || at < *before);
    }
    bool operator==(const TimeRange&) const = default;
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

/// Which instances are meant. What is set must all be true of one. Only those that have a name: not
/// earlier runs that lost theirs to a replacement.
struct InstanceMatch {
    std::string space{};
    std::vector<Status> statuses{};  ///< One of these; none: any.
    std::optional<std::string> definition{};
    std::optional<std::string> version{};
    std::optional<std::string> parent{};  ///< A direct child of the instance that has this id.
    std::optional<std::string> owner{};
    /// All of these labels, each with a value of this type and equal to it. A store may look for
    /// the first by an index and at the others row by row.
    std::vector<std::pair<std::string, LabelValue>> labels{};
    TimeRange created{};
    TimeRange ended{};        ///< Set: only what has ended.
    std::string id_prefix{};  ///< Bytes; empty: any.
    bool roots_only = false;
    bool held_only = false;

    bool operator==(const InstanceMatch&) const = default;
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
    std::string queue;            ///< Empty: the default queue.
    std::uint64_t claimable = 0;  ///< A worker could take it now; expired leases included.
    std::uint64_t delayed = 0;    ///< Nobody has it, and its time has not come.
    std::uint64_t leased = 0;     ///< Under a lease that has not expired.
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
};

/// Who holds what, in all namespaces, under leases and locks that have not expired: those that end
/// first come first, at most `max` of each.
struct ListLeases {
    /// Both, as of one moment.
    struct Answer {
        std::vector<ActivityLease> activities;
        std::vector<TurnLock> turns;
    };
    std::uint32_t max = 1000;
};

// ---- One instance ------------------------------------------------------------------------------

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

/// None when there is no instance of this name.
struct ReadOpenWork {
    using Answer = std::optional<OpenWork>;
    InstanceName name;
    /// At most so many plain messages, and as many timers and delayed ones.
    std::uint32_t max_messages = 1000;
};

}  // namespace belay
