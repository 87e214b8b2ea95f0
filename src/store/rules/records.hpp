// The rows of a store as the rules see them. The same for all stores.
#pragma once

#include <belay/store/answer.hpp>
#include <belay/store/claim.hpp>
#include <belay/store/transition.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace belay::store {

/// Returns `at` + `delay`, or the end of time if that is earlier.
[[nodiscard]] inline Timestamp later(Timestamp at, Millis delay) noexcept {
    if (delay > Millis(0) && at > Timestamp::max() - delay) return Timestamp::max();
    return at + delay;
}

/// Returns the sum of two priorities, or the nearest number to it.
[[nodiscard]] inline std::int32_t added(std::int32_t a, std::int32_t b) noexcept {
    constexpr auto kLeast = std::int64_t{std::numeric_limits<std::int32_t>::min()};
    constexpr auto kMost = std::int64_t{std::numeric_limits<std::int32_t>::max()};
    return static_cast<std::int32_t>(std::clamp(std::int64_t{a} + b, kLeast, kMost));
}

/// The reason why a run is held.
struct HoldReason {
    FailureKind kind = FailureKind::nondeterminism;
    std::string detail;
};

/// Shortens the hint to at most `wait`.
inline void shorten(ReadyIn& hint, Millis wait) { hint = hint ? std::min(*hint, wait) : wait; }

/// True if a claim of these shards includes `shard`. No shards named: all of them.
[[nodiscard]] inline bool in_shards(const std::vector<Shard>& shards, Shard shard) {
    return shards.empty() || std::find(shards.begin(), shards.end(), shard) != shards.end();
}

/// The right to commit the next turn of a run.
struct Lock {
    LeaseToken token;
    Timestamp until{};
    std::string worker;
    bool cancel_seen = false;          ///< The claim returned a cancel record.
    std::optional<Timestamp> since{};  ///< When the run was claimed.
};

/// The part of a run that only a start writes. Set until the run is written for the first time.
struct Birth {
    const NewInstance* about = nullptr;  ///< Belongs to the transition that is being applied.
    Digest digest{};
    std::optional<std::string> key;      ///< The idempotency key.
    std::optional<std::string> version;  ///< The version that its first turn sets in the same
                                         ///< transition.
    std::uint64_t child_no = 0;
};

/// The code that a run needs.
struct RunCode {
    std::string definition;
    std::string version;
    bool interpreted = false;  ///< It has a document. Then definition and version do not matter.
};

/// A run, as far as turns, messages and claims change it. The rules change it in place and call
/// Rows::touch. A store may derive its own row type from it.
struct Run {
    RunRef ref;
    InstanceName name;
    bool former = false;  ///< True if its name went to another run.
    std::optional<ParentLink> parent;
    ParentClose parent_close = ParentClose::cancel;
    bool has_key = false;  ///< True if it was started under an idempotency key.
    bool has_document = false;
    std::optional<RunRef> on_fail;

    Status status = Status::pending;
    Status stored_status = Status::pending;  ///< For the store: the status as last written.
    ExecutionNo execution = 1;
    EventNo position = 0;
    MessageNo next_message = 1;
    std::optional<Timestamp> ready_at;  ///< As last written. It follows from the other fields.
    std::optional<Timestamp> inbox_at;  ///< The time from which its messages and timers make it
                                        ///< claimable.
    bool inbox_stale = false;           ///< `inbox_at` may be too early: an entry was removed.
    std::uint64_t plain_messages = 0;   ///< Messages that are neither timers nor delayed.
    Timestamp last_sent{};              ///< When the last plain message was sent.
    std::uint64_t message_room = Limits().buffered_messages;
    std::uint64_t activities = 0;  ///< The number of its rows in the worker queue.
    CommandNo last_activity = 0;   ///< Their highest command in this execution.
    std::optional<Timestamp> wants_turn_at;
    Timestamp not_before{};
    std::optional<Lock> lock;
    std::uint32_t attempts = 0;
    std::uint32_t unregistered = 0;
    std::optional<Timestamp> code_missing_since;
    std::uint32_t overruns = 0;
    bool held = false;
    std::optional<RunKey> waits_for;
    std::optional<CancelRecord> cancel;
    std::optional<Timestamp> cancel_deadline;
    bool nothing_to_clean_up = false;   ///< As its last turn said.
    std::int32_t priority = 0;          ///< With that of the runs above it.
    std::optional<Timestamp> begin_by;  ///< Its first turn must have begun by then.
    std::optional<Timestamp> end_by;    ///< It must have ended by then.
    std::optional<Timestamp> late_at;   ///< As last written: `late_from`.
    std::optional<std::string> concurrency_key;
    std::optional<std::uint64_t> place_in_line;  ///< Set while it waits for others of that key.

