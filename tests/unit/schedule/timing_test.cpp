#include "schedule/timing.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

namespace belay::schedule {
namespace {

using namespace std::chrono_literals;

Timestamp at(int year, unsigned month, unsigned day, int hour = 0, int minute = 0) {
    const std::chrono::sys_days date{std::chrono::year(year) / std::chrono::month(month) /
                                     std::chrono::day(day)};
    return Timestamp(date) + std::chrono::hours(hour) + std::chrono::minutes(minute);
}

Timing by_cron(std::string_view text, std::string_view zone = "UTC") {
    return Timing{ByCron{Cron::parse(text).value(), Zone::find(zone).value()}};
}

TEST(Zone, AnUnknownOneIsNamed) {
    const auto zone = Zone::find("Europe/Atlantis");
    ASSERT_FALSE(zone);
    EXPECT_EQ(zone.error(),
              "unknown time zone 'Europe/Atlantis'; use a name like Europe/Brussels, or UTC");
}

TEST(Timing, CronFollowsTheTimeOfItsZone) {
    const Timing timing = by_cron("15 3 * * *", "Europe/Brussels");
    EXPECT_EQ(next_after(timing, at(2026, 1, 10)), at(2026, 1, 10, 2, 15));
    EXPECT_EQ(next_after(timing, at(2026, 7, 10)), at(2026, 7, 10, 1, 15));
}

TEST(Timing, ALocalTimeThatDoesNotExistIsDueOnceWhenTheGapEnds) {
    // On 29 March 2026 clocks in Brussels go from 2:00 to 3:00, at 1:00 UTC.
    const Timing timing = by_cron("30 2 * * *", "Europe/Brussels");
    EXPECT_EQ(next_after(timing, at(2026, 3, 28, 12)), at(2026, 3, 29, 1));
    EXPECT_EQ(next_after(timing, at(2026, 3, 29, 1)), at(2026, 3, 30, 0, 30));
}

TEST(Timing, AllTimesOfAGapAreOneTick) {
    const Timing timing = by_cron("*/10 * * * *", "Europe/Brussels");
    EXPECT_EQ(due_between(timing, at(2026, 3, 29, 0, 45), at(2026, 3, 29, 1, 10), 10),
              (std::vector{at(2026, 3, 29, 0, 50), at(2026, 3, 29, 1), at(2026, 3, 29, 1, 10)}));
}

TEST(Timing, ALocalTimeThatComesTwiceIsDueOnce) {
    // On 25 October 2026 clocks in Brussels go from 3:00 back to 2:00, at 1:00 UTC.
    const Timing timing = by_cron("30 2 * * *", "Europe/Brussels");
    EXPECT_EQ(next_after(timing, at(2026, 10, 24, 12)), at(2026, 10, 25, 0, 30));
    EXPECT_EQ(next_after(timing, at(2026, 10, 25, 0, 30)), at(2026, 10, 26, 1, 30));
    // Also when asked in the middle of the second hour.
    EXPECT_EQ(next_after(timing, at(2026, 10, 25, 1, 15)), at(2026, 10, 26, 1, 30));
}

TEST(Timing, ZonesWithOffsetsOfHalfHours) {
    // Lord Howe Island moves its clocks by half an hour: on 4 October 2026 from 2:00 to 2:30.
    const Timing timing = by_cron("15 2 * * *", "Australia/Lord_Howe");
    EXPECT_EQ(next_after(timing, at(2026, 10, 3, 12)), at(2026, 10, 3, 15, 30));
}

TEST(Timing, AnIntervalCountsFromItsAnchor) {
    const Timing timing{Every{10min, at(2026, 1, 1, 0, 3)}};
    EXPECT_EQ(next_after(timing, at(2025, 1, 1)), at(2026, 1, 1, 0, 3));
    EXPECT_EQ(next_after(timing, at(2026, 1, 1, 0, 3)), at(2026, 1, 1, 0, 13));
    EXPECT_EQ(next_after(timing, at(2026, 1, 1, 0, 12)), at(2026, 1, 1, 0, 13));
}

TEST(Timing, OneDateIsDueOnce) {
    const Timing timing{Once{at(2026, 1, 1)}};
    EXPECT_EQ(next_after(timing, at(2025, 1, 1)), at(2026, 1, 1));
    EXPECT_EQ(next_after(timing, at(2026, 1, 1)), std::nullopt);
}

TEST(Timing, StartAndEndBoundIt) {
    Timing timing = by_cron("@daily");
    timing.start = at(2026, 1, 5);
    timing.end = at(2026, 1, 7);
    EXPECT_EQ(due_between(timing, at(2026, 1, 1), at(2027, 1, 1), 10),
              (std::vector{at(2026, 1, 5), at(2026, 1, 6)}));
}

TEST(Timing, NoMoreTimesThanAskedFor) {
    EXPECT_EQ(due_between(by_cron("* * * * *"), at(2026, 1, 1), at(2027, 1, 1), 3).size(), 3u);
}

TEST(Jitter, IsTheSameInEveryProcessAndSpreads) {
    std::set<Millis> seen;
    for (int day = 0; day < 50; ++day) {
        const Timestamp due = at(2026, 1, 1) + std::chrono::days(day);
        const Millis jitter = jitter_of("nightly", due, 5min);
        EXPECT_EQ(jitter, jitter_of("nightly", due, 5min));
        EXPECT_GE(jitter, 0ms);
        EXPECT_LE(jitter, 5min);
        seen.insert(jitter);
    }
    EXPECT_GT(seen.size(), 45u);
    EXPECT_NE(jitter_of("a", at(2026, 1, 1), 5min), jitter_of("b", at(2026, 1, 1), 5min));
    EXPECT_EQ(jitter_of("a", at(2026, 1, 1), 0ms), 0ms);
}

}  // namespace
}  // namespace belay::schedule
