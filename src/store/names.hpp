// The names of a run to be created, as every store must check them.
#pragma once

#include <belay/error.hpp>
#include <belay/store/transition.hpp>

namespace belay {

/// The guard that the contract has for the names of a Start and of a Turn's children. The limit is
/// the engine's and not a client's: what one store takes, all of them take.
[[nodiscard]] Result<void> check_names(const NewInstance& instance);

}  // namespace belay
