// Activities that are stopped while they run: by cancels, deletions and the end of their process;
// grace, and what comes after.
#include "world.hpp"

namespace belay::runtime_tests::activity_stops {
namespace {

using namespace std::chrono_literals;

Orchestration<std::string> step_or_timeout(OrchestrationContext ctx, std::string input) {
    const auto winner = co_await ctx.select(ctx.call(Work, input), ctx.timer(1s));
    co_return winner.index() == 0 ? "work" : "timeout";
}

Orchestration<std::string> cleans_up(OrchestrationContext ctx, std::string input) {
    ctx.on_rollback(Undo, input);
    co_return co_await ctx.call(Work, input);
}

Orchestration<std::string> cleanup_never_ends(OrchestrationContext ctx, std::string input) {
    auto shield = ctx.shield();
    const auto never = co_await ctx.wait<std::string>("never");
    co_return never + input;
}

Orchestration<std::string> continues(OrchestrationContext ctx, std::string input) {
    if (input == "second") co_return input;
    const auto left_behind = ctx.start(ctx.call(Work, input));
    co_await ctx.timer(1s);
    co_await ctx.continue_as_new(Main, std::string("second"));
    co_return "unreachable";
}

using Activities = World;

TEST_F(Activities, ACancelReachesARunningHandlerAtOnceAndSaysWhy) {
    Process& p = process(registry_with(one_step));
    const auto run = start();
    settle();
    ASSERT_EQ(p.executor.count(), 1U);
    EXPECT_FALSE(p.executor.at(0).task->stop_requested());
    ASSERT_TRUE(client.cancel(run).ok());
    settle();  // No time has passed.
    EXPECT_EQ(p.executor.at(0).stopped, StopReason::canceled);
    EXPECT_EQ(status(run), Status::canceled);
    EXPECT_FALSE(info(run).settled) << "its handler still runs";
    EXPECT_EQ(stopping(), 1U);
    p.executor.finish(0);
    settle();
    EXPECT_EQ(stopping(), 0U);
    EXPECT_TRUE(info(run).settled);
    EXPECT_EQ(p.runtime->counts().activities_completed, 0U);
}

TEST_F(Activities, ACompletionBeforeTheCancelIsProcessedNormally) {
    Process& p = process(registry_with(one_step));
    const auto run = start();
    settle();
    p.executor.finish(0);
    settle();
    const auto canceled = client.cancel(run);
    ASSERT_TRUE(canceled.ok());
    EXPECT_FALSE(canceled->changed);
    EXPECT_EQ(status(run), Status::completed);
}

TEST_F(Activities, ACompletionAfterTheCancelIsRefusedAndItsRecordRemoved) {
    Process& p = process(registry_with(one_step));
    const auto run = start();
    settle();
    // The cancel commits after the handler ended and before its report is sent.
    p.executor.finish(0);
    ASSERT_TRUE(client.cancel(run).ok());
    settle();
    EXPECT_EQ(status(run), Status::canceled);
    EXPECT_EQ(p.runtime->counts().activities_completed, 0U);
    EXPECT_EQ(stopping(), 0U);
}

/// A run that is canceled while three activities of it run.
class Together : public World {
protected:
    void SetUp() override {
        settle();
        ASSERT_EQ(p.executor.count(), 3U);
        ASSERT_TRUE(client.cancel(run).ok());
        settle();
    }
    void expect_all_stopped() {
        for (std::size_t i = 0; i < 3; ++i) {
            EXPECT_EQ(p.executor.at(i).stopped, StopReason::canceled);
        }
    }

