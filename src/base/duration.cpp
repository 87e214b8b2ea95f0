#include "base/duration.hpp"

#include <array>
#include <charconv>
#include <cstdint>
#include <system_error>

namespace belay::base {

namespace {

struct DurationUnit {
    std::string_view name;
    Millis length;
};

// "ms" before "m": the first match is taken.
constexpr std::array kDurationUnits = {
    DurationUnit{"ms", Millis(1)},
    DurationUnit{"s", std::chrono::seconds(1)},
    DurationUnit{"m", std::chrono::minutes(1)},
    DurationUnit{"h", std::chrono::hours(1)},
    DurationUnit{"d", std::chrono::days(1)},
    DurationUnit{"w", std::chrono::days(7)},
    DurationUnit{"y", std::chrono::days(365)},
};
constexpr Millis kLongestDuration = std::chrono::days(36'500);

/// Reads digits from the beginning of `text` and removes them from it.
std::optional<std::int64_t> take_number(std::string_view& text) {
    if (text.starts_with('-')) return std::nullopt;
    std::int64_t value = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (problem != std::errc()) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return value;
}

std::optional<Millis> take_unit(std::string_view& text) {
    for (const DurationUnit& unit : kDurationUnits) {
        if (!text.starts_with(unit.name)) continue;
        text.remove_prefix(unit.name.size());
        return unit.length;
    }
    return std::nullopt;
}

}  // namespace

std::optional<Millis> parse_duration(std::string_view text) {
    Millis total{0};
    do {
        const auto value = take_number(text);
        const auto unit = value ? take_unit(text) : std::nullopt;
        if (!unit || *value > (kLongestDuration - total) / *unit) return std::nullopt;
        total += *unit * *value;
    } while (!text.empty());
    return total;
}

}  // namespace belay::base
