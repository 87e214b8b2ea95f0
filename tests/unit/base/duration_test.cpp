#include "base/duration.hpp"

#include <gtest/gtest.h>

namespace belay::base {
namespace {

using namespace std::chrono_literals;

TEST(Duration, IsWholeNumbersWithUnits) {
    EXPECT_EQ(parse_duration("0s"), 0ms);
    EXPECT_EQ(parse_duration("500ms"), 500ms);
    EXPECT_EQ(parse_duration("7s"), 7s);
    EXPECT_EQ(parse_duration("3m"), 3min);
    EXPECT_EQ(parse_duration("2h"), 2h);
    EXPECT_EQ(parse_duration("7d"), 7 * 24h);
    EXPECT_EQ(parse_duration("3w"), 21 * 24h);
    EXPECT_EQ(parse_duration("2y"), 730 * 24h);
    EXPECT_EQ(parse_duration("1h30m"), 90min);
    EXPECT_EQ(parse_duration("1m5ms"), 60'005ms);
}

TEST(Duration, IsNothingElse) {
    for (const char* bad : {"", "5", "s", "-5s", "+5s", "5 s", " 5s", "1.5s", "5x", "1D", "1h30"}) {
        EXPECT_EQ(parse_duration(bad), std::nullopt) << bad;
    }
}

TEST(Duration, HasABound) {
    EXPECT_EQ(parse_duration("100y"), 36'500 * 24h);
    EXPECT_EQ(parse_duration("99y365d"), 36'500 * 24h);
    for (const char* bad :
         {"101y", "100y1ms", "1ms100y", "99999999999d", "99999999999999999999s"}) {
        EXPECT_EQ(parse_duration(bad), std::nullopt) << bad;
    }
}

}  // namespace
}  // namespace belay::base
