// Runs, time and messages in a world.
#include "shop.hpp"

#include <stdexcept>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

namespace belay::testing_tests {
namespace {

inline constexpr Definition<std::string(std::string)> Approval{"Approval"};
inline constexpr Definition<int(int)> Countdown{"Countdown"};
inline constexpr Definition<std::string()> Parent{"Parent"};
inline constexpr Definition<int()> Sums{"Sums"};

Orchestration<std::string> approval(OrchestrationContext ctx, std::string what) {
    auto first = co_await ctx.select(ctx.wait<bool>("decision"), ctx.timer(72h));
    if (first.index() == 1) co_return what + ": nobody decided";
    co_return what + (std::get<0>(first) ? ": yes" : ": no");
}

Orchestration<int> countdown(OrchestrationContext ctx, int left) {
    co_await ctx.timer(1h);
    if (left > 0) co_await ctx.continue_as_new(Countdown, left - 1);
    co_return left;
}

Orchestration<std::string> parent(OrchestrationContext ctx) {
    const std::string one = co_await ctx.call(Approval, "child");
    co_return "(" + one + ")";
}

Orchestration<int> sums(OrchestrationContext ctx) {
    int sum = 0;
    for (int i = 0; i < 3; ++i) sum += co_await ctx.receive<int>("numbers");
    co_return sum;
}

Registry shop() {
    Registry registry;
    registry.add(Checkout, patient_checkout);
    registry.add(Charge, [](const std::string& order, int amount) {
        return order + "/" + std::to_string(amount);
    });
    registry.add(Refund, [](const std::string&) {});
    registry.add(Approval, approval);
    registry.add(Countdown, countdown);
    registry.add(Parent, parent);
    registry.add(Sums, sums);
    return registry;
}

TEST(World, AMonthTakesNoTime) {
    World world(shop());
    const Timestamp before = world.now();
    const Ended<std::string> ended = world.run(Checkout, "order-7");
    EXPECT_EQ(ended.value(), "paid order-7/7");
    EXPECT_EQ(world.now() - before, 30 * 24h);
    const std::vector<std::tuple<std::string, int>> calls = world.calls(Charge);
    ASSERT_EQ(calls.size(), 1U);
    EXPECT_EQ(calls.front(), std::make_tuple("order-7", 7));
    EXPECT_EQ(world.times_called(Refund), 0U);
}

TEST(World, ShowsTheOutputOfActivities) {
    World world(shop());
    world.replace(Charge, [](ActivityContext& ctx, const std::string& order, int amount) {
        ctx.output().out("charging " + std::to_string(amount) + "\n");
        ctx.output().err("the bank is slow\n");
        return order;
    });
    const InstanceName name = world.start(Checkout, "order-7");
    EXPECT_EQ(world.output(name), "");
    (void)world.wait(Checkout, name);
    EXPECT_EQ(world.output(name), "charging 7\nthe bank is slow\n");
}

TEST(World, ATimerOfThirtyYearsTakesNoTimeEither) {
    World world;
    world.add(Sums, [](OrchestrationContext ctx) -> Orchestration<int> {
        co_await ctx.timer(30 * 365 * 24h);
        co_return 1;
    });
    EXPECT_EQ(world.run(Sums).value(), 1);
}

TEST(World, StartsNothingByItself) {
    World world(shop());
    const InstanceName name = world.start(Checkout, "a");
    EXPECT_EQ(name.id, "Checkout-1");
    EXPECT_EQ(world.status(name), Status::pending);
    world.run_until_idle();
    EXPECT_EQ(world.status(name), Status::running);
    EXPECT_EQ(world.times_called(Charge), 1U);
    EXPECT_EQ(world.waits_for(name), "timer until 2023-12-14T22:13:20.000Z\n");
    EXPECT_EQ(world.wait(Checkout, name).value(), "paid a/7");
}

TEST(World, AdvancesFromOneMomentToTheNext) {
    World world(shop());
    const Timestamp before = world.now();
    const InstanceName name = world.start(Countdown, 5);
    world.advance(2h + 30min);
    EXPECT_EQ(world.now() - before, 2h + 30min);
    EXPECT_EQ(world.client().inspect(name)->execution, 3U) << "an hour each";
    world.advance(10h);
    EXPECT_EQ(world.now() - before, 12h + 30min);
    EXPECT_EQ(world.wait(Countdown, name).value(), 0);
    EXPECT_EQ(world.now() - before, 12h + 30min) << "it had ended";
}

TEST(World, GivesEventsToThoseWhoWait) {
    World world(shop());
    const InstanceName yes = world.start(Approval, "a");
    const InstanceName late = world.start(Approval, "b");
    world.advance(71h);
    world.raise(yes, "decision", true);
    EXPECT_EQ(world.wait(Approval, yes).value(), "a: yes");
    EXPECT_EQ(world.wait(Approval, late).value(), "b: nobody decided");
}

TEST(World, KeepsMessagesInOrder) {
    World world(shop());
    const InstanceName name = world.start(Sums);
    for (const int number : {1, 10}) world.enqueue(name, "numbers", number);
    world.run_until_idle();
    EXPECT_EQ(world.status(name), Status::running);
    world.enqueue(name, "numbers", 100);
    EXPECT_EQ(world.wait(Sums, name).value(), 111);
}

TEST(World, CancelsAndCompensates) {
    World world(shop());
    const InstanceName name = world.start(Checkout, "a");
    world.run_until_idle();
    world.cancel(name, "changed my mind", "ann");
    const Ended<std::string> ended = world.wait(Checkout, name);
    EXPECT_EQ(ended.outcome().status, Status::canceled);
    EXPECT_EQ(ended.outcome().cancel.by, "ann");
    EXPECT_EQ(ended.outcome().cancel.reason, "changed my mind");
    EXPECT_EQ(ended.outcome().cleanup, Cleanup::done);
    EXPECT_EQ(world.times_called(Refund), 1U);
    EXPECT_EQ(testing::describe_outcome(ended.outcome()),
              "canceled by user ann: changed my mind, cleanup done");
}

TEST(World, RunsChildren) {
    World world(shop());
    const InstanceName name = world.start(Parent);
    world.run_until_idle();
    const std::vector<std::string> children = *world.client().list_children(name);
    ASSERT_EQ(children.size(), 1U);
    EXPECT_EQ(world.waits_for(name),
              "child '" + children.front() +
                  "' (Approval): running\n"
                  "  event 'decision', since 2023-11-14T22:13:20.000Z\n"
                  "  timer until 2023-11-17T22:13:20.000Z\n");
    world.raise({"default", children.front()}, "decision", false);
    EXPECT_EQ(world.wait(Parent, name).value(), "(child: no)");
}

TEST(World, RunsUntilWhatTheTestWantsIsTrue) {
    World world(shop());
    const InstanceName name = world.start(Countdown, 100);
    const Timestamp before = world.now();
    world.run_until([&] { return world.client().inspect(name)->execution == 11; });
    EXPECT_EQ(world.now() - before, 10h);
}

TEST(World, ShowsHistory) {
    World world(shop());
    const InstanceName name = world.start(Checkout, "a");
    EXPECT_EQ(world.wait(Checkout, name).value(), "paid a/7");
    std::vector<std::string> texts;
    for (const TimelineEntry& entry : world.history(name).entries) texts.push_back(entry.text);
    EXPECT_THAT(texts, ::testing::Contains("ActivityScheduled #1 Charge (\"a\", 7)"));
    EXPECT_THAT(texts, ::testing::Contains("CommandCompleted #1 \"a/7\""));
}

TEST(World, IsTheSameForTheSameSeed) {
    const auto told = [] {
        World world(shop());
        const InstanceName name = world.start(Checkout, "a");
        (void)world.wait(Checkout, name);
        return world.exported(name);
    };
    EXPECT_EQ(told(), told());
}

TEST(World, FailsAsInProduction) {
    World world(shop());
    world.replace(Charge, [](const std::string&, int) -> std::string {
        throw std::runtime_error("no funds");
    });
    const Ended<std::string> ended = world.run(Checkout, "a");
    EXPECT_EQ(ended.outcome().status, Status::failed);
    EXPECT_EQ(testing::describe_outcome(ended.outcome()),
              "failed (application) no funds, in Charge, attempt 1 <std::runtime_error>");
    EXPECT_EQ(world.times_called(Refund), 1U);
}

TEST(World, SaysWhatIsWrongWithARequest) {
    World world(shop());
    const InstanceName nobody{"default", "nobody"};
    EXPECT_THAT(problem_of([&] { world.cancel(nobody); }),
                HasSubstr("it could not be canceled: not_found"));
    EXPECT_THAT(problem_of([&] { world.raise(nobody, "x"); }),
                HasSubstr("the event 'x' could not be sent: not_found"));
    EXPECT_THAT(problem_of([&] { (void)world.wait(Checkout, nobody); }),
                HasSubstr("there is nothing to wait for: not_found"));
    const InstanceName other = world.start(Sums);
    EXPECT_THAT(problem_of([&] { (void)world.wait(Checkout, other); }),
                HasSubstr("'Sums-1' is a run of 'Sums', not of 'Checkout'"));
}

TEST(World, LetsActivitiesSendButNotWait) {
    World world(shop());
    const InstanceName waiting = world.start(Sums);
    world.replace(Charge, [&](const std::string&, int amount) {
        for (int i = 0; i < 3; ++i) world.enqueue(waiting, "numbers", amount);
        return std::string("sent");
    });
    EXPECT_EQ(world.run(Checkout, "a").value(), "paid sent");
    EXPECT_EQ(world.wait(Sums, waiting).value(), 21);

    world.replace(Charge, [&](const std::string&, int) {
        world.advance(1h);
        return std::string("never");
    });
    EXPECT_THAT(problem_of([&] { (void)world.run(Checkout, "b"); }),
                HasSubstr("only the test itself can let time pass"));
}

}  // namespace
}  // namespace belay::testing_tests
