// Timers that are due when they are set.
#include "world.hpp"

namespace belay::runtime_tests::due_timers {
namespace {

using namespace std::chrono_literals;

using DueTimers = World;

Orchestration<std::string> naps_for(OrchestrationContext ctx, std::string ms) {
    co_await ctx.timer(Millis(std::stoll(ms)));
    co_return co_await ctx.call(Work, ms);
}

TEST_F(DueTimers, FireInTheTurnThatSetsThem) {
    Process& p = process(registry_with(naps_for));
    start("i1", "0");
    settle();
    EXPECT_EQ(p.runtime->counts().turns_committed, 1U);
    EXPECT_EQ(p.executor.count(), 1U) << "the code has gone on behind its timer";
}

TEST_F(DueTimers, OthersWait) {
    Process& p = process(registry_with(naps_for));
    start("i1", "1");
    settle();
    EXPECT_EQ(p.executor.count(), 0U);
    pass(1ms);
    EXPECT_EQ(p.executor.count(), 1U);
    EXPECT_EQ(p.runtime->counts().turns_committed, 2U);
}

TEST_F(DueTimers, AreReplayedLikeOthers) {
    Process& first = process(registry_with(naps_for));
    const auto run = start("i1", "0");
    settle();
    crash(first);
    pass(Policy().activity_lease);
    Process& second = process(registry_with(naps_for));
    settle();
    ASSERT_EQ(second.executor.count(), 1U);
    second.executor.finish(0);
    settle();
    EXPECT_EQ(second.runtime->counts().cold_replays, 1U);
    EXPECT_EQ(client.outcome(run)->output.bytes, "did 0");
}

Orchestration<std::string> naps_often(OrchestrationContext ctx, std::string times) {
    for (int i = std::stoi(times); i > 0; --i) co_await ctx.timer(0ms);
    co_return times;
}

TEST_F(DueTimers, OneAfterTheOtherDoNotKeepATurnFromEnding) {
    Process& p = process(registry_with(naps_often));
    const auto run = start("i1", "10");
    settle();
    EXPECT_EQ(status(run), Status::completed);
    EXPECT_EQ(p.runtime->counts().turns_committed, 6U)
        << "each fires the one that it was claimed for and the one that this sets";
}

Orchestration<std::string> naps_after_work(OrchestrationContext ctx, std::string input) {
    co_await ctx.call(Work, input);
    co_await ctx.timer(0ms);
    co_return input;
}

TEST_F(DueTimers, AreNotEarlyWhenTheClockWasSetBack) {
    Process& p = process(registry_with(naps_after_work));
    const auto run = start();
    settle();
    clock.set_back(10s);
    p.executor.finish(0);
    settle();
    EXPECT_EQ(status(run), Status::running) << "for the code it is ten seconds later";
    pass(10s);
    EXPECT_EQ(status(run), Status::completed);
}

Orchestration<std::string> tries_at_once(OrchestrationContext ctx, std::string input) {
    co_return co_await ctx.call(Work.with(CallOptions().retry(RetryPolicy::fixed(0ms))), input);
}

TEST_F(DueTimers, AnAttemptAtOnceIsScheduledWhereTheLastOneFailed) {
    Registry registry;
    registry.add(Work, [this](const std::string& what) -> std::string {
        if (++works == 1) throw ApplicationError("Busy", "not now");
        return "did " + what;
    });
    registry.add(Main, tries_at_once);
    Process& p = process(std::move(registry));
    const auto run = start();
    settle();
    p.executor.finish(0);
    settle();
    ASSERT_EQ(p.executor.count(), 2U);
    EXPECT_EQ(p.runtime->counts().turns_committed, 2U);
    p.executor.finish(1);
    settle();
    EXPECT_EQ(client.outcome(run)->output.bytes, "did x");
}

Orchestration<std::string> takes_all(OrchestrationContext ctx, std::string) {
    std::string all;
    for (;;) {
        auto first = co_await ctx.select(ctx.receive<std::string>("q"), ctx.timer(0ms));
        if (first.index() == 1) break;
        all += std::get<0>(first);
    }
    co_return all;
}

TEST_F(DueTimers, OvertakeNoMessageThatCameBefore) {
    const auto run = start();
    for (const char* text : {"a", "b", "c"}) ASSERT_TRUE(client.enqueue(run, "q", text).ok());
    Policy policy;
    policy.message_batch = 1;
    process(registry_with(takes_all), RuntimeOptions().policy(policy));
    settle();
    EXPECT_EQ(client.outcome(run)->output.bytes, "abc");
}

Orchestration<std::string> gives_up_at_once(OrchestrationContext ctx, std::string input) {
    const auto first = co_await ctx.select(ctx.call(Work, input), ctx.timer(0ms));
    co_return first.index() == 0 ? "done" : "given up";
}

TEST_F(DueTimers, ALoserAgainstOneNeverReachesAQueue) {
    Process& p = process(registry_with(gives_up_at_once));
    const auto run = start();
    settle();
    EXPECT_EQ(client.outcome(run)->output.bytes, "given up");
    EXPECT_EQ(p.executor.count(), 0U);
}

}  // namespace
}  // namespace belay::runtime_tests::due_timers
