// The rows of the memory store: plain data.
#pragma once

#include "store/admission.hpp"
#include "store/capability.hpp"
#include "store/guards/facts.hpp"
#include <belay/store/query.hpp>
#include <belay/store/transition.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace belay::memory {

/// Who may commit the next turn of a run.
struct Lock {
    LeaseToken token;
    Timestamp until{};
    std::string worker;
    bool cancel_seen = false;  ///< The claim returned a cancel record.
    Timestamp since{};         ///< Of the claim.
};

/// A command of one execution of some run.
using CommandRef = std::pair<ExecutionNo, CommandNo>;
/// Orders a run's messages and timers as they are received.
using InboxKey = std::pair<Timestamp, MessageNo>;

/// A message, or a timer that will be one when it is due.
struct Waiting {
    NewMessage content;
    std::optional<CommandRef> timer{};  ///< Set for timers: the command that asked for it.
    bool timed = false;      ///< Not to be seen before it is due: timers and delayed messages.
    Timestamp ready_from{};  ///< Makes its run claimable from then on.
};

struct Execution {
    ExecutionInfo info;  ///< `status` is meant only once it ended; before, the run's own counts.
    std::vector<RecordedRow> history;
};

/// Where a run stands in the indexes, so that an index entry can always be found again.
struct RunIndexed {
    std::optional<Timestamp> ready_at;
    std::optional<Timestamp> deadline;
    bool held = false;
    std::optional<Timestamp> ended_at;  ///< Of roots.
    bool chain = false;
    std::optional<store::CodeKey> put_off;
};

using store::KeyId;
using store::RequestKey;

struct Run {
    NewInstance about;  ///< `version` and `input` are those of the current execution.
    Digest input_digest{};
    CommitId started_by_commit;
    CommitId last_commit;  ///< Of its last turn.
    std::optional<KeyId> key;

    Status status = Status::pending;
    ExecutionNo execution = 1;
    EventNo position = 0;
    std::vector<Execution> executions;  ///< In order; the last is the current one. Of those before
                                        ///< it, any may have been pruned.
    std::optional<Outcome> outcome;
    std::optional<CancelRecord> cancel;
    std::optional<Timestamp> cancel_deadline;
    Timestamp created_at{};
    std::optional<Timestamp> started_at;
    std::optional<Timestamp> ended_at;
    std::uint64_t event_count = 0;
    std::uint64_t history_bytes = 0;
    std::optional<Payload> custom_status;
    std::uint64_t custom_status_version = 0;
    std::map<std::string, Payload> key_values;

    MessageNo next_message = 1;  ///< Numbers are given per run, in order of commit.
    std::map<InboxKey, Waiting> inbox;
    std::unordered_map<MessageNo, Timestamp> inbox_times;  ///< Finds an inbox entry by its number.
    std::set<InboxKey> inbox_ready;                        ///< By (ready_from, number).
    std::map<CommandRef, InboxKey> timers;
    std::uint64_t plain_messages = 0;  ///< Entries of the inbox that are not timed.
    Timestamp last_sent{};             ///< Of the last plain message.
    std::uint64_t message_room = Limits().buffered_messages;

    std::optional<Lock> lock;
    bool held = false;
    std::string held_detail;
    Timestamp held_since{};
    std::uint32_t attempts = 0;
    std::uint32_t unregistered = 0;
    std::optional<Timestamp> code_missing_since;
    bool put_off = false;  ///< By a claim, because nobody seemed to have its code.
    /// It wants a turn from then on whether or not it has messages: its first, one that sees a
    /// fresh cancel, or the first of a new execution. Cleared by a committed turn.
    std::optional<Timestamp> wants_turn_at;
    Timestamp not_before{};           ///< Backed off until then.
    std::optional<RunRef> waits_for;  ///< Not claimable until that run is at rest.

