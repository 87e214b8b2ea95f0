// Futures: work under way, and what happens when code lets go of it.
#include "unit/replay/harness.hpp"

#include <memory>
#include <optional>
#include <stdexcept>

namespace belay::replay::futures_tests {
namespace {

using ::testing::HasSubstr;

Orchestration<std::string> concurrent(OrchestrationContext ctx) {
    auto a = ctx.start(ctx.call(Work, "a"));
    auto b = ctx.start(ctx.call(Work, "b"));
    const std::string second = co_await std::move(b);
    co_return second + co_await a;
}

TEST(Futures, WorkIsScheduledWhenItIsStarted) {
    Scenario s(concurrent);
    s.start().expect({"call #1 Work \"a\"", "call #2 Work \"b\""});
}

TEST(Futures, CompletionsAreKeptUntilTheyAreAwaited) {
    Scenario s(concurrent);
    s.start().skip().complete(1, "x").expect({}).complete(2, "y").expect({"completed \"yx\""});
}

TEST(Futures, AFailureIsThrownWhereItIsAwaited) {
    Scenario s(concurrent);
    s.start().skip().fail(1, "broken").expect({});
    s.complete(2, "y").expect({"failed application: broken"});
}

Orchestration<std::string> drops_one(OrchestrationContext ctx) {
    {
        auto dropped = ctx.start(ctx.call(Work, "dropped"));
        co_await ctx.call(Ping);
    }
    co_return co_await ctx.call(Work, "kept");
}

TEST(Futures, OneThatGoesOutOfScopeCancelsItsWork) {
    Scenario s(drops_one);
    s.start().skip().complete(2).expect({"cancel #1", "call #3 Work \"kept\""});
}

TEST(Futures, OneThatIsDoneWhenItGoesOutOfScopeCancelsNothing) {
    Scenario s(drops_one);
    s.start().complete(1, "x").skip().complete(2).expect({"call #3 Work \"kept\""});
}

TEST(Futures, AFailureThatNobodyAwaitsIsNoFailureOfTheRun) {
    Scenario s(drops_one);
    s.start().fail(1, "ignored").skip().complete(2).expect({"call #3 Work \"kept\""});
    s.complete(3, "fine").expect({"completed \"fine\""});
}

TEST(Futures, ACompletionAfterTheDropLeavesNoTrace) {
    Scenario s(drops_one);
    s.start().complete(2).skip().complete(1, "late").expect({});
    EXPECT_FALSE(s.applied());
}

Orchestration<void> every_kind(OrchestrationContext ctx) {
    auto activity = ctx.start(ctx.call(Ping));
    auto timer = ctx.start(ctx.timer(Millis(5)));
    auto child = ctx.start(ctx.call(Child, "c"));
    auto wait = ctx.start(ctx.wait<std::string>("go"));
    auto receive = ctx.start(ctx.receive<std::string>("jobs"));
    co_return;
}

TEST(Futures, DroppedFuturesOfEveryKindCancelInReverseOrder) {
    Scenario s(every_kind);
    s.start().expect({"call #1 Ping ()",
                      "timer #2 +5",
                      "child #3 Child \"c\" as test-1/3",
                      "wait #4 go",
                      "receive #5 jobs",
                      "cancel #5",
                      "cancel #4",
                      "cancel #3",
                      "cancel #2",
                      "cancel #1",
                      "completed ()"});
}

Orchestration<void> moves(OrchestrationContext ctx) {
    auto first = ctx.start(ctx.call(Ping));
    auto second = std::move(first);
    {
        auto third = std::move(second);
        second = std::move(third);
    }
    co_await ctx.timer(Millis(1));
    co_await std::move(second);
}

TEST(Futures, MovingOneCancelsNothing) {
    Scenario s(moves);
    s.start().expect({"call #1 Ping ()", "timer #2 +1"});
    s.fire(2).expect({}).complete(1).expect({"completed ()"});
}

Orchestration<std::string> assigns(OrchestrationContext ctx) {
    auto future = ctx.start(ctx.call(Work, "old"));
    future = ctx.start(ctx.call(Work, "new"));
    auto& same = future;
    future = std::move(same);
    co_return co_await std::move(future);
}

TEST(Futures, AssigningOverOneCancelsWhatItStoodFor) {
    Scenario s(assigns);
    s.start().expect({"call #1 Work \"old\"", "call #2 Work \"new\"", "cancel #1"});
    s.complete(2, "x").expect({"completed \"x\""});
}

Orchestration<std::string> awaits_twice(OrchestrationContext ctx) {
    auto future = ctx.start(ctx.call(Work, "a"));
    (void)co_await future;
    (void)co_await future;
    co_return "not reached";
}

TEST(Futures, AwaitingTwiceIsRefused) {
    Scenario s(awaits_twice);
    s.start().complete(1, "x");
    EXPECT_THAT(s.failure().message, HasSubstr("this future is empty: it was awaited already"));
}

Orchestration<std::string> awaits_moved(OrchestrationContext ctx) {
    auto future = ctx.start(ctx.call(Work, "a"));
    auto other = std::move(future);
    (void)co_await std::move(future);  // NOLINT(bugprone-use-after-move): what this test is about.
    co_return "not reached";
}

TEST(Futures, AwaitingOneThatWasMovedFromIsRefused) {
    Scenario s(awaits_moved);
    s.start();
    EXPECT_THAT(s.failure().message, HasSubstr("this future is empty"));
}

Orchestration<std::string> waits_for(OrchestrationContext /*ctx*/,
                                     std::shared_ptr<Future<std::string>> future) {
    co_return co_await *future;
}
Orchestration<std::string> awaited_by_two(OrchestrationContext ctx) {
    auto future = std::make_shared<Future<std::string>>(ctx.start(ctx.call(Work, "a")));
    const auto first = co_await ctx.select(waits_for(ctx, future), waits_for(ctx, future));
    co_return std::to_string(first.index());
}

TEST(Futures, TheSecondWhoAwaitsOneAtTheSameTimeIsRefused) {
    Scenario s(awaited_by_two);
    s.start().expect({"call #1 Work \"a\"",
                      "cancel #1",
                      "failed application: belay: this future is being awaited elsewhere already"});
}

Orchestration<std::string> second_waiter_caught(OrchestrationContext ctx) {
    auto future = std::make_shared<Future<std::string>>(ctx.start(ctx.call(Work, "a")));
    const auto intrude = [](OrchestrationContext,
                            std::shared_ptr<Future<std::string>> theirs) -> Orchestration<void> {
        try {
            (void)co_await *theirs;
        } catch (const std::logic_error&) {
        }
    };
    const auto [value, nothing] = co_await ctx.join(waits_for(ctx, future), intrude(ctx, future));
    (void)nothing;
    co_return value;
}

TEST(Futures, TheFirstWhoAwaitsIsNotDisturbedByARefusedOne) {
    Scenario s(second_waiter_caught);
    s.start().complete(1, "x");
    EXPECT_EQ(s.result<std::string>(), "x");
}

Orchestration<std::string> moves_away(OrchestrationContext ctx,
                                      std::shared_ptr<Future<std::string>> theirs) {
    co_await ctx.call(Ping);
    auto mine = std::move(*theirs);
    co_await ctx.call(Ping);
    co_return mine.ready() ? "ready" : "taken";
}
Orchestration<std::string> moved_while_awaited(OrchestrationContext ctx) {
    auto future = std::make_shared<Future<std::string>>(ctx.start(ctx.call(Work, "a")));
    const auto [value, other] = co_await ctx.join(waits_for(ctx, future), moves_away(ctx, future));
    co_return value + " " + other;
}

TEST(Futures, MovingOneThatIsAwaitedByReferenceDisturbsNobody) {
    Scenario s(moved_while_awaited);
    s.start().complete(2).skip().complete(1, "x").expect({});
    s.complete(3).expect({"completed \"x taken\""});
}

TEST(Futures, OneThatIsAwaitedByReferenceAndMovedBelongsToItsNewOwner) {
    Scenario s([](OrchestrationContext ctx) -> Orchestration<std::string> {
        auto future = std::make_shared<Future<std::string>>(ctx.start(ctx.call(Work, "a")));
        const auto first = co_await ctx.select(waits_for(ctx, future), moves_away(ctx, future));
        co_return std::to_string(first.index());
    });
    s.start().complete(2).skip();
    // The helper that took it over ends first, and lets go of it.
    s.complete(3).expect({"cancel #1", "completed \"1\""});
}

Orchestration<std::string> lets_go(OrchestrationContext ctx,
                                   std::shared_ptr<std::optional<Future<std::string>>> theirs) {
    co_await ctx.call(Ping);
    theirs->reset();
    co_return "let go";
}
Orchestration<std::string> waits_for_optional(
    OrchestrationContext /*ctx*/, std::shared_ptr<std::optional<Future<std::string>>> future) {
    try {
        co_return co_await **future;
    } catch (const Canceled&) {
        co_return "canceled";
    }
}
Orchestration<std::string> dropped_while_awaited(OrchestrationContext ctx) {
    auto future =
        std::make_shared<std::optional<Future<std::string>>>(ctx.start(ctx.call(Work, "a")));
    const auto [value, other] =
        co_await ctx.join(waits_for_optional(ctx, future), lets_go(ctx, future));
    co_return value + " " + other;
}

TEST(Futures, DroppingOneThatIsAwaitedByReferenceDoesNotLeaveTheOtherWaitingForEver) {
    Scenario s(dropped_while_awaited);
    s.start().skip().complete(2).expect({"cancel #1", "completed \"canceled let go\""});
}

Orchestration<std::string> asks_ready(OrchestrationContext ctx) {
    auto a = ctx.start(ctx.call(Work, "a"));
    auto b = ctx.start(ctx.call(Work, "b"));
    co_await ctx.call(Ping);
    co_return std::string(a.ready() ? "1" : "0") + (b.ready() ? "1" : "0");
}

TEST(Futures, KnowWhetherTheyAreReady) {
    Scenario s(asks_ready);
    s.start().fail(2, "also ready").skip().complete(3).expect({"cancel #1", "completed \"01\""});
}

/// Where orchestrations of these tests leave futures behind.
std::vector<std::shared_ptr<Future<std::string>>> leaked;

Orchestration<std::string> leaks(OrchestrationContext ctx, bool fails, bool compensates) {
    if (compensates) ctx.on_rollback(Undo, "x");
    leaked.push_back(std::make_shared<Future<std::string>>(ctx.start(ctx.call(Work, "leaked"))));
    co_await ctx.call(Ping);
    if (fails) throw std::runtime_error("broken");
    co_return "done";
}

TEST(Futures, OneThatOutlivesItsRunDoesNothing) {
    {
        Scenario s(leaks);
        s.start(false, false).skip().complete(2).expect({"completed \"done\""});
        EXPECT_EQ(s.execution().open_commands(), 1U) << "the end of the execution cancels it";
    }
    leaked.clear();
}

TEST(Futures, OneThatIsDroppedAfterTheEndAndBeforeEvictionDoesNothing) {
    Scenario s(leaks);
    s.start(false, false).complete(2).skip();
    leaked.clear();
    EXPECT_THAT(s.execution().take_recorded(), ::testing::IsEmpty());
}

TEST(Futures, OneThatOutlivesARunWhichIsRolledBackIsCanceled) {
    {
        Scenario s(leaks);
        s.start(true, true).skip().complete(2).expect({"cancel #1", "call #3 Undo \"x\" shielded"});
        s.complete(3).expect({"failed application: broken"});
    }
    leaked.clear();
}

Orchestration<Future<std::string>> begins(OrchestrationContext ctx, std::string what) {
    co_return ctx.start(ctx.call(Work, what));
}
Orchestration<std::string> future_from_helper(OrchestrationContext ctx) {
    auto future = co_await begins(ctx, "a");
    co_await ctx.call(Ping);
    co_return co_await std::move(future);
}

TEST(Futures, AHelperCanHandOneOver) {
    Scenario s(future_from_helper);
    s.start().expect({"call #1 Work \"a\"", "call #2 Ping ()"});
    s.complete(2).complete(1, "x").expect({"completed \"x\""});
}

Orchestration<Call<std::string>> prepares(OrchestrationContext ctx) {
    const Shield shield = ctx.shield();
    co_return ctx.call(Work, "prepared");
}
Orchestration<std::string> call_from_helper(OrchestrationContext ctx) {
    auto call = co_await prepares(ctx);
    co_return co_await std::move(call);
}

TEST(Futures, ACallFromAHelperBelongsToWhoAwaitsIt) {
    Scenario s(call_from_helper);
    s.start().expect({"call #1 Work \"prepared\""});  // The helper's shield is gone, and so is the
                                                      // helper.
    s.complete(1, "x").expect({"completed \"x\""});
}

// ---- cancel ------------------------------------------------------------------------------------

Orchestration<std::string> cancels_one(OrchestrationContext ctx) {
    auto slow = ctx.start(ctx.call(Work, "slow"));
    auto other = ctx.start(ctx.call(Work, "other"));
    co_await ctx.call(Ping);
    slow.cancel();
    std::string seen;
    try {
        seen = co_await slow;
    } catch (const Canceled& canceled) {
        seen = canceled.reason();
    }
    co_return seen + ", " + co_await other;
}

TEST(FutureCancel, GivesUpThatOneAndAwaitingItThrows) {
    Scenario s(cancels_one);
    s.start().skip().complete(3).expect({"cancel #1"});
    s.complete(1, "late").expect({});
    EXPECT_FALSE(s.applied());
    s.complete(2, "x").expect({"completed \"the code gave it up, x\""});
}

Orchestration<std::string> cancels_what_is_done(OrchestrationContext ctx) {
    auto done = ctx.start(ctx.call(Work, "done"));
    auto event = ctx.start(ctx.wait<std::string>("go"));
    co_await ctx.call(Ping);
    done.cancel();
    event.cancel();
    co_return co_await done + co_await event;
}

TEST(FutureCancel, LeavesAResultThatHasCome) {
    Scenario s(cancels_what_is_done);
    s.start().complete(1, "x").raise("go", "y").skip().complete(3);
    s.expect({"completed \"xy\""});
}

Orchestration<void> cancels_every_kind(OrchestrationContext ctx) {
    auto timer = ctx.start(ctx.timer(Millis(5)));
    auto child = ctx.start(ctx.call(Child, "a"));
    auto wait = ctx.start(ctx.wait<std::string>("go"));
    wait.cancel();
    timer.cancel();
    timer.cancel();
    child.cancel();
    EXPECT_TRUE(timer.ready());
    co_await ctx.call(Ping);
    EXPECT_EQ(ctx.try_wait<std::string>("go"), "kept");
}

TEST(FutureCancel, WorksForEveryKindAndOnceOnly) {
    Scenario s(cancels_every_kind);
    s.start().expect({"timer #1 +5",
                      "child #2 Child \"a\" as test-1/2",
                      "wait #3 go",
                      "cancel #3",
                      "cancel #1",
                      "cancel #2",
                      "call #4 Ping ()"});
    s.raise("go", "kept").complete(4).expect({"take event go", "completed ()"});
}

Orchestration<void> cancels_while_it_pauses(OrchestrationContext ctx) {
    auto retried = ctx.start(
        ctx.call(Work.with(CallOptions().retry(RetryPolicy::fixed(Millis(50)).attempts(3))), "a"));
    co_await ctx.call(Ping);
    retried.cancel();
}

TEST(FutureCancel, EndsTheWaitForTheNextAttempt) {
    Scenario s(cancels_while_it_pauses);
    s.start().fail(1, "broken").skip().complete(2).expect({"cancel #3", "completed ()"});
}

Orchestration<std::string> awaits_by_reference(OrchestrationContext ctx) {
    auto slow = ctx.start(ctx.call(Work, "slow"));
    auto cancels = [](OrchestrationContext inner,
                      std::shared_ptr<Future<std::string>*> which) -> Orchestration<int> {
        co_await inner.call(Ping);
        (*which)->cancel();
        co_return 1;
    };
    auto canceling = cancels(ctx, std::make_shared<Future<std::string>*>(&slow));
    try {
        (void)co_await ctx.join(slow, std::move(canceling));
    } catch (const Canceled& canceled) {
        co_return canceled.reason();
    }
    co_return "not reached";
}

TEST(FutureCancel, WakesTheCodeThatAwaitsItByReference) {
    Scenario s(awaits_by_reference);
    s.start().skip().complete(2).expect({"cancel #1", "completed \"the code gave it up\""});
}

Orchestration<void> lets_it_pass(OrchestrationContext ctx) {
    auto slow = ctx.start(ctx.call(Work, "slow"));
    slow.cancel();
    (void)co_await slow;
}

TEST(FutureCancel, TheExceptionEndsTheRunAsCanceledByItself) {
    Scenario s(lets_it_pass);
    s.start().skip().expect({});
    EXPECT_EQ(s.outcome().status, Status::canceled);
    EXPECT_EQ(s.outcome().cancel.source, CancelSource::self);
}

Orchestration<void> cancels_an_empty_one(OrchestrationContext ctx) {
    auto future = ctx.start(ctx.call(Work, "a"));
    const auto owner = std::move(future);
    future.cancel();  // NOLINT(bugprone-use-after-move): what this test is about.
    co_await ctx.call(Ping);
}

TEST(FutureCancel, DoesNothingToAnEmptyFuture) {
    Scenario s(cancels_an_empty_one);
    s.start().expect({"call #1 Work \"a\"", "call #2 Ping ()"});
}

}  // namespace
}  // namespace belay::replay::futures_tests
