// A tick while a run of the schedule is under way.
#include "fixture.hpp"

namespace belay::schedules_tests {
namespace {

class OverlapTest : public SchedulesTest {
protected:
    /// Each minute, a run of this length.
    void start(Overlap overlap, std::int64_t seconds) {
        ScheduleSpec spec = each_minute(seconds);
        spec.overlap = overlap;
        create(spec);
    }
};

TEST_F(OverlapTest, SkipStartsNothingWhileARunIsUnderWay) {
    start(Overlap::skip, 90);
    world.advance(4min);
    EXPECT_EQ(runs(), (Ids{"s-20261119T120100Z", "s-20261119T120300Z"}));
    EXPECT_EQ(show().fired, 2u);
    EXPECT_EQ(show().skipped, 2u);
}

TEST_F(OverlapTest, QueueKeepsOneTick) {
    start(Overlap::queue, 150);
    world.advance(2min + 20s);
    EXPECT_EQ(runs(), (Ids{"s-20261119T120100Z"}));
    EXPECT_EQ(show().waiting, 1u);
    EXPECT_EQ(show().skipped, 0u);
    world.advance(1min);
    // The first ended at 12:03:30. The second has the tick that waited, and 12:03 was skipped.
    EXPECT_EQ(runs(), (Ids{"s-20261119T120100Z", "s-20261119T120200Z"}));
    EXPECT_EQ(show().waiting, 0u);
    EXPECT_EQ(show().skipped, 1u);
}

TEST_F(OverlapTest, QueueAllStartsEveryTickInOrder) {
    start(Overlap::queue_all, 90);
    world.advance(3min + 10s);
    EXPECT_EQ(show().waiting, 1u);
    ASSERT_TRUE(schedules.pause("s").ok());
    world.advance(10min);
    EXPECT_EQ(show().waiting, 1u);
    ASSERT_TRUE(schedules.resume("s").ok());
    world.advance(1s);
    EXPECT_EQ(runs(), (Ids{"s-20261119T120100Z", "s-20261119T120200Z", "s-20261119T120300Z"}));
}

TEST_F(OverlapTest, CancelStartsTheNewRunOnceTheOldOneHasSettled) {
    start(Overlap::cancel, 600);
    world.advance(2min + 10s);
    EXPECT_EQ(runs(), (Ids{"s-20261119T120100Z", "s-20261119T120200Z"}));
    EXPECT_EQ(status("s-20261119T120100Z"), Status::canceled);
    EXPECT_EQ(status("s-20261119T120200Z"), Status::running);
    const auto old = world.client().inspect("s-20261119T120100Z").or_throw();
    EXPECT_EQ(old.cancel->by, "schedule s");
    EXPECT_EQ(old.cancel->source, CancelSource::policy);
    EXPECT_GE(world.client().inspect("s-20261119T120200Z").or_throw().created_at, *old.ended_at);
}

Orchestration<void> slow_to_end(OrchestrationContext ctx, std::int64_t seconds) {
    bool canceled = false;
    try {
        co_await ctx.timer(1h);
    } catch (const Canceled&) {
        canceled = true;
    }
    if (canceled) {
        const Shield shield = ctx.shield();
        co_await ctx.timer(std::chrono::seconds(seconds));
    }
}

TEST_F(OverlapTest, CancelWaitsForTheCleanupOfTheOldRun) {
    constexpr Definition<void(std::int64_t)> kSlow{"Slow"};
    world.add(kSlow, slow_to_end);
    ScheduleSpec spec;
    spec.every = 1min;
    spec.overlap = Overlap::cancel;
    create(spec.target(kSlow, 25));
    world.advance(1min + 50s);
    EXPECT_EQ(runs().size(), 1u);
    EXPECT_EQ(status("s-20261119T120100Z"), Status::canceling);
    world.advance(30s);
    EXPECT_EQ(runs(), (Ids{"s-20261119T120100Z", "s-20261119T120200Z"}));
}

TEST_F(OverlapTest, AllowStartsARunBesideTheOthers) {
    start(Overlap::allow, 600);
    world.advance(3min);
    EXPECT_EQ(runs().size(), 3u);
    EXPECT_EQ(status("s-20261119T120100Z"), Status::running);
}

TEST_F(OverlapTest, ARunThatWasDeletedIsNotUnderWay) {
    start(Overlap::skip, 3600);
    world.advance(1min);
    ASSERT_TRUE(world.client().delete_instance("s-20261119T120100Z", true).ok());
    world.advance(1min);
    EXPECT_EQ(runs(), (Ids{"s-20261119T120200Z"}));
    EXPECT_FALSE(show().runs.at(0).status.has_value());
}

TEST_F(OverlapTest, AFailedRunPausesTheScheduleThatAsksForIt) {
    ScheduleSpec spec = each_minute(-5);
    spec.pause_on_failure = true;
    create(spec);
    world.advance(1min + 10s);
    const ScheduleView view = show();
    EXPECT_TRUE(view.paused);
    EXPECT_EQ(view.paused_by, "belay");
    EXPECT_EQ(view.paused_why, "run 's-20261119T120100Z' failed");
    world.advance(5min);
    EXPECT_EQ(runs().size(), 1u);
    ASSERT_TRUE(schedules.resume("s").ok());
    world.advance(1min);
    EXPECT_EQ(runs().size(), 2u);
}

TEST_F(OverlapTest, AFailedRunDoesNotPauseAnyOtherSchedule) {
    create(each_minute(-5));
    world.advance(3min);
    EXPECT_FALSE(show().paused);
    EXPECT_EQ(show().fired, 3u);
}

/// Four minutes of the past.
constexpr const char* kPast = "2026-11-01T00:00:00";
constexpr const char* kPastEnd = "2026-11-01T00:04:00";

TEST_F(OverlapTest, ABackfillGivesWayToTicks) {
    start(Overlap::skip, 20);
    ASSERT_TRUE(schedules.backfill("s", at(kPast), at(kPastEnd)).ok());
    world.advance(3min);
    const std::vector<std::string> all = runs();
    for (const char* const tick : {"s-20261119T120100Z", "s-20261119T120200Z"}) {
        EXPECT_NE(std::ranges::find(all, tick), all.end()) << tick;
    }
    EXPECT_EQ(show().skipped, 0u);
    world.advance(2min);
    EXPECT_EQ(runs().size(), 4u + 5u);
}

TEST_F(OverlapTest, TicksOfABackfillOverlapWithNoOther) {
    start(Overlap::skip, 90);
    ASSERT_TRUE(schedules.backfill("s", at(kPast), at(kPastEnd)).ok());
    for (int i = 0; i < 12; ++i) {
        world.advance(15s);
        const std::vector<std::string> all = runs();
        EXPECT_LE(std::ranges::count_if(
                      all, [this](const std::string& id) { return !is_terminal(status(id)); }),
                  1);
    }
}

TEST_F(OverlapTest, CancelLeavesRunsThatPeopleAskedFor) {
    start(Overlap::cancel, 90);
    ASSERT_TRUE(schedules.backfill("s", at(kPast), at("2026-11-01T00:01:00")).ok());
    world.run_until_idle();
    ASSERT_TRUE(schedules.run_now("s").ok());
    world.advance(40s);
    EXPECT_EQ(status("s-backfill-1-20261101T000000Z"), Status::running);
    EXPECT_EQ(status("s-now-2"), Status::running);
    world.advance(2min);
    EXPECT_EQ(status("s-backfill-1-20261101T000000Z"), Status::completed);
    EXPECT_EQ(status("s-now-2"), Status::completed);
}

}  // namespace
}  // namespace belay::schedules_tests
