// Reads that the engine makes while runs go on. Each request names the type of its answer.
#pragma once

#include <belay/error.hpp>
#include <belay/store/answer.hpp>
#include <belay/store/instance_info.hpp>
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

/// One instance; none if it is not there.
struct ReadInstance {
    using Answer = std::optional<InstanceInfo>;
    InstanceName name;
    std::optional<RunRef> run;  ///< By run key instead of by name.
};

/// Several instances, all as of one moment, in the order of the request. For clients that wait for
/// many runs at a time.
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

/// Everything known of an instance when it is chosen for a change of many.
struct InstanceMark {
    InstanceBrief instance;
    std::string definition;
    std::string owner;
    bool root = true;  ///< It has no parent.
    std::optional<Timestamp> ended_at;
    /// It has ended, and so has all below it. (False: perhaps, but some handler still runs.)
    bool settled = false;
    std::uint64_t old_executions = 0;          ///< Those before the current one.
    std::optional<Timestamp> oldest_ended_at;  ///< When the first of those that are left ended.
    /// About how many runs, executions and events go with it, including those below it: a hint for
    /// keeping commits small.
    std::uint64_t size = 1;
    /// Earlier runs that lost its name to a replacement, and go with it, have all settled.
    bool formers_settled = true;
};

/// Instances to choose from: at most `max` that match.
struct SelectInstances : InstanceMatch {
    using Answer = std::vector<InstanceMark>;
    /// The last one of the page before: when it ended, and its run.
    using After = std::optional<std::pair<Timestamp, RunKey>>;
    /// Those that match, ended or not, the oldest run first.
    struct Any {
        std::optional<RunKey> after;  ///< The last one of the page before.
    };
    /// Roots that have ended and match, the longest ended first; among equals the oldest run first.
    struct Ended {
        After after;
    };
    /// Roots of one definition and outcome that are past a bound: those that ended before `before`,
    /// and those that are not among the last `not_last` of this definition and outcome. Ordered as
    /// Ended. Without either bound there are none. Runs that ended after `by` are ignored: they are
    /// not selected and do not count among the last. Only the namespace of the match applies.
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
    /// Roots that have ended and lost their name to a replacement, the oldest run first. Only the
    /// namespace of the match applies.
    struct Formers {
        std::optional<RunKey> after;  ///< The last one of the page before.
    };
    std::variant<Any, Ended, Past, Chains, Formers> which;
    std::uint32_t max = 1000;
};

/// The pairs of definition and outcome among the roots of a namespace that have their name. Ordered
/// by definition, then status; each pair once, at most `max`.
struct ListOutcomes {
    /// A definition, and an outcome of it.
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

/// The retention that was set: of one namespace, or of all in their order.
struct ReadRetention {
    using Answer = std::vector<StoredRetention>;
    std::optional<std::string> space;
    std::optional<std::string> after;  ///< If all are read: the last one of the page before.
    std::uint32_t max = 1000;
};

/// The holders of leases that are certainly dead, with all handlers and programs that they ran:
/// their process is gone, on this machine. Their work can be taken back (ReleaseHolder). A holder
/// that the store is not certain of is left out, for example because it runs on another machine:
/// its leases expire. A store that can never tell always answers nothing.
struct ReadDeadHolders {
    /// The dead holders, and the number of others that may die.
    struct Answer {
        std::vector<std::uint64_t> dead;
        /// The number of holders that are alive and not of this store object. Ask again soon as
        /// long as there are any.
        std::uint32_t others = 0;
    };
};

/// A kept document, without its text. Its name is the definition of the first run that had it. Of
/// the documents of one name, a newer one has a greater number.
struct DocumentHead {
    Digest digest{};
    std::string name;
    std::uint64_t number = 0;
    Timestamp created_at{};
    bool operator==(const DocumentHead&) const = default;
};

/// A document of a namespace; none if it is not kept.
struct ReadDocument {
    /// The document.
    struct Kept {
        DocumentHead head;
        Payload text;
    };
    using Answer = std::optional<Kept>;
    std::string space;
    Digest digest{};
};

/// The tokens among these that still hold an activity: a worker confirms a notification with it.
struct CheckLeases {
    using Answer = std::vector<LeaseToken>;
    std::vector<std::pair<ActivityRef, LeaseToken>> leases;
};

}  // namespace belay
