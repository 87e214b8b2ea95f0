// Stand-ins for activities.
#include "shop.hpp"

#include <stdexcept>
#include <string>

namespace belay::testing_tests {
namespace {

using testing::fails_always;
using testing::fails_first;
using testing::never_answers;
using testing::returns;

inline constexpr Activity<int(int)> Ask{"Ask"};
inline constexpr Definition<int(int)> Asks{"Asks"};
inline constexpr Definition<std::string()> Impatient{"Impatient"};

/// Asks until it gets an answer, at most so often; the sum of the answers.
Orchestration<int> asks(OrchestrationContext ctx, int times) {
    int sum = 0;
    for (int i = 0; i < times; ++i) {
        auto answer = co_await ctx.try_call(Ask, i);
        if (answer.ok()) sum += answer.value();
    }
    co_return sum;
}

Orchestration<std::string> impatient(OrchestrationContext ctx) {
    auto first = co_await ctx.select(ctx.call(Ask, 1), ctx.timer(5min));
    co_return first.index() == 1 ? "gave up" : "got it";
}

Registry asking() {
    Registry registry;
    registry.add(Asks, asks);
    registry.add(Impatient, impatient);
    return registry;
}

TEST(StandIns, TakeThePlaceOfWhatIsRegistered) {
    Registry registry = asking();
    registry.add(Ask, [](int) { return 1; });
    World world(std::move(registry));
    EXPECT_EQ(world.run(Asks, 2).value(), 2);
    world.replace(Ask, [](int number) { return number * 10; });
    EXPECT_EQ(world.run(Asks, 3).value(), 30);
}

TEST(StandIns, NeedNothingToReplace) {
    World world(asking());
    int asked = 0;
    world.replace(Ask, [&](ActivityContext& context, int) {
        EXPECT_EQ(context.attempt(), 1U);
        return ++asked;
    });
    EXPECT_EQ(world.run(Asks, 2).value(), 3);
}

TEST(StandIns, CanBeCoroutinesOfActivitiesThatAreNot) {
    Registry registry = asking();
    registry.add(Ask, [](int) { return 1; });
    World world(std::move(registry));
    world.replace(Ask, [](ActivityContext& context, int number) -> Async<int> {
        co_await context.sleep(1h);
        co_return number;
    });
    const Timestamp before = world.now();
    EXPECT_EQ(world.run(Asks, 3).value(), 3);
    EXPECT_EQ(world.now() - before, 3h);
}

TEST(StandIns, FailAtFirst) {
    World world(asking());
    world.replace(Ask, [](int) { return 1; });
    world.replace(Ask, fails_first(2, "busy"));
    EXPECT_EQ(world.run(Asks, 5).value(), 3);
    EXPECT_EQ(world.times_called(Ask), 5U);
}

TEST(StandIns, FailAtFirstAndSleepThen) {
    World world(asking());
    world.replace(Ask, [](ActivityContext& context, int number) -> Async<int> {
        co_await context.sleep(1h);
        co_return number;
    });
    world.replace(Ask, fails_first(1, Failure{.kind = FailureKind::timeout, .message = "late"}));
    const InstanceName name = world.start(Asks, 3);
    EXPECT_EQ(world.wait(Asks, name).value(), 3);
    EXPECT_THAT(world.exported(name), HasSubstr("late"));
}

TEST(StandIns, FailAlways) {
    World world(asking());
    world.replace(Ask, fails_always());
    EXPECT_EQ(world.run(Asks, 4).value(), 0);
    EXPECT_EQ(world.times_called(Ask), 4U);
}

TEST(StandIns, FailAtFirstAndThenThereIsNothing) {
    World world(asking());
    world.replace(Ask, fails_first(1));
    EXPECT_THAT(problem_of([&] { (void)world.run(Asks, 2); }),
                HasSubstr("activity 'Ask' was to fail at first, and then there is no code for it"));
}

TEST(StandIns, NeverAnswer) {
    World world(asking());
    world.replace(Ask, never_answers());
    const Timestamp before = world.now();
    EXPECT_EQ(world.run(Impatient).value(), "gave up");
    EXPECT_EQ(world.now() - before, 5min);
    EXPECT_TRUE(world.client().leases()->activities.empty()) << "it was stopped";
}

TEST(StandIns, ReturnInOrder) {
    World world(asking());
    world.replace(Ask, returns(1, 20, 300));
    EXPECT_EQ(world.run(Asks, 3).value(), 321);
    EXPECT_THAT(problem_of([&] { (void)world.run(Asks, 1); }),
                HasSubstr("activity 'Ask' was called more often than the 3 times"));
}

TEST(StandIns, AreMissed) {
    World world(asking());
    EXPECT_THAT(problem_of([&] { (void)world.run(Asks, 1); }),
                HasSubstr("activity 'Ask' is called, and is neither registered nor replaced"));
    World empty;
    EXPECT_THAT(problem_of([&] { (void)empty.run(Asks, 1); }),
                HasSubstr("'Asks-1' is a run of 'Asks', and no such orchestration is registered"));
}

}  // namespace
}  // namespace belay::testing_tests
