// How trees of runs are removed.
#pragma once

#include "store/sqlite/change.hpp"

namespace belay::sqlite {

/// Everything that goes when `root` is deleted, each once, parents before children: the tree, and
/// the trees of earlier runs that lost the same name to a replacement.
[[nodiscard]] std::vector<RunKey> tree_of(Tables& tables, const Run& root);

void apply(Change& change, const Delete& part);

}  // namespace belay::sqlite
