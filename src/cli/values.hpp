// Times and durations as people write and read them.
#pragma once

#include "base/duration.hpp"
#include <belay/time.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace belay::cli {

using base::parse_duration;

/// "2026-11-15", "2026-11-15T16:09:12Z", with fractions of a second or an offset (+01:00) too.
[[nodiscard]] std::optional<Timestamp> parse_time(std::string_view text);

/// "2026-11-15T16:09:12.345Z".
[[nodiscard]] std::string format_time(Timestamp at);

/// At most two units: "350ms", "12.5s", "3m12s", "2h05m", "4d03h".
[[nodiscard]] std::string format_duration(Millis time);

/// "3m12s ago", "in 5s", "now".
[[nodiscard]] std::string format_ago(Timestamp at, Timestamp now);

/// "512 B", "1.5 MiB".
[[nodiscard]] std::string format_bytes(std::uint64_t bytes);

}  // namespace belay::cli
