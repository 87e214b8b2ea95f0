// A transition from its guards to its effects.
#pragma once

#include "store/rules/rows.hpp"

namespace belay::store {

/// Judges a transition. Applies it if it is allowed and was not applied before. A refused
/// transition has written nothing.
[[nodiscard]] Answer commit(Rows& rows, const StoreOptions& options, const Transition& transition);

}  // namespace belay::store
