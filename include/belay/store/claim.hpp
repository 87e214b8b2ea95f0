// Claims: requests that take work under a lease.
#pragma once

#include <belay/error.hpp>
#include <belay/store/answer.hpp>
#include <belay/store/transition.hpp>
#include <belay/time.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace belay {

/// The time from the claim until time alone makes something claimable that this claim could have
/// taken. For example, a timer or a back-off ends, or a lock or a lease expires. Those that the
/// claim itself gave out count. None: only a commit can make something claimable.
///
/// A hint that lets a worker sleep instead of polling: it may be too short, never too long. It is
/// zero if more could have been claimed than was asked for, and positive otherwise, so that a
/// worker that follows it does not spin. It is a duration and not a time, because the worker's
/// clock need not agree with the store's. A StoreListener is told of a commit that later makes
/// something claimable sooner.
using ReadyIn = std::optional<Millis>;

/// A run claimed for a turn, with all that is needed to take it except history.
struct ClaimedInstance {
    RunRef run;
    InstanceName name;
    std::string definition;
    std::string version;
    std::string owner;  ///< The owner of runs that it starts, too.
    Status status = Status::pending;
    ExecutionNo execution = 1;
    EventNo position = 0;  ///< The number of events in its history.
    Payload input;         ///< The current execution's.
    std::optional<ParentLink> parent;
    std::optional<CancelRecord> cancel;
    std::optional<Timestamp> cancel_deadline;
    /// All plain messages, and the timers and delayed messages that are due, by (sent_at, id), as
    /// if each had been received the moment it came. Plain messages are in order of their numbers
    /// and are there whatever the clock says now. A flood of messages delays no timer: messages
    /// that came after a timer was due are behind it.
    std::vector<Message> messages;
    /// Claims since the last committed turn, or since it was released, this one included.
    std::uint32_t attempts = 0;
    std::uint32_t unregistered = 0;  ///< Times it was given back because its code was missing.
    /// The time of the first, since the last committed turn or since the run was released.
    std::optional<Timestamp> code_missing_since;
    std::uint32_t overruns = 0;  ///< Turns that ran past their limit since then.
    LeaseToken token;
    Timestamp claimed_at{};
    Timestamp locked_until{};
    Headers headers;
    /// Set if payloads of it could not be decoded and are as they are stored; no turn can be taken.
    /// `corrupt`: no process can decode them; else another one may. Only a store that codes sets
    /// it.
    std::optional<Error> unreadable{};
    std::optional<Digest> document{};    ///< The document by which it is interpreted.
    std::optional<RunRef> on_fail_of{};  ///< As NewInstance::on_fail_of.
};

/// Claims runs that are ready (a first turn, a message, a due timer, a cancel), not held, not
/// backed off and not locked; the longest ready first. The i-th gets the token `first_token` + i.
/// The lease is counted from the moment of the claim. Attempts are counted per run: a claim takes
/// all its ready messages, so they share their fate. After the clock was set back a run may be
/// claimable late, by at most that step.
struct ClaimInstances {
    /// The claimed runs, and the time for which there are no more.
    struct Answer {
        std::vector<ClaimedInstance> claimed;
        ReadyIn ready_in;
        std::uint64_t put_off = 0;  ///< Runs put off because their code was missing.
    };
    LeaseToken first_token;
    std::string worker;
    std::uint32_t max = 1;
    /// The maximum of messages for each run: the first ones, and all that were accepted before a
    /// cancel. The rest stay for the next turn.
    std::uint32_t max_messages = 1000;
    Millis lease{0};
    /// Only from these shards, in any order; empty: from all. A store that is spread over machines
    /// may refuse a claim that names none with `invalid_argument`.
    std::vector<Shard> shards;
    std::optional<RunRef> run;  ///< Only this run.

