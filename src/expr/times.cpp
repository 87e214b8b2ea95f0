#include "expr/times.hpp"

#include <array>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>

namespace belay::expr {

namespace {

constexpr std::int32_t kBillion = 1'000'000'000;
constexpr std::int64_t kFirst = -62'135'596'800;    // 0001-01-01T00:00:00Z
constexpr std::int64_t kLast = 253'402'300'799;     // 9999-12-31T23:59:59Z
constexpr std::int64_t kLongest = 315'576'000'000;  // 10,000 years
constexpr std::int64_t kDay = 86'400;

/// Adds with a carry. Neither is beyond the limits, so nothing overflows.
Span sum(Span a, Span b) noexcept {
    Span result{a.seconds + b.seconds, a.nanos + b.nanos};
    if (result.nanos >= kBillion) {
        result.nanos -= kBillion;
        ++result.seconds;
    }
    return result;
}

std::optional<Span> checked(Span span) noexcept {
    if (span.seconds > kLongest || span.seconds < -kLongest) return std::nullopt;
    return span;
}

/// Reads digits, all of them and within the limits.
class Reader {
public:
    explicit Reader(std::string_view text) : text_(text) {}

    bool take(char c) {
        if (text_.empty() || text_.front() != c) return false;
        text_.remove_prefix(1);
        return true;
    }
    /// Reads exactly `digits` digits.
    std::optional<int> number(std::size_t digits, int least, int most) {
        int value = 0;
        for (std::size_t i = 0; i < digits; ++i) {
            if (i >= text_.size() || text_[i] < '0' || text_[i] > '9') return std::nullopt;
            value = value * 10 + (text_[i] - '0');
        }
        text_.remove_prefix(digits);
        if (value < least || value > most) return std::nullopt;
        return value;
    }
    /// Reads the digits behind a point as billionths; at most nine of them.
    std::optional<std::int32_t> fraction() {
        std::int32_t value = 0;
        int digits = 0;
        for (; !text_.empty() && text_.front() >= '0' && text_.front() <= '9'; ++digits) {
            if (digits == 9) return std::nullopt;
            value = value * 10 + (text_.front() - '0');
            text_.remove_prefix(1);
        }
        if (digits == 0) return std::nullopt;
        for (; digits < 9; ++digits) value *= 10;
        return value;
    }
    [[nodiscard]] std::string_view rest() const noexcept { return text_; }

private:
    std::string_view text_;
};

std::optional<std::int64_t> read_day(Reader& reader) {
    const auto year = reader.number(4, 1, 9999);
    if (!year || !reader.take('-')) return std::nullopt;
    const auto month = reader.number(2, 1, 12);
    if (!month || !reader.take('-')) return std::nullopt;
    const auto day = reader.number(2, 1, 31);
    if (!day) return std::nullopt;
    const std::chrono::year_month_day date(std::chrono::year(*year),
                                           std::chrono::month(static_cast<unsigned>(*month)),
                                           std::chrono::day(static_cast<unsigned>(*day)));
    if (!date.ok()) return std::nullopt;
    return std::chrono::sys_days(date).time_since_epoch().count();
}

std::optional<std::int64_t> read_clock(Reader& reader) {
    const auto hours = reader.number(2, 0, 23);
    if (!hours || !reader.take(':')) return std::nullopt;
    const auto minutes = reader.number(2, 0, 59);
    if (!minutes || !reader.take(':')) return std::nullopt;
    const auto seconds = reader.number(2, 0, 59);
    if (!seconds) return std::nullopt;
    return *hours * 3600 + *minutes * 60 + *seconds;
}

/// Reads "Z" or an offset, to the end.
std::optional<std::int64_t> read_offset(Reader& reader) {
    if (reader.rest() == "Z" || reader.rest() == "z") return 0;
    const bool east = reader.take('+');
    if (!east && !reader.take('-')) return std::nullopt;
    const auto hours = reader.number(2, 0, 23);
    if (!hours || !reader.take(':')) return std::nullopt;
    const auto minutes = reader.number(2, 0, 59);
    if (!minutes || !reader.rest().empty()) return std::nullopt;
    const std::int64_t offset = *hours * 3600 + *minutes * 60;
    return east ? offset : -offset;
}

struct Unit {
    std::string_view name;
    std::int64_t nanos;
};

/// Longer names before those they begin with.
constexpr std::array<Unit, 6> kUnits = {{{"ms", 1'000'000},
                                         {"us", 1'000},
                                         {"ns", 1},
                                         {"h", 3'600'000'000'000},
                                         {"m", 60'000'000'000},
                                         {"s", 1'000'000'000}}};

/// Writes the digits behind a point without zeros at the end.
std::string fraction_of(std::int32_t nanos) {
    if (nanos == 0) return "";
    char digits[11];
    std::snprintf(digits, sizeof digits, ".%09d", nanos);
    std::string text(digits);
    text.erase(text.find_last_not_of('0') + 1);
    return text;
}

/// Returns `number` units and `part` billionths of one.
std::optional<Span> span_of(std::int64_t number, std::int32_t part, const Unit& unit) {
    if (unit.nanos >= kBillion) {
        const std::int64_t seconds = unit.nanos / kBillion;
        if (number > kLongest / seconds) return std::nullopt;
        const std::int64_t nanos = part * seconds;
        return Span{number * seconds + nanos / kBillion,
                    static_cast<std::int32_t>(nanos % kBillion)};
    }
    const std::int64_t per_second = kBillion / unit.nanos;
    if (number / per_second > kLongest) return std::nullopt;
    const std::int64_t nanos = number % per_second * unit.nanos + part * unit.nanos / kBillion;
    return Span{number / per_second, static_cast<std::int32_t>(nanos)};
}

/// Reads one number with its unit.
std::optional<Span> read_part(std::string_view& text) {
    std::size_t whole = 0;
    while (whole < text.size() && text[whole] >= '0' && text[whole] <= '9') ++whole;
    std::int64_t number = 0;
    if (whole > 0) {
        const std::string_view digits = text.substr(0, whole);
        const auto [end, error] =
            std::from_chars(digits.data(), digits.data() + digits.size(), number);
        if (error != std::errc()) return std::nullopt;
    }
    text.remove_prefix(whole);
    std::int64_t part = 0;
    bool pointed = false;
    if (text.starts_with('.')) {
        Reader reader(text.substr(1));
        const auto fraction = reader.fraction();
        if (!fraction) return std::nullopt;
        part = *fraction;
        pointed = true;
        text = reader.rest();
    }
    if (whole == 0 && !pointed) return std::nullopt;
    for (const Unit& unit : kUnits) {
        if (!text.starts_with(unit.name)) continue;
        text.remove_prefix(unit.name.size());
        return span_of(number, static_cast<std::int32_t>(part), unit);
    }
    return std::nullopt;
}

}  // namespace

std::optional<Instant> add(Instant time, Span span) noexcept {
    const Span moved = sum({time.seconds, time.nanos}, span);
    if (moved.seconds < kFirst || moved.seconds > kLast) return std::nullopt;
    return Instant{moved.seconds, moved.nanos};
}

std::optional<Span> add(Span a, Span b) noexcept { return checked(sum(a, b)); }

std::optional<Span> between(Instant from, Instant to) noexcept {
    return checked(sum({to.seconds, to.nanos}, negated({from.seconds, from.nanos})));
}

Span negated(Span span) noexcept {
    if (span.nanos == 0) return {-span.seconds, 0};
    return {-span.seconds - 1, kBillion - span.nanos};
}

std::optional<Instant> parse_time(std::string_view text) {
    Reader reader(text);
    const auto day = read_day(reader);
    if (!day || !(reader.take('T') || reader.take('t'))) return std::nullopt;
    const auto clock = read_clock(reader);
    if (!clock) return std::nullopt;
    std::int32_t nanos = 0;
    if (reader.take('.')) {
        const auto fraction = reader.fraction();
        if (!fraction) return std::nullopt;
        nanos = *fraction;
    }
    const auto offset = read_offset(reader);
    if (!offset) return std::nullopt;
    return add(Instant{*day * kDay + *clock, nanos}, Span{-*offset, 0});
}

std::string to_text(Instant time) {
    const Calendar date = calendar(time, Span());
    char digits[64];
    std::snprintf(digits,
                  sizeof digits,
                  "%04d-%02d-%02dT%02d:%02d:%02d",
                  date.year,
                  date.month + 1,
                  date.day + 1,
                  date.hours,
                  date.minutes,
                  date.seconds);
    return digits + fraction_of(time.nanos) + "Z";
}

std::optional<Span> parse_span(std::string_view text) {
    const bool minus = text.starts_with('-');
    if (minus || text.starts_with('+')) text.remove_prefix(1);
    if (text == "0") return Span();
    Span total;
    do {
        const auto part = read_part(text);
        if (!part) return std::nullopt;
        const auto longer = add(total, *part);
        if (!longer) return std::nullopt;
        total = *longer;
    } while (!text.empty());
    return minus ? negated(total) : total;
}

std::string to_text(Span span) {
    const bool minus = span.seconds < 0;
    if (minus) span = negated(span);
    return (minus ? "-" : "") + std::to_string(span.seconds) + fraction_of(span.nanos) + "s";
}

std::optional<Span> parse_zone(std::string_view text) {
    if (text == "UTC") return Span();
    Reader reader(text);
    const auto offset = read_offset(reader);
    if (!offset) return std::nullopt;
    return Span{*offset, 0};
}

Calendar calendar(Instant time, Span zone) {
    const std::int64_t local = time.seconds + zone.seconds;
    std::int64_t day = local / kDay;
    std::int64_t clock = local % kDay;
    if (clock < 0) {
        clock += kDay;
        --day;
    }
    const std::chrono::sys_days date{std::chrono::days(day)};
    const std::chrono::year_month_day parts(date);
    const auto new_year =
        std::chrono::sys_days(parts.year() / std::chrono::January / std::chrono::day(1));
    Calendar result;
    result.year = static_cast<int>(parts.year());
    result.month = static_cast<int>(static_cast<unsigned>(parts.month())) - 1;
    result.day = static_cast<int>(static_cast<unsigned>(parts.day())) - 1;
    result.day_of_year = static_cast<int>((date - new_year).count());
    result.day_of_week = static_cast<int>(std::chrono::weekday(date).c_encoding());
    result.hours = static_cast<int>(clock / 3600);
    result.minutes = static_cast<int>(clock / 60 % 60);
    result.seconds = static_cast<int>(clock % 60);
    result.milliseconds = time.nanos / 1'000'000;
    return result;
}

}  // namespace belay::expr
