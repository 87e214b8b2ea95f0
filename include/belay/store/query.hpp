// Reads that the engine makes while runs go on. Each request names the type of its answer.
#pragma once

#include <belay/error.hpp>
#include <belay/store/answer.hpp>
#include <belay/store/match.hpp>
#include <belay/store/transition.hpp>
#include <belay/time.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace belay {

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
    std::optional<FailureKind> held_kind;  ///< While it is held: as the Hold says.
    std::uint32_t attempts = 0;
    std::uint32_t unregistered = 0;
    /// Nobody who has claimed since then had its code.
    std::optional<Timestamp> code_missing_since;
    std::uint32_t overruns = 0;  ///< As ClaimedInstance's.
    bool locked = false;         ///< Under a live lock.
    std::uint64_t ready_messages = 0;
    bool settled = false;  ///< Ended, and no handler of it or of its children is still running.
};

/// One instance; none if it is not there.
struct ReadInstance {
    using Answer = std::optional<InstanceInfo>;
    InstanceName name;
    std::optional<RunRef> run;  ///< By run key instead of by name.
};

/// Several instances, all as of one moment, in the order in which they are asked for. For clients
/// that wait for many runs at a time.
struct ReadInstances {
    using Answer = std::vector<ReadInstance::Answer>;
    std::vector<ReadInstance> instances;
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

/// All that is known of an instance when it is chosen for a change of many.
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

/// Instances to choose from: those that match, at most `max`.
struct SelectInstances : InstanceMatch {
    using Answer = std::vector<InstanceMark>;
    /// The last one of the page before: when it ended, and its run.
    using After = std::optional<std::pair<Timestamp, RunKey>>;
    /// Those that match, whether they have ended or not, the oldest run first.
    struct Any {
        std::optional<RunKey> after;  ///< The last one of the page before.
    };
    /// Roots that have ended and match, the longest ended first, of those the oldest run.
    struct Ended {
        After after;
    };
    /// Roots of one definition that ended in one way and are past a bound: those that ended before
    /// `before`, and those that are not among the last `not_last` of this definition and way to
    /// end. In the order of Ended. With neither there are none. What ended after `by` is left out:
    /// it does not go, and is none of the last. Only the namespace counts of what they must match.
    struct Past {
        std::string definition;
        Status outcome = Status::completed;
        std::optional<Timestamp> before;
        std::optional<std::uint32_t> not_last;
        After after;
        std::optional<Timestamp> by{};
    };
    /// Those that match and have executions before the current one, running or not, the oldest run
    /// first.
    struct Chains {
        std::optional<RunKey> after;  ///< The last one of the page before.
    };
    /// Roots that have ended and lost their name to a replacement, the oldest run first. Only
    /// the namespace counts of what they must match.
    struct Formers {
        std::optional<RunKey> after;  ///< The last one of the page before.
    };
    std::variant<Any, Ended, Past, Chains, Formers> which;
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

/// Which holders of leases are dead for certain, with all handlers and programs that they ran:
/// their process is gone, on this machine. What they hold can be taken back (ReleaseHolder). One
/// that the store knows nothing certain of is not among them, for example because it runs on
/// another machine: its leases expire. So a store that cannot tell answers nothing, for ever.
struct ReadDeadHolders {
    /// The dead ones, and how many others may die.
    struct Answer {
        std::vector<std::uint64_t> dead;
        /// Alive, and not of this store object. As long as there are any, whoever wants to know
        /// asks again soon.
        std::uint32_t others = 0;
    };
};

/// Which of these tokens still hold an activity: how a worker confirms a notification.
struct CheckLeases {
    using Answer = std::vector<LeaseToken>;
    std::vector<std::pair<ActivityRef, LeaseToken>> leases;
};

}  // namespace belay
