// The cancel of an execution, and its shields.
#include "replay/cancellation.hpp"

#include <gtest/gtest.h>

namespace belay::replay::cancellation_tests {
namespace {

using State = Cancellation::State;

TEST(Cancellation, IsRequestedWithoutNotice) {
    Cancellation cancellation;
    EXPECT_EQ(cancellation.state(), State::none);
    cancellation.request(CancelRecord{.reason = "stop"});
    EXPECT_EQ(cancellation.state(), State::requested);
    EXPECT_EQ(cancellation.record()->reason, "stop");
}

TEST(Cancellation, IsAwaitedUntilItIsRequested) {
    Cancellation cancellation;
    cancellation.expect();
    EXPECT_TRUE(cancellation.is_awaited());
    EXPECT_FALSE(cancellation.is_requested());
    cancellation.request(CancelRecord{});
    EXPECT_FALSE(cancellation.is_awaited());
    cancellation.expect();
    EXPECT_EQ(cancellation.state(), State::requested);
}

TEST(Cancellation, GivesTheLongestOpenShield) {
    Cancellation cancellation;
    EXPECT_EQ(cancellation.longest_shield(), Millis(0));
    cancellation.open_shield(Millis(5));
    cancellation.open_shield(Millis(9));
    cancellation.open_shield(Millis(5));
    EXPECT_EQ(cancellation.longest_shield(), Millis(9));
    cancellation.close_shield(Millis(9));
    cancellation.close_shield(Millis(5));
    EXPECT_EQ(cancellation.longest_shield(), Millis(5)) << "the other one is still open";
}

}  // namespace
}  // namespace belay::replay::cancellation_tests
