// Times as text.
#pragma once

#include <belay/time.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace belay::base {

/// Returns text like "2026-11-15T16:20:52.123Z", the form that people and programs read and the
/// command line takes. Returns "never" for a time that no calendar reaches.
[[nodiscard]] std::string utc(Timestamp at);

/// The same. Returns none for a time that no calendar reaches.
[[nodiscard]] std::optional<std::string> stamp(Timestamp at);
/// Parses the output of `stamp`, and nothing else.
[[nodiscard]] std::optional<Timestamp> parse_stamp(std::string_view text);

}  // namespace belay::base
