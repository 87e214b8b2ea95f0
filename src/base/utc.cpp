#include "base/utc.hpp"

#include <array>
#include <cstdio>
#include <utility>

namespace belay::base {

namespace {

/// Returns none unless the text is only digits.
std::optional<int> digits(std::string_view text) {
    int value = 0;
    for (const char c : text) {
        if (c < '0' || c > '9') return std::nullopt;
        value = value * 10 + (c - '0');
    }
    return value;
}

bool has_calendar(Timestamp at) {
    using namespace std::chrono;
    constexpr Timestamp kFirst = sys_days(year(0) / January / 1);
    constexpr Timestamp kLast = sys_days(year(9999) / December / 31);
    return at >= kFirst && at <= kLast;
}

}  // namespace

std::optional<std::string> stamp(Timestamp at) {
    if (!has_calendar(at)) return std::nullopt;
    return utc(at);
}

std::optional<Timestamp> parse_stamp(std::string_view text) {
    using namespace std::chrono;
    constexpr std::string_view kForm = "0000-00-00T00:00:00.000Z";
    if (text.size() != kForm.size()) return std::nullopt;
    for (std::size_t i = 0; i < kForm.size(); ++i) {
        if (kForm[i] != '0' && text[i] != kForm[i]) return std::nullopt;
    }
    std::array<int, 7> parts{};
    constexpr std::array<std::pair<std::size_t, std::size_t>, 7> kPlaces{
        {{0, 4}, {5, 2}, {8, 2}, {11, 2}, {14, 2}, {17, 2}, {20, 3}}};
    for (std::size_t i = 0; i < kPlaces.size(); ++i) {
        const auto value = digits(text.substr(kPlaces[i].first, kPlaces[i].second));
        if (!value) return std::nullopt;
        parts[i] = *value;
    }
    const year_month_day date{year{parts[0]},
                              month{static_cast<unsigned>(parts[1])},
                              day{static_cast<unsigned>(parts[2])}};
    if (!date.ok() || parts[3] > 23 || parts[4] > 59 || parts[5] > 59) return std::nullopt;
    const Timestamp at =
        sys_days(date) + hours(parts[3]) + minutes(parts[4]) + seconds(parts[5]) + Millis(parts[6]);
    return has_calendar(at) ? std::optional(at) : std::nullopt;
}

std::string utc(Timestamp at) {
    using namespace std::chrono;
    if (!has_calendar(at)) return "never";
    const auto day = floor<days>(at);
    const year_month_day date(day);
    const hh_mm_ss<Millis> time(at - day);
    std::array<char, 64> text{};
    std::snprintf(text.data(),
                  text.size(),
                  "%04d-%02u-%02uT%02d:%02d:%02d.%03dZ",
                  static_cast<int>(date.year()),
                  static_cast<unsigned>(date.month()),
                  static_cast<unsigned>(date.day()),
                  static_cast<int>(time.hours().count()),
                  static_cast<int>(time.minutes().count()),
                  static_cast<int>(time.seconds().count()),
                  static_cast<int>(time.subseconds().count()));
    return text.data();
}

}  // namespace belay::base
