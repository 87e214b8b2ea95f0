// Checks of the names of a run, as every store must make them.
#pragma once

#include <belay/error.hpp>
#include <belay/store/transition.hpp>

#include <string>

namespace belay {

/// Checks the names of a Start and of a Turn's children, as the contract requires. The limit is the
/// engine's and not a client's: what one store accepts, all of them accept. Also refuses labels
/// that are infinite or not a number: not every store can keep them, and none could find them.
[[nodiscard]] Result<void> check_names(const NewInstance& instance);
/// Checks a version by itself. It may be empty: the run then takes the version that is registered
/// at its first turn.
[[nodiscard]] Result<void> check_version(const std::string& version);

}  // namespace belay
