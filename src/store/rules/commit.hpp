// A transition from its guards to its effects.
#pragma once

#include "store/rules/rows.hpp"

namespace belay::store {

/// Judges a transition, and applies it if it may be applied and was not before. A refused one has
/// written nothing.
[[nodiscard]] Answer commit(Rows& rows, const StoreOptions& options, const Transition& transition);

}  // namespace belay::store
