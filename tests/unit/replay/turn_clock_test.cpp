// The time that code sees.
#include "replay/turn_clock.hpp"

#include <gtest/gtest.h>

namespace belay::replay::turn_clock_tests {
namespace {

TEST(TurnClock, StandsAtTheTimeOfTheTurn) {
    TurnClock clock;
    clock.begin_turn(from_unix_ms(1'000));
    EXPECT_EQ(clock.now(), from_unix_ms(1'000));
}

TEST(TurnClock, DoesNotGoBack) {
    TurnClock clock;
    clock.begin_turn(from_unix_ms(1'000));
    clock.begin_turn(from_unix_ms(999));
    EXPECT_EQ(clock.now(), from_unix_ms(1'000));
}

TEST(TurnClock, AddsADelay) {
    TurnClock clock;
    clock.begin_turn(from_unix_ms(1'000));
    EXPECT_EQ(clock.after(Millis(5)), from_unix_ms(1'005));
}

TEST(TurnClock, TakesANegativeDelayForNone) {
    TurnClock clock;
    clock.begin_turn(from_unix_ms(1'000));
    EXPECT_EQ(clock.after(Millis(-5)), from_unix_ms(1'000));
}

TEST(TurnClock, EndsAtTheLastTime) {
    TurnClock clock;
    clock.begin_turn(from_unix_ms(1'000));
    EXPECT_EQ(clock.after(Millis::max()), Timestamp::max());
}

}  // namespace
}  // namespace belay::replay::turn_clock_tests
