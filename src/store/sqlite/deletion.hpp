// How trees of runs, and old executions, are removed.
#pragma once

#include "store/sqlite/change.hpp"

namespace belay::sqlite {

/// Everything that goes when `root` is deleted, each once, parents before children: the tree, and
/// the trees of earlier runs that lost the same name to a replacement.
[[nodiscard]] std::vector<RunKey> tree_of(Tables& tables, const Run& root);

void apply(Change& change, const Delete& part);
void apply(Change& change, const DeleteInstances& part);
/// pruning.cpp.
void apply(Change& change, const Prune& part);

}  // namespace belay::sqlite
