// How runs end, are canceled, and tell their relatives.
#pragma once

#include "store/memory/change.hpp"

namespace belay::memory {

/// Puts a message into the queue of a run that has not ended.
void deliver(Change& change, Run& run, NewMessage message);
/// As the part Deliver: to a run that may be gone or have ended.
void deliver(Change& change, RunRef run, NewMessage message);

/// Deletes an activity's row; a leased one leaves a stopping record, and its holder is told.
void cancel_activity(Change& change, const ActivityRef& activity);
enum class Shielded : std::uint8_t { keep, cancel };
void cancel_activities(Change& change, const Run& run, Shielded shielded);

/// Writes the one terminal state of a run, empties its queues, tells the parent and asks the
/// children to end.
void end_run(Change& change, Run& run, Outcome outcome, std::optional<NewMessage> parent_notice);
/// The same with the usual notice to the parent, for runs that end without code.
void end_run(Change& change, Run& run, Outcome outcome);

/// Records a cancel; `record` says from whom and why, the rest is filled in. Of a canceling or
/// ended run nothing changes, and false is returned.
bool cancel_run(Change& change, Run& run, CancelRecord record, Millis deadline);

/// Asks all children that have not ended to end, because of what `why` says of their parent.
void cancel_children(Change& change, const Run& parent, const std::string& why);
/// The same for those of one command of the current execution.
void cancel_children(Change& change, const Run& parent, CommandNo command, const std::string& why);
/// Carries out the cancels that were collected, and those that follow from them.
void finish_cascade(Change& change);

}  // namespace belay::memory