    std::vector<RunRef> children;  ///< In the order they were started.
    std::set<std::pair<CommandRef, RunRef>> open_children;
    std::uint64_t unsettled_children = 0;
    std::uint64_t stopping = 0;  ///< Number of its stopping records.
    bool settled = false;

    RunIndexed indexed;

    [[nodiscard]] RunRef ref() const noexcept { return about.run; }
    [[nodiscard]] bool ended() const noexcept { return is_terminal(status); }
    [[nodiscard]] bool locked(Timestamp now) const noexcept { return lock && lock->until > now; }
    /// Null when there never was such an execution, or it was pruned.
    [[nodiscard]] const Execution* find_execution(ExecutionNo number) const {
        const auto found = std::lower_bound(
            executions.begin(), executions.end(), number, [](const auto& one, ExecutionNo wanted) {
                return one.info.execution < wanted;
            });
        if (found == executions.end() || found->info.execution != number) return nullptr;
        return &*found;
    }
    /// Whether a message or due timer is there to be received.
    [[nodiscard]] bool has_ready_message(Timestamp now) const noexcept {
        return plain_messages > 0 || (!inbox.empty() && inbox.begin()->first.first <= now);
    }
};

/// The order in which one queue is claimed: priority, then oldest first.
struct ClaimKey {
    std::int64_t rank = 0;  ///< The negated priority.
    Timestamp visible_at{};
    std::uint64_t sequence = 0;
    ActivityRef activity;
    auto operator<=>(const ClaimKey&) const = default;
};

struct Activity {
    ActivityRef ref;
    NewActivity about;
    std::uint64_t sequence = 0;  ///< Order of arrival.
    Timestamp visible_at{};
    std::uint32_t attempt = 0;
    std::uint32_t unregistered = 0;
    /// Stays on the row when the lease expires: its handler may still run, and may still complete.
    std::optional<LeaseToken> token;
    std::string worker;
    Timestamp leased_until{};
    Timestamp claimed_at{};           ///< With a token.
    std::optional<Payload> progress;  ///< With the time it was written.
    Timestamp progress_at{};

    /// Exactly one of these is set, and says where it stands in which index.
    std::optional<Timestamp> waits_until;
    std::optional<ClaimKey> claimable;

    /// When it can be claimed (again).
    [[nodiscard]] Timestamp claimable_at() const noexcept {
        return token ? leased_until : visible_at;
    }
    /// A timer of its command runs as long as this is true: no attempt counts yet, and there is a
    /// time until which one must.
    [[nodiscard]] bool must_start() const noexcept {
        return about.schedule_to_start && attempt == 0 && !token;
    }
    [[nodiscard]] bool too_late(Timestamp now) const noexcept {
        return must_start() && *about.schedule_to_start <= now;
    }
};

/// A command can be scheduled again while an older handler of it is still stopping.
using StoppingKey = std::pair<ActivityRef, LeaseToken>;

/// An attempt that counts for the limits of its queue.
struct QueueUse {
    std::string queue;
    std::string key;  ///< The fairness key.
    Timestamp begun_at{};
    Timestamp until{};  ///< It runs until then unless it ends before.
};

using store::SessionKey;

/// An attempt at an activity of a session.
struct SessionUse {
    SessionKey session;
    Timestamp until{};  ///< It runs until then unless it ends before.
};

struct Stopping {
    std::string worker;
    Timestamp until{};
    Timestamp since{};
    std::string queue;
    std::string fairness_key;
};

struct KeyRow {
    RunRef run;
    InstanceName name;
    Digest input_digest{};
    KeyScope scope = KeyScope::forever;
    Timestamp created_at{};
    std::optional<Timestamp> until;  ///< Of a window.
    bool deleted = false;
    Status last_status = Status::pending;  ///< Once deleted.
};

struct Request : store::Request {
    Timestamp until{};
};

struct Gone : store::Gone {
    Timestamp until{};
};

}  // namespace belay::memory
