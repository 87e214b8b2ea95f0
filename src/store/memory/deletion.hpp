// How trees of runs, and old executions, are removed.
#pragma once

#include "store/memory/change.hpp"

namespace belay::memory {

/// Everything that goes when `root` is deleted, each once, parents before children: the tree, and
/// the trees of earlier runs that lost the same name to a replacement.
[[nodiscard]] std::vector<RunRef> tree_of(const Tables& tables, const Run& root);

void apply(Change& change, const Delete& part);
void apply(Change& change, const DeleteInstances& part);
/// pruning.cpp.
void apply(Change& change, const Prune& part);

}  // namespace belay::memory
