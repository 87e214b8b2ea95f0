// Tests of orchestrations with the kit and GoogleTest: docs/guides/testing-your-code.md.
#include <belay/orchestration.hpp>
#include <belay/registry.hpp>
#include <belay/testing/matchers.hpp>
#include <belay/testing/replay.hpp>
#include <belay/testing/world.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>
#include <string>

using namespace std::chrono_literals;
using namespace belay::testing;

inline constexpr belay::Activity<std::string(std::string, int)> Charge{"Charge"};
inline constexpr belay::Activity<void(std::string)> Refund{"Refund"};
inline constexpr belay::Definition<std::string(std::string)> Checkout{"Checkout"};

belay::Orchestration<std::string> checkout(belay::OrchestrationContext ctx, std::string order) {
    ctx.on_rollback(Refund, order);
    const std::string payment = co_await ctx.call(Charge, order, 7);
    auto first = co_await ctx.select(ctx.wait<std::string>("shipped"), ctx.timer(30 * 24h));
    if (first.index() == 1) throw std::runtime_error("never shipped");
    co_return payment + ", " + std::get<0>(first);
}

class CheckoutTest : public ::testing::Test {
protected:
    CheckoutTest() {
        world.add(Checkout, checkout);
        world.replace(Charge, [](std::string order, int) { return "paid " + order; });
        world.replace(Refund, [](std::string) {});
    }
    World world;
};

TEST_F(CheckoutTest, GivesTheMoneyBackAfterAMonth) {
    EXPECT_THAT(world.run(Checkout, "order-7"), Failed("never shipped"));
    EXPECT_THAT(world, CalledWith(Refund, "order-7"));
}

TEST_F(CheckoutTest, IsPaidAndShipped) {
    const belay::InstanceName run = world.start(Checkout, "order-7");
    world.advance(24h);
    world.raise(run, "shipped", "by boat");
    EXPECT_THAT(world.wait(Checkout, run), Completed("paid order-7, by boat"));
    EXPECT_THAT(world, Called(Charge, 1));
    EXPECT_THAT(world.history(run), HistoryHas("ActivityScheduled #1 Charge", "shipped"));
}

TEST_F(CheckoutTest, IsUndoneWhenItIsCanceled) {
    const belay::InstanceName run = world.start(Checkout, "order-7");
    world.run_until_idle();
    world.cancel(run, "changed my mind", "ann");
    EXPECT_THAT(world.wait(Checkout, run), CanceledBy("ann", "changed my mind"));
    EXPECT_THAT(world, Called(Refund, 1));
}

inline constexpr belay::Activity<int(std::string)> Ask{"Ask"};
inline constexpr belay::Definition<int()> Patient{"Patient"};

belay::Orchestration<int> patient(belay::OrchestrationContext ctx) {
    const auto ask =
        Ask.with(belay::CallOptions().retry(belay::RetryPolicy::exponential(1min).attempts(10)));
    co_return co_await ctx.call(ask, "how long?");
}

TEST(PatientTest, TriesAgain) {
    World world;
    world.add(Patient, patient);
    world.replace(Ask, [](std::string question) { return static_cast<int>(question.size()); });
    world.replace(Ask, fails_first(3, "no route to host"));  // Then what it was before.
    const belay::Timestamp before = world.now();
    EXPECT_THAT(world.run(Patient), Completed(9));
    EXPECT_THAT(world, Called(Ask, 4));
    EXPECT_EQ(world.now() - before, 1min + 2min + 4min);
}

TEST(PatientTest, CanBeReplayedByLaterReleases) {
    belay::Registry code;
    code.add(Patient, patient);
    World world(code);
    world.replace(Ask, returns(1));
    const belay::InstanceName run = world.start(Patient);
    EXPECT_THAT(world.wait(Patient, run), Completed(1));
    EXPECT_TRUE(replay(world.exported(run), code).ok());
}
