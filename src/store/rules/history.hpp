// The records of a run, and what it shows of itself.
#pragma once

#include "store/rules/rows.hpp"

namespace belay::store {

/// Appends to the records of its current execution. Leaves `touch` to the caller.
void append_history(Rows& rows, Run& run, const HistoryRow& history);
void set_custom_status(Rows& rows, Run& run, const Payload& status);
void delete_execution(Rows& rows, Run& run, const OldExecution& old);

}  // namespace belay::store
