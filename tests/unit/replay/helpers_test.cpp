// Helpers: coroutines of the same run.
#include "unit/replay/harness.hpp"

#include <memory>
#include <optional>

namespace belay::replay::helpers_tests {
namespace {

using ::testing::HasSubstr;

Orchestration<int> add_one(OrchestrationContext ctx, int value) {
    const int counted = co_await ctx.call(Count, value);
    co_return counted + 1;
}
Orchestration<int> uses_helpers(OrchestrationContext ctx) {
    const int a = co_await add_one(ctx, 1);
    const int b = co_await add_one(ctx, a);
    co_return b;
}

TEST(Helpers, AreCallsWithinTheSameRun) {
    Scenario s(uses_helpers);
    s.start().expect({"call #1 Count 1"});
    s.complete(1, 10).expect({"call #2 Count 11"});
    s.complete(2, 20).expect({"completed 21"});
}

Orchestration<std::string> never_awaited(OrchestrationContext ctx) {
    auto helper = add_one(ctx, 1);
    (void)helper;
    co_return "done";
}

TEST(Helpers, OneThatIsNeverAwaitedDoesNothing) {
    Scenario s(never_awaited);
    s.start().expect({"completed \"done\""});
}

Orchestration<int> awaited_later(OrchestrationContext ctx) {
    auto helper = add_one(ctx, 1);
    co_await ctx.call(Ping);
    auto moved = std::move(helper);
    co_return co_await std::move(moved);
}

TEST(Helpers, RunWhenTheyAreAwaited) {
    Scenario s(awaited_later);
    s.start().expect({"call #1 Ping ()"}).complete(1).expect({"call #2 Count 1"});
    s.complete(2, 5).expect({"completed 6"});
}

Orchestration<int> awaited_twice(OrchestrationContext ctx) {
    auto helper = add_one(ctx, 1);
    (void)co_await std::move(helper);
    co_return co_await std::move(helper);  // NOLINT(bugprone-use-after-move): what this test is
                                           // about.
}

TEST(Helpers, AwaitedTwiceIsRefused) {
    Scenario s(awaited_twice);
    s.start().complete(1, 1);
    EXPECT_THAT(s.failure().message, HasSubstr("this helper is used up"));
}

Orchestration<std::unique_ptr<int>> move_only(OrchestrationContext ctx,
                                              std::unique_ptr<int> value) {
    co_await ctx.call(Ping);
    ++*value;
    co_return value;
}
Orchestration<int> moves_through(OrchestrationContext ctx) {
    auto mine = std::make_unique<int>(1);
    auto back = co_await move_only(ctx, std::move(mine));
    co_return *back;
}

TEST(Helpers, TakeAndGiveMoveOnlyValues) {
    Scenario s(moves_through);
    s.start().complete(1);
    EXPECT_EQ(s.result<int>(), 2);
}

struct Pair {
    std::string first;
    int second = 0;
};
Orchestration<Pair> braces(OrchestrationContext ctx) {
    co_await ctx.call(Ping);
    co_return {"text", 3};
}
Orchestration<std::string> takes_braces(OrchestrationContext ctx) {
    const Pair pair = co_await braces(ctx);
    co_return pair.first + std::to_string(pair.second);
}

TEST(Helpers, ReturnValuesInBraces) {
    Scenario s(takes_braces);
    s.start().complete(1);
    EXPECT_EQ(s.result<std::string>(), "text3");
}

class AddingHelpers {
public:
    static Orchestration<int> free(OrchestrationContext ctx, int value) {
        co_return co_await add_one(ctx, value);
    }
    Orchestration<int> member(OrchestrationContext ctx, int value) const {
        co_return co_await add_one(ctx, value);
    }
};
Orchestration<int> members_and_lambdas(OrchestrationContext ctx) {
    const auto lambda = [](OrchestrationContext inner, int value) -> Orchestration<int> {
        co_return co_await add_one(inner, value);
    };
    const AddingHelpers adding;
    int sum = co_await AddingHelpers::free(ctx, 1);
    sum += co_await adding.member(ctx, 2);
    sum += co_await lambda(ctx, 3);
    co_return sum;
}

TEST(Helpers, MayBeMembersOfEmptyClassesAndLambdasWithoutCaptures) {
    Scenario s(members_and_lambdas);
    s.start().complete(1, 10).complete(2, 20).complete(3, 30);
    EXPECT_EQ(s.result<int>(), 63);
}

Orchestration<int> nest(OrchestrationContext ctx, int depth) {
    if (depth == 0) {
        co_await ctx.call(Ping);
        co_return 0;
    }
    const int below = co_await nest(ctx, depth - 1);
    co_return below + 1;
}

TEST(Helpers, NestAsDeepAsTheLimit) {
    Limits limits;
    limits.helper_depth = 20;
    Scenario s(
        [](OrchestrationContext ctx) -> Orchestration<int> { co_return co_await nest(ctx, 19); },
        limits);
    s.start().complete(1);
    EXPECT_EQ(s.result<int>(), 19);
}

TEST(Helpers, NestedDeeperThanTheLimitIsAClearError) {
    Limits limits;
    limits.helper_depth = 20;
    Scenario s(
        [](OrchestrationContext ctx) -> Orchestration<int> { co_return co_await nest(ctx, 20); },
        limits);
    s.start().expect({"failed limit: helpers are nested more than 20 deep"});
}

Orchestration<std::vector<Orchestration<int>>> makes_helpers(OrchestrationContext ctx) {
    std::vector<Orchestration<int>> made;
    for (int i = 0; i < 2; ++i) made.push_back(add_one(ctx, i));
    co_return made;
}
Orchestration<int> helpers_from_a_helper(OrchestrationContext ctx) {
    auto made = co_await makes_helpers(ctx);
    co_await ctx.call(Ping);
    int sum = 0;
    for (const int value : co_await ctx.join(std::move(made))) sum += value;
    co_return sum;
}

TEST(Helpers, OutliveTheHelperThatMadeThem) {
    Scenario s(helpers_from_a_helper);
    s.start().complete(1).skip().complete(2, 1).complete(3, 2).expect({"completed 5"});
}

Orchestration<int> endless(OrchestrationContext ctx, int value) {
    if (value < 0) co_return 0;
    if (value < 0) co_return value;  // Never: it is called with 0.
    const int below = co_await endless(ctx, value + 1);
    co_return below;
}
Orchestration<std::string> recovers(OrchestrationContext ctx) {
    try {
        (void)co_await endless(ctx, 0);
    } catch (const LimitExceeded&) {
    }
    co_return co_await ctx.call(Work, "after");
}

TEST(Helpers, EndlessRecursionCanBeCaught) {
    Scenario s(recovers);
    s.start().expect({"call #1 Work \"after\""});
}

Orchestration<std::string> ping_pong(OrchestrationContext ctx, std::string name) {
    std::string log;
    for (int i = 0; i < 2; ++i) log += co_await ctx.call(Work, name + std::to_string(i));
    co_return log;
}
Orchestration<std::string> interleaved(OrchestrationContext ctx) {
    const auto [a, b] = co_await ctx.join(ping_pong(ctx, "a"), ping_pong(ctx, "b"));
    co_return a + b;
}

TEST(Helpers, RunInterleavedInTheOrderOfCompletions) {
    Scenario s(interleaved);
    s.start().expect({"call #1 Work \"a0\"", "call #2 Work \"b0\""});
    s.in_one_turn([&] { s.complete(2, "2").complete(1, "1"); });
    s.expect({"call #3 Work \"b1\"", "call #4 Work \"a1\""});
    s.complete(3, "3").complete(4, "4").expect({"completed \"1423\""});
}

Orchestration<OrchestrationContext> gives_its_context_away(OrchestrationContext ctx) {
    co_await ctx.call(Ping);
    co_return ctx;
}
Orchestration<void> uses_a_kept_context(OrchestrationContext ctx, int how) {
    const OrchestrationContext kept = co_await gives_its_context_away(ctx);
    auto own = ctx.timer(Millis(1));
    switch (how) {
        case 0: co_await kept.call(Ping); break;
        case 1: (void)kept.start(std::move(own)); break;
        case 2: (void)kept.now(); break;
        case 3: co_await gives_its_context_away(kept); break;
        default: const Shield shield = kept.shield();
    }
}

TEST(Helpers, AContextKeptFromOneThatHasEndedIsRefused) {
    for (int how = 0; how < 5; ++how) {
        Scenario s(uses_a_kept_context);
        s.start(how).complete(1);
        EXPECT_THAT(s.failure().message, HasSubstr("a helper or orchestration that has ended"))
            << how;
    }
}

std::optional<OrchestrationContext> kept_too_long;
Orchestration<void> leaks_its_context(OrchestrationContext ctx) {
    kept_too_long = ctx;
    co_await ctx.call(Ping);
}

TEST(Helpers, AContextKeptFromAnEvictedRunIsRefused) {
    {
        Scenario s(leaks_its_context);
        s.start();
        EXPECT_EQ(kept_too_long->instance_id(), kInstance);
    }
    EXPECT_THROW((void)kept_too_long->now(), std::logic_error);
    kept_too_long.reset();
}

}  // namespace
}  // namespace belay::replay::helpers_tests
