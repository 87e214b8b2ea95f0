// The output of attempts, and its bounds.
#pragma once

#include "store/rules/change.hpp"

namespace belay::store {

/// The attempt that writes.
[[nodiscard]] AttemptKey attempt_key(const AppendOutput& part);

void apply(Change& change, const AppendOutput& part);
/// Removes the output of an execution.
void delete_output(Rows& rows, const Run& run, ExecutionNo execution);

}  // namespace belay::store
