#include "base/utc.hpp"

#include <gtest/gtest.h>

namespace belay::base {
namespace {

TEST(Utc, IsWhatACalendarSays) {
    EXPECT_EQ(utc(from_unix_ms(0)), "1970-01-01T00:00:00.000Z");
    EXPECT_EQ(utc(from_unix_ms(1'700'000'000'123)), "2023-11-14T22:13:20.123Z");
    EXPECT_EQ(utc(from_unix_ms(-1)), "1969-12-31T23:59:59.999Z");
}

TEST(Utc, KnowsNoTimeBeyondAllCalendars) {
    EXPECT_EQ(utc(Timestamp::max()), "never");
    EXPECT_EQ(utc(Timestamp::min()), "never");
}

TEST(Utc, StampsAreReadAgain) {
    EXPECT_EQ(stamp(from_unix_ms(1'700'000'000'123)), "2023-11-14T22:13:20.123Z");
    for (const std::int64_t ms : {std::int64_t{0},
                                  std::int64_t{-1},
                                  std::int64_t{1'700'000'000'123},
                                  std::int64_t{-62'167'219'200'000},
                                  std::int64_t{253'402'214'400'000}}) {
        const auto text = stamp(from_unix_ms(ms));
        ASSERT_TRUE(text.has_value()) << ms;
        EXPECT_EQ(parse_stamp(*text), from_unix_ms(ms)) << *text;
    }
    EXPECT_EQ(stamp(Timestamp::max()), std::nullopt);
    for (const char* bad : {"",
                            "2023-11-14 22:13:20.123Z",
                            "2023-11-14T22:13:20.123",
                            "2023-11-14T22:13:20Z",
                            "2023-11-31T22:13:20.123Z",
                            "2023-00-01T22:13:20.123Z",
                            "2023-11-14T24:13:20.123Z",
                            "2023-11-14T22:60:20.123Z",
                            "2023-11-14T22:13:60.123Z",
                            "2023-11-14T22:13:20.1x3Z",
                            "+023-11-14T22:13:20.123Z",
                            "2023-11-14T22:13:20.123Zz"}) {
        EXPECT_EQ(parse_stamp(bad), std::nullopt) << bad;
    }
}

}  // namespace
}  // namespace belay::base
