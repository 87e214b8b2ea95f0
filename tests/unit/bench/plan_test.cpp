#include "bench/plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace belay::bench::plan_test {
namespace {

TEST(Plan, WantsWhatContainsTheText) {
    Plan plan = Plan::containing("single.1");
    EXPECT_TRUE(plan.wants("sqlite.full.single.1", Kind::latency));
    EXPECT_TRUE(plan.wants("sqlite.full.single.100", Kind::throughput));
    EXPECT_FALSE(plan.wants("sqlite.full.chain.1", Kind::latency));
    EXPECT_TRUE(plan.wants_yardstick());
    EXPECT_TRUE(plan.names().empty());
}

TEST(Plan, OneSliceIsOfExactlyOneFigure) {
    Plan plan = Plan::one_slice_of("sqlite.full.single.1");
    EXPECT_TRUE(plan.wants("sqlite.full.single.1", Kind::latency));
    EXPECT_FALSE(plan.wants("sqlite.full.single.100", Kind::throughput));
    EXPECT_EQ(plan.slices(), 1U);
    EXPECT_FALSE(plan.wants_yardstick());
}

TEST(Plan, NamesAreKeptAndNothingIsMeasured) {
    Plan plan = Plan::names_only();
    EXPECT_FALSE(plan.wants("a", Kind::latency));
    EXPECT_FALSE(plan.wants("b", Kind::other));
    EXPECT_FALSE(plan.measures());
    EXPECT_THAT(plan.names(),
                testing::ElementsAre(std::pair("a", Kind::latency), std::pair("b", Kind::other)));
}

}  // namespace
}  // namespace belay::bench::plan_test
