// Code that does not come out the same is found, at whichever turn.
#include "shop.hpp"
#include <belay/testing/replay.hpp>

namespace belay::testing_tests {
namespace {

inline constexpr Definition<int()> Hidden{"Hidden"};
inline constexpr Activity<void(int)> Tell{"Tell"};

/// The hidden state that the code of these tests depends on and must not.
int outside = 0;

Orchestration<int> tells(OrchestrationContext ctx) {
    co_await ctx.call(Tell, ++outside);
    co_await ctx.timer(1h);
    co_return 0;
}
Orchestration<int> returns_it(OrchestrationContext ctx) {
    co_await ctx.timer(1h);
    co_return ++outside;
}
Orchestration<int> continues_with_it(OrchestrationContext ctx) {
    if (ctx.execution() > 1) co_return 0;
    co_await ctx.timer(Millis(++outside));
    co_await ctx.continue_as_new(Hidden);
    co_return 0;
}
Orchestration<int> tells_beside_a_patch(OrchestrationContext ctx) {
    if (++outside == 1) co_await ctx.call(Tell, 1);
    if (ctx.patched("tells twice")) co_await ctx.call(Tell, 2);
    co_return 0;
}
Orchestration<int> depends_when_canceled(OrchestrationContext ctx) {
    const Shield shield = ctx.shield();
    co_await ctx.wait<void>("go");
    co_await ctx.timer(Millis(++outside));
    co_await ctx.timer(1h);
    co_return 0;
}

template <class Code>
World& with(World& world, Code code) {
    outside = 0;
    world.add(Hidden, code);
    world.replace(Tell, [](int) {});
    return world;
}

TEST(ColdReplay, FindsWhatIsDecidedDifferently) {
    World world;
    with(world, tells);
    const std::string problem = problem_of([&] { (void)world.run(Hidden); });
    EXPECT_THAT(problem,
                HasSubstr("history and code disagree at event 3 of execution 1 of "
                          "'Hidden-1' (Hidden 1)"));
    EXPECT_THAT(problem, HasSubstr("history: ActivityScheduled #1 Tell 1"));
    EXPECT_THAT(problem, HasSubstr("code:    ActivityScheduled #1 Tell 2"));
    EXPECT_THAT(problem, HasSubstr("Look for what it depends on"));
}

TEST(ColdReplay, FindsWhatIsReturnedDifferently) {
    World world;
    with(world, returns_it);
    EXPECT_THAT(problem_of([&] { (void)world.run(Hidden); }),
                HasSubstr("code:    ExecutionEnded completed"));
}

TEST(ColdReplay, FindsWhatDiffersBeforeContinuingAsNew) {
    World world;
    with(world, continues_with_it);
    EXPECT_THAT(problem_of([&] { (void)world.run(Hidden); }),
                HasSubstr("code:    TimerScheduled #1"));
}

TEST(ColdReplay, FindsItBesideAPatch) {
    World world;
    with(world, tells_beside_a_patch);
    EXPECT_THAT(problem_of([&] { (void)world.run(Hidden); }),
                HasSubstr("history and code disagree at event 3"));
}

TEST(ColdReplay, FindsItWhileCanceling) {
    World world;
    with(world, depends_when_canceled);
    const InstanceName name = world.start(Hidden);
    world.run_until_idle();
    world.cancel(name);
    world.raise(name, "go");
    EXPECT_THAT(problem_of([&] { (void)world.wait(Hidden, name); }),
                HasSubstr("code:    TimerScheduled #2"));
}

Orchestration<int> decides_by_a_header(OrchestrationContext ctx) {
    if (ctx.headers().contains("tell")) co_await ctx.call(Tell, 1);
    co_return static_cast<int>(ctx.headers().size());
}

TEST(ColdReplay, GivesTheHeadersThatTheRunHad) {
    World world;
    with(world, decides_by_a_header);
    const auto options = StartOptions().id("i").header("tell", "").header("other", "");
    const InstanceName name = world.start_with(Hidden, options);
    EXPECT_EQ(world.wait(Hidden, name).value(), 2);
    Registry registry;
    registry.add(Hidden, decides_by_a_header);
    const Result<void> same = testing::replay(world.exported(name), registry);
    EXPECT_TRUE(same.ok()) << same.error().describe();
}

TEST(ColdReplay, CanBeSwitchedOff) {
    for (const auto code : {tells, returns_it, continues_with_it}) {
        World world(Registry(), WorldOptions().cold_replay(false));
        with(world, code);
        EXPECT_TRUE(world.run(Hidden).completed());
    }
}

}  // namespace
}  // namespace belay::testing_tests
