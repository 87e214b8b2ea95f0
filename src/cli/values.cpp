#include "cli/values.hpp"

#include "base/utc.hpp"

#include <array>
#include <cstdint>
#include <cstdio>

namespace belay::cli {

namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

/// Reads digits from the beginning of `text`, and takes them off it.
std::optional<std::int64_t> take_number(std::string_view& text, std::size_t most_digits) {
    std::size_t size = 0;
    while (size < text.size() && text[size] >= '0' && text[size] <= '9') ++size;
    if (size == 0 || size > most_digits) return std::nullopt;
    std::int64_t value = 0;
    for (const char c : text.substr(0, size)) value = value * 10 + (c - '0');
    text.remove_prefix(size);
    return value;
}

bool take_char(std::string_view& text, char c) {
    if (text.empty() || text.front() != c) return false;
    text.remove_prefix(1);
    return true;
}

/// Two digits up to `most`.
std::optional<std::int64_t> take_pair(std::string_view& text, std::int64_t most) {
    const std::size_t before = text.size();
    const auto value = take_number(text, 2);
    if (!value || before - text.size() != 2 || *value > most) return std::nullopt;
    return value;
}

std::optional<Millis> take_fraction(std::string_view& text) {
    if (!take_char(text, '.')) return Millis(0);
    std::int64_t value = 0;
    int digits = 0;
    while (!text.empty() && text.front() >= '0' && text.front() <= '9') {
        if (digits < 3) value = value * 10 + (text.front() - '0');
        ++digits;
        text.remove_prefix(1);
    }
    if (digits == 0) return std::nullopt;
    for (; digits < 3; ++digits) value *= 10;
    return Millis(value);
}

/// "Z", "+01:00" or "-0130".
std::optional<Millis> take_offset(std::string_view& text) {
    if (take_char(text, 'Z') || take_char(text, 'z')) return Millis(0);
    const bool west = text.starts_with('-');
    if (!take_char(text, '+') && !take_char(text, '-')) return std::nullopt;
    const auto hour = take_pair(text, 23);
    if (!hour) return std::nullopt;
    take_char(text, ':');
    const auto minute = take_pair(text, 59);
    if (!minute) return std::nullopt;
    const Millis offset = hours(*hour) + minutes(*minute);
    return west ? -offset : offset;
}

std::optional<Timestamp> take_date(std::string_view& text) {
    const std::size_t before = text.size();
    const auto year = take_number(text, 4);
    if (!year || before - text.size() != 4 || !take_char(text, '-')) return std::nullopt;
    const auto month = take_pair(text, 12);
    if (!month || !take_char(text, '-')) return std::nullopt;
    const auto day = take_pair(text, 31);
    if (!day) return std::nullopt;
    const std::chrono::year_month_day date(std::chrono::year(static_cast<int>(*year)),
                                           std::chrono::month(static_cast<unsigned>(*month)),
                                           std::chrono::day(static_cast<unsigned>(*day)));
    if (!date.ok()) return std::nullopt;
    return Timestamp(std::chrono::sys_days(date));
}

std::string two_units(std::int64_t large, const char* name, std::int64_t small, const char* other) {
    std::array<char, 48> buffer{};
    std::snprintf(buffer.data(),
                  buffer.size(),
                  "%lld%s%02lld%s",
                  static_cast<long long>(large),
                  name,
                  static_cast<long long>(small),
                  other);
    return buffer.data();
}

}  // namespace

std::optional<Timestamp> parse_time(std::string_view text) {
    auto at = take_date(text);
    if (!at) return std::nullopt;
    if (text.empty()) return at;
    if (!take_char(text, 'T') && !take_char(text, ' ')) return std::nullopt;
    const auto hour = take_pair(text, 23);
    if (!hour || !take_char(text, ':')) return std::nullopt;
    const auto minute = take_pair(text, 59);
    if (!minute || !take_char(text, ':')) return std::nullopt;
    const auto second = take_pair(text, 59);
    if (!second) return std::nullopt;
    const auto fraction = take_fraction(text);
    if (!fraction) return std::nullopt;
    const auto offset = take_offset(text);
    if (!offset || !text.empty()) return std::nullopt;
    return *at + hours(*hour) + minutes(*minute) + seconds(*second) + *fraction - *offset;
}

std::string format_time(Timestamp at) { return base::utc(at); }

std::string format_duration(Millis time) {
    if (time < Millis(0)) return "-" + format_duration(-time);
    if (time < seconds(1)) return std::to_string(time.count()) + "ms";
    if (time < minutes(1)) {
        std::array<char, 48> buffer{};
        const auto tenths = static_cast<long long>(time.count() / 100);
        std::snprintf(buffer.data(), buffer.size(), "%lld.%llds", tenths / 10, tenths % 10);
        return buffer.data();
    }
    const auto s = std::chrono::floor<seconds>(time).count();
    if (time < hours(1)) return two_units(s / 60, "m", s % 60, "s");
    if (time < days(1)) return two_units(s / 3600, "h", s / 60 % 60, "m");
    return two_units(s / 86400, "d", s / 3600 % 24, "h");
}

std::string format_ago(Timestamp at, Timestamp now) {
    if (at == now) return "now";
    return at < now ? format_duration(now - at) + " ago" : "in " + format_duration(at - now);
}

std::string format_bytes(std::uint64_t bytes) {
    if (bytes < 1024) return std::to_string(bytes) + " B";
    constexpr std::array kUnits{"KiB", "MiB", "GiB", "TiB"};
    double value = static_cast<double>(bytes) / 1024;
    std::size_t unit = 0;
    while (value >= 1024 && unit + 1 < kUnits.size()) {
        value /= 1024;
        ++unit;
    }
    std::array<char, 32> buffer{};
    std::snprintf(buffer.data(), buffer.size(), "%.1f %s", value, kUnits[unit]);
    return buffer.data();
}

}  // namespace belay::cli
