// Turns that take long, or never end, on a stage.
#include "simulation/races/stage.hpp"

#include <gtest/gtest.h>

namespace belay::sim::turns_tests {
namespace {

class SlowTurns : public ::testing::Test {
protected:
    SlowTurns() {
        for (EndpointNo number = 0; number < 2; ++number) stage_.boot(number);
        stage_.plan_handlers(hangs());
    }
    ~SlowTurns() override { EXPECT_EQ(stage_.problems(), ""); }

    [[nodiscard]] RuntimeCounts counts() {
        RuntimeCounts sum = stage_.process(0).counts();
        add(sum, stage_.process(1).counts());
        return sum;
    }
    [[nodiscard]] std::size_t under_way() {
        return stage_.process(0).turns().under_way() + stage_.process(1).turns().under_way();
    }

    Stage stage_{2};
};

TEST_F(SlowTurns, WithinItsLimitATurnKeepsItsLockAndBystandersKeepTheirs) {
    stage_.start("bystander", kOneActivity);
    stage_.run();
    ASSERT_EQ(stage_.times_begun("bystander", 1), 1U);
    stage_.plan_turns(TurnPlan{.takes = stage_.policy().turn_limit - Millis(1)});
    stage_.start("slow", kOneActivity);
    stage_.run();
    stage_.plan_turns(TurnPlan());
    stage_.pass(stage_.policy().turn_limit + Stage::kLease);
    EXPECT_EQ(stage_.times_begun("slow", 1), 1U);
    EXPECT_EQ(stage_.times_begun("bystander", 1), 1U);
    EXPECT_EQ(counts().leases_lost, 0U);
    EXPECT_EQ(counts().overruns, 0U);
    EXPECT_EQ(counts().turns_committed, 2U);
}

TEST_F(SlowTurns, ARunIsHeldAfterTheSecondThatNeverEnds) {
    stage_.plan_turns(TurnPlan{.takes = std::nullopt});
    stage_.start("endless", kOneActivity);
    stage_.run();
    stage_.pass(stage_.policy().turn_limit + Millis(100));
    EXPECT_FALSE(stage_.instance("endless")->held);
    EXPECT_EQ(stage_.instance("endless")->overruns, 1U);
    stage_.pass(stage_.policy().turn_limit + Millis(100));
    EXPECT_TRUE(stage_.instance("endless")->held);
    stage_.pass(5 * stage_.policy().turn_limit);
    EXPECT_EQ(under_way(), 2U) << "it costs two threads";
    EXPECT_EQ(counts().overruns, 2U);

    stage_.plan_turns(TurnPlan());
    stage_.start("other", kOneActivity);
    stage_.run();
    EXPECT_EQ(stage_.times_begun("other", 1), 1U) << "others go on";
}

TEST_F(SlowTurns, OneThatTakesTooLongOnceGoesOn) {
    stage_.plan_turns(TurnPlan{.takes = 2 * stage_.policy().turn_limit});
    stage_.start("late", kOneActivity);
    stage_.run();
    stage_.plan_turns(TurnPlan());
    stage_.pass(3 * stage_.policy().turn_limit);
    EXPECT_EQ(counts().overruns, 1U);
    EXPECT_EQ(stage_.times_begun("late", 1), 1U);
    EXPECT_EQ(stage_.instance("late")->overruns, 0U);
}

TEST_F(SlowTurns, AProcessThatDiesInATurnLeavesItToTheOther) {
    stage_.plan_turns(TurnPlan{.takes = std::nullopt});
    stage_.start("orphan", kOneActivity);
    stage_.run();
    stage_.plan_turns(TurnPlan());
    stage_.kill(stage_.process(0).turns().under_way() > 0 ? 0 : 1);
    stage_.pass(2 * Stage::kLease);
    EXPECT_EQ(stage_.times_begun("orphan", 1), 1U);
    EXPECT_EQ(counts().overruns, 0U);
}

}  // namespace
}  // namespace belay::sim::turns_tests