    std::uint64_t next_child = 1;
    std::uint64_t unsettled_children = 0;
    std::uint64_t stopping = 0;
    bool settled = false;

    Timestamp created_at{};
    std::optional<Timestamp> started_at;
    Timestamp execution_at{};
    std::optional<Timestamp> ended_at;
    std::uint64_t event_count = 0;
    std::uint64_t history_bytes = 0;
    std::uint64_t custom_status_version = 0;
    CommitId started_by_commit;
    CommitId last_commit;
    std::optional<RunCode> code;  ///< For the store: set once it was asked for.

    std::optional<Birth> birth;          ///< Set until the run is written.
    std::optional<Outcome> new_outcome;  ///< Set until the run is written.
    bool dirty = false;                  ///< Touched and not written yet.

    [[nodiscard]] bool ended() const noexcept { return is_terminal(status); }
    [[nodiscard]] bool locked(Timestamp now) const noexcept { return lock && lock->until > now; }
    /// True if a message or due timer is there to be received.
    [[nodiscard]] bool has_ready_message(Timestamp now) const noexcept {
        return plain_messages > 0 || (inbox_at && *inbox_at <= now);
    }
    [[nodiscard]] InstanceBrief brief() const { return InstanceBrief{ref, name, status, false}; }

    /// Returns the time from which its first turn would begin too late. Returns none if it has
    /// begun or may begin at any time. A turn that is under way has begun in time.
    [[nodiscard]] std::optional<Timestamp> expired_from() const {
        if (status != Status::pending || !begin_by) return std::nullopt;
        return lock ? std::max(*begin_by, lock->until) : *begin_by;
    }
    /// Returns the time from which a sweep ends it, because it was not begun or has not ended in
    /// time. A canceled run has the deadline of its cancel instead.
    [[nodiscard]] std::optional<Timestamp> late_from() const {
        if (ended() || cancel) return std::nullopt;
        const std::optional<Timestamp> expired = expired_from();
        if (!end_by) return expired;
        return expired ? std::min(*expired, *end_by) : *end_by;
    }

    /// Returns the time from which it can be claimed, as things stand. Returns none if something
    /// else must happen first.
    [[nodiscard]] std::optional<Timestamp> claimable_at() const {
        if (ended() || held || waits_for || place_in_line) return std::nullopt;
        std::optional<Timestamp> at = wants_turn_at;
        if (inbox_at) at = at ? std::min(*at, *inbox_at) : *inbox_at;
        if (!at) return std::nullopt;
        at = std::max(*at, not_before);
        // An expired lock is taken over by the next claim.
        if (lock) at = std::max(*at, lock->until);
        return at;
    }
};

