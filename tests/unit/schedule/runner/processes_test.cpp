// Schedules kept by several processes, and by processes that die.
#include "process_fixture.hpp"

namespace belay::schedules_tests {
namespace {

TEST_F(ProcessTest, OfTwoWorkersEachTickStartsOneRun) {
    process();
    create(each_minute());
    for (int i = 0; i < 10; ++i) pass(1min);
    EXPECT_EQ(runs().size(), 10u);
    EXPECT_EQ(show().fired, 10u);
}

TEST_F(ProcessTest, AWorkerThatDiesBetweenStartAndRecordHasStartedTheRunOnce) {
    ScheduleSpec spec = each_minute();
    spec.every = 1h;
    create(spec);
    clock.advance(59min + 40s);
    take_turns();
    Process& first = *processes.front();
    ASSERT_EQ(first.executor.count(), first.done + 1);
    (void)first.executor.at(first.done).task->run();
    EXPECT_EQ(runs(), (Ids{"s-20261119T130000Z"}));
    EXPECT_EQ(show().fired, 0u);
    first.runtime.reset();
    process();
    for (int i = 0; i < 10; ++i) pass(10s);
    EXPECT_EQ(runs(), (Ids{"s-20261119T130000Z"}));
    EXPECT_EQ(show().fired, 1u);
    EXPECT_EQ(show().runs.at(0).id, "s-20261119T130000Z");
    pass(1h);
    EXPECT_EQ(runs().size(), 2u);
}

TEST_F(ProcessTest, AnUnknownDefinitionDoesNotStopLaterTicks) {
    ScheduleSpec spec = each_minute();
    spec.definition = "NobodyHasThis";
    spec.overlap = Overlap::allow;
    create(spec);
    for (int i = 0; i < 3; ++i) pass(1min);
    EXPECT_EQ(show().fired, 3u);
    EXPECT_EQ(show().runs.at(0).status, Status::pending);
}

TEST_F(ProcessTest, ARestartGoesOnWhereTheScheduleWas) {
    create(each_minute());
    pass(1min);
    processes.front()->runtime.reset();
    process();
    pass(1min);
    EXPECT_EQ(runs(), (Ids{"s-20261119T120100Z", "s-20261119T120200Z"}));
}

}  // namespace
}  // namespace belay::schedules_tests
