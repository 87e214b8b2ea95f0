// Times as text.
#pragma once

#include <belay/time.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace belay::base {

/// "2026-11-15 16:20:52.123Z", with another letter between day and time for programs; "never" for a
/// time that no calendar reaches.
[[nodiscard]] std::string utc(Timestamp at, char between = ' ');

/// "2026-11-15T16:20:52.123Z", for programs; none for a time that no calendar reaches.
[[nodiscard]] std::optional<std::string> stamp(Timestamp at);
/// What `stamp` writes, and nothing else.
[[nodiscard]] std::optional<Timestamp> parse_stamp(std::string_view text);

}  // namespace belay::base
