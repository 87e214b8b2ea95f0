// Ticks that were missed because no worker ran, and clocks that jump. One process, which can stop.
#include "process_fixture.hpp"

namespace belay::schedules_tests {
namespace {

class CatchUpTest : public ProcessTest {
protected:
    /// A schedule whose workers are away from 12:00:30 to 12:05:20. Due then: 12:01 to 12:05.
    void miss(CatchUp catch_up, Millis within = 24h, Overlap overlap = Overlap::skip) {
        ScheduleSpec spec = each_minute();
        spec.catch_up = catch_up;
        spec.catch_up_within = within;
        spec.overlap = overlap;
        create(spec);
        clock.advance(4min + 50s);
        settle();
    }
};

TEST_F(CatchUpTest, NoneGoesOnWithTheTickThatIsOnTime) {
    miss(CatchUp::none);
    EXPECT_EQ(runs(), (Ids{"s-20261119T120500Z"}));
    EXPECT_EQ(show().missed, 4u);
}

TEST_F(CatchUpTest, NoneStartsNothingIfTheLastTickIsLate) {
    ScheduleSpec spec = each_minute();
    spec.every = 1h;
    spec.catch_up = CatchUp::none;
    create(spec);
    pass(3h + 10min);
    EXPECT_TRUE(runs().empty());
    EXPECT_EQ(show().missed, 3u);
    EXPECT_EQ(show().next, at("2026-11-19T16:00:00"));
}

TEST_F(CatchUpTest, OneStartsTheLastOne) {
    ScheduleSpec spec = each_minute();
    spec.every = 1h;
    create(spec);
    pass(3h + 10min);
    EXPECT_EQ(runs(), (Ids{"s-20261119T150000Z"}));
    EXPECT_EQ(show().missed, 2u);
    EXPECT_EQ(show().runs.at(0).cause, ScheduleCause::catch_up);
}

TEST_F(CatchUpTest, OneStartsNothingThatIsOlderThanItsWindow) {
    ScheduleSpec spec = each_minute();
    spec.every = 24h;
    spec.catch_up_within = 2h;
    create(spec);
    pass(23h);
    EXPECT_TRUE(runs().empty());
    EXPECT_EQ(show().missed, 1u);
}

TEST_F(CatchUpTest, AllStartsEachInOrder) {
    miss(CatchUp::all);
    for (int i = 0; i < 20; ++i) pass(1s);
    EXPECT_EQ(runs(),
              (Ids{"s-20261119T120100Z",
                   "s-20261119T120200Z",
                   "s-20261119T120300Z",
                   "s-20261119T120400Z",
                   "s-20261119T120500Z"}));
    EXPECT_EQ(show().missed, 0u);
    EXPECT_EQ(show().runs.at(0).cause, ScheduleCause::catch_up);
    EXPECT_EQ(show().runs.at(4).cause, ScheduleCause::tick);
}

TEST_F(CatchUpTest, AllStartsEachAtOnceIfRunsMayOverlap) {
    miss(CatchUp::all, 24h, Overlap::allow);
    EXPECT_EQ(runs().size(), 5u);
}

TEST_F(CatchUpTest, AllLeavesOutWhatIsOlderThanItsWindow) {
    miss(CatchUp::all, 150s, Overlap::allow);
    EXPECT_EQ(runs(), (Ids{"s-20261119T120300Z", "s-20261119T120400Z", "s-20261119T120500Z"}));
    EXPECT_EQ(show().missed, 2u);
}

TEST_F(CatchUpTest, MoreMissedTicksThanOneStepStartsAreAllStarted) {
    ScheduleSpec spec = each_minute();
    spec.catch_up = CatchUp::all;
    spec.overlap = Overlap::allow;
    create(spec);
    clock.advance(250min);
    for (int i = 0; i < 5; ++i) pass(1ms);
    EXPECT_EQ(show().fired, 250u);
    EXPECT_EQ(runs().size(), 250u);
}

TEST_F(CatchUpTest, YearsOfMissedTicksAreCounted) {
    ScheduleSpec spec = each_minute();
    spec.every = 1s;
    create(spec);
    clock.advance(std::chrono::hours(72));
    for (int i = 0; i < 5; ++i) pass(0ms);
    const ScheduleView view = show();
    EXPECT_EQ(view.missed + view.fired, 3u * 86'400);
    EXPECT_EQ(view.fired, 1u);
}

TEST_F(CatchUpTest, AClockThatIsSetBackFiresNoTickAgain) {
    create(each_minute());
    for (int i = 0; i < 3; ++i) pass(1min);
    EXPECT_EQ(runs().size(), 3u);
    clock.set_back(2min);
    pass(1min);
    pass(59s);
    EXPECT_EQ(runs().size(), 3u);
    pass(1min);
    EXPECT_EQ(runs(),
              (Ids{"s-20261119T120100Z",
                   "s-20261119T120200Z",
                   "s-20261119T120300Z",
                   "s-20261119T120400Z"}));
}

TEST_F(CatchUpTest, AClockThatIsSetForwardMissesTicks) {
    ScheduleSpec spec = each_minute();
    spec.catch_up = CatchUp::none;
    create(spec);
    pass(1min);
    clock.set_back(-60min);
    pass(1min);
    EXPECT_EQ(runs().size(), 2u);
    EXPECT_EQ(show().missed, 60u);
}

TEST_F(CatchUpTest, AResumeLetsAScheduleGoOnAfterTheClockWasFarAhead) {
    create(each_minute());
    clock.set_back(-std::chrono::hours(1000));
    pass(1min);
    clock.set_back(std::chrono::hours(1000));
    pass(1min);
    const std::size_t before = runs().size();
    ASSERT_TRUE(schedules.pause("s").ok());
    settle();
    ASSERT_TRUE(schedules.resume("s").ok());
    settle();
    pass(1min);
    EXPECT_EQ(runs().size(), before + 1);
}

TEST_F(CatchUpTest, TicksThatJitterHasKeptAreNotMissed) {
    ScheduleSpec spec = each_minute();
    spec.jitter = 3min;
    spec.catch_up = CatchUp::none;
    spec.overlap = Overlap::allow;
    create(spec);
    for (int i = 0; i < 600; ++i) pass(6s);
    EXPECT_EQ(show().missed, 0u);
    EXPECT_GE(show().fired, 57u);
    EXPECT_EQ(runs().size(), show().fired);
}

TEST_F(CatchUpTest, TicksWithJitterAreMissedWithoutAWorker) {
    ScheduleSpec spec = each_minute();
    spec.jitter = 3min;
    spec.catch_up = CatchUp::none;
    spec.overlap = Overlap::allow;
    create(spec);
    pass(1h);
    EXPECT_GE(show().missed, 50u);
    EXPECT_LE(show().fired, 5u);
}

}  // namespace
}  // namespace belay::schedules_tests