    Process& p = process(registry_with(three_steps));
    const InstanceName run = start();
};

TEST_F(Together, AllActivitiesOfARunAreStoppedTogether) { expect_all_stopped(); }

TEST_F(Together, ActivitiesThatAreCanceledTogetherEndEachInItsOwnTime) {
    expect_all_stopped();
    EXPECT_EQ(stopping(), 3U);
    p.executor.finish(1);
    settle();
    EXPECT_EQ(stopping(), 2U) << "one has ended; the others are not hurried";
    EXPECT_FALSE(p.executor.at(0).aborted);
    EXPECT_FALSE(p.executor.at(2).aborted);
    pass(Policy().grace - 1ms);
    p.executor.finish(0);
    settle();
    EXPECT_EQ(stopping(), 1U);
    pass(1ms);
    EXPECT_FALSE(p.executor.at(0).aborted);
    EXPECT_FALSE(p.executor.at(1).aborted);
    EXPECT_TRUE(p.executor.at(2).aborted) << "only the one that did not end";
    EXPECT_EQ(p.runtime->counts().abandoned, 1U);
    EXPECT_EQ(p.runtime->counts().activities_completed, 0U);
    EXPECT_EQ(status(run), Status::canceled);
}

TEST_F(Activities, TheLoserOfASelectIsStopped) {
    Process& p = process(registry_with(step_or_timeout));
    const auto run = start();
    settle();
    pass(1s);
    EXPECT_EQ(status(run), Status::completed);
    EXPECT_EQ(info(run).outcome->output.bytes, "timeout");
    EXPECT_EQ(p.executor.at(0).stopped, StopReason::canceled);
}

TEST_F(Activities, ContinueAsNewStopsWhatTheOldExecutionLeftRunning) {
    Process& p = process(registry_with(continues));
    const auto run = start();
    settle();
    pass(1s);
    EXPECT_EQ(p.executor.at(0).stopped, StopReason::canceled);
    EXPECT_EQ(status(run), Status::completed);
    EXPECT_EQ(info(run).execution, 2U);
}

TEST_F(Activities, ForceDeletionStopsRunningHandlers) {
    Process& p = process(registry_with(one_step));
    const auto run = start();
    settle();
    ASSERT_TRUE(client.delete_instance(run, true).ok());
    settle();
    EXPECT_EQ(p.executor.at(0).stopped, StopReason::canceled);
    p.executor.finish(0);
    settle();
    EXPECT_EQ(client.inspect(run).error().code(), Errc::not_found);
    EXPECT_TRUE(p.runtime->idle());
}

// The seed's name: a worker that is told nothing learns it from its next renewal.
TEST_F(Activities, test_force_delete_activity_detects_cancellation) {
    store.tell_nobody();
    Process& p = process(registry_with(one_step));
    const auto run = start();
    settle();
    pass(1ms);
    while (p.executor.count() == 0) pass(Policy().poll_interval);
    ASSERT_TRUE(client.delete_instance(run, true).ok());
    settle();
    EXPECT_EQ(p.executor.at(0).stopped, StopReason::none) << "nobody has told it";
    pass(Policy().activity_lease);
    EXPECT_NE(p.executor.at(0).stopped, StopReason::none) << "its lease was not renewed";
    p.executor.finish(0);
    settle();
    EXPECT_EQ(client.inspect(run).error().code(), Errc::not_found);
    EXPECT_EQ(p.runtime->counts().completions_refused + p.runtime->counts().activities_completed,
              0U)
        << "what was stopped does not report";
    EXPECT_TRUE(p.runtime->idle());
}

TEST_F(Activities, AHandlerThatDoesNotStopIsAbandonedAndItsSlotIsFree) {
    Process& p = process(registry_with(one_step), RuntimeOptions().activity_slots(1));
    const auto first = start("i1");
    settle();
    const auto second = start("i2");
    settle();
    ASSERT_EQ(p.executor.count(), 1U) << "there is one slot";
    ASSERT_TRUE(client.cancel(first).ok());
    settle();
    EXPECT_EQ(p.executor.count(), 1U);
    pass(Policy().grace);
    EXPECT_TRUE(p.executor.at(0).aborted);
    EXPECT_EQ(p.runtime->counts().abandoned, 1U);
    ASSERT_EQ(p.executor.count(), 2U) << "the next one has begun";
    EXPECT_NE(stopping(), 0U) << "it has not ended";
    p.executor.finish(0);  // Much later; ignored.
    p.executor.finish(1);
    settle();
    EXPECT_EQ(status(second), Status::completed);
    pass(Policy().activity_lease + Policy().grace + 1s);
    EXPECT_EQ(stopping(), 0U) << "swept";
    EXPECT_TRUE(info(first).settled);
}

TEST_F(Activities, AHandlerThatIsEndedByForceIsAckedOnceItHasReallyEnded) {
    Process& p = process(registry_with(one_step), RuntimeOptions().activity_slots(1));
    p.executor.forcing = true;
    const auto run = start();
    settle();
    ASSERT_TRUE(client.cancel(run).ok());
    settle();
    pass(Policy().grace);
    EXPECT_TRUE(p.executor.at(0).aborted);
    EXPECT_EQ(p.runtime->counts().abandoned, 0U);
    EXPECT_FALSE(p.runtime->idle()) << "it has not ended yet";
    EXPECT_EQ(stopping(), 1U);
    p.executor.finish(0);
    settle();
    EXPECT_EQ(stopping(), 0U) << "acked, not left to the sweep";
    EXPECT_TRUE(info(run).settled);
    EXPECT_TRUE(p.runtime->idle());
}

TEST_F(Activities, AHandlerThatStopsInItsGracePeriodIsNotAbandoned) {
    Process& p = process(registry_with(one_step));
    const auto run = start();
    settle();
    ASSERT_TRUE(client.cancel(run).ok());
    settle();
    pass(Policy().grace - 1ms);
    p.executor.finish(0);
    settle();
    pass(1s);
    EXPECT_FALSE(p.executor.at(0).aborted);
    EXPECT_EQ(p.runtime->counts().abandoned, 0U);
}

TEST_F(Activities, ShutDownStopsHandlersAndGivesThemBack) {
    Registry registry;
    registry.add(Main, one_step);
    registry.add(Work, [](ActivityContext& context, const std::string&) -> std::string {
        if (context.stop_requested()) {
            throw std::runtime_error(std::string(to_string(context.stop_reason())));
        }
        return "done";
    });
    Process& p = process(std::move(registry));
    const auto run = start();
    settle();
    p.runtime->shut_down();
    settle();
    EXPECT_EQ(p.executor.at(0).stopped, StopReason::shutdown);
    p.executor.finish(0);
    settle();
    EXPECT_TRUE(p.runtime->idle());
    ASSERT_EQ(queue().size(), 1U);
    EXPECT_FALSE(queue().front().leased);
    EXPECT_EQ(queue().front().attempt, 0U);
    EXPECT_EQ(status(run), Status::running);
}

TEST_F(Activities, AFailureThatIsFinalIsKeptAlsoWhenItsProcessEnds) {
    Registry registry;
    registry.add(Main, one_step);
    registry.add(Work, [](const std::string&) -> std::string {
        throw ApplicationError("CardDeclined", "the bank says no").not_retryable();
    });
    Process& p = process(std::move(registry));
    const auto run = start();
    settle();
    p.runtime->shut_down();
    settle();
    p.executor.finish(0);
    settle();
    EXPECT_TRUE(queue().empty()) << "nobody is to try the card again";
    process(registry_with(one_step));
    settle();
    EXPECT_EQ(client.outcome(run)->failure.type, "CardDeclined");
}

TEST_F(Activities, CompensationRunsAfterACancelAndTheRunEndsCanceled) {
    Process& p = process(registry_with(cleans_up));
    const auto run = start();
    settle();
    ASSERT_TRUE(client.cancel(run, CancelOptions().by("ann").reason("no")).ok());
    settle();
    EXPECT_EQ(status(run), Status::canceling);
    ASSERT_EQ(p.executor.count(), 2U);
    p.executor.finish(1);
    settle();
    EXPECT_EQ(undone, std::vector<std::string>{"x"});
    EXPECT_EQ(status(run), Status::canceled);
    EXPECT_EQ(info(run).outcome->cancel.by, "ann");
    EXPECT_EQ(info(run).outcome->cleanup, Cleanup::done);
}

TEST_F(Activities, CancelingIsBoundedByItsDeadline) {
    process(registry_with(cleanup_never_ends));
    const auto run = start();
    settle();
    ASSERT_TRUE(client.cancel(run).ok());
    settle();
    EXPECT_EQ(status(run), Status::canceling);
    pass(Policy().cancel_deadline - 1ms);
    EXPECT_EQ(status(run), Status::canceling);
    pass(2s);
    EXPECT_EQ(status(run), Status::canceled);
    EXPECT_EQ(info(run).outcome->cleanup, Cleanup::timed_out);
}

}  // namespace
}  // namespace belay::runtime_tests::activity_stops
