// What a store keeps of how a run ended: for all stores.
#pragma once

#include <belay/status.hpp>

namespace belay::store {

/// The members that mean something by the status; the others are as in a new one.
[[nodiscard]] Outcome meaning_of(Outcome outcome);

}  // namespace belay::store
