// Who is free to step.
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

    Steppers steppers;
};

TEST_F(SteppersTest, TheLastOneTakesNoTurn) {
    EXPECT_TRUE(steppers.begin_turn());
    EXPECT_FALSE(steppers.begin_turn());
    steppers.end_turn();
    EXPECT_TRUE(steppers.begin_turn());
    steppers.add();
    EXPECT_TRUE(steppers.begin_turn()) << "the first was replaced";
}

TEST_F(SteppersTest, WhoIsInACallIsNotFree) {
    steppers.begin_call();
    EXPECT_FALSE(steppers.none_free());
    EXPECT_TRUE(steppers.begin_turn()) << "the other one calls the store";
    EXPECT_TRUE(steppers.none_free());
    steppers.end_call();
    EXPECT_FALSE(steppers.none_free());
}

TEST_F(SteppersTest, TheReserveIsWokenWhenNobodyIsFree) {
    std::thread reserve([&] { EXPECT_TRUE(steppers.wait_until_needed(Millis(1))); });
    EXPECT_TRUE(steppers.begin_turn());
    steppers.begin_call();
    reserve.join();
    EXPECT_TRUE(steppers.none_free());
}

TEST_F(SteppersTest, TheReserveEndsWhenItIsClosed) {
    std::thread reserve([&] { EXPECT_FALSE(steppers.wait_until_needed(Millis(1))); });
    steppers.close();
    reserve.join();
}

}  // namespace
}  // namespace belay::runtime
