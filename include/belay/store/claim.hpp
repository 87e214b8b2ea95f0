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

/// The time from the moment of the claim until the passing of time alone makes something claimable
/// that this claim could have taken: a timer or a delay that ends, a back-off, a lock or a lease
/// that expires (those that the claim itself gave out included). None: only a commit can.
///
/// A hint, by which a worker sleeps instead of polling: it may be too short, never too long. It is
/// zero when more could have been claimed than was asked for, and positive otherwise, so that who
/// follows it does not spin. A duration and not a time, because the worker's clock need not agree
/// with the store's. A commit that later makes something claimable sooner is heard of
/// through a StoreListener.
using ReadyIn = std::optional<Millis>;

/// A run claimed for a turn, with all that is needed to take it except history.
struct ClaimedInstance {
    RunRef run;
    InstanceName name;
    std::string definition;
    std::string version;
    std::string owner;  ///< Runs that it starts belong to them, too.
    Status status = Status::pending;
    ExecutionNo execution = 1;
    EventNo position = 0;  ///< Where its history stands.
    Payload input;         ///< The current execution's.
    std::optional<ParentLink> parent;
    std::optional<CancelRecord> cancel;
    std::optional<Timestamp> cancel_deadline;
    /// All plain messages, and the timers and delayed messages that are due, by (sent_at, id): as
    /// if each had been received the moment it came. Plain messages are in order of their numbers
    /// and are there whatever the clock says now. Also a flood of messages delays no timer: those
    /// that came after it was due are behind it.
    std::vector<Message> messages;
    /// Claims since the last committed turn, or since it was released, this one included.
    std::uint32_t attempts = 0;
    std::uint32_t unregistered = 0;  ///< Times it was given back for want of the code.
    /// When that was first, since the last committed turn or since it was released.
    std::optional<Timestamp> code_missing_since;
    std::uint32_t overruns = 0;  ///< Turns that ran past their limit since then.
    LeaseToken token;
    Timestamp claimed_at{};
    Timestamp locked_until{};
    Headers headers;
    /// Set: payloads of it could not be decoded and are as they are stored; no turn can be taken.
    /// `corrupt`: nowhere; otherwise perhaps in another process. Only a store that codes sets it.
    std::optional<Error> unreadable{};
};

/// Takes runs that are ready (a first turn, a message, a due timer, a cancel), not held, not backed
/// off and not locked; the longest ready first. The i-th gets the token `first_token` + i. The
/// lease is counted from the moment of the claim. Attempts are counted on the run: a claim takes
/// all its ready messages, so they share their fate. After the clock was set back a run may be
/// claimable late, by at most that step.
struct ClaimInstances {
    /// All that was claimed, and for how long there is nothing more.
    struct Answer {
        std::vector<ClaimedInstance> claimed;
        ReadyIn ready_in;
        std::uint64_t put_off = 0;  ///< So many were, for want of their code.
    };
    LeaseToken first_token;
    std::string worker;
    std::uint32_t max = 1;
    /// For each run: the first ones, and all that were accepted before a cancel; the rest stay for
    /// the next turn.
    std::uint32_t max_messages = 1000;
    Millis lease{0};
    /// Only from these, in whatever order; empty: from all. A store that is spread over machines
    /// may refuse a claim that names none with `invalid_argument`.
    std::vector<Shard> shards;
    std::optional<RunRef> run;  ///< Only this run.

    /// The code that whoever claims has.
    struct Code {
        std::string definition;
        /// None: all of them. A run that has no version yet is of each. See compare_versions for
        /// which are the same.
        std::vector<std::string> versions{};
    };
    /// Only runs of this code; not set: whatever they are of. Others are left to who has theirs,
    /// untouched, so that old and new processes can run side by side. But one that has been ready
    /// for `patience` and was not taken has no such process: it is marked
    /// (InstanceInfo::code_missing_since, `unregistered`) and put off for `backoff`, doubled with
    /// each time up to `backoff_max`, as if it had been claimed and given back for want of the
    /// code. A claim by one who has the code takes that away again, whether or not it takes the
    /// run: there is such a process after all, and `patience` counts from then on. (Not of a run
    /// that was claimed and given back: who did that may have the code and not the keys.) Others
    /// with the code are told of what it does not take (StoreListener::instances_ready). A store
    /// may do either to a hundred runs in each claim; one for a single run does it to no other.
    std::optional<std::vector<Code>> code{};
    Millis patience = Policy().code_patience;
    Millis backoff = Policy().unregistered_backoff;
    Millis backoff_max = Policy().unregistered_backoff_max;
};

/// An activity claimed by a worker, with all that is needed to run it.
struct ClaimedActivity {
    ActivityRef activity;
    InstanceName instance;
    std::string definition;  ///< Its orchestration's.
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
    std::optional<Payload> progress;  ///< Said last by an earlier attempt.
    std::string fairness_key;
    std::string session;
    std::optional<Error> unreadable{};  ///< As ClaimedInstance's, of its input.
};

/// Takes activities that are claimable and not leased (or whose lease expired), by priority, then
/// oldest first. Claim, begin and attempt + 1 are one write: ask only for what is started now. What
/// is past its NewActivity::schedule_to_start is not taken; nor is what is beyond the limits of its
/// queue (SetQueueLimits) or belongs to a session of another holder. Both are passed over: they
/// keep nobody waiting who could be taken.
struct ClaimActivities {
    /// All that was claimed, and for how long there is nothing more.
    struct Answer {
        std::vector<ClaimedActivity> claimed;
        ReadyIn ready_in;          ///< May be that of a queue or a shard that was not asked for.
        std::uint64_t marked = 0;  ///< So many were, because nobody seems to have their names.
    };
    LeaseToken first_token;
    std::string worker;
    std::uint32_t max = 1;
    Millis lease{0};
    /// Queues to serve; the empty name is the default queue. No queue at all: nothing is returned.
    std::vector<std::string> queues{std::string()};
    bool any_queue = false;     ///< Serve them all.
    std::vector<Shard> shards;  ///< As those of ClaimInstances.
    /// The holder of the tokens may have so many sessions, those it has included; and so long it
    /// keeps one when nothing of it runs. See NewActivity::session.
    std::uint32_t sessions = kAnyNumberOfSessions;
    Millis session_idle = Policy().session_idle;

    /// Only activities of these names, in whatever order: those that whoever claims has code for;
    /// not set: whatever their names are. Others are passed over and left where they are, to who
    /// has theirs. But the first of a name that nobody has taken for `patience`, since it became
    /// claimable or was given back, seems to have nobody: it is marked (ActivityInfo::unregistered)
    /// then, and when it has waited twice as long, and so on, and keeps its place. Not so what has,
    /// at that time, another reason to wait: no room in its queue or of its key, or a session of
    /// another holder; nor what somebody had whose lease has expired. Where much is in line, a
    /// store need not look for all of them, nor behind the last one that it takes.
    std::optional<std::vector<std::string>> names{};
    Millis patience = Policy().code_patience;
};

}  // namespace belay
