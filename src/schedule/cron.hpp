// Cron expressions: five fields, or an `@` form.
#pragma once

#include "schedule/zone.hpp"

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

namespace belay::schedule {

/// The reason why a text is no cron expression.
struct CronProblem {
    std::size_t column = 1;  ///< The character of the text, from 1.
    std::string message;
};

/// The local times at which something is due: minute, hour, day of the month, month, day of the
/// week.
///
/// Each field is `*`, a number, a range, either with a step, or a list of these. Months and days of
/// the week may have their English names in three letters; 0 and 7 are Sunday. If both days are
/// restricted, either of them is enough, as in every cron.
class Cron {
public:
    /// Reads five fields, or one of @yearly, @annually, @monthly, @weekly, @daily, @midnight,
    /// @hourly. Refuses an expression that is never due.
    [[nodiscard]] static std::expected<Cron, CronProblem> parse(std::string_view text);

    /// Returns the first local time at or after `from`; none if it is after the year 9999.
    [[nodiscard]] std::optional<LocalMinutes> next(LocalMinutes from) const;

private:
    [[nodiscard]] bool has_day(std::int64_t day) const;
    /// Returns the first day that matches, counted from 1970, at or after this one.
    [[nodiscard]] std::optional<std::int64_t> find_day(std::int64_t from) const;
    /// Returns the first minute of a day that matches, at or after this one.
    [[nodiscard]] std::optional<std::int64_t> find_minute(std::int64_t from) const;

    std::bitset<60> minutes_;
    std::bitset<24> hours_;
    std::bitset<32> days_;    ///< In the month, from 1.
    std::bitset<13> months_;  ///< From 1.
    std::bitset<7> weekdays_;
    bool any_day_ = false;      ///< The day of the month is `*`.
    bool any_weekday_ = false;  ///< The day of the week is `*`.
};

}  // namespace belay::schedule
