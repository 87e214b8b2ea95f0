// Changes by people: pause, resume, run now, backfill, update, remove.
#include "fixture.hpp"

namespace belay::schedules_tests {
namespace {

class ChangesTest : public SchedulesTest {
protected:
    void SetUp() override { create(each_minute()); }
};

TEST_F(ChangesTest, APausedScheduleStartsNothingAndSaysWhy) {
    ASSERT_TRUE(schedules.pause("s", ScheduleNote().by("ann").why("too slow")).ok());
    world.advance(5min);
    EXPECT_TRUE(runs().empty());
    const ScheduleView view = show();
    EXPECT_TRUE(view.paused);
    EXPECT_EQ(view.paused_by, "ann");
    EXPECT_EQ(view.paused_why, "too slow");
    EXPECT_EQ(view.paused_at, at("2026-11-19T12:00:30"));
    EXPECT_FALSE(view.next.has_value());
    EXPECT_EQ(world.client().queue_depths().or_throw().timers, 0u);
}

TEST_F(ChangesTest, TicksOfAPauseAreNotCaughtUpWith) {
    ASSERT_TRUE(schedules.pause("s").ok());
    world.advance(5min);
    ASSERT_TRUE(schedules.resume("s").ok());
    world.advance(1min);
    EXPECT_EQ(runs(), (Ids{"s-20261119T120600Z"}));
    EXPECT_EQ(show().missed, 0u);
}

TEST_F(ChangesTest, ResumeOfAScheduleThatIsNotPausedChangesNothing) {
    const auto before = show().next;
    ASSERT_TRUE(schedules.resume("s").ok());
    world.run_until_idle();
    EXPECT_EQ(show().next, before);
    world.advance(1min);
    EXPECT_EQ(show().fired, 1u);
}

TEST_F(ChangesTest, RunNowStartsARunAtOnceAlsoInAPause) {
    ASSERT_TRUE(schedules.pause("s").ok());
    ASSERT_TRUE(schedules.run_now("s").ok());
    ASSERT_TRUE(schedules.run_now("s").ok());
    world.run_until_idle();
    EXPECT_EQ(runs(), (Ids{"s-now-1", "s-now-2"}));
    EXPECT_EQ(show().runs.at(0).cause, ScheduleCause::run_now);
}

TEST_F(ChangesTest, ARepeatOfARequestRunsOnce) {
    ASSERT_TRUE(schedules.run_now("s", ScheduleNote().request_id("click-1")).ok());
    ASSERT_TRUE(schedules.run_now("s", ScheduleNote().request_id("click-1")).ok());
    world.run_until_idle();
    EXPECT_EQ(runs(), (Ids{"s-now-1"}));
}

TEST_F(ChangesTest, BackfillStartsARunForEachTickOneAfterTheOther) {
    ASSERT_TRUE(schedules.update("s", each_minute(20)).ok());
    ASSERT_TRUE(schedules.pause("s").ok());
    world.run_until_idle();
    ASSERT_TRUE(schedules.backfill("s", at("2026-11-01T00:00:00"), at("2026-11-01T00:03:00")).ok());
    world.run_until_idle();
    EXPECT_EQ(runs(), (Ids{"s-backfill-1-20261101T000000Z"}));
    EXPECT_EQ(show().waiting, 2u);
    world.advance(90s);
    EXPECT_EQ(runs(),
              (Ids{"s-backfill-1-20261101T000000Z",
                   "s-backfill-1-20261101T000100Z",
                   "s-backfill-1-20261101T000200Z"}));
    EXPECT_EQ(show().waiting, 0u);
}

TEST_F(ChangesTest, ABackfillOfManyTicksStartsEachOnce) {
    ScheduleSpec spec = each_minute();
    spec.overlap = Overlap::allow;
    ASSERT_TRUE(schedules.update("s", spec).ok());
    ASSERT_TRUE(schedules.pause("s").ok());
    ASSERT_TRUE(schedules.backfill("s", at("2026-11-01T00:00:00"), at("2026-11-01T02:10:00")).ok());
    world.advance(10s);
    EXPECT_EQ(show().fired, 130u);
    EXPECT_EQ(runs().size(), 130u);
}

TEST_F(ChangesTest, ABackfillEndsNow) {
    ASSERT_TRUE(schedules.pause("s").ok());
    ASSERT_TRUE(schedules.backfill("s", at("2026-11-19T11:59:00"), at("2027-11-19T00:00:00")).ok());
    world.advance(10min);
    EXPECT_EQ(runs().size(), 2u);
    const auto refused =
        schedules.backfill("s", at("2026-11-19T12:00:00"), at("2026-11-19T12:00:00"));
    EXPECT_EQ(refused.error().code(), Errc::invalid_argument);
}

TEST_F(ChangesTest, AnUpdateReplacesTimesAndTargetWhileItWaits) {
    ScheduleSpec spec;
    spec.every = 1h;
    ASSERT_TRUE(schedules.update("s", spec.target(Job, 7)).ok());
    world.advance(59min);
    EXPECT_TRUE(runs().empty());
    EXPECT_EQ(show().next, at("2026-11-19T13:00:00"));
    EXPECT_EQ(show().spec, spec);
    world.advance(1min);
    const auto info = world.client().inspect("s-20261119T130000Z").or_throw();
    EXPECT_EQ(info.input, Codec<std::int64_t>::encode(7));
}

TEST_F(ChangesTest, AnUpdateToMoreTicksCatchesUpWithNone) {
    ScheduleSpec spec = each_minute();
    spec.every = 24h;
    ASSERT_TRUE(schedules.update("s", spec).ok());
    world.advance(6h);
    spec.every = 1min;
    spec.catch_up = CatchUp::all;
    ASSERT_TRUE(schedules.update("s", spec).ok());
    world.advance(1min);
    EXPECT_EQ(show().fired, 1u);
    EXPECT_EQ(show().missed, 0u);
}

TEST_F(ChangesTest, ALongDescriptionIsKeptWhole) {
    ScheduleSpec spec = each_minute();
    std::string text;
    for (int i = 0; i < 15'000; ++i) text += "é€x";
    spec.input = Payload::text(text);
    ASSERT_TRUE(schedules.update("s", spec).ok());
    world.advance(1min);
    EXPECT_EQ(show().spec, spec);
    EXPECT_EQ(world.client().inspect("s-20261119T120100Z").or_throw().input, spec.input);
    ASSERT_TRUE(schedules.update("s", each_minute()).ok());
    world.run_until_idle();
    EXPECT_EQ(show().spec, each_minute());
}

TEST_F(ChangesTest, AMessageThatIsNoChangeIsIgnored) {
    for (const char* const text :
         {"{", "[]", "{\"change\": \"dance\"}", "{\"change\": \"pause\", \"x\": 1}"}) {
        ASSERT_TRUE(world.client()
                        .enqueue("belay.schedule.s",
                                 "belay.schedule.changes",
                                 Payload(PayloadCodec::json, text))
                        .ok());
    }
    world.advance(1min);
    EXPECT_FALSE(show().paused);
    EXPECT_EQ(show().fired, 1u);
}

TEST_F(ChangesTest, ARemovedScheduleIsGoneAndItsRunsGoOn) {
    ASSERT_TRUE(schedules.update("s", each_minute(600)).ok());
    world.advance(1min);
    ASSERT_TRUE(schedules.remove("s").ok());
    world.advance(5min);
    EXPECT_EQ(runs(), (Ids{"s-20261119T120100Z"}));
    EXPECT_EQ(status("s-20261119T120100Z"), Status::running);
    EXPECT_EQ(schedules.show("s").error().code(), Errc::not_found);
    EXPECT_EQ(schedules.remove("s").error().code(), Errc::not_found);
    EXPECT_EQ(schedules.pause("s").error().code(), Errc::not_found);
}

TEST_F(ChangesTest, ANewScheduleOfTheSameNameStartsItsOwnRuns) {
    world.advance(1min);
    ASSERT_TRUE(schedules.remove("s").ok());
    ASSERT_TRUE(schedules.create("s", each_minute()).ok());
    ASSERT_TRUE(schedules.backfill("s", at("2026-11-19T12:01:00"), at("2026-11-19T12:01:01")).ok());
    world.advance(1min);
    EXPECT_EQ(show().fired, 2u);
    EXPECT_EQ(runs().size(), 3u);
}

TEST_F(ChangesTest, ANameIsTakenUntilTheScheduleHasEnded) {
    EXPECT_EQ(schedules.create("s", each_minute()).error().code(), Errc::id_in_use);
    ASSERT_TRUE(schedules.pause("s").ok());
    ScheduleSpec once;
    once.at = at("2026-11-19T13:00:00");
    create(once.target(Job, 0), "once");
    world.advance(2h);
    ASSERT_TRUE(show("once").ended);
    EXPECT_EQ(schedules.pause("once").error().code(), Errc::already_ended);
    EXPECT_EQ(schedules.create("once", once).error().code(), Errc::invalid_argument);
    once.at = at("2026-11-20T13:00:00");
    EXPECT_TRUE(schedules.create("once", once).ok());
    world.advance(24h);
    EXPECT_EQ(runs("once").size(), 2u);
}

TEST_F(ChangesTest, AListHasAllSchedulesByName) {
    create(each_minute(), "b");
    create(each_minute(), "a");
    ASSERT_TRUE(schedules.pause("b").ok());
    world.run_until_idle();
    const auto all = schedules.list().or_throw();
    ASSERT_EQ(all.size(), 3u);
    EXPECT_EQ(all[0].name, "a");
    EXPECT_TRUE(all[1].paused);
    EXPECT_EQ(all[2].next, at("2026-11-19T12:01:00"));
}

TEST_F(ChangesTest, AScheduleIsShownBeforeAWorkerHasSeenIt) {
    ASSERT_TRUE(schedules.create("new", each_minute(3)).ok());
    EXPECT_EQ(show("new").spec, each_minute(3));
    EXPECT_EQ(show("new").fired, 0u);
}

TEST_F(ChangesTest, BadNamesAreRefused) {
    for (const std::string name : {"", "a/b", "a\nb"}) {
        EXPECT_EQ(schedules.create(name, each_minute()).error().code(), Errc::invalid_argument);
    }
    EXPECT_FALSE(schedules.create(std::string(201, 'x'), each_minute()).ok());
}

}  // namespace
}  // namespace belay::schedules_tests
