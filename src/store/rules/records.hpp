// The rows of a store as the rules see them: for all stores.
#pragma once

#include <belay/store/answer.hpp>
#include <belay/store/claim.hpp>
#include <belay/store/transition.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace belay::store {

/// `at` + `delay`, at most the end of time.
[[nodiscard]] inline Timestamp later(Timestamp at, Millis delay) noexcept {
    if (delay > Millis(0) && at > Timestamp::max() - delay) return Timestamp::max();
    return at + delay;
}

/// Why a run is held.
struct HoldReason {
    FailureKind kind = FailureKind::nondeterminism;
    std::string detail;
};

/// The hint is at most `wait`.
inline void shorten(ReadyIn& hint, Millis wait) { hint = hint ? std::min(*hint, wait) : wait; }

/// Whether a claim of these shards includes `shard`; none named: all of them.
[[nodiscard]] inline bool in_shards(const std::vector<Shard>& shards, Shard shard) {
    return shards.empty() || std::find(shards.begin(), shards.end(), shard) != shards.end();
}

/// Who may commit the next turn of a run.
struct Lock {
    LeaseToken token;
    Timestamp until{};
    std::string worker;
    bool cancel_seen = false;          ///< The claim returned a cancel record.
    std::optional<Timestamp> since{};  ///< Of the claim.
};

/// The part of a run that only a start writes. It is set until the run is written for the first
/// time.
struct Birth {
    const NewInstance* about = nullptr;  ///< Of the transition that is being applied.
    Digest digest{};
    std::optional<std::string> key;      ///< The idempotency key.
    std::optional<std::string> version;  ///< What its first turn says it is, in the same
                                         ///< transition.
    std::uint64_t child_no = 0;
};

/// Which code a run is.
struct RunCode {
    std::string definition;
    std::string version;
};

/// A run, as far as turns, messages and claims change it. The rules change it in place and call
/// Rows::touch. A store may derive its own row from it.
struct Run {
    RunRef ref;
    InstanceName name;
    bool former = false;  ///< Its name went to another run.
    std::optional<ParentLink> parent;
    ParentClose parent_close = ParentClose::cancel;
    bool has_key = false;  ///< It was started under an idempotency key.

    Status status = Status::pending;
    Status stored_status = Status::pending;  ///< For the store: as it was last written.
    ExecutionNo execution = 1;
    EventNo position = 0;
    MessageNo next_message = 1;
    std::optional<Timestamp> ready_at;  ///< As it was last written; follows from the rest.
    std::optional<Timestamp> inbox_at;  ///< From when on its messages and timers make it claimable.
    bool inbox_stale = false;           ///< It may be later: something was taken out.
    std::uint64_t plain_messages = 0;   ///< Those that are neither timers nor delayed.
    Timestamp last_sent{};              ///< Of the last plain message.
    std::uint64_t message_room = Limits().buffered_messages;
    std::uint64_t activities = 0;  ///< How many rows of the worker queue are its.
    CommandNo last_activity = 0;   ///< The highest command of them, in this execution.
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
    std::optional<RunCode> code;  ///< For the store: once somebody has asked for it.

    std::optional<Birth> birth;          ///< Set until it is written.
    std::optional<Outcome> new_outcome;  ///< Set until it is written.
    bool dirty = false;                  ///< It was touched, and is not written yet.

    [[nodiscard]] bool ended() const noexcept { return is_terminal(status); }
    [[nodiscard]] bool locked(Timestamp now) const noexcept { return lock && lock->until > now; }
    /// Whether a message or due timer is there to be received.
    [[nodiscard]] bool has_ready_message(Timestamp now) const noexcept {
        return plain_messages > 0 || (inbox_at && *inbox_at <= now);
    }
    [[nodiscard]] InstanceBrief brief() const { return InstanceBrief{ref, name, status, false}; }

    /// From when on it can be claimed, as things stand; never, if something else must happen first.
    [[nodiscard]] std::optional<Timestamp> claimable_at() const {
        if (ended() || held || waits_for) return std::nullopt;
        std::optional<Timestamp> at = wants_turn_at;
        if (inbox_at) at = at ? std::min(*at, *inbox_at) : *inbox_at;
        if (!at) return std::nullopt;
        at = std::max(*at, not_before);
        // An expired lock is taken over by the next claim.
        if (lock) at = std::max(*at, lock->until);
        return at;
    }
};

