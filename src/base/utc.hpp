// Times as text.
#pragma once

#include <belay/time.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace belay::base {

/// Returns text like "2026-11-15 16:20:52.123Z", with another letter between day and time for
/// programs. Returns "never" for a time that no calendar reaches.
[[nodiscard]] std::string utc(Timestamp at, char between = ' ');

/// Returns text like "2026-11-15T16:20:52.123Z", for programs. Returns none for a time that no
/// calendar reaches.
[[nodiscard]] std::optional<std::string> stamp(Timestamp at);
/// Parses the output of `stamp`, and nothing else.
[[nodiscard]] std::optional<Timestamp> parse_stamp(std::string_view text);

}  // namespace belay::base
