// Durations as people write them.
#pragma once

#include <belay/time.hpp>

#include <optional>
#include <string_view>

namespace belay::base {

/// Parses a whole number and a unit: ms, s, m, h, d, w (7 days) or y (365 days); or several of them
/// in a row: "1h30m". Returns none for any other text, and for more than a hundred years.
[[nodiscard]] std::optional<Millis> parse_duration(std::string_view text);

}  // namespace belay::base
