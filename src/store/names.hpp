// The names of a run, as every store must check them.
#pragma once

#include <belay/error.hpp>
#include <belay/store/transition.hpp>

#include <string>

namespace belay {

/// The guard that the contract has for the names of a Start and of a Turn's children. The limit is
/// the engine's and not a client's: what one store takes, all of them take.
/// Labels that are no numbers, or infinite, are refused with them: not every store can keep them,
/// and none could find them.
[[nodiscard]] Result<void> check_names(const NewInstance& instance);
/// The same for a version by itself. It may be empty: the run then takes the version that is
/// registered at its first turn.
[[nodiscard]] Result<void> check_version(const std::string& version);

}  // namespace belay
