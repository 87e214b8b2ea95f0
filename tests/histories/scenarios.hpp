// Runs of that code, as they are recorded.
#pragma once

#include <map>
#include <string>

namespace belay::histories {

/// The export of each today, by the name of the scenario.
[[nodiscard]] std::map<std::string, std::string> record();

}  // namespace belay::histories
