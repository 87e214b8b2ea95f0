// Failures of the code of an execution.
#pragma once

#include <belay/status.hpp>

#include <string>

namespace belay::replay {

/// Returns the failure for the exception being handled. It names `definition` as its place if the
/// exception names none.
[[nodiscard]] Failure caught_failure(const std::string& definition);

}  // namespace belay::replay
