#include "schedule/cron.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace belay::schedule {
namespace {

using namespace std::chrono_literals;

LocalMinutes local_at(int year, unsigned month, unsigned day, int hour = 0, int minute = 0) {
    const std::chrono::sys_days date{std::chrono::year(year) / std::chrono::month(month) /
                                     std::chrono::day(day)};
    return std::chrono::floor<LocalMinutes>(date.time_since_epoch()) +
           LocalMinutes(hour * 60 + minute);
}

LocalMinutes next(std::string_view text, LocalMinutes from) {
    const auto cron = Cron::parse(text);
    EXPECT_TRUE(cron) << text;
    return cron ? cron->next(from).value_or(LocalMinutes(-2)) : LocalMinutes(-1);
}

std::string problem(std::string_view text) {
    const auto cron = Cron::parse(text);
    if (cron) return "none";
    return std::to_string(cron.error().column) + ": " + cron.error().message;
}

TEST(Cron, EveryMinute) {
    EXPECT_EQ(next("* * * * *", local_at(2026, 11, 19, 3, 7)), local_at(2026, 11, 19, 3, 7));
}

TEST(Cron, FindsTheNextTimeOfTheDay) {
    EXPECT_EQ(next("15 3 * * *", local_at(2026, 11, 19, 3, 15)), local_at(2026, 11, 19, 3, 15));
    EXPECT_EQ(next("15 3 * * *", local_at(2026, 11, 19, 3, 16)), local_at(2026, 11, 20, 3, 15));
    EXPECT_EQ(next("15 3 * * *", local_at(2026, 12, 31, 4)), local_at(2027, 1, 1, 3, 15));
}

TEST(Cron, ListsRangesAndSteps) {
    EXPECT_EQ(next("*/20 * * * *", local_at(2026, 1, 1, 0, 21)), local_at(2026, 1, 1, 0, 40));
    EXPECT_EQ(next("5/20 * * * *", local_at(2026, 1, 1, 0, 0)), local_at(2026, 1, 1, 0, 5));
    EXPECT_EQ(next("5/20 * * * *", local_at(2026, 1, 1, 0, 46)), local_at(2026, 1, 1, 1, 5));
    EXPECT_EQ(next("10-30/10 * * * *", local_at(2026, 1, 1, 0, 31)), local_at(2026, 1, 1, 1, 10));
    EXPECT_EQ(next("0 9-17 * * *", local_at(2026, 1, 1, 17, 1)), local_at(2026, 1, 2, 9));
    EXPECT_EQ(next("1,59 0 * * *", local_at(2026, 1, 1, 0, 2)), local_at(2026, 1, 1, 0, 59));
}

TEST(Cron, MonthsAndDaysOfTheWeekHaveNames) {
    // 19 November 2026 is a Thursday.
    EXPECT_EQ(next("0 0 * * mon", local_at(2026, 11, 19)), local_at(2026, 11, 23));
    EXPECT_EQ(next("0 0 * * MON-FRI", local_at(2026, 11, 21)), local_at(2026, 11, 23));
    EXPECT_EQ(next("0 0 * * fri-sun", local_at(2026, 11, 22)), local_at(2026, 11, 22));
    EXPECT_EQ(next("0 0 1 feb *", local_at(2026, 11, 19)), local_at(2027, 2, 1));
}

TEST(Cron, ZeroAndSevenAreSunday) {
    EXPECT_EQ(next("0 0 * * 0", local_at(2026, 11, 19)), local_at(2026, 11, 22));
    EXPECT_EQ(next("0 0 * * 7", local_at(2026, 11, 19)), local_at(2026, 11, 22));
}

TEST(Cron, TwoRestrictedDaysAreAlternatives) {
    EXPECT_EQ(next("0 0 13 * fri", local_at(2026, 11, 19)), local_at(2026, 11, 20));
    EXPECT_EQ(next("0 0 13 * fri", local_at(2026, 12, 12)), local_at(2026, 12, 13));
}

TEST(Cron, WaitsForALeapDay) {
    EXPECT_EQ(next("0 0 29 2 *", local_at(2026, 1, 1)), local_at(2028, 2, 29));
    EXPECT_EQ(next("0 0 29 2 *", local_at(2096, 3, 1)), local_at(2104, 2, 29));
}

// 29 February is a Sunday once in 28 years, and once in 40 over a century without a leap day.
TEST(Cron, WaitsForALeapDayOnADayOfTheWeek) {
    EXPECT_EQ(next("0 0 29 2 */7", local_at(2026, 1, 1)), local_at(2032, 2, 29));
    EXPECT_EQ(next("0 0 29 2 */7", local_at(2032, 2, 29, 0, 1)), local_at(2060, 2, 29));
    EXPECT_EQ(next("0 0 29 2 */7", local_at(2088, 3, 1)), local_at(2128, 2, 29));
    EXPECT_EQ(problem("0 0 30 2 */7"), "5: there is no such day in these months");
}

TEST(Cron, EndsWithTheCalendar) {
    const auto cron = Cron::parse("0 0 29 2 *");
    ASSERT_TRUE(cron);
    EXPECT_EQ(cron->next(local_at(9996, 2, 29)), local_at(9996, 2, 29));
    EXPECT_EQ(cron->next(local_at(9996, 3, 1)), std::nullopt);
}

TEST(Cron, AStepAfterARangeStaysInTheRange) {
    EXPECT_EQ(next("5-5/10 * * * *", local_at(2026, 1, 1, 0, 6)), local_at(2026, 1, 1, 1, 5));
    EXPECT_EQ(next("59/1 0 * * *", local_at(2026, 1, 1, 1)), local_at(2026, 1, 2, 0, 59));
}

TEST(Cron, FormsWithAnAtSign) {
    EXPECT_EQ(next("@hourly", local_at(2026, 1, 1, 0, 1)), local_at(2026, 1, 1, 1));
    EXPECT_EQ(next("@daily", local_at(2026, 1, 1, 0, 1)), local_at(2026, 1, 2));
    EXPECT_EQ(next("@weekly", local_at(2026, 11, 19)), local_at(2026, 11, 22));
    EXPECT_EQ(next("@monthly", local_at(2026, 1, 2)), local_at(2026, 2, 1));
    EXPECT_EQ(next("@yearly", local_at(2026, 1, 2)), local_at(2027, 1, 1));
}

TEST(Cron, SaysWhatIsWrongAndWhere) {
    EXPECT_EQ(problem("* * *"),
              "1: a cron expression has five fields (minute, hour, day of the month, month, day of "
              "the week), not 3");
    EXPECT_EQ(problem("60 * * * *"), "1: the minute is from 0 to 59, not 60");
    EXPECT_EQ(problem("0 0 * foo *"), "7: 'foo' is no month; names have three letters");
    EXPECT_EQ(problem("0 17-9 * * *"), "3: the range '17-9' ends before it begins");
    EXPECT_EQ(problem("*/0 * * * *"), "3: a step is a whole number from 1, not '0'");
    EXPECT_EQ(problem("1,,2 * * * *"), "3: a number is missing");
    EXPECT_EQ(problem("0 0 30 2 *"), "5: there is no such day in these months");
    EXPECT_EQ(problem("@often"),
              "1: unknown form '@often'; use @hourly, @daily, @weekly, @monthly or @yearly");
    EXPECT_EQ(problem("-5 * * * *"), "1: '' is no minute");
}

}  // namespace
}  // namespace belay::schedule
