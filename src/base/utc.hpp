// Times for people.
#pragma once

#include <belay/time.hpp>

#include <string>

namespace belay::base {

/// "2026-11-15 16:20:52.123Z", with another letter between day and time for programs; "never" for a
/// time that no calendar reaches.
[[nodiscard]] std::string utc(Timestamp at, char between = ' ');

}  // namespace belay::base
