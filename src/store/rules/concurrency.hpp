// Runs of a concurrency key: one at a time is under way, others wait in line.
//
//   under way, place 0   from its start, or from when the line has come to it
//   in line, place n     pending, and not claimable; released when nobody of the key is under way
//                        and nobody stands before it
//   gone                 at rest (see is_at_rest), or deleted
#pragma once

#include "store/rules/change.hpp"

namespace belay::store {

/// Cancels the runs of the key if the start replaces them.
void make_room(Change& change, const Start& part);
/// Enters a new run: under way, or at the end of the line.
void enter_concurrency(Change& change, Run& run, const Concurrency& concurrency);
/// Called when a run of a key is at rest, or is about to be deleted. Releases the first in line if
/// it may go on now.
void leave_concurrency(Change& change, Run& run);

}  // namespace belay::store
