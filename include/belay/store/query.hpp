// Claims and reads. Each request names the type of its answer.
#pragma once

#include <belay/error.hpp>
#include <belay/store/answer.hpp>
#include <belay/store/transition.hpp>
#include <belay/time.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace belay {

// ---- Claims ------------------------------------------------------------------------------------

/// How long from the moment of the claim until the passing of time alone makes something claimable
/// that this claim could have taken: a timer or a delay that ends, a back-off, a lock or a lease
/// that expires (those that the claim itself gave out included). None: only a commit can.
///
/// A hint, by which a worker sleeps instead of polling: it may be too short, never too long. It is
/// zero when more could have been claimed than was asked for, and positive otherwise, so that who
/// follows it does not spin. A duration and not a time, because the worker's clock need not agree
/// with the store's. Whoever later makes something claimable sooner is heard of through a
/// StoreListener.
using ReadyIn = std::optional<Millis>;

/// A run claimed for a turn, with all that is needed to take it except history.
struct ClaimedInstance {
    RunRef run;
    InstanceName name;
    std::string definition;
    std::string version;
    std::string owner;  ///< Whoever it starts belongs to them, too.
    Status status = Status::pending;
    ExecutionNo execution = 1;
    EventNo position = 0;  ///< Where its history stands.
    Payload input;         ///< Of the current execution.
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
    std::uint32_t unregistered = 0;  ///< How often it was given back for want of the code.
    /// When that was first, since the last committed turn or since it was released.
    std::optional<Timestamp> code_missing_since;
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
    /// What was claimed, and for how long there is nothing more.
    struct Answer {
        std::vector<ClaimedInstance> claimed;
        ReadyIn ready_in;
        std::uint64_t put_off = 0;  ///< How many were, for want of their code.
    };
    LeaseToken first_token;
    std::string worker;
    std::uint32_t max = 1;
    /// Of each run: the first ones, and all that were accepted before a cancel; the rest stay for
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
    /// code. Whoever claims and has the code takes that away again, whether or not it takes the
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
    std::string definition;  ///< Of its orchestration.
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
    std::optional<Timestamp> schedule_to_start;
    std::optional<Millis> start_to_close;
    std::optional<Millis> heartbeat_timeout;
    std::optional<Payload> progress;  ///< What an earlier attempt said last.
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
    /// What was claimed, and for how long there is nothing more.
    struct Answer {
        std::vector<ClaimedActivity> claimed;
        ReadyIn ready_in;          ///< May be that of a queue or a shard that was not asked for.
        std::uint64_t marked = 0;  ///< How many were, because nobody seems to have their names.
    };
    LeaseToken first_token;
    std::string worker;
    std::uint32_t max = 1;
    Millis lease{0};
    /// Queues to serve; the empty name is the default queue. No queue at all: nothing is returned.
    std::vector<std::string> queues{std::string()};
    bool any_queue = false;     ///< Serve them all.
    std::vector<Shard> shards;  ///< As those of ClaimInstances.
    /// How many sessions the holder of the tokens may have, those it has included; and how long it
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
    /// store need not look for all of them.
    std::optional<std::vector<std::string>> names{};
    Millis patience = Policy().code_patience;
};

// ---- Reads -------------------------------------------------------------------------------------

/// Everything known of an instance, payloads and history excepted where said.
struct InstanceInfo {
    RunRef run;
    InstanceName name;
    std::string definition;
    std::string version;
    Status status = Status::pending;
    ExecutionNo execution = 1;
    EventNo position = 0;
    Payload input;
    std::optional<Outcome> outcome;  ///< Once ended.
    std::optional<CancelRecord> cancel;
    std::optional<Timestamp> cancel_deadline;
    std::optional<ParentLink> parent;
    std::string owner;
    std::string started_by;
    Headers headers;
    Labels labels;
    Timestamp created_at{};
    std::optional<Timestamp> started_at;  ///< First turn.
    std::optional<Timestamp> ended_at;
    std::uint64_t event_count = 0;  ///< Over all executions that were not pruned.
    std::uint64_t history_bytes = 0;
    std::optional<Payload> custom_status;
    std::uint64_t custom_status_version = 0;
    bool held = false;
    std::string held_detail;
    std::uint32_t attempts = 0;
    std::uint32_t unregistered = 0;
    /// Nobody who has claimed since then had its code.
    std::optional<Timestamp> code_missing_since;
    bool locked = false;  ///< Under a live lock.
    std::uint64_t ready_messages = 0;
    bool settled = false;  ///< Ended, and no handler of it or of its children is still running.
};

