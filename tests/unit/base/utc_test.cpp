#include "base/utc.hpp"

#include <gtest/gtest.h>

namespace belay::base {
namespace {

TEST(Utc, IsWhatACalendarSays) {
    EXPECT_EQ(utc(from_unix_ms(0)), "1970-01-01 00:00:00.000Z");
    EXPECT_EQ(utc(from_unix_ms(1'700'000'000'123)), "2023-11-14 22:13:20.123Z");
    EXPECT_EQ(utc(from_unix_ms(-1)), "1969-12-31 23:59:59.999Z");
    EXPECT_EQ(utc(from_unix_ms(-1), 'T'), "1969-12-31T23:59:59.999Z");
}

TEST(Utc, KnowsNoTimeBeyondAllCalendars) {
    EXPECT_EQ(utc(Timestamp::max()), "never");
    EXPECT_EQ(utc(Timestamp::min()), "never");
}

}  // namespace
}  // namespace belay::base
