// Runs whose code a worker does not have.
#include "world.hpp"

namespace belay::runtime_tests::missing_code {
namespace {

using namespace std::chrono_literals;

Orchestration<std::string> waits_for_event(OrchestrationContext ctx, std::string) {
    co_return co_await ctx.wait<std::string>("go");
}

Orchestration<std::string> undoes(OrchestrationContext ctx, std::string input) {
    ctx.on_rollback(Undo, input);
    co_return co_await ctx.wait<std::string>("go");
}

using MissingCode = World;

TEST_F(MissingCode, ANameNobodyRegisteredIsBackedOffAndShownAndNeverPoison) {
    const auto run = start();
    Process& p = process(activities_only());
    settle();
    EXPECT_EQ(info(run).unregistered, 0U) << "who has its code may only be busy";
    pass(Policy().code_patience);
    EXPECT_EQ(info(run).unregistered, 1U);
    EXPECT_TRUE(info(run).code_missing_since);
    for (int i = 0; i < 40; ++i) pass(Policy().unregistered_backoff_max);
    EXPECT_EQ(status(run), Status::pending);
    EXPECT_GT(info(run).unregistered, 20U);
    EXPECT_EQ(info(run).attempts, 0U);
    crash(p);
    process(registry_with(one_step));
    pass(Policy().unregistered_backoff_max);
    EXPECT_EQ(status(run), Status::running);
    EXPECT_EQ(info(run).unregistered, 0U);
}

TEST_F(MissingCode, ARunIsLeftToWhoHasItsCode) {
    Process& without = process(activities_only());
    const auto run = start();
    settle();
    Process& with = process(registry_with(one_step));
    settle();
    EXPECT_EQ(status(run), Status::running) << "at once: it was not put off";
    EXPECT_EQ(without.runtime->counts().unregistered, 0U);
    EXPECT_EQ(with.runtime->counts().turns_committed, 1U);
}

TEST_F(MissingCode, AWorkerWithItsCodeTakesAPostponedRunAtOnce) {
    const auto run = start();
    process(activities_only());
    pass(Policy().code_patience);
    for (int i = 0; i < 40; ++i) pass(Policy().unregistered_backoff_max);
    ASSERT_TRUE(info(run).code_missing_since);
    Process& with = process(registry_with(one_step));
    settle();
    EXPECT_EQ(status(run), Status::running);
    EXPECT_EQ(with.runtime->counts().turns_committed, 1U);
}

TEST_F(MissingCode, TheBackOffOfAnUnregisteredNameDoubles) {
    const auto run = start();
    Policy policy;
    policy.code_patience = 0ms;
    process(activities_only(), RuntimeOptions().policy(policy));
    settle();
    pass(999ms);
    EXPECT_EQ(info(run).unregistered, 1U);
    pass(1001ms);
    EXPECT_EQ(info(run).unregistered, 2U);
    pass(1900ms);
    EXPECT_EQ(info(run).unregistered, 2U);
    pass(1100ms);
    EXPECT_EQ(info(run).unregistered, 3U);
}

TEST_F(MissingCode, ARunningRunWhoseCodeIsGoneStillEndsCanceled) {
    Process& a = process(registry_with(waits_for_event));
    const auto run = start();
    settle();
    crash(a);
    process(activities_only());
    ASSERT_TRUE(client.cancel(run).ok());
    settle();
    EXPECT_EQ(status(run), Status::canceling) << "another process may have the code";
    for (int i = 0; i < 20; ++i) pass(Policy().cancel_deadline / 20);
    pass(Policy().sweep_interval);
    EXPECT_EQ(status(run), Status::canceled);
    EXPECT_EQ(info(run).outcome->cleanup, Cleanup::timed_out) << "it had a turn";
}

TEST_F(MissingCode, ACanceledRunWhoseOwnersAreOnlyBeingDeployedHasItsCleanup) {
    Process& a = process(registry_with(undoes));
    const auto run = start();
    settle();
    crash(a);
    Process& without_code = process(activities_only());
    ASSERT_TRUE(client.cancel(run).ok());
    for (int i = 0; i < 8; ++i) pass(Policy().unregistered_backoff_max);
    EXPECT_GT(info(run).unregistered, 3U);
    crash(without_code);
    Process& b = process(registry_with(undoes));
    pass(Policy().unregistered_backoff_max);
    ASSERT_EQ(b.executor.count(), 1U);
    b.executor.finish(0);
    settle();
    EXPECT_EQ(status(run), Status::canceled);
    EXPECT_EQ(info(run).outcome->cleanup, Cleanup::done);
    EXPECT_EQ(undone, std::vector<std::string>{"x"});
}

}  // namespace
}  // namespace belay::runtime_tests::missing_code
