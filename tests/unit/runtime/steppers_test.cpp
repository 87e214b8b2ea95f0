// Threads that are free to step.
#include "runtime/steppers.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace belay::runtime {
namespace {

class SteppersTest : public ::testing::Test {
protected:
    SteppersTest() {
        steppers.add();
        steppers.add();
    }

    using Who = Steppers::Who;
    using Need = Steppers::Need;

    Steppers steppers;
};

TEST_F(SteppersTest, TheLastOneTakesNoTurn) {
    EXPECT_TRUE(steppers.begin_turn(Who::stepper));
    EXPECT_FALSE(steppers.begin_turn(Who::stepper));
    steppers.end_turn(Who::stepper);
    EXPECT_TRUE(steppers.begin_turn(Who::stepper));
    steppers.add();
    EXPECT_TRUE(steppers.begin_turn(Who::stepper)) << "the first was replaced";
}

TEST_F(SteppersTest, AThreadInACallIsNotFree) {
    steppers.begin_call();
    EXPECT_FALSE(steppers.none_free());
    EXPECT_TRUE(steppers.begin_turn(Who::stepper)) << "the other one calls the store";
    EXPECT_TRUE(steppers.none_free());
    steppers.end_call();
    EXPECT_FALSE(steppers.none_free());
}

TEST_F(SteppersTest, TheReserveIsWokenWhenNobodyIsFree) {
    std::thread reserve([&] { EXPECT_EQ(steppers.wait_until_needed(Millis(1)), Need::step); });
    EXPECT_TRUE(steppers.begin_turn(Who::stepper));
    steppers.begin_call();
    reserve.join();
    EXPECT_TRUE(steppers.none_free());
}

TEST_F(SteppersTest, TheReserveTellsOnceOfATurnThatTakesLong) {
    EXPECT_TRUE(steppers.begin_turn(Who::guest));
    EXPECT_EQ(steppers.wait_until_needed(Millis(1)), Need::tell);
    std::thread reserve([&] { EXPECT_EQ(steppers.wait_until_needed(Millis(1)), Need::leave); });
    steppers.close();
    reserve.join();
}

TEST_F(SteppersTest, TheReserveTellsOfEachTurnThatTakesLong) {
    EXPECT_TRUE(steppers.begin_turn(Who::stepper));
    EXPECT_EQ(steppers.wait_until_needed(Millis(1)), Need::tell);
    steppers.end_turn(Who::stepper);
    EXPECT_TRUE(steppers.begin_turn(Who::stepper));
    EXPECT_EQ(steppers.wait_until_needed(Millis(1)), Need::tell);
}

TEST_F(SteppersTest, ATurnThatWasGivenUpIsTakingNoTime) {
    EXPECT_TRUE(steppers.begin_turn(Who::guest));
    steppers.give_up_turn();
    std::thread reserve([&] { EXPECT_EQ(steppers.wait_until_needed(Millis(1)), Need::leave); });
    steppers.close();
    reserve.join();
}

TEST_F(SteppersTest, TheReserveEndsWhenItIsClosed) {
    std::thread reserve([&] { EXPECT_EQ(steppers.wait_until_needed(Millis(1)), Need::leave); });
    steppers.close();
    reserve.join();
}

}  // namespace
}  // namespace belay::runtime
