// The rows that a batch names. A store can load them before it applies anything.
#pragma once

#include "store/rules/records.hpp"

#include <span>
#include <string>
#include <vector>

namespace belay::store {

/// The keys of the rows. Sorted, each once. Some of the rows may not be there.
///
/// These are the rows that the transitions themselves name. The rules may go on from them:
/// - from a run to its parent and its children, to runs that wait for it, and to earlier holders of
///   its name;
/// - from a run that ends or is deleted to its inbox, its activities with their timers, its
///   idempotency key, and the runs of its concurrency key;
/// - from a run that fails to the run that it has named for that, or the next keys above, and to
///   the names that this run may have;
/// - from a run that is deleted to its document, and from there to its other runs;
/// - from an activity to its run, its queue and its session;
/// - from the output of an attempt to its chunks, and to all other output of its run;
/// - from a key, a request or a dead letter to its run;
/// - from a holder, and from the time of a sweep, to all rows that a list yields.
///
/// A store that loads ahead loads such rows too, or loads them when they are asked for.
struct NamedRows {
    std::vector<RunRef> runs;             ///< Their rows, or what is left of deleted ones.
    std::vector<InstanceName> names;      ///< Their current and former holders.
    std::vector<ActivityRef> activities;  ///< Also new ones, which must not be there.
    std::vector<StoppingKey> stopping;    ///< Handlers that may have been told to stop.
    std::vector<std::pair<RunRef, MessageNo>> messages;  ///< Messages that are consumed.
    std::vector<std::pair<RunRef, std::pair<ExecutionNo, CommandNo>>> timers;  ///< By command. Also
                                                                               ///< of activities.
    std::vector<KeyId> keys;
    std::vector<RequestKey> requests;
    std::vector<std::uint64_t> letters;
    std::vector<std::string> queues;         ///< Their limits, and their activities in line.
    std::vector<std::uint64_t> holders;      ///< Holders whose sessions are counted or released.
    std::vector<LeaseToken> tokens;          ///< Their uses of queues and sessions.
    std::vector<std::string> retentions;     ///< By namespace.
    std::vector<ConcurrencyId> concurrency;  ///< Runs under way and in line under these keys.
    std::vector<RateId> rates;               ///< Their places.
    /// Documents of new runs. A text of one that is not kept gets the next number of its name.
    std::vector<DocumentKey> documents;
    std::vector<std::pair<RunRef, AttemptKey>> attempts;  ///< Their output, and that of their runs.
};

[[nodiscard]] NamedRows rows_named_by(std::span<const Transition> batch);

}  // namespace belay::store