    /// Code that the claiming process has.
    struct Code {
        std::string definition;
        /// Empty: all versions. A run that has no version yet matches each. See compare_versions
        /// for versions that are equal.
        std::vector<std::string> versions{};
    };
    /// Claims only runs of this code. Not set: runs of any code. Other runs are left untouched, so
    /// that old and new processes can run side by side.
    ///
    /// A run that has been ready for `patience` and was not taken has no process with its code. It
    /// is marked (InstanceInfo::code_missing_since, `unregistered`) and put off for `backoff`,
    /// doubled each time up to `backoff_max`, as if it had been claimed and given back because its
    /// code is missing.
    ///
    /// A claim by a process with the code clears the mark, whether or not it takes the run: there
    /// is such a process, and `patience` counts from then on. (The mark stays if the run was
    /// claimed and given back: that process may have the code and not the keys.) Other processes
    /// with the code are told of runs that the claim leaves (StoreListener::instances_ready). A
    /// store may mark or clear a hundred runs in each claim; a claim of a single run affects no
    /// other run.
    ///
    /// A run that has a document needs an interpreter and nothing else: its definition does not
    /// matter here (see `interprets`).
    std::optional<std::vector<Code>> code{};
    /// The claiming process interprets documents: with `code`, it also claims runs that have one.
    bool interprets = false;
    Millis patience = Policy().code_patience;
    Millis backoff = Policy().unregistered_backoff;
    Millis backoff_max = Policy().unregistered_backoff_max;
};

/// An activity claimed by a worker, with everything needed to run it.
struct ClaimedActivity {
    ActivityRef activity;
    InstanceName instance;
    std::string definition;  ///< The orchestration that called it.
    std::string version;
    std::string name;
    std::string queue;
    Payload input;
    Headers headers;
    std::uint32_t attempt = 0;  ///< 1 for the first.
    std::uint32_t unregistered = 0;
    LeaseToken token;
    Timestamp claimed_at{};
    Timestamp leased_until{};
    std::optional<Timestamp> schedule_to_start;  ///< None once an attempt was interrupted.
    std::optional<Millis> start_to_close;
    std::optional<Millis> heartbeat_timeout;
    std::optional<Payload> progress;  ///< The last progress of an earlier attempt.
    std::string fairness_key;
    std::string session;
    std::optional<Error> unreadable{};  ///< As ClaimedInstance::unreadable, for its input.
};

/// Claims activities that are claimable and not leased (or whose lease expired), by priority, then
/// oldest first. Claim, begin and attempt + 1 are one write: ask only for as many as start now.
/// Activities past their NewActivity::schedule_to_start are not taken. Neither are those beyond the
/// limits of their queue (SetQueueLimits) or of a session of another holder. All of these are
/// skipped: they block no activity that could be taken.
struct ClaimActivities {
    /// The claimed activities, and the time for which there are no more.
    struct Answer {
        std::vector<ClaimedActivity> claimed;
        ReadyIn ready_in;          ///< May be that of a queue or a shard that was not asked for.
        std::uint64_t marked = 0;  ///< Activities marked because no worker seems to have their
                                   ///< names.
    };
    LeaseToken first_token;
    std::string worker;
    std::uint32_t max = 1;
    Millis lease{0};
    /// Queues to serve; the empty name is the default queue. No queue at all: nothing is returned.
    std::vector<std::string> queues{std::string()};
    bool any_queue = false;     ///< Serve them all.
    std::vector<Shard> shards;  ///< As ClaimInstances::shards.
    /// The number of sessions that the holder of the tokens may have, including those it has; and
    /// the time for which it keeps a session while nothing of it runs. See NewActivity::session.
    std::uint32_t sessions = kAnyNumberOfSessions;
    Millis session_idle = Policy().session_idle;

    /// Claims only activities of these names, in any order: those for which the claiming process
    /// has code. Not set: activities of any name. Others are skipped and left where they are.
    ///
    /// The first activity of a name seems to have no worker if nobody has taken it for `patience`,
    /// since it became claimable or was given back. It is marked (ActivityInfo::unregistered) then,
    /// again when it has waited twice as long, and so on, and keeps its place. It is not marked
    /// while it has another reason to wait: no room in its queue or for its key, or a session of
    /// another holder; nor if somebody had it and the lease has expired. In a long line, a store
    /// need not look for all of them, nor after the last one that it takes.
    std::optional<std::vector<std::string>> names{};
    Millis patience = Policy().code_patience;
};

}  // namespace belay
