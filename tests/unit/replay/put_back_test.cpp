// A message that went to a wait which was then let go of: it is not lost.
#include "unit/replay/harness.hpp"

#include <memory>
#include <optional>

namespace belay::replay {
namespace {

inline constexpr Definition<std::string(int)> Self{"Test"};

Orchestration<std::string> drops_a_future(OrchestrationContext ctx) {
    co_await ctx.call(Ping);
    {
        auto dropped = ctx.start(ctx.wait<std::string>("go"));
    }
    co_return co_await ctx.wait<std::string>("go");
}

TEST(PutBack, AnEarlyEventOfADroppedFutureIsKept) {
    Scenario s(drops_a_future);
    s.start().raise("go", "x").skip().complete(1);
    s.expect({"wait #2 go", "wait #3 go", "completed \"x\""});
}

Orchestration<std::string> drops_after_a_while(OrchestrationContext ctx) {
    {
        auto dropped = ctx.start(ctx.wait<std::string>("go"));
        co_await ctx.call(Ping);
    }
    co_await ctx.call(Ping);
    co_return co_await ctx.wait<std::string>("go");
}

TEST(PutBack, AnEventThatCameToAWaitingFutureIsKeptToo) {
    Scenario s(drops_after_a_while);
    s.start().raise("go", "x").complete(2).complete(3);
    EXPECT_EQ(s.result<std::string>(), "x");
}

Orchestration<std::string> loses_a_select(OrchestrationContext ctx) {
    auto wait = ctx.start(ctx.wait<std::string>("go"));
    auto work = ctx.start(ctx.call(Work, "a"));
    co_await ctx.call(Ping);
    const auto first = co_await ctx.select(std::move(work), std::move(wait));
    co_return std::get<0>(first) + co_await ctx.wait<std::string>("go");
}

TEST(PutBack, AnEventOfTheLosingBranchOfASelectIsKept) {
    Scenario s(loses_a_select);
    s.start().raise("go", "x").complete(2, "won ").complete(3);
    EXPECT_EQ(s.result<std::string>(), "won x");
}

Orchestration<std::string> fails_a_join(OrchestrationContext ctx) {
    bool failed = false;
    try {
        (void)co_await ctx.join(ctx.wait<std::string>("go"), ctx.call(Ping));
    } catch (const OperationFailed&) {
        failed = true;
    }
    if (!failed) co_return "not failed";
    co_return co_await ctx.wait<std::string>("go");
}

TEST(PutBack, AnEventOfAJoinThatFailedIsKept) {
    Scenario s(fails_a_join);
    s.start().raise("go", "x").fail(2, "no");
    EXPECT_EQ(s.result<std::string>(), "x");
}

Orchestration<std::string> drops_two(OrchestrationContext ctx, bool backwards) {
    std::optional<Future<std::string>> first = ctx.start(ctx.receive<std::string>("jobs"));
    std::optional<Future<std::string>> second = ctx.start(ctx.receive<std::string>("jobs"));
    co_await ctx.call(Ping);
    if (backwards) second.reset();
    first.reset();
    second.reset();
    std::string all;
    for (int i = 0; i < 3; ++i) all += co_await ctx.receive<std::string>("jobs");
    co_return all;
}

TEST(PutBack, TakesItsOldPlaceWhateverTheOrderOfDropping) {
    for (const bool backwards : {false, true}) {
        Scenario s(drops_two);
        s.start(backwards).enqueue("jobs", "1").enqueue("jobs", "2").enqueue("jobs", "3");
        s.complete(3);
        EXPECT_EQ(s.result<std::string>(), "123");
    }
}

Orchestration<std::string> another_waits(OrchestrationContext ctx) {
    std::optional<Future<std::string>> first = ctx.start(ctx.wait<std::string>("go"));
    auto second = ctx.start(ctx.wait<std::string>("go"));
    co_await ctx.call(Ping);
    first.reset();
    co_return co_await std::move(second);
}

TEST(PutBack, GoesToWhoWaitsAlready) {
    Scenario s(another_waits);
    s.start().raise("go", "x").skip().complete(3).expect({"completed \"x\""});
}

Orchestration<std::string> drops_a_whole_join(OrchestrationContext ctx) {
    const auto first = co_await ctx.select(
        ctx.join(ctx.wait<std::string>("go"), ctx.wait<std::string>("go")), ctx.call(Ping));
    co_return std::to_string(first.index()) + co_await ctx.wait<std::string>("go");
}

TEST(PutBack, WandersThroughTheBranchesThatAreDroppedWithIt) {
    Scenario s(drops_a_whole_join);
    s.start().raise("go", "x").complete(3);
    EXPECT_EQ(s.result<std::string>(), "1x");
}

Orchestration<void> waits_for_two(OrchestrationContext ctx) {
    (void)co_await ctx.join(ctx.wait<std::string>("go"), ctx.wait<std::string>("go"));
}
Orchestration<std::string> drops_a_helper(OrchestrationContext ctx) {
    const auto first = co_await ctx.select(waits_for_two(ctx), ctx.call(Ping));
    co_return std::to_string(first.index()) + co_await ctx.wait<std::string>("go");
}

TEST(PutBack, AHelperThatIsDroppedHadNotTakenItYet) {
    Scenario s(drops_a_helper);
    s.start().raise("go", "x").complete(1);
    EXPECT_EQ(s.result<std::string>(), "1x");
}

Orchestration<void> takes_and_goes_on(OrchestrationContext ctx) {
    (void)co_await ctx.wait<std::string>("go");
    co_await ctx.timer(Millis(1'000));
}
Orchestration<std::string> drops_a_helper_that_took_it(OrchestrationContext ctx) {
    const auto first = co_await ctx.select(takes_and_goes_on(ctx), ctx.call(Ping));
    co_return std::to_string(first.index()) + co_await ctx.wait<std::string>("go");
}

TEST(PutBack, AMessageThatCodeHasSeenIsNotSeenAgain) {
    Scenario s(drops_a_helper_that_took_it);
    s.start().raise("go", "seen").complete(1).raise("go", "next");
    EXPECT_EQ(s.result<std::string>(), "1next");
}

Orchestration<std::string> cannot_read_it(OrchestrationContext ctx) {
    std::string problem;
    try {
        (void)co_await ctx.wait<int>("go");
    } catch (const std::exception&) {
        problem = "unreadable ";
    }
    co_return problem + co_await ctx.wait<std::string>("go");
}

TEST(PutBack, OneThatCannotBeReadWasTaken) {
    Scenario s(cannot_read_it);
    s.start().raise("go", "text").raise("go", "next");
    EXPECT_EQ(s.result<std::string>(), "unreadable next");
}

using Shared = std::shared_ptr<std::optional<Future<std::string>>>;

Orchestration<void> borrows(OrchestrationContext ctx, Shared wait) {
    (void)co_await ctx.join(**wait, ctx.timer(Millis(1'000)));
}
Orchestration<void> drops(OrchestrationContext ctx, Shared wait) {
    co_await ctx.call(Ping);
    wait->reset();
}
Orchestration<std::string> owner_goes_first(OrchestrationContext ctx) {
    const Shared wait = std::make_shared<std::optional<Future<std::string>>>(
        ctx.start(ctx.wait<std::string>("go")));
    const auto first = co_await ctx.select(borrows(ctx, wait), drops(ctx, wait));
    co_return std::to_string(first.index()) + co_await ctx.wait<std::string>("go");
}

TEST(PutBack, ComesBackFromABorrowerThatOutlivedTheOwner) {
    Scenario s(owner_goes_first);
    s.start().raise("go", "x").complete(3);
    EXPECT_EQ(s.result<std::string>(), "1x");
}

Orchestration<std::string> continues_with_it(OrchestrationContext ctx, int round) {
    if (round == 1) {
        auto first = ctx.start(ctx.receive<std::string>("jobs"));
        auto second = ctx.start(ctx.receive<std::string>("jobs"));
        co_await ctx.call(Ping);
        co_await ctx.continue_as_new(Self, 2);
    }
    std::string all;
    for (int i = 0; i < 3; ++i) all += co_await ctx.receive<std::string>("jobs");
    co_return all;
}

TEST(PutBack, SurvivesContinueAsNewInOrder) {
    Scenario s(continues_with_it);
    s.start(1).enqueue("jobs", "1").enqueue("jobs", "2").enqueue("jobs", "3").complete(3);
    s.next_execution();
    EXPECT_EQ(s.result<std::string>(), "123");
}

std::optional<Future<std::string>> leaked;
Orchestration<std::string> leaks(OrchestrationContext ctx) {
    leaked.emplace(ctx.start(ctx.wait<std::string>("go")));
    co_await ctx.call(Ping);
    co_return "never";
}

TEST(PutBack, AFutureThatOutlivesAnEvictedExecutionDoesNothing) {
    Registry registry;
    registry.add(Definition<std::string()>{kDefinition}, leaks);
    auto execution = std::make_unique<Execution>(registry.orchestration(kDefinition)->handler,
                                                 Identity{{"", "i"}, 1, kDefinition, "1"},
                                                 Limits());
    execution->begin_turn(from_unix_ms(1), Payload());
    execution->apply(NewMessage{MessageKind::event_raised, 0, 0, "go", Payload::text("x")});
    EXPECT_TRUE(leaked->ready());
    execution.reset();
    leaked.reset();
}

}  // namespace
}  // namespace belay::replay