/// A row of the worker queue, as far as leases change it. The rules change a copy of it, and write
/// that.
struct Activity {
    ActivityRef ref;
    std::optional<Timestamp> waits_until;  ///< Set: it is not in line before then.
    Timestamp visible_at{};
    /// Stays on the row when the lease expires: its handler may still run, and may still complete.
    std::optional<LeaseToken> token;
    Timestamp leased_until{};
    std::optional<Timestamp> claimed_at{};  ///< With a token.
    std::string worker;
    std::uint32_t attempt = 0;
    std::uint32_t unregistered = 0;
    bool shielded = false;
    std::string queue;
    bool large = false;  ///< For the store: its input is in a row of its own.
    std::optional<Timestamp> schedule_to_start;
    std::optional<Timestamp> progress_at;  ///< Set: it has written down its progress.
    std::string session;

    /// When it can be claimed (again).
    [[nodiscard]] Timestamp claimable_at() const noexcept {
        return token ? leased_until : visible_at;
    }
    /// A timer of its command runs as long as this is true: no attempt counts yet, and there is a
    /// time until which one must.
    [[nodiscard]] bool must_start() const noexcept {
        return schedule_to_start && attempt == 0 && !token;
    }
};

/// A command can be scheduled again while an older handler of it is still stopping.
using StoppingKey = std::pair<ActivityRef, LeaseToken>;

/// A message that could not be delivered, and whom it was meant for.
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

/// A request, and how it was answered.
struct Request {
    std::size_t part = 0;  ///< Which alternative of Part it was.
    std::string target;    ///< The instance's id; of FreeKey the key; of a dead letter its number.
    Digest digest{};       ///< Of the rest of what was asked.
    InstanceBrief instance;
    bool changed = true;
    DeleteCounts deleted;
};

/// The remains of a deleted run for a while, so that the start that made it, sent again after an
/// unknown outcome, is recognised and does not bring it back.
struct Gone {
    CommitId started_by_commit;
    InstanceBrief instance;
    /// Of a Delete that named this run, with what it deleted.
    CommitId deleted_by_commit;
    DeleteCounts deleted;

    /// True if there is anything to recognise it by.
    [[nodiscard]] bool worth_keeping() const noexcept {
        return started_by_commit != CommitId() || deleted_by_commit != CommitId();
    }
};

/// The holder of an idempotency key.
struct KeyRow {
    KeyScope scope = KeyScope::forever;
    std::optional<Timestamp> until;  ///< Of a window.
    RunRef run;
    std::string id;
    Digest digest{};
    bool deleted = false;
    Status last_status = Status::pending;  ///< Once deleted.
};

/// An execution that is over.
struct OldExecution {
    ExecutionNo execution = 0;
    std::uint64_t events = 0;
    std::uint64_t bytes = 0;  ///< Of its history.
};

/// Where an activity stands in line, over all queues: by priority, then the oldest first.
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
struct InLine {
    PlaceInLine place;
    std::string name;
    std::string key;     ///< Its fairness key.
    SessionKey session;  ///< None, if its name is empty.
    Timestamp leased_until{};
    bool is_leased = false;  ///< Under a token, whether or not the lease has ended.
    std::uint32_t attempt = 0;
    std::uint32_t unregistered = 0;
    std::optional<Timestamp> schedule_to_start;

    /// From when on it can be claimed.
    [[nodiscard]] Timestamp since() const noexcept {
        return is_leased ? leased_until : place.visible_at;
    }
    /// Later than that, if somebody had it and gave it back into its place.
    [[nodiscard]] Timestamp free_since() const noexcept {
        return std::max(place.visible_at, leased_until);
    }
    /// It is past the time until which it had to start.
    [[nodiscard]] bool is_late(Timestamp now) const noexcept {
        return !is_leased && attempt == 0 && schedule_to_start && *schedule_to_start <= now;
    }
};

/// A session that has an owner.
struct Session {
    std::uint64_t holder = 0;  ///< Of the tokens that its activities are leased under.
    std::string worker;
    Timestamp until{};  ///< From then on anybody may have it.
    Millis idle{0};     ///< How long it is kept when nothing of it runs.
};

/// How many sessions somebody has now, and when the first of them may end.
struct OwnedSessions {
    std::uint64_t count = 0;
    std::optional<Timestamp> first_until;
};

/// An attempt that counts for the limits of its queue.
struct QueueUse {
    std::string queue;
    std::string key;  ///< The fairness key.
    Timestamp begun_at{};
    Timestamp until{};  ///< It runs until then unless it ends before.
};

/// A definition, and a version of it.
using CodeKey = std::pair<std::string, std::string>;

}  // namespace belay::store
