// Times and durations: arithmetic, and their forms as text.
#pragma once

#include "expr/value.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace belay::expr {

// Each returns none if the result is out of range: times from year 1 to 9999, durations of at most
// 10,000 years.
[[nodiscard]] std::optional<Instant> add(Instant time, Span span) noexcept;
[[nodiscard]] std::optional<Span> add(Span a, Span b) noexcept;
[[nodiscard]] std::optional<Span> between(Instant from, Instant to) noexcept;

[[nodiscard]] Span negated(Span span) noexcept;

/// Parses a time of RFC 3339, as "2026-11-19T05:46:00.5+01:00".
[[nodiscard]] std::optional<Instant> parse_time(std::string_view text);
/// Returns the time in UTC, with as many digits of a second as it needs.
[[nodiscard]] std::string to_text(Instant time);

/// Parses numbers with units (h, m, s, ms, us, ns), as "-1h30m" or "1.5s".
[[nodiscard]] std::optional<Span> parse_span(std::string_view text);
/// Returns text like "5400s" or "1.5s".
[[nodiscard]] std::string to_text(Span span);

/// Parses "UTC" or an offset like "+01:00". Names of time zones need data from outside, which may
/// change between a run and its replay.
[[nodiscard]] std::optional<Span> parse_zone(std::string_view text);

/// A time by the calendar.
struct Calendar {
    int year = 1970;
    int month = 0;  ///< From 0.
    int day = 0;    ///< From 0.
    int day_of_year = 0;
    int day_of_week = 0;  ///< 0 is a Sunday.
    int hours = 0;
    int minutes = 0;
    int seconds = 0;
    int milliseconds = 0;
};

[[nodiscard]] Calendar calendar(Instant time, Span zone);

}  // namespace belay::expr
