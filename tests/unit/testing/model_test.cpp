// Requests of orchestrations in a world's time: retries, timeouts, versions, chance, logs.
#include "shop.hpp"

#include <utility>
#include <vector>

namespace belay::testing_tests {
namespace {

using testing::fails_first;
using testing::never_answers;

inline constexpr Activity<int(int)> Step{"Step"};
inline constexpr Definition<int()> Steps{"Steps"};
inline constexpr Definition<std::string()> Versioned{"Versioned"};
inline constexpr Definition<std::string()> Draws{"Draws"};

Orchestration<int> tries_again(OrchestrationContext ctx) {
    const auto step = Step.with(CallOptions().retry(RetryPolicy::exponential(1min).attempts(4)));
    co_return co_await ctx.call(step, 7);
}
Orchestration<int> is_in_a_hurry(OrchestrationContext ctx) {
    const auto step = Step.with(CallOptions().start_to_close(30s));
    co_return co_await ctx.call(step, 7);
}
Orchestration<int> wants_to_hear_of_it(OrchestrationContext ctx) {
    const auto step = Step.with(CallOptions().heartbeat_timeout(90s));
    co_return co_await ctx.call(step, 7);
}
Orchestration<int> limits_each_attempt(OrchestrationContext ctx) {
    const auto policy = RetryPolicy::fixed(1min).attempts(3).attempt_timeout(10s);
    co_return co_await ctx.call(Step.with(CallOptions().retry(policy)), 7);
}
Orchestration<int> waits_longer_each_time(OrchestrationContext ctx) {
    const auto policy = RetryPolicy::linear(1min, 2min).attempts(3);
    co_return co_await ctx.call(Step.with(CallOptions().retry(policy)), 7);
}
Orchestration<int> tries_once(OrchestrationContext ctx) {
    co_return co_await ctx.call(Step.with(CallOptions().retry(RetryPolicy::none())), 7);
}
Orchestration<std::string> old_code(OrchestrationContext ctx) {
    co_await ctx.timer(1h);
    co_return "old";
}
Orchestration<std::string> new_code(OrchestrationContext ctx) {
    co_await ctx.call(Step, 1);
    co_return "new";
}
Orchestration<std::string> draws(OrchestrationContext ctx) {
    std::string numbers;
    for (int i = 0; i < 3; ++i) {
        numbers += std::to_string(ctx.random()()) + " ";
        co_await ctx.timer(1h);
    }
    co_return numbers + ctx.new_uuid();
}
Orchestration<int> logs(OrchestrationContext ctx) {
    for (int i = 0; i < 3; ++i) {
        ctx.log().info("step " + std::to_string(i));
        co_await ctx.timer(1h);
    }
    co_return 3;
}

TEST(WorldModel, TriesTakeNoTime) {
    World world;
    world.add(Steps, tries_again);
    world.replace(Step, [](int number) { return number; });
    world.replace(Step, fails_first(3));
    const Timestamp before = world.now();
    EXPECT_EQ(world.run(Steps).value(), 7);
    EXPECT_EQ(world.now() - before, 1min + 2min + 4min);
    EXPECT_EQ(world.times_called(Step), 4U);
    EXPECT_EQ(world.calls_of("Step").back().attempt, 4U);

    world.replace(Step, fails_first(4, "no route to host"));
    EXPECT_EQ(world.run(Steps).outcome().failure.message, "no route to host");
}

TEST(WorldModel, AttemptsTimeOut) {
    World world;
    world.add(Steps, is_in_a_hurry);
    world.replace(Step, never_answers());
    const Timestamp before = world.now();
    EXPECT_EQ(world.run(Steps).outcome().failure.kind, FailureKind::timeout);
    EXPECT_EQ(world.now() - before, 30s);
}

TEST(WorldModel, ASilentActivityTimesOut) {
    World world;
    world.add(Steps, wants_to_hear_of_it);
    world.replace(Step, [](ActivityContext& context, int number) -> Async<int> {
        for (int i = 0; i < 5; ++i) {
            context.heartbeat(i);
            co_await context.sleep(1min);
        }
        co_await context.sleep(24h);
        co_return number;
    });
    const Timestamp before = world.now();
    const Failure failure = world.run(Steps).outcome().failure;
    EXPECT_EQ(failure.kind, FailureKind::timeout);
    EXPECT_EQ(world.now() - before, 4min + 90s) << "since it was heard of last";
}

TEST(WorldModel, EachAttemptHasItsTime) {
    World world;
    world.add(Steps, limits_each_attempt);
    world.replace(Step, [](ActivityContext& context, int number) -> Async<int> {
        if (context.attempt() < 3) co_await context.sleep(24h);
        co_return number;
    });
    const Timestamp before = world.now();
    EXPECT_EQ(world.run(Steps).value(), 7);
    EXPECT_EQ(world.times_called(Step), 3U);
    EXPECT_EQ(world.now() - before, 2 * (10s + 1min));
}

/// Runs code whose step fails as often as it is tried: how long that took.
template <class Code>
Millis time_until_given_up(Code code, std::uint32_t attempts) {
    World world;
    world.add(Steps, code);
    world.replace(Step, fails_first(attempts));
    const Timestamp before = world.now();
    EXPECT_EQ(world.run(Steps).outcome().failure.kind, FailureKind::application);
    EXPECT_EQ(world.times_called(Step), attempts);
    return world.now() - before;
}

TEST(WorldModel, DelaysGrowAsThePolicySays) {
    EXPECT_EQ(time_until_given_up(waits_longer_each_time, 3), 1min + 3min);
}

TEST(WorldModel, WithoutRetriesTheFirstFailureIsTheLast) {
    EXPECT_EQ(time_until_given_up(tries_once, 1), 0ms);
}

TEST(WorldModel, ProgressOfStandInsIsSeen) {
    World world;
    world.add(Steps, tries_again);
    world.replace(Step, [](ActivityContext& context, int number) -> Async<int> {
        for (int i = 0; i < number; ++i) {
            context.heartbeat(i);
            co_await context.sleep(1min);
        }
        co_return number;
    });
    const InstanceName name = world.start(Steps);
    const auto progress = [&] { return world.client().describe(name)->awaits.at(0).progress; };
    world.run_until_idle();
    EXPECT_EQ(progress(), Codec<int>::encode(0));
    world.advance(5min);
    EXPECT_EQ(progress(), Codec<int>::encode(5));
    EXPECT_EQ(world.wait(Steps, name).value(), 7);
}

TEST(WorldModel, RunsStayOnTheirVersion) {
    World world;
    world.add(Versioned, old_code);
    const InstanceName began = world.start(Versioned);
    world.run_until_idle();
    world.add(Versioned, new_code, "2");
    world.replace(Step, [](int number) { return number; });
    EXPECT_EQ(world.run(Versioned).value(), "new");
    EXPECT_EQ(world.wait(Versioned, began).value(), "old");
}

TEST(WorldModel, ChanceIsTheSameForTheSameSeed) {
    const auto drawn = [](std::uint64_t seed) {
        World world(Registry(), WorldOptions().seed(seed));
        world.add(Draws, draws);
        return world.run(Draws).value();
    };
    EXPECT_EQ(drawn(1), drawn(1));
    EXPECT_NE(drawn(1), drawn(2));
}

TEST(WorldModel, LogsAreSilentInReplayAndMayReadClocks) {
    std::vector<std::string> lines;
    World world(Registry(), WorldOptions().log([&](const LogRecord& line) {
        EXPECT_GT(std::chrono::system_clock::now(), Timestamp());
        lines.emplace_back(line.message);
    }));
    world.add(Steps, logs);
    EXPECT_EQ(world.run(Steps).value(), 3);
    EXPECT_THAT(lines, ::testing::ElementsAre("step 0", "step 1", "step 2"));
}

}  // namespace
}  // namespace belay::testing_tests
