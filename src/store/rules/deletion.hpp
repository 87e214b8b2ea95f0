// Removal of trees of runs and of old executions.
#pragma once

#include "store/rules/change.hpp"

namespace belay::store {

/// Runs without a parent that had the name of `run` before it.
[[nodiscard]] std::vector<RunKey> former_roots_of(Rows& rows, const Run& run);
/// Returns everything that is deleted with `root`, each run once, parents before children: the
/// tree, and the trees of earlier runs that lost the same name to a replacement.
[[nodiscard]] std::vector<RunKey> tree_of(Rows& rows, const Run& root);

void apply(Change& change, const Delete& part);
void apply(Change& change, const DeleteInstances& part);
/// pruning.cpp.
void apply(Change& change, const Prune& part);

}  // namespace belay::store
