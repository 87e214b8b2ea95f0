#include "bench/statistics.hpp"

#include <gtest/gtest.h>

namespace belay::bench::statistics_test {
namespace {

TEST(Statistics, MedianIsTheMiddleWhateverTheOrder) {
    EXPECT_DOUBLE_EQ(median({5, 1, 9}), 5);
    EXPECT_DOUBLE_EQ(median({7}), 7);
    EXPECT_DOUBLE_EQ(median({}), 0);
}

TEST(Statistics, OneOutlierDoesNotMoveTheMedian) {
    EXPECT_DOUBLE_EQ(median({10, 11, 12, 13, 1'000'000}), 12);
}

TEST(Statistics, QuantileIsTheNearestValueThatWasMeasured) {
    const std::vector<double> values{50, 40, 30, 20, 10};
    EXPECT_DOUBLE_EQ(quantile(values, 0), 10);
    EXPECT_DOUBLE_EQ(quantile(values, 0.99), 50);
    EXPECT_DOUBLE_EQ(quantile(values, 0.25), 20);
}

// By hand, from the binomial distribution: 9 samples lose (1 + 9) / 512 on each side, 10 would lose
// (1 + 10 + 45) / 1024 with two taken away.
TEST(Statistics, SpreadLeavesOutAsManyAsNinetyFivePercentAllow) {
    EXPECT_EQ(outside_of_spread(1), 0U);
    EXPECT_EQ(outside_of_spread(5), 0U);
    EXPECT_EQ(outside_of_spread(8), 0U);
    EXPECT_EQ(outside_of_spread(9), 1U);
    EXPECT_EQ(outside_of_spread(11), 1U);
    EXPECT_EQ(outside_of_spread(12), 2U);
    EXPECT_EQ(outside_of_spread(20), 5U);
}

TEST(Statistics, EstimateOfNineLeavesOutTheLeastAndTheGreatest) {
    const Estimate figure = estimate({9, 1, 8, 2, 7, 3, 6, 4, 5});
    EXPECT_DOUBLE_EQ(figure.median, 5);
    EXPECT_DOUBLE_EQ(figure.low, 2);
    EXPECT_DOUBLE_EQ(figure.high, 8);
    EXPECT_EQ(figure.samples, 9U);
}

TEST(Statistics, EstimateOfFewSpansAllOfThem) {
    const Estimate figure = estimate({3, 1, 2});
    EXPECT_DOUBLE_EQ(figure.low, 1);
    EXPECT_DOUBLE_EQ(figure.high, 3);
}

TEST(Statistics, EstimateOfNothingHasNoSamples) { EXPECT_EQ(estimate({}).samples, 0U); }

TEST(Statistics, VerdictIsMetWhenTheWholeSpreadIs) {
    const Estimate figure{0.97, 0.95, 0.99, 9};
    EXPECT_EQ(judge(figure, Wanted::at_least, 0.95), Verdict::met);
    EXPECT_EQ(judge(figure, Wanted::at_most, 0.99), Verdict::met);
}

TEST(Statistics, VerdictIsMissedWhenTheWholeSpreadIs) {
    const Estimate figure{0.97, 0.95, 0.99, 9};
    EXPECT_EQ(judge(figure, Wanted::at_least, 1), Verdict::missed);
    EXPECT_EQ(judge(figure, Wanted::at_most, 0.9), Verdict::missed);
}

TEST(Statistics, VerdictIsUnclearWhenTheBarIsInsideTheSpread) {
    const Estimate figure{0.97, 0.90, 1.05, 9};
    EXPECT_EQ(judge(figure, Wanted::at_least, 0.95), Verdict::unclear);
    EXPECT_EQ(judge(figure, Wanted::at_most, 1), Verdict::unclear);
}

TEST(Statistics, ACountIsNeverUnclear) {
    EXPECT_EQ(judge(exactly(50), Wanted::at_most, 50), Verdict::met);
    EXPECT_EQ(judge(exactly(51), Wanted::at_most, 50), Verdict::missed);
}

}  // namespace
}  // namespace belay::bench::statistics_test
