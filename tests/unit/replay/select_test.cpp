// select: the first of several.
#include "unit/replay/harness.hpp"

#include <stdexcept>

namespace belay::replay::select_tests {
namespace {

using ::testing::HasSubstr;

Orchestration<std::string> call_or_timer(OrchestrationContext ctx) {
    const auto first = co_await ctx.select(ctx.call(Work, "a"), ctx.timer(Millis(50)));
    co_return first.index() == 0 ? "call " + std::get<0>(first) : "timer";
}

TEST(Select, StartsItsBranchesInTheOrderOfTheParameters) {
    Scenario s(call_or_timer);
    s.start().expect({"call #1 Work \"a\"", "timer #2 +50"});
}

TEST(Select, TheFirstBranchWinsAndTheSecondIsCanceled) {
    Scenario s(call_or_timer);
    s.start().skip().complete(1, "x").expect({"cancel #2", "completed \"call x\""});
}

TEST(Select, TheSecondBranchWinsAndTheFirstIsCanceled) {
    Scenario s(call_or_timer);
    s.start().skip().fire(2).expect({"cancel #1", "completed \"timer\""});
}

TEST(Select, TheFirstInHistoryDecidesWithinOneTurn) {
    Scenario s(call_or_timer);
    s.start();
    s.in_one_turn([&] { s.fire(2).complete(1, "late"); });
    EXPECT_FALSE(s.applied()) << "the loser's completion leaves no trace";
    EXPECT_EQ(s.result<std::string>(), "timer");
}

TEST(Select, AFailedBranchThrows) {
    Scenario s(call_or_timer);
    s.start().skip().fail(1, "broken").expect({"cancel #2", "failed application: broken"});
}

TEST(Select, ALateCompletionOfALoserLeavesNoTrace) {
    Scenario s([](OrchestrationContext ctx) -> Orchestration<void> {
        (void)co_await ctx.select(ctx.call(Work, "a"), ctx.timer(Millis(50)));
        co_await ctx.call(Ping);
    });
    s.start().fire(2).skip().complete(1, "late").expect({});
    EXPECT_FALSE(s.applied());
    s.fail(1, "later").expect({}).complete(3).expect({"completed ()"});
}

Orchestration<std::string> five_branches(OrchestrationContext ctx) {
    const auto first = co_await ctx.select(ctx.call(Work, "a"),
                                           ctx.timer(Millis(1)),
                                           ctx.call(Child, "b"),
                                           ctx.wait<std::string>("go"),
                                           ctx.receive<std::string>("jobs"));
    co_return std::to_string(first.index());
}

TEST(Select, LosersOfEveryKindAreCanceledInTheOrderOfTheParameters) {
    Scenario s(five_branches);
    s.start().expect({"call #1 Work \"a\"",
                      "timer #2 +1",
                      "child #3 Child \"b\" as test-1/3",
                      "wait #4 go",
                      "receive #5 jobs"});
    s.complete(3, "x").expect(
        {"cancel #1", "cancel #2", "cancel #4", "cancel #5", "completed \"2\""});
}

TEST(Select, AnEventWins) {
    Scenario s(five_branches);
    s.start().skip().raise("go", "x");
    s.expect({"cancel #1", "cancel #2", "cancel #3", "cancel #5", "completed \"3\""});
}

Orchestration<std::string> early_winner(OrchestrationContext ctx) {
    co_await ctx.call(Ping);
    const auto first = co_await ctx.select(
        ctx.call(Work, "a"), ctx.wait<std::string>("go"), ctx.call(Work, "never"));
    co_return std::to_string(first.index());
}

TEST(Select, BranchesAfterAReadyOneAreNotStarted) {
    Scenario s(early_winner);
    s.start().raise("go", "now").skip().complete(1);
    s.expect({"call #2 Work \"a\"", "wait #3 go", "cancel #2", "completed \"1\""});
}

Orchestration<std::string> ready_futures(OrchestrationContext ctx) {
    auto a = ctx.start(ctx.call(Work, "a"));
    auto b = ctx.start(ctx.call(Work, "b"));
    co_await ctx.call(Ping);
    const auto first = co_await ctx.select(std::move(a), std::move(b));
    co_return std::to_string(first.index());
}

TEST(Select, TheFirstParameterWinsAmongReadyFutures) {
    Scenario s(ready_futures);
    s.start().complete(2, "b").complete(1, "a").skip();
    s.complete(3).expect({"completed \"0\""});
}

TEST(Select, AReadyFutureBeatsAnOpenOne) {
    Scenario s(ready_futures);
    s.start().complete(2, "b").skip();
    s.complete(3).expect({"cancel #1", "completed \"1\""});
}

Orchestration<std::string> borrows(OrchestrationContext ctx) {
    auto slow = ctx.start(ctx.call(Work, "slow"));
    int ticks = 0;
    for (;;) {
        const auto first = co_await ctx.select(slow, ctx.timer(Millis(10)));
        if (first.index() == 0) co_return std::get<0>(first) + std::to_string(ticks);
        ++ticks;
    }
}

TEST(Select, ABorrowedFutureIsNotCanceled) {
    Scenario s(borrows);
    s.start().expect({"call #1 Work \"slow\"", "timer #2 +10"});
    s.fire(2).expect({"timer #3 +10"});
    s.fire(3).expect({"timer #4 +10"});
    s.complete(1, "done").expect({"cancel #4", "completed \"done2\""});
}

Orchestration<std::string> borrows_and_drops(OrchestrationContext ctx) {
    {
        auto slow = ctx.start(ctx.call(Work, "slow"));
        (void)co_await ctx.select(slow, ctx.timer(Millis(10)));
    }
    co_return "dropped";
}

TEST(Select, ABorrowedFutureIsCanceledByItsOwner) {
    Scenario s(borrows_and_drops);
    s.start().skip().fire(2).expect({"cancel #1", "completed \"dropped\""});
}

Orchestration<void> borrows_one_twice(OrchestrationContext ctx) {
    auto future = ctx.start(ctx.call(Work, "a"));
    (void)co_await ctx.select(future, future);
}

TEST(Select, TheSameFutureTwiceIsRefused) {
    Scenario s(borrows_one_twice);
    s.start();
    EXPECT_THAT(s.failure().message, HasSubstr("being awaited elsewhere"));
}

Orchestration<void> select_is_used_up(OrchestrationContext ctx) {
    auto select = ctx.select(ctx.timer(Millis(1)), ctx.timer(Millis(2)));
    (void)co_await std::move(select);
    (void)co_await std::move(select);  // NOLINT(bugprone-use-after-move): what this test is about.
}

TEST(Select, AwaitedTwiceIsRefused) {
    Scenario s(select_is_used_up);
    s.start().fire(1);
    EXPECT_THAT(s.failure().message, HasSubstr("this select or join is used up"));
}

Orchestration<std::string> over_vector(OrchestrationContext ctx, int count) {
    std::vector<Call<int>> calls;
    for (int i = 0; i < count; ++i) calls.push_back(ctx.call(Count, i));
    auto winner = co_await ctx.select(std::move(calls));
    co_return std::to_string(winner.index()) + "=" + std::to_string(winner.value());
}

TEST(SelectMany, GivesTheIndexAndTheValueAndCancelsTheRestInOrder) {
    Scenario s(over_vector);
    s.start(4).expect({"call #1 Count 0", "call #2 Count 1", "call #3 Count 2", "call #4 Count 3"});
    s.complete(3, 7).expect({"cancel #1", "cancel #2", "cancel #4", "completed \"2=7\""});
}

TEST(SelectMany, ASelectOfNothingIsRefusedBecauseItWouldNeverEnd) {
    Scenario s(over_vector);
    s.start(0);
    EXPECT_THAT(s.failure().message, HasSubstr("select of nothing never ends"));
}

TEST(SelectMany, ASelectOfOneIsThatOne) {
    Scenario s(over_vector);
    s.start(1).skip().complete(1, 9).expect({"completed \"0=9\""});
}

TEST(SelectMany, AFailureThrows) {
    Scenario s(over_vector);
    s.start(2).skip().fail(2, "broken").expect({"cancel #1", "failed application: broken"});
}

Orchestration<int> over_void_vector(OrchestrationContext ctx) {
    std::vector<Call<void>> timers;
    timers.push_back(ctx.timer(Millis(2)));
    timers.push_back(ctx.timer(Millis(1)));
    const auto winner = co_await ctx.select(std::move(timers));
    co_return static_cast<int>(winner.index());
}

TEST(SelectMany, WorksForWorkWithoutAValue) {
    Scenario s(over_void_vector);
    s.start().skip().fire(2).expect({"cancel #1", "completed 1"});
}

Orchestration<void> many_is_used_up(OrchestrationContext ctx) {
    std::vector<Call<void>> timers;
    timers.push_back(ctx.timer(Millis(1)));
    auto select = ctx.select(std::move(timers));
    auto moved = std::move(select);
    co_await ctx.timer(Millis(0));
    (void)co_await std::move(select);  // NOLINT(bugprone-use-after-move): what this test is about.
}

TEST(SelectMany, MovedFromIsRefusedInsteadOfWaitingForEver) {
    Scenario s(many_is_used_up);
    s.start().fire(1);
    EXPECT_THAT(s.failure().message, HasSubstr("this select or join is used up"));
}

Orchestration<std::string> nested(OrchestrationContext ctx) {
    const auto first = co_await ctx.select(ctx.select(ctx.call(Work, "a"), ctx.call(Work, "b")),
                                           ctx.join(ctx.call(Count, 1), ctx.call(Count, 2)),
                                           ctx.timer(Millis(5)));
    if (first.index() == 0) co_return "select " + std::to_string(std::get<0>(first).index());
    if (first.index() == 1) co_return "join " + std::to_string(std::get<1>(std::get<1>(first)));
    co_return "timer";
}

TEST(Select, NestsAndAnInnerSelectWins) {
    Scenario s(nested);
    s.start().expect({"call #1 Work \"a\"",
                      "call #2 Work \"b\"",
                      "call #3 Count 1",
                      "call #4 Count 2",
                      "timer #5 +5"});
    s.complete(2, "x");
    s.expect({"cancel #1", "cancel #3", "cancel #4", "cancel #5", "completed \"select 1\""});
}

TEST(Select, NestsAndAnInnerJoinWins) {
    Scenario s(nested);
    s.start().skip().complete(4, 40).expect({});
    s.complete(3, 30).expect({"cancel #1", "cancel #2", "cancel #5", "completed \"join 40\""});
}

TEST(Select, NestsAndTheOuterTimerWins) {
    Scenario s(nested);
    s.start().complete(4, 40).skip().fire(5);
    s.expect({"cancel #1", "cancel #2", "cancel #3", "completed \"timer\""});
}

TEST(Select, NestsAndAnInnerFailureThrows) {
    Scenario s(nested);
    s.start().skip().fail(3, "inner");
    // The inner one lets go of its branches before the outer one does.
    s.expect({"cancel #4", "cancel #1", "cancel #2", "cancel #5", "failed application: inner"});
}

Orchestration<int> two_steps(OrchestrationContext ctx, int from) {
    const int a = co_await ctx.call(Count, from);
    const int b = co_await ctx.call(Count, from + 1);
    co_return a + b;
}
Orchestration<std::string> over_helpers(OrchestrationContext ctx) {
    const auto first =
        co_await ctx.select(two_steps(ctx, 10), two_steps(ctx, 20), ctx.timer(Millis(5)));
    if (first.index() == 2) co_return "timer";
    co_return std::to_string(first.index()) + ":" +
        std::to_string(first.index() == 0 ? std::get<0>(first) : std::get<1>(first));
}

TEST(Select, OverHelpersTheFirstThatIsDoneWins) {
    Scenario s(over_helpers);
    // Helpers are begun in order, and run when the code that awaits them waits.
    s.start().expect({"timer #1 +5", "call #2 Count 10", "call #3 Count 20"});
    s.complete(3, 1).expect({"call #4 Count 21"});
    s.complete(2, 1).expect({"call #5 Count 11"});
    s.complete(4, 1).expect({"cancel #5", "cancel #1", "completed \"1:2\""});
}

TEST(Select, AHelperThatLosesCancelsItsOwnWork) {
    Scenario s(over_helpers);
    s.start().complete(2, 1).skip();
    s.fire(1).expect({"cancel #4", "cancel #3", "completed \"timer\""});
}

Orchestration<int> immediate(OrchestrationContext /*ctx*/, int value) { co_return value; }
Orchestration<std::string> immediate_helper_wins(OrchestrationContext ctx) {
    const auto first = co_await ctx.select(immediate(ctx, 1), ctx.call(Work, "a"));
    co_return std::to_string(first.index());
}

TEST(Select, AHelperThatNeverWaitsWins) {
    Scenario s(immediate_helper_wins);
    s.start().expect({"call #1 Work \"a\"", "cancel #1", "completed \"0\""});
}

Orchestration<void> nested_loser(OrchestrationContext ctx) {
    auto mine = ctx.start(ctx.call(Work, "future"));
    (void)co_await ctx.select(two_steps(ctx, 30), ctx.timer(Millis(99)));
    (void)co_await std::move(mine);
}
Orchestration<std::string> deep_loser(OrchestrationContext ctx) {
    (void)co_await ctx.select(nested_loser(ctx), ctx.timer(Millis(5)));
    co_return "out";
}

TEST(Select, AHelperThatLosesCancelsWhatItsOwnHelpersDo) {
    Scenario s(deep_loser);
    s.start().expect(
        {"timer #1 +5", "call #2 Work \"future\"", "timer #3 +99", "call #4 Count 30"});
    // The awaited frame goes first, as any C++ scope is left.
    s.fire(1).expect({"cancel #4", "cancel #3", "cancel #2", "completed \"out\""});
}

Orchestration<int> throwing(OrchestrationContext ctx) {
    co_await ctx.call(Ping);
    throw std::runtime_error("helper broke");
}
Orchestration<std::string> helper_throws(OrchestrationContext ctx) {
    try {
        (void)co_await ctx.select(ctx.timer(Millis(5)), throwing(ctx));
    } catch (const std::runtime_error& problem) {
        co_return problem.what();
    }
    co_return "not reached";
}

TEST(Select, AHelperThatThrowsDecides) {
    Scenario s(helper_throws);
    s.start().skip().complete(2).expect({"cancel #1", "completed \"helper broke\""});
}

Orchestration<std::string> stored_select(OrchestrationContext ctx) {
    auto select = ctx.select(ctx.call(Work, "a"), ctx.timer(Millis(5)));
    co_await ctx.call(Ping);
    auto first = co_await std::move(select);
    co_return std::to_string(first.index());
}

TEST(Select, SchedulesNothingUntilItIsAwaited) {
    Scenario s(stored_select);
    s.start().expect({"call #1 Ping ()"});
    s.complete(1).expect({"call #2 Work \"a\"", "timer #3 +5"});
}

Orchestration<void> dropped_select(OrchestrationContext ctx) {
    {
        auto never = ctx.select(ctx.call(Work, "a"), ctx.timer(Millis(5)));
        (void)never;
    }
    co_await ctx.call(Ping);
}

TEST(Select, OneThatIsNeverAwaitedLeavesNoTrace) {
    Scenario s(dropped_select);
    s.start().expect({"call #1 Ping ()"});
}

Orchestration<int> loop_of_selects(OrchestrationContext ctx) {
    int sum = 0;
    for (int i = 0; i < 3; ++i) {
        const auto first = co_await ctx.select(ctx.call(Count, i), ctx.timer(Millis(5)));
        sum += first.index() == 0 ? std::get<0>(first) : 100;
    }
    co_return sum;
}

TEST(Select, InALoopNumbersGoOn) {
    Scenario s(loop_of_selects);
    s.start().complete(1, 1).skip();
    s.fire(4).expect({"cancel #3", "call #5 Count 2", "timer #6 +5"});
    s.complete(5, 7).expect({"cancel #6", "completed 108"});
}

Orchestration<std::string> selects_one(OrchestrationContext ctx) {
    auto future = ctx.start(ctx.call(Work, "a"));
    const auto only = co_await ctx.select(future);
    co_return std::get<0>(only);
}

TEST(Select, ASelectOfOneIsThatOne) {
    Scenario s(selects_one);
    s.start().skip().complete(1, "x").expect({"completed \"x\""});
}

}  // namespace
}  // namespace belay::replay::select_tests
