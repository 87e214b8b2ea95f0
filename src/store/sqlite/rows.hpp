// Rows as the guards and effects see them.
#pragma once

#include "store/guards/facts.hpp"
#include <belay/store/query.hpp>
#include <belay/store/transition.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace belay::sqlite {

/// `at` + `delay`, at most the end of time.
[[nodiscard]] inline Timestamp later(Timestamp at, Millis delay) noexcept {
    if (delay > Millis(0) && at > Timestamp::max() - delay) return Timestamp::max();
    return at + delay;
}

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

/// What only a start writes of a run that is not yet in the file.
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

/// A run, as far as turns, messages and claims change it. Whoever changes it calls Rows::touch.
struct Run {
    RunRef ref;
    InstanceName name;
    bool former = false;  ///< Its name went to another run.
    std::optional<ParentLink> parent;
    ParentClose parent_close = ParentClose::cancel;
    bool has_key = false;  ///< It was started under an idempotency key.

    Status status = Status::pending;
    Status stored_status = Status::pending;  ///< As it is in the file.
    ExecutionNo execution = 1;
    EventNo position = 0;
    MessageNo next_message = 1;
    std::optional<Timestamp> ready_at;  ///< As it is in the file; follows from the rest.
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
    std::uint64_t custom_version = 0;
    CommitId started_by_commit;
    CommitId last_commit;
    std::optional<RunCode> code;  ///< Once somebody has asked for it.

    std::optional<Birth> birth;          ///< Set until it is in the file.
    std::optional<Outcome> new_outcome;  ///< Set until it is in the file.
    bool dirty = false;

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

/// What a run shows, apart from the above.
struct RunAbout {
    std::string definition;
    std::string version;
    std::string owner;
    std::string started_by;
    Headers headers;
    std::string held_detail;
    Payload input;
    std::optional<Payload> custom_status;
    std::optional<Outcome> outcome;
};

/// A row of the worker queue, as far as leases change it.
struct Activity {
    ActivityRef ref;
    std::optional<Timestamp> waits_until;
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
    bool large = false;  ///< Its input is in a row of its own.
    std::optional<Timestamp> schedule_to_start;
    std::optional<Timestamp> progress_at;  ///< Set: its progress is in a row of its own.
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

using store::Gone;
using store::KeyId;
using store::Request;
using store::RequestKey;

struct KeyRow {
    KeyScope scope = KeyScope::forever;
    std::optional<Timestamp> until;  ///< Of a window.
    RunRef run;
    std::string id;
    Digest digest{};
    bool deleted = false;
    Status last_status = Status::pending;  ///< Once deleted.
};

}  // namespace belay::sqlite