/// One instance; none if it is not there.
struct ReadInstance {
    using Answer = std::optional<InstanceInfo>;
    InstanceName name;
    std::optional<RunRef> run;  ///< By run key instead of by name.
};

/// A row of history, and the number of the first event in it.
struct RecordedRow {
    EventNo first_event = 0;
    HistoryRow row;
};

/// The rows of one execution that hold events after `after`, in order, up to about `max_events`.
struct ReadHistory {
    using Answer = std::vector<RecordedRow>;
    RunRef run;
    ExecutionNo execution = 1;
    EventNo after = 0;
    std::uint32_t max_events = 10'000;
};

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

/// What is known of an instance when it is chosen for deletion or pruning.
struct InstanceMark {
    InstanceBrief instance;
    std::string definition;
    std::string owner;
    bool root = true;  ///< It has no parent.
    std::optional<Timestamp> ended_at;
    /// It has ended, and so has all below it. (False: perhaps, but some handler still runs.)
    bool settled = false;
    std::uint64_t old_executions = 0;          ///< Those before the current one.
    std::optional<Timestamp> oldest_ended_at;  ///< When the first of those ended that are there.
    /// About how many runs, executions and events go with it, those below it included: a hint, by
    /// which commits are kept small.
    std::uint64_t size = 1;
    /// Of earlier runs that lost its name to a replacement, and go with it: all have settled.
    bool formers_settled = true;
};

/// Instances to choose from, at most `max`. Only those that have a name, not earlier runs that lost
/// theirs to a replacement; except Formers.
struct SelectInstances {
    using Answer = std::vector<InstanceMark>;
    /// The last one of the page before: when it ended, and its run.
    using After = std::optional<std::pair<Timestamp, RunKey>>;
    /// These, in this order, as far as they are there; one that is named twice is there twice.
    struct Named {
        std::vector<std::string> ids;
    };
    /// Roots that have ended, the longest ended first, of those the oldest run. What is set must
    /// all be true of them.
    struct Ended {
        std::optional<Timestamp> before;
        After after;
        std::optional<std::string> definition;
        std::optional<std::vector<Status>> statuses;  ///< One of these; an empty list: none.
    };
    /// Roots of one definition that ended in one way and are past a bound: those that ended before
    /// `before`, and those that are not among the last `not_last` of this definition and way to
    /// end. In the order of Ended. With neither there are none. What ended after `by` is left out:
    /// it does not go, and is none of the last.
    struct Past {
        std::string definition;
        Status outcome = Status::completed;
        std::optional<Timestamp> before;
        std::optional<std::uint32_t> not_last;
        After after;
        std::optional<Timestamp> by{};
    };
    /// Those that have executions before the current one, running or not, the oldest run first.
    struct Chains {
        std::optional<RunKey> after;  ///< The last one of the page before.
    };
    /// Roots that have ended and lost their name to a replacement, the oldest run first.
    struct Formers {
        std::optional<RunKey> after;  ///< The last one of the page before.
    };
    std::string space;
    std::variant<Named, Ended, Past, Chains, Formers> which;
    std::uint32_t max = 1000;
};

/// Which definitions have ended how: of the roots of a namespace that have their name. By
/// definition, then status, each pair once, at most `max`.
struct ListOutcomes {
    /// A definition, and a way in which it has ended.
    struct One {
        std::string definition;
        Status outcome = Status::completed;
        auto operator<=>(const One&) const = default;
    };
    using Answer = std::vector<One>;
    std::string space;
    std::optional<One> after;  ///< The last one of the page before.
    std::uint32_t max = 1000;
};

/// The retention that was set, of one namespace or, in their order, of all.
struct ReadRetention {
    using Answer = std::vector<StoredRetention>;
    std::optional<std::string> space;
    std::optional<std::string> after;  ///< Of all: the last one of the page before.
    std::uint32_t max = 1000;
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
    Timestamp visible_at{};    ///< The end of time: past its schedule_to_start, see NewActivity.
    Timestamp leased_until{};  ///< Without a lease: when it was last given back, if it was.
    std::optional<Payload> progress;  ///< What its handler said last, in this attempt or before.
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

/// Handlers that are still stopping: of one run, or all of them.
struct ListStopping {
    using Answer = std::vector<StoppingInfo>;
    std::optional<RunRef> run;
};

/// Runs that wait for a person.
struct ListHeld {
    using Answer = std::vector<InstanceBrief>;
    std::uint32_t max = 1000;
};

/// Which of these tokens still hold an activity: how a worker confirms a notification.
struct CheckLeases {
    using Answer = std::vector<LeaseToken>;
    std::vector<std::pair<ActivityRef, LeaseToken>> leases;
};

}  // namespace belay