/// A row of the worker queue, as far as leases change it. The rules change a copy and write that.
struct Activity {
    ActivityRef ref;
    std::optional<Timestamp> waits_until;  ///< If set, it is not in line before then.
    Timestamp visible_at{};
    /// Stays on the row when the lease expires: the handler may still run and may still complete.
    std::optional<LeaseToken> token;
    Timestamp leased_until{};
    std::optional<Timestamp> claimed_at{};  ///< Set with a token.
    std::string worker;
    std::uint32_t attempt = 0;
    std::uint32_t unregistered = 0;
    bool shielded = false;
    std::string queue;
    bool large = false;  ///< For the store: the input is in a row of its own.
    std::optional<Timestamp> schedule_to_start;
    std::optional<Timestamp> progress_at;  ///< Set if it has recorded progress.
    std::string session;

    /// Returns the time from which it can be claimed (again).
    [[nodiscard]] Timestamp claimable_at() const noexcept {
        return token ? leased_until : visible_at;
    }
    /// True if no attempt counts yet and the first one has a deadline. Its command has a timer as
    /// long as this is true.
    [[nodiscard]] bool must_start() const noexcept {
        return schedule_to_start && attempt == 0 && !token;
    }
};

/// A command can be scheduled again while an older handler of it is still stopping.
using StoppingKey = std::pair<ActivityRef, LeaseToken>;

/// A message that could not be delivered, and its addressee.
struct Letter {
    RunRef run;
    NewMessage message;
};

/// The full name of an idempotency key.
struct KeyId {
    std::string space;
    std::string owner;
    std::string definition;
    std::string key;
    auto operator<=>(const KeyId&) const = default;
};

/// Namespace and request id.
using RequestKey = std::pair<std::string, std::string>;

/// A request and its answer.
struct Request {
    std::size_t part = 0;  ///< The index of its alternative in Part.
    std::string target;    ///< The id of the instance. For FreeKey: the key. For a dead letter: its
                           ///< number.
    Digest digest{};       ///< The digest of the other fields of the request.
    InstanceBrief instance;
    bool changed = true;
    DeleteCounts deleted;
};

/// The remains of a deleted run, kept for a while. The start that made the run may be sent again
/// after an unknown outcome. It is recognised by them and does not bring the run back.
struct DeletedRun {
    CommitId started_by_commit;
    InstanceBrief instance;
    /// Set by a Delete that named this run, with the counts of what it deleted.
    CommitId deleted_by_commit;
    DeleteCounts deleted;

    /// True if a commit can be recognised by it.
    [[nodiscard]] bool worth_keeping() const noexcept {
        return started_by_commit != CommitId() || deleted_by_commit != CommitId();
    }
};

/// The holder of an idempotency key.
struct KeyRow {
    KeyScope scope = KeyScope::forever;
    std::optional<Timestamp> until;  ///< The end of a window.
    RunRef run;
    std::string id;
    Digest digest{};
    bool deleted = false;
    Status last_status = Status::pending;  ///< Set once the run is deleted.
};

/// A finished execution.
struct OldExecution {
    ExecutionNo execution = 0;
    std::uint64_t events = 0;
    std::uint64_t bytes = 0;  ///< The size of its history.
};

/// The place of an activity in line, over all queues. Order: by priority, then the oldest first.
struct PlaceInLine {
    std::int64_t rank = 0;  ///< The negated priority.
    Timestamp visible_at{};
    std::uint64_t sequence = 0;  ///< The order of arrival.
    ActivityRef activity;
    auto operator<=>(const PlaceInLine&) const = default;
};

/// A namespace and the name of a session in it.
using SessionKey = std::pair<std::string, std::string>;

/// An activity that stands in line, as far as a claim must know it.
struct QueuedActivity {
    PlaceInLine place;
    std::string name;
    std::string key;     ///< Its fairness key.
    SessionKey session;  ///< No session if its name is empty.
    Timestamp leased_until{};
    bool is_leased = false;  ///< It has a token. The lease may have ended.
    std::uint32_t attempt = 0;
    std::uint32_t unregistered = 0;
    std::optional<Timestamp> schedule_to_start;

