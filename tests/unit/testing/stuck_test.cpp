// Runs that can never end are told of.
#include "shop.hpp"

namespace belay::testing_tests {
namespace {

inline constexpr Definition<void()> Waits{"Waits"};
inline constexpr Definition<void()> WaitsForChild{"WaitsForChild"};
inline constexpr Definition<void()> Eternal{"Eternal"};
inline constexpr Activity<void()> Poll{"Poll"};

Orchestration<void> waits(OrchestrationContext ctx) { co_await ctx.wait<void>("go"); }
Orchestration<void> waits_for_child(OrchestrationContext ctx) {
    co_await ctx.timer(400 * 24h);
    co_await ctx.call(Waits);
}
Orchestration<void> eternal(OrchestrationContext ctx) {
    co_await ctx.timer(1min);
    co_await ctx.continue_as_new(Eternal);
}

Registry stuck() {
    Registry registry;
    registry.add(Waits, waits);
    registry.add(WaitsForChild, waits_for_child);
    registry.add(Eternal, eternal);
    return registry;
}

TEST(Stuck, SaysWhatItWaitsFor) {
    World world(stuck());
    EXPECT_EQ(problem_of([&] { world.run(Waits).value(); }),
              "Waits 'Waits-1' can never end: nothing is due, and nothing runs that could come "
              "back. It waits for\n"
              "  event 'go', since 2023-11-14T22:13:20.000Z\n"
              "Raise or enqueue what it waits for (after world.start), or replace the activity");
    world.raise({"default", "Waits-1"}, "go");
    EXPECT_TRUE(world.wait(Waits, {"default", "Waits-1"}).completed()) << "it can go on";
}

TEST(Stuck, SaysWhatAChildWaitsFor) {
    World world(stuck());
    const Timestamp before = world.now();
    EXPECT_THAT(problem_of([&] { world.run(WaitsForChild).value(); }),
                HasSubstr("child 'WaitsForChild-1/2' (Waits): running\n    event 'go', since "));
    EXPECT_EQ(world.now() - before, 400 * 24h) << "its timer was waited for";
}

TEST(Stuck, SaysWhichActivityDoesNotComeBack) {
    World world;
    world.add(Waits,
              [](OrchestrationContext ctx) -> Orchestration<void> { co_await ctx.call(Poll); });
    world.replace(Poll, testing::never_answers());
    EXPECT_THAT(problem_of([&] { world.run(Waits).value(); }),
                HasSubstr("activity Poll, which was begun and does not come back"));
}

TEST(Stuck, SaysWhatRunUntilWaitsFor) {
    World world(stuck());
    (void)world.start(Waits);
    const std::string problem = problem_of([&] { world.run_until([] { return false; }); });
    EXPECT_THAT(problem, HasSubstr("what run_until waits for can never be"));
    EXPECT_THAT(problem, HasSubstr("'Waits-1' waits for\n  event 'go'"));
}

TEST(Stuck, GivesUpWhatHasNoEnd) {
    World world(stuck(), WorldOptions().most_turns(50));
    EXPECT_THAT(problem_of([&] { world.run(Eternal).value(); }),
                HasSubstr("more than 50 turns were taken, and there is no end to it"));
}

TEST(Stuck, NothingIsDueWhenAnHourPasses) {
    World world(stuck());
    (void)world.start(Waits);
    const Timestamp before = world.now();
    world.advance(1h);
    EXPECT_EQ(world.now() - before, 1h);
}

inline constexpr Definition<void(std::int64_t)> Sleeps{"Sleeps"};
inline constexpr Definition<int()> Races{"Races"};

Orchestration<void> sleeps(OrchestrationContext ctx, std::int64_t ms) {
    co_await ctx.timer(Millis(ms));
}

Registry sleepers() {
    Registry registry;
    registry.add(Sleeps, sleeps);
    registry.add(Races, [](OrchestrationContext ctx) -> Orchestration<int> {
        auto race = ctx.select(ctx.timer(Millis::max()), ctx.timer(1s));
        const auto first = co_await std::move(race);
        co_return static_cast<int>(first.index());
    });
    return registry;
}

TEST(Stuck, ATimerAtTheEndOfTimeIsNotWaitedFor) {
    for (const Millis never : {Millis::max(), Millis::max() / 2, Millis(1'001 * 365 * 24h)}) {
        World world(sleepers());
        const Timestamp before = world.now();
        EXPECT_THAT(problem_of([&] { world.run(Sleeps, never.count()).value(); }),
                    HasSubstr("Sleeps 'Sleeps-1' can never end"))
            << never.count();
        EXPECT_EQ(world.now(), before);
    }
}

TEST(Stuck, NorIsARunThatStartsThen) {
    World world(sleepers());
    const InstanceName name =
        world.start_with(Sleeps, StartOptions().id("a").delay(Millis::max()), 1);
    EXPECT_THAT(problem_of([&] { world.wait(Sleeps, name).value(); }),
                HasSubstr("'a' can never end"));
}

TEST(Stuck, OneOfManyYearsIs) {
    World world(sleepers());
    const Timestamp before = world.now();
    EXPECT_TRUE(world.run(Sleeps, Millis(250 * 365 * 24h).count()).completed());
    EXPECT_EQ(world.now() - before, 250 * 365 * 24h);
}

TEST(Stuck, WorkThatRacesWithTheEndOfTimeComesFirst) {
    World world(sleepers());
    const Timestamp before = world.now();
    EXPECT_EQ(world.run(Races).value(), 1);
    EXPECT_EQ(world.now() - before, 1s);
}

TEST(Stuck, AllTheTimeThereIsCanPass) {
    World world(sleepers());
    const InstanceName ends = world.start(Sleeps, Millis(1h).count());
    const InstanceName stays = world.start(Sleeps, Millis::max().count());
    const Timestamp before = world.now();
    world.advance(Millis::max());
    EXPECT_EQ(world.status(ends), Status::completed);
    EXPECT_EQ(world.status(stays), Status::running);
    EXPECT_EQ(world.now() - before, 1'000 * 365 * 24h);
    EXPECT_TRUE(world.run(Sleeps, Millis(1h).count()).completed()) << "it goes on after that";
}

TEST(Stuck, ACancelThatIsIgnoredHasADeadline) {
    World world(Registry(), WorldOptions().cold_replay(false));
    world.add(Waits, [](OrchestrationContext ctx) -> Orchestration<void> {
        const Shield shield = ctx.shield();
        co_await ctx.wait<void>("never");
    });
    const InstanceName name = world.start(Waits);
    world.run_until_idle();
    world.cancel(name);
    const Timestamp before = world.now();
    EXPECT_EQ(world.wait(Waits, name).outcome().cleanup, Cleanup::timed_out);
    EXPECT_EQ(world.now() - before, Policy().cancel_deadline);
}

TEST(Stuck, SoHasOneOfARunThatIsReplaced) {
    World world(Registry(), WorldOptions().cold_replay(false));
    world.add(Waits, [](OrchestrationContext ctx) -> Orchestration<void> {
        const Shield shield = ctx.shield();
        co_await ctx.wait<void>("go");
    });
    const InstanceName name = world.start_with(Waits, StartOptions().id("a"));
    world.run_until_idle();
    (void)world.start_with(Waits, StartOptions().id("a").on_conflict(IdConflict::replace));
    world.raise(name, "go");  // Only the new one gets it.
    const Timestamp before = world.now();
    EXPECT_EQ(world.wait(Waits, name).outcome().status, Status::completed);
    EXPECT_EQ(world.now() - before, Policy().cancel_deadline)
        << "the new one begins when the cleanup of the old one is over";
}

}  // namespace
}  // namespace belay::testing_tests
