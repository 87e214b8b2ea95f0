// Code that says whether a cancel needs it to clean up.
#include "unit/replay/harness.hpp"

namespace belay::replay::clean_up_tests {
namespace {

Orchestration<std::string> says_so(OrchestrationContext ctx) {
    ctx.nothing_to_clean_up();
    const std::string first = co_await ctx.call(Work, "a");
    ctx.nothing_to_clean_up(false);
    const std::string second = co_await ctx.call(Work, first);
    ctx.nothing_to_clean_up(true);
    co_return co_await ctx.wait<std::string>("go") + second;
}

TEST(CleanUp, HoldsFromWhereTheCodeSaysItToWhereItSaysOtherwise) {
    Scenario s(says_so);
    s.start().expect({"call #1 Work \"a\""});
    EXPECT_TRUE(s.execution().nothing_to_clean_up());
    s.complete(1, "b").skip();
    EXPECT_FALSE(s.execution().nothing_to_clean_up());
    s.complete(2, "c").skip();
    EXPECT_TRUE(s.execution().nothing_to_clean_up());
}

Orchestration<void> says_nothing(OrchestrationContext ctx) { co_await ctx.call(Ping); }

TEST(CleanUp, CodeThatSaysNothingMayHaveSome) {
    Scenario s(says_nothing);
    s.start();
    EXPECT_FALSE(s.execution().nothing_to_clean_up());
}

TEST(CleanUp, IsNoEventSoThatCodeMaySayItWhileItsRunsGoOn) {
    Scenario s(says_nothing);
    s.start();
    const auto code = [](OrchestrationContext ctx) -> Orchestration<void> {
        ctx.nothing_to_clean_up();
        co_await ctx.call(Ping);
    };
    const Result<void> same = replay_with(code, s.history());
    EXPECT_TRUE(same.ok()) << same.error().describe();
}

Orchestration<void> under_a_shield(OrchestrationContext ctx) {
    ctx.nothing_to_clean_up();
    {
        const Shield shield = ctx.shield();
        co_await ctx.call(Ping);
    }
    co_await ctx.call(Ping);
}

TEST(CleanUp, DoesNotHoldWhileAShieldIsOpen) {
    Scenario s(under_a_shield);
    s.start();
    EXPECT_FALSE(s.execution().nothing_to_clean_up());
    s.complete(1);
    EXPECT_TRUE(s.execution().nothing_to_clean_up());
}

Orchestration<void> with_a_compensation(OrchestrationContext ctx) {
    ctx.nothing_to_clean_up();
    co_await ctx.call(Ping);
    ctx.on_rollback(Undo, "it");
    co_await ctx.call(Ping);
}

TEST(CleanUp, DoesNotHoldOnceACompensationIsRegistered) {
    Scenario s(with_a_compensation);
    s.start();
    EXPECT_TRUE(s.execution().nothing_to_clean_up());
    s.complete(1);
    EXPECT_FALSE(s.execution().nothing_to_clean_up());
}

}  // namespace
}  // namespace belay::replay::clean_up_tests
