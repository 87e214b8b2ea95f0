// A transition from its guards to its effects.
#pragma once

#include "store/rules/rows.hpp"

#include <span>
#include <vector>

namespace belay::store {

/// Judges a transition. Applies it if it is allowed and was not applied before. A refused
/// transition has written nothing.
[[nodiscard]] Answer commit(Rows& rows, const StoreOptions& options, const Transition& transition);
/// Loads the rows of a batch in one go, then commits its transitions one after the other.
[[nodiscard]] std::vector<Answer> commit(Rows& rows,
                                         const StoreOptions& options,
                                         std::span<const Transition> batch);

}  // namespace belay::store
