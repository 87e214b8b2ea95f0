// Ending code that does not honour a limit.
#include "replay/forced_stop.hpp"

#include <gtest/gtest.h>

namespace belay::replay::forced_stop_tests {
namespace {

TEST(ForcedStop, ComesAfterMoreRefusalsThanAllowed) {
    Limits limits;
    limits.cancel_throws = 2;
    ForcedStop stop(limits);
    stop.count_refusal();
    stop.count_refusal();
    EXPECT_FALSE(stop.is_set());
    stop.count_refusal();
    EXPECT_EQ(stop.why(), "it went on after what it asked for was refused 2 times");
}

TEST(ForcedStop, KeepsItsFirstReason) {
    Limits limits;
    limits.buffered_messages = 3;
    limits.cancel_throws = 0;
    ForcedStop stop(limits);
    stop.stop_for_messages();
    stop.stop_for_history();
    stop.count_refusal();
    EXPECT_EQ(stop.why(), "more than 3 messages came that nobody received");
}

}  // namespace
}  // namespace belay::replay::forced_stop_tests
