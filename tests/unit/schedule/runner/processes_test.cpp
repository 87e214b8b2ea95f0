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

inline constexpr Activity<void()> Hold{"Hold"};
inline constexpr Definition<void()> Holding{"Holding"};

Orchestration<void> holding(OrchestrationContext ctx) { co_await ctx.call(Hold); }

/// A process in which every activity ends at once, except those that hold their slots.
class BusyProcess {
public:
    explicit BusyProcess(const RuntimeOptions& options)
        : runtime_(*store_, registry_, executor_, RuntimeOptions(options).clock(clock_)) {}

    void pass(Millis time) {
        clock_.advance(time);
        bool busy = true;
        while (busy) {
            busy = false;
            while (runtime_.step()) busy = true;
            for (; done_ < executor_.count(); ++done_) {
                if (executor_.at(done_).task->details().name == "Hold") continue;
                executor_.finish(done_);
                busy = true;
            }
        }
    }
    Client& client() { return client_; }
    std::size_t held() const {
        std::size_t count = 0;
        for (std::size_t i = 0; i < executor_.count(); ++i) {
            if (executor_.at(i).task->details().name == "Hold") ++count;
        }
        return count;
    }

private:
    static Registry code_with_hold() {
        Registry registry = code();
        registry.add(Hold, [] {});
        registry.add(Holding, holding);
        return registry;
    }

    ManualClock clock_{at("2026-11-19T12:00:30")};
    std::unique_ptr<Store> store_ = make_memory_store(clock_);
    Registry registry_ = code_with_hold();
    ScriptedExecutor executor_;
    std::size_t done_ = 0;
    Runtime runtime_;
    Client client_{*store_, clock_};
};

TEST(BusyProcesses, WorkThatTakesAllSlotsStopsNoSchedule) {
    for (const bool share : {true, false}) {
        BusyProcess process(RuntimeOptions().activity_slots(2).share_commits(share));
        for (int i = 0; i < 4; ++i) (void)process.client().start(Holding).id();
        process.pass(0ms);
        EXPECT_EQ(process.held(), 2u);
        Schedules schedules(process.client());
        ASSERT_TRUE(schedules.create("s", each_minute()).ok());
        for (int i = 0; i < 700; ++i) process.pass(100ms);
        EXPECT_EQ(schedules.show("s").or_throw().fired, 1u) << share;
        EXPECT_EQ(process.held(), 2u);
    }
}

}  // namespace
}  // namespace belay::schedules_tests
