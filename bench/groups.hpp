// The groups of figures, by name.
#pragma once

#include "report.hpp"

#include <string_view>

namespace belay::bench {

using Group = void (*)(Report&);

/// Returns null if there is none of that name.
[[nodiscard]] Group group_of(std::string_view name);

}  // namespace belay::bench
