// within: waiting for something, but not longer than a given time.
#include "unit/replay/harness.hpp"

#include <optional>

namespace belay::replay::within_tests {
namespace {

using ::testing::HasSubstr;

Orchestration<std::string> asks(OrchestrationContext ctx) {
    const auto answer = co_await ctx.wait<std::string>("answer").within(Millis(100));
    co_return answer ? "got " + *answer : "too late";
}

TEST(Within, SchedulesTheWorkAndThenATimer) {
    Scenario s(asks);
    s.start().expect({"wait #1 answer", "timer #2 +100"});
}

TEST(Within, GivesTheValueInTime) {
    Scenario s(asks);
    s.start().skip().raise("answer", "yes").expect({"cancel #2", "completed \"got yes\""});
}

TEST(Within, GivesNothingWhenTheTimeIsOverAndCancelsTheWork) {
    Scenario s(asks);
    s.start().skip().fire(2).expect({"cancel #1", "completed \"too late\""});
}

TEST(Within, TheFirstInHistoryDecidesWithinOneTurn) {
    Scenario s(asks);
    s.start();
    s.in_one_turn([&] { s.fire(2).raise("answer", "late"); });
    EXPECT_EQ(s.result<std::string>(), "too late");
}

Orchestration<std::string> asks_by_select(OrchestrationContext ctx) {
    const auto first = co_await ctx.select(ctx.wait<std::string>("answer"), ctx.timer(Millis(100)));
    co_return first.index() == 0 ? "got " + std::get<0>(first) : "too late";
}

TEST(Within, ReplaysTheHistoryOfASelectWithATimer) {
    Scenario in_time(asks_by_select);
    in_time.start().raise("answer", "yes");
    EXPECT_TRUE(replay_with(asks, in_time.history()).ok());
    Scenario late(asks_by_select);
    late.start().fire(2);
    EXPECT_TRUE(replay_with(asks, late.history()).ok());
}

Orchestration<std::string> has_an_answer(OrchestrationContext ctx) {
    co_await ctx.call(Ping);
    const auto answer = co_await ctx.wait<std::string>("answer").within(Millis(100));
    co_return answer.value();
}

TEST(Within, WorkThatIsReadyAtOnceNeedsNoTimer) {
    Scenario s(has_an_answer);
    s.start().raise("answer", "early").skip().complete(1);
    s.expect({"wait #2 answer", "completed \"early\""});
}

Orchestration<std::string> of_every_kind(OrchestrationContext ctx) {
    const auto called = co_await ctx.call(Work, "a").within(Millis(1));
    const auto child = co_await ctx.call(Child, "b").within(Millis(2));
    const auto received = co_await ctx.receive<int>("jobs").within(Millis(3));
    const bool waited = co_await ctx.timer(Millis(9)).within(Millis(4));
    co_return called.value_or("none") + child.value_or("none") +
        (received ? std::to_string(*received) : "none") + (waited ? "done" : "none");
}

TEST(Within, BoundsCallsChildrenReceivesAndTimers) {
    Scenario s(of_every_kind);
    s.start().complete(1, "A").complete(3, "B").fire(6).fire(7);
    EXPECT_EQ(s.result<std::string>(), "ABnonedone");
    Scenario late(of_every_kind);
    late.start().fire(2).fire(4).fire(6).skip().fire(8);
    late.expect({"cancel #7", "completed \"nonenonenonenone\""});
}

Orchestration<std::string> counts(OrchestrationContext ctx) {
    const bool pinged = co_await ctx.call(Ping).within(Millis(5));
    const bool again = co_await ctx.call(Ping).within(Millis(5));
    co_return std::string(pinged ? "yes" : "no") + (again ? "yes" : "no");
}

TEST(Within, WorkWithoutAValueGivesTrueOrFalse) {
    Scenario s(counts);
    s.start().complete(1).fire(4);
    EXPECT_EQ(s.result<std::string>(), "yesno");
}

TEST(Within, AFailureThrows) {
    Scenario s([](OrchestrationContext ctx) -> Orchestration<void> {
        (void)co_await ctx.call(Work, "a").within(Millis(5));
    });
    s.start().skip().fail(1, "broken").expect({"cancel #2", "failed application: broken"});
}

Orchestration<std::string> tries(OrchestrationContext ctx) {
    const auto tried = co_await ctx.try_call(Work, "a").within(Millis(5));
    if (!tried) co_return "too late";
    co_return tried->ok() ? tried->value() : tried->failure().message;
}

TEST(Within, ATryCallGivesItsResult) {
    Scenario s(tries);
    s.start().fail(1, "broken");
    EXPECT_EQ(s.result<std::string>(), "broken");
    Scenario late(tries);
    late.start().fire(2);
    EXPECT_EQ(late.result<std::string>(), "too late");
}

Orchestration<std::string> keeps_its_future(OrchestrationContext ctx) {
    auto slow = ctx.start(ctx.call(Work, "slow"));
    int rounds = 0;
    for (;; ++rounds) {
        const auto done = co_await slow.within(Millis(10));
        if (done) co_return *done + std::to_string(rounds);
    }
}

TEST(Within, AFutureByReferenceGoesOnWhenTheTimeIsOver) {
    Scenario s(keeps_its_future);
    s.start().expect({"call #1 Work \"slow\"", "timer #2 +10"});
    s.fire(2).expect({"timer #3 +10"});
    s.complete(1, "done").expect({"cancel #3", "completed \"done1\""});
}

Orchestration<std::string> gives_its_future_away(OrchestrationContext ctx) {
    auto slow = ctx.start(ctx.call(Work, "slow"));
    const auto done = co_await std::move(slow).within(Millis(10));
    co_return done.value_or("too late");
}

TEST(Within, AFutureThatIsMovedInIsCanceledWhenTheTimeIsOver) {
    Scenario s(gives_its_future_away);
    s.start().skip().fire(2).expect({"cancel #1", "completed \"too late\""});
}

Orchestration<int> two_steps(OrchestrationContext ctx, int from) {
    const int a = co_await ctx.call(Count, from);
    const int b = co_await ctx.call(Count, from + 1);
    co_return a + b;
}
Orchestration<int> bounds_a_helper(OrchestrationContext ctx) {
    const auto sum = co_await two_steps(ctx, 10).within(Millis(5));
    co_return sum.value_or(-1);
}

TEST(Within, AHelperThatTakesTooLongIsDestroyedWhereItStands) {
    Scenario s(bounds_a_helper);
    s.start().expect({"timer #1 +5", "call #2 Count 10"});
    s.complete(2, 1).expect({"call #3 Count 11"});
    s.fire(1).expect({"cancel #3", "completed -1"});
}

TEST(Within, AHelperInTimeGivesItsValue) {
    Scenario s(bounds_a_helper);
    s.start().complete(2, 1).skip().complete(3, 2).expect({"cancel #1", "completed 3"});
}

Orchestration<std::string> bounds_combinations(OrchestrationContext ctx) {
    std::vector<Call<int>> calls;
    for (int i = 0; i < 2; ++i) calls.push_back(ctx.call(Count, i));
    const auto all = co_await ctx.join(std::move(calls)).within(Millis(5));
    const auto both = co_await ctx.join(ctx.call(Work, "a"), ctx.call(Ping)).within(Millis(5));
    const auto first = co_await ctx.select(ctx.call(Work, "b"), ctx.call(Ping)).within(Millis(5));
    co_return std::to_string(all ? all->size() : 0) + (both ? std::get<0>(*both) : "-") +
        (first ? std::to_string(first->index()) : "-");
}

TEST(Within, BoundsSelectsAndJoins) {
    Scenario s(bounds_combinations);
    s.start().complete(1, 1).complete(2, 2).complete(4, "x").fire(6).skip().complete(8);
    s.expect({"cancel #7", "cancel #9", "completed \"2-1\""});
}

Orchestration<std::string> is_a_branch(OrchestrationContext ctx) {
    const auto [both, ping] =
        co_await ctx.join(ctx.wait<std::string>("go").within(Millis(5)), ctx.call(Ping));
    (void)ping;
    co_return both.value_or("none");
}

TEST(Within, CanBeABranch) {
    Scenario s(is_a_branch);
    s.start().fire(2).skip().complete(3).expect({"cancel #1", "completed \"none\""});
}

Orchestration<void> used_up(OrchestrationContext ctx) {
    auto bounded = ctx.timer(Millis(9)).within(Millis(5));
    (void)co_await std::move(bounded);
    (void)co_await std::move(bounded);  // NOLINT(bugprone-use-after-move): what this test is about.
}

TEST(Within, AwaitedTwiceIsRefused) {
    Scenario s(used_up);
    s.start().fire(1);
    EXPECT_THAT(s.failure().message, HasSubstr("used up"));
}

TEST(Within, ACancelOfTheRunThrows) {
    Scenario s(asks);
    s.start().skip().cancel("enough").expect(
        {"cancel #1", "cancel #2", "canceled by user: enough, cleanup done"});
}

Orchestration<std::string> waits_for_shielded_work(OrchestrationContext ctx) {
    std::optional<Future<std::string>> slow;
    {
        const auto shield = ctx.shield();
        slow.emplace(ctx.start(ctx.call(Work, "slow")));
    }
    std::string seen = "nothing";
    try {
        (void)co_await slow->within(Millis(5));
    } catch (const Canceled& canceled) {
        seen = canceled.reason();
    }
    const auto shield = ctx.shield();
    ctx.set_value("seen", seen);
    co_return co_await *slow;
}

TEST(Within, ACancelEndsTheWaitForShieldedWorkThatGoesOn) {
    Scenario s(waits_for_shielded_work);
    s.start().skip().cancel("enough").expect({"cancel #2", "set seen \"enough\""});
    s.complete(1, "x").expect({"canceled by user: enough, cleanup done"});
}

}  // namespace
}  // namespace belay::replay::within_tests
