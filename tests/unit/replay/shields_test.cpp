// Shields: work that survives a cancel.
#include "unit/replay/harness.hpp"

#include <stdexcept>

namespace belay::replay::shields_tests {
namespace {

Orchestration<std::string> shielded_work(OrchestrationContext ctx) {
    const Shield shield = ctx.shield();
    const std::string first = co_await ctx.call(Work, "a");
    const std::string second = co_await ctx.call(Work, first);
    throw std::runtime_error(second);
}

TEST(Shields, WorkUnderOneGoesOnAfterACancel) {
    Scenario s(shielded_work);
    s.start().expect({"call #1 Work \"a\" shielded"});
    s.cancel("stop").expect({});
    s.complete(1, "b").expect({"call #2 Work \"b\" shielded"});
    s.complete(2, "c").expect({"canceled by user: stop, cleanup failed"});
    EXPECT_EQ(s.outcome().cleanup_detail, "c");
}

Orchestration<void> shield_ends(OrchestrationContext ctx) {
    {
        const Shield shield = ctx.shield();
        co_await ctx.call(Work, "inside");
    }
    co_await ctx.call(Work, "outside");
}

TEST(Shields, EndWithTheirScope) {
    Scenario s(shield_ends);
    s.start().expect({"call #1 Work \"inside\" shielded"});
    s.complete(1, "").expect({"call #2 Work \"outside\""});
    s.cancel("stop").expect({"cancel #2", "canceled by user: stop, cleanup done"});
}

TEST(Shields, AfterTheScopeACanceledRunIsRefused) {
    Scenario s(shield_ends);
    s.start().cancel("stop").skip();
    s.complete(1, "").expect({"canceled by user: stop, cleanup done"});
}

Orchestration<void> nested_shields(OrchestrationContext ctx) {
    const Shield outer = ctx.shield();
    {
        const Shield inner = ctx.shield();
        co_await ctx.call(Ping);
    }
    co_await ctx.call(Ping);
}

TEST(Shields, Nest) {
    Scenario s(nested_shields);
    s.start().skip().complete(1).expect({"call #2 Ping () shielded"});
}

Orchestration<void> clean_up(OrchestrationContext ctx, std::string what) {
    co_await ctx.call(Undo, what);
}
Orchestration<std::string> cleans_up_after_cancel(OrchestrationContext ctx) {
    bool canceled = false;
    try {
        co_await ctx.call(Ping);
    } catch (const Canceled&) {
        canceled = true;
    }
    if (canceled) {
        const Shield shield = ctx.shield();
        co_await clean_up(ctx, "a");
        (void)co_await ctx.join(clean_up(ctx, "b"), clean_up(ctx, "c"), ctx.timer(Millis(5)));
    }
    co_return "cleaned";
}

TEST(Shields, ReachHelpersThatAreAwaitedUnderThem) {
    Scenario s(cleans_up_after_cancel);
    s.start().skip().cancel("stop").expect({"cancel #1", "call #2 Undo \"a\" shielded"});
    s.complete(2).expect(
        {"timer #3 +5 shielded", "call #4 Undo \"b\" shielded", "call #5 Undo \"c\" shielded"});
    s.complete(4).fire(3).complete(5).expect({"canceled by user: stop, cleanup done"});
}

Orchestration<void> shields_inside(OrchestrationContext ctx) {
    const Shield shield = ctx.shield();
    co_await ctx.call(Ping);
}
Orchestration<void> helper_with_shield(OrchestrationContext ctx) {
    (void)co_await ctx.join(shields_inside(ctx), ctx.call(Work, "outside"));
}

TEST(Shields, AShieldOfAHelperDoesNotReachItsCaller) {
    Scenario s(helper_with_shield);
    s.start().expect({"call #1 Work \"outside\"", "call #2 Ping () shielded"});
    // The join ends with the cancel of the unshielded branch, and lets go of the other.
    s.cancel("stop").expect({"cancel #1", "cancel #2", "canceled by user: stop, cleanup done"});
}

Orchestration<std::string> started_under_shield(OrchestrationContext ctx) {
    std::vector<Future<std::string>> kept;
    {
        const Shield shield = ctx.shield();
        kept.push_back(ctx.start(ctx.call(Work, "kept")));
    }
    try {
        co_await ctx.call(Ping);
    } catch (const Canceled&) {
    }
    const std::string result = co_await std::move(kept.front());
    throw std::runtime_error(result);
}

TEST(Shields, WorkStartedUnderOneCanBeAwaitedOutside) {
    Scenario s(started_under_shield);
    s.start().expect({"call #1 Work \"kept\" shielded", "call #2 Ping ()"});
    s.cancel("stop").expect({"cancel #2"});
    s.complete(1, "result").expect({"canceled by user: stop, cleanup failed"});
    EXPECT_EQ(s.outcome().cleanup_detail, "result");
}

Orchestration<void> built_under_shield(OrchestrationContext ctx) {
    std::vector<Call<void>> calls;
    {
        const Shield shield = ctx.shield();
        calls.push_back(ctx.call(Ping));
    }
    (void)co_await ctx.join(std::move(calls));
}

TEST(Shields, ThePlaceOfSchedulingCountsAndNotThatOfBuilding) {
    Scenario s(built_under_shield);
    s.start().expect({"call #1 Ping ()"});
}

Orchestration<void> drops_shielded(OrchestrationContext ctx) {
    const Shield shield = ctx.shield();
    (void)co_await ctx.select(ctx.call(Work, "a"), ctx.timer(Millis(5)));
    co_await ctx.call(Ping);
}

TEST(Shields, ALoserUnderOneIsStillCanceled) {
    Scenario s(drops_shielded);
    s.start().cancel("stop").skip().fire(2).expect({"cancel #1", "call #3 Ping () shielded"});
}

TEST(Shields, AFailureUnderOneIsADetailOfTheCancel) {
    Scenario s(shielded_work);
    s.start().cancel("stop").skip().fail(1, "broken");
    s.expect({"canceled by user: stop, cleanup failed"});
    EXPECT_EQ(s.outcome().cleanup_detail, "broken");
}

Orchestration<void> asks_for_time(OrchestrationContext ctx) {
    const Shield outer = ctx.shield(std::chrono::minutes(30));
    co_await ctx.call(Ping);
    {
        const Shield inner = ctx.shield(std::chrono::hours(1));
        co_await ctx.call(Ping);
    }
    co_await ctx.call(Ping);
}

TEST(Shields, TheLongestOpenOneSaysHowLongToWait) {
    Scenario s(asks_for_time);
    s.start();
    EXPECT_EQ(s.execution().longest_shield(), std::chrono::minutes(30));
    s.complete(1);
    EXPECT_EQ(s.execution().longest_shield(), std::chrono::hours(1));
    s.complete(2);
    EXPECT_EQ(s.execution().longest_shield(), std::chrono::minutes(30));
    s.complete(3);
    EXPECT_EQ(s.execution().longest_shield(), Millis(0));
}

Orchestration<std::string> shielded_select_with_future(OrchestrationContext ctx) {
    auto open = ctx.start(ctx.call(Work, "unshielded"));
    const Shield shield = ctx.shield();
    std::string seen;
    try {
        (void)co_await ctx.select(open, ctx.timer(Millis(5)));
    } catch (const Canceled&) {
        seen = "canceled";
    }
    co_await ctx.call(Undo, seen);
    co_return seen;
}

TEST(Shields, AnUnshieldedFutureAwaitedUnderOneStillThrows) {
    Scenario s(shielded_select_with_future);
    s.start().expect({"call #1 Work \"unshielded\"", "timer #2 +5 shielded"});
    s.cancel("stop").expect({"cancel #1", "cancel #2", "call #3 Undo \"canceled\" shielded"});
}

TEST(Shields, WaitsUnderOneReceiveAfterACancel) {
    Scenario s([](OrchestrationContext ctx) -> Orchestration<void> {
        const Shield shield = ctx.shield();
        const std::string answer = co_await ctx.wait<std::string>("answer");
        co_await ctx.call(Undo, answer);
    });
    s.start()
        .cancel("stop")
        .skip()
        .raise("answer", "yes")
        .expect({"call #2 Undo \"yes\" shielded"});
}

}  // namespace
}  // namespace belay::replay::shields_tests
