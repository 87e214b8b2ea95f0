#include "bench/turns.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace belay::bench::turns_test {
namespace {

using testing::DoubleEq;
using testing::ElementsAre;

TEST(Turns, SubjectAndYardstickAlternateAndTheYardstickIsAroundEachSubject) {
    std::string order;
    const Turns turns = take_turns(
        3,
        [&] {
            order += 's';
            return 1.0;
        },
        [&] {
            order += 'y';
            return 1.0;
        });
    EXPECT_EQ(order, "ysysysy");
    EXPECT_EQ(turns.subject.size(), 3U);
    EXPECT_EQ(turns.yardstick.size(), 4U);
    EXPECT_EQ(turns.ratio.samples, 3U);
}

TEST(Turns, RatioIsOfTheYardsticksBeforeAndAfter) {
    EXPECT_THAT(by_neighbours({3, 10}, {1, 2, 8}), ElementsAre(DoubleEq(2), DoubleEq(2)));
}

// The subject is half as fast at any moment, and the machine loses a hundredth of its speed with
// every slice: compared with the yardstick before it alone, it would seem slower than it is.
TEST(Turns, MachineThatBecomesSlowerDoesNotShowInTheRatio) {
    double speed = 100;
    const auto slice = [&](double share) {
        const double measured = speed * share;
        speed -= 1;
        return measured;
    };
    const Turns turns = take_turns(9, [&] { return slice(0.5); }, [&] { return slice(1); });
    EXPECT_DOUBLE_EQ(turns.ratio.median, 0.5);
    EXPECT_DOUBLE_EQ(turns.ratio.low, 0.5);
    EXPECT_DOUBLE_EQ(turns.ratio.high, 0.5);
}

TEST(Turns, WithoutAYardstickThereIsNoRatio) {
    const Turns turns = take_turns(2, [] { return 7.0; }, {});
    EXPECT_THAT(turns.subject, ElementsAre(7, 7));
    EXPECT_TRUE(turns.yardstick.empty());
    EXPECT_EQ(turns.ratio.samples, 0U);
}

}  // namespace
}  // namespace belay::bench::turns_test
