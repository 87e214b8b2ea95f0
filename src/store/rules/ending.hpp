// The end of runs: ending, canceling, and telling relatives.
#pragma once

#include "store/rules/change.hpp"

namespace belay::store {

/// Like the part Deliver: the run may be gone or have ended.
void deliver(Change& change, RunRef run, const NewMessage& message);

/// Deletes an activity's row. A leased one leaves a stopping record, and its holder is told.
void cancel_activity(Change& change, Run& run, const ActivityRef& activity);
enum class Shielded : std::uint8_t { keep, cancel };
void cancel_activities(Change& change, Run& run, Shielded shielded);

/// Keeps the members that the status gives a meaning. The others get their initial values.
[[nodiscard]] Outcome meaning_of(Outcome outcome);
/// Writes the one terminal state of a run, empties its queues, tells the parent and asks the
/// children to end.
void end_run(Change& change,
             Run& run,
             Outcome outcome,
             const std::optional<NewMessage>& parent_notice);
/// The same with the usual notice to the parent, for runs that end without code.
void end_run(Change& change, Run& run, Outcome outcome);

/// Records a cancel. `record` has its sender and reason; the rest is filled in. Returns false and
/// changes nothing if the run is canceling or has ended.
bool cancel_run(Change& change, Run& run, CancelRecord record, Millis deadline);

/// Asks children to end. `why` is the reason, about the parent.
void cancel_children(Change& change,
                     const Run& parent,
                     const std::vector<RunKey>& children,
                     const std::string& why);
/// Carries out the collected cancels, and those that follow from them.
void finish_cascade(Change& change);

}  // namespace belay::store