    /// Returns the time from which it can be claimed.
    [[nodiscard]] Timestamp since() const noexcept {
        return is_leased ? leased_until : place.visible_at;
    }
    /// The same, but later if a holder gave it back into its place.
    [[nodiscard]] Timestamp free_since() const noexcept {
        return std::max(place.visible_at, leased_until);
    }
    /// True if it is past the time until which it had to start.
    [[nodiscard]] bool is_late(Timestamp now) const noexcept {
        return !is_leased && attempt == 0 && schedule_to_start && *schedule_to_start <= now;
    }
};

/// A session that has an owner.
struct Session {
    std::uint64_t holder = 0;  ///< The holder in the tokens of its leased activities.
    std::string worker;
    Timestamp until{};  ///< From then on anybody may take it.
    Millis idle{0};     ///< The time it is kept when nothing of it runs.
};

/// The number of sessions that a holder has now, and the first time at which one of them may end.
struct OwnedSessions {
    std::uint64_t count = 0;
    std::optional<Timestamp> first_until;
};

/// An attempt that counts against the limits of its queue.
struct QueueUse {
    std::string queue;
    std::string key;  ///< The fairness key.
    Timestamp begun_at{};
    Timestamp until{};  ///< It runs until then, unless it ends earlier.
};

/// The attempts that have output, in the order of an activity's attempts.
struct AttemptKey {
    ExecutionNo execution = 1;
    CommandNo first = 0;  ///< The command that made the call first.
    CommandNo command = 0;
    std::uint32_t attempt = 0;
    auto operator<=>(const AttemptKey&) const = default;
};

/// All the output of a run.
struct RunOutput {
    std::uint64_t next = 1;   ///< The number of the next chunk.
    std::uint64_t bytes = 0;  ///< As OutputBounds counts them.
    std::uint64_t left_out_attempts = 0;
};

/// The output of one attempt.
struct AttemptRow {
    std::uint64_t id = 0;  ///< Ascending over the run, in the order in which attempts began to
                           ///< write.
    std::string source;
    LeaseToken token;         ///< Of the last writer ...
    std::uint64_t taken = 0;  ///< ... and how many chunks were taken from it.
    std::uint64_t first_bytes = 0;
    std::uint64_t last_bytes = 0;
    std::uint64_t end_from = 0;  ///< The end begins here; 0: the beginning takes more.
    std::uint64_t left_out_bytes = 0;
    std::uint64_t left_out_lines = 0;
    std::uint64_t left_out_to = 0;  ///< The last chunk that has gone.
};

/// A chunk that is kept.
struct ChunkSize {
    std::uint64_t number = 0;
    std::uint64_t bytes = 0;
    std::uint64_t lines = 0;
};

/// The full name of a concurrency key.
struct ConcurrencyId {
    std::string space;
    std::string definition;
    std::string key;
    auto operator<=>(const ConcurrencyId&) const = default;
};

/// A run that is under way under a concurrency key, or waits in line.
struct ConcurrentRun {
    RunKey run;
    std::uint64_t place = 0;  ///< Its place in line. 0: it does not wait.
    WhenBusy when_busy = WhenBusy::refuse;
};

/// The full name of a rate: a namespace and a definition.
using RateId = std::pair<std::string, std::string>;

/// A start that counts for a rate. The places of a rate have ascending numbers and times.
struct RatePlace {
    std::uint64_t number = 0;
    Timestamp at{};
    Timestamp counts_until{};
};

/// A definition and a version. Runs that have a document are all of one code, without a definition.
using CodeKey = std::pair<std::string, std::string>;

[[nodiscard]] inline CodeKey code_key(const RunCode& code) {
    if (code.interpreted) return {std::string(), "document"};
    return {code.definition, code.version};
}
/// True for the code of runs that have a document.
[[nodiscard]] inline bool is_interpreted(const CodeKey& key) noexcept { return key.first.empty(); }

/// A document in its namespace.
using DocumentKey = std::pair<std::string, Digest>;

}  // namespace belay::store
