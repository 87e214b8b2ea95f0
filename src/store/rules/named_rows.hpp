// The rows that a batch names: what a store can load before it applies anything.
#pragma once

#include "store/rules/records.hpp"

#include <span>
#include <string>
#include <vector>

namespace belay::store {

/// By what they are found. Sorted, each once. Some of the rows may not be there.
///
/// These are the rows that the transitions themselves name. The rules may go on from them: from a
/// run to its parent and its children, to those that wait for it, to all that is in its inbox and
/// its queues, and to who had its name before. A store that loads ahead loads such rows along, or
/// when they are asked for.
struct NamedRows {
    std::vector<RunRef> runs;             ///< Their rows, or what is left of deleted ones.
    std::vector<InstanceName> names;      ///< Who has them, and who had them.
    std::vector<ActivityRef> activities;  ///< Also of new ones, which must not be there.
    std::vector<StoppingKey> stopping;    ///< Handlers that may have been told to stop.
    std::vector<std::pair<RunRef, MessageNo>> messages;                        ///< Those consumed.
    std::vector<std::pair<RunRef, std::pair<ExecutionNo, CommandNo>>> timers;  ///< By command.
    std::vector<KeyId> keys;
    std::vector<RequestKey> requests;
    std::vector<std::uint64_t> letters;
    std::vector<std::string> queues;      ///< Their limits, and what is in line there.
    std::vector<std::uint64_t> holders;   ///< Whose sessions are counted or let go of.
    std::vector<LeaseToken> tokens;       ///< What they use of queues and sessions.
    std::vector<std::string> retentions;  ///< By namespace.
};

[[nodiscard]] NamedRows rows_named_by(std::span<const Transition> batch);

}  // namespace belay::store
