// The outcome of a run as a store keeps it: for all stores.
#pragma once

#include <belay/status.hpp>

namespace belay::store {

/// Keeps the members that the status gives a meaning. The others get their initial values.
[[nodiscard]] Outcome meaning_of(Outcome outcome);

}  // namespace belay::store
