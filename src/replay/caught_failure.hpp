// Failures of the code of an execution.
#pragma once

#include <belay/status.hpp>

#include <string>

namespace belay::replay {

/// The failure that the exception being handled stands for. It names `definition` as its place if
/// the exception names none.
[[nodiscard]] Failure caught_failure(const std::string& definition);

}  // namespace belay::replay
