// Ticks: when runs start, across changes of clocks, restarts of executions, and targets that cannot
// start.
#include "fixture.hpp"

#include <set>

namespace belay::schedules_tests {
namespace {

TEST_F(SchedulesTest, EachTickStartsOneRun) {
    create(each_minute());
    world.advance(3min);
    EXPECT_EQ(runs(), (Ids{"s-20261119T120100Z", "s-20261119T120200Z", "s-20261119T120300Z"}));
    const ScheduleView view = show();
    EXPECT_EQ(view.fired, 3u);
    EXPECT_EQ(view.skipped + view.missed + view.refused, 0u);
    EXPECT_EQ(view.next, at("2026-11-19T12:04:00"));
    ASSERT_EQ(view.runs.size(), 3u);
    EXPECT_EQ(view.runs[0].tick, at("2026-11-19T12:01:00"));
    EXPECT_EQ(view.runs[2].status, Status::completed);
}

TEST_F(SchedulesTest, AnIdleScheduleWaitsInOneTimer) {
    ScheduleSpec spec = each_minute();
    spec.every = 24h;
    create(spec);
    const auto depths = world.client().queue_depths().or_throw();
    EXPECT_EQ(depths.timers, 1u);
    EXPECT_EQ(depths.ready + depths.locked, 0u);
    EXPECT_TRUE(depths.activities.empty());
}

TEST_F(SchedulesTest, ARunKnowsItsSchedule) {
    ScheduleSpec spec = each_minute();
    spec.owner = "shop";
    create(spec, "nightly");
    world.advance(1min);
    const auto info = world.client().inspect("nightly-20261119T120100Z").or_throw();
    EXPECT_EQ(info.definition, "Job");
    EXPECT_EQ(info.owner, "shop");
    EXPECT_EQ(info.started_by, "schedule nightly");
    EXPECT_FALSE(info.parent.has_value());
}

TEST_F(SchedulesTest, TheHistoryOfManyTicksStaysSmall) {
    create(each_minute());
    world.advance(120min);
    EXPECT_EQ(show().fired, 120u);
    // The last one has not been looked at yet.
    EXPECT_EQ(show().runs.size(), 21u);
    const auto info = world.client().inspect("belay.schedule.s").or_throw();
    EXPECT_GE(info.execution, 3u);
    EXPECT_LE(world.client().executions("belay.schedule.s").or_throw().size(), 3u);
    const auto ids = runs();
    EXPECT_EQ(std::set<std::string>(ids.begin(), ids.end()).size(), 120u);
}

TEST_F(SchedulesTest, OneDateFiresOnceAndEndsTheSchedule) {
    ScheduleSpec spec;
    spec.at = at("2026-12-24T18:00:00");
    create(spec.target(Job, 0));
    world.advance(std::chrono::days(60));
    EXPECT_EQ(runs(), (Ids{"s-20261224T180000Z"}));
    EXPECT_TRUE(show().ended);
    EXPECT_FALSE(show().next.has_value());
    EXPECT_EQ(show().runs.at(0).status, Status::completed);
}

TEST_F(SchedulesTest, TicksLieBetweenStartAndEnd) {
    ScheduleSpec spec = each_minute();
    spec.starts = at("2026-11-19T12:10:00");
    spec.ends = at("2026-11-19T12:12:00");
    create(spec);
    world.advance(30min);
    EXPECT_EQ(runs(), (Ids{"s-20261119T121000Z", "s-20261119T121100Z"}));
    EXPECT_TRUE(show().ended);
}

TEST_F(SchedulesTest, JitterDelaysARunAndKeepsItsTick) {
    ScheduleSpec spec = each_minute();
    spec.every = 1h;
    spec.jitter = 10min;
    create(spec);
    const Timestamp next = show().next.value();
    EXPECT_GT(next, at("2026-11-19T13:00:00"));
    EXPECT_LE(next, at("2026-11-19T13:10:00"));
    world.advance(next - world.now() - 1ms);
    EXPECT_TRUE(runs().empty());
    world.advance(1ms);
    EXPECT_EQ(runs(), (Ids{"s-20261119T130000Z"}));
}

TEST_F(SchedulesTest, ARefusedStartIsShownAndDoesNotStopLaterTicks) {
    create(each_minute());
    // A client checks the definition first.
    const Payload change(PayloadCodec::json,
                         R"({"change": "update", "spec": "{\"every\": \"1m\"}"})");
    ASSERT_TRUE(world.client().enqueue("belay.schedule.s", "belay.schedule.changes", change).ok());
    world.advance(2min);
    const ScheduleView view = show();
    EXPECT_EQ(view.refused, 2u);
    EXPECT_EQ(view.fired, 0u);
    ASSERT_EQ(view.runs.size(), 2u);
    EXPECT_NE(view.runs[0].problem.find("definition"), std::string::npos) << view.runs[0].problem;
    ASSERT_TRUE(schedules.update("s", each_minute()).ok());
    world.advance(1min);
    EXPECT_EQ(show().fired, 1u);
}

TEST_F(SchedulesTest, ARefusedStartPausesTheScheduleThatAsksForIt) {
    create(each_minute());
    const Payload change(
        PayloadCodec::json,
        R"({"change": "update", "spec": "{\"every\": \"1m\", \"pause_on_failure\": true}"})");
    ASSERT_TRUE(world.client().enqueue("belay.schedule.s", "belay.schedule.changes", change).ok());
    world.advance(5min);
    EXPECT_EQ(show().refused, 1u);
    EXPECT_TRUE(show().paused);
}

TEST_F(SchedulesTest, ABadScheduleHarmsNoOther) {
    const std::vector<Payload> input{
        Payload::text("{\"every\": \"soon\"}"), Payload::text(""), detail::join_payloads({})};
    (void)world.client().start(
        "belay.schedule", detail::join_payloads(input), StartOptions().id("belay.schedule.bad"));
    create(each_minute());
    world.advance(3min);
    EXPECT_EQ(show().fired, 3u);
    EXPECT_NE(show("bad").problem.find("every"), std::string::npos) << show("bad").problem;
    EXPECT_EQ(show("bad").fired, 0u);
}

TEST_F(SchedulesTest, AnIdInUseBySomebodyElseIsNoObstacle) {
    world.start_with(Job, StartOptions().id("s-20261119T120100Z"), std::int64_t{5});
    create(each_minute());
    world.advance(1min);
    EXPECT_EQ(show().fired, 1u);
    ASSERT_EQ(runs().size(), 1u);
    EXPECT_NE(runs().at(0), "s-20261119T120100Z");
    EXPECT_EQ(show().runs.at(0).id, runs().at(0));
}

class DaylightTest : public SchedulesTest {
protected:
    explicit DaylightTest(Timestamp begin) : SchedulesTest(begin) {}
    void daily(const char* cron) {
        ScheduleSpec spec;
        spec.cron = cron;
        spec.zone = "Europe/Brussels";
        create(spec.target(Job, 0));
    }
};
class SpringTest : public DaylightTest {
protected:
    SpringTest() : DaylightTest(at("2026-03-28T00:00:00")) {}
};
class AutumnTest : public DaylightTest {
protected:
    AutumnTest() : DaylightTest(at("2026-10-24T00:00:00")) {}
};

TEST_F(SpringTest, ALocalTimeThatDoesNotExistFiresOnceAfterTheGap) {
    daily("30 2 * * *");
    world.advance(std::chrono::days(3));
    EXPECT_EQ(runs(), (Ids{"s-20260328T013000Z", "s-20260329T010000Z", "s-20260330T003000Z"}));
}

TEST_F(AutumnTest, ALocalTimeThatComesTwiceFiresOnce) {
    daily("30 2 * * *");
    world.advance(std::chrono::days(3));
    EXPECT_EQ(runs(), (Ids{"s-20261024T003000Z", "s-20261025T003000Z", "s-20261026T013000Z"}));
}

}  // namespace
}  // namespace belay::schedules_tests
