// Activities of all kinds in a world's time.
#include "shop.hpp"

#include <coroutine>
#include <memory>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

namespace belay::testing_tests {
namespace {

inline constexpr Activity<std::string(std::string)> Work{"Work"};
inline constexpr Definition<std::string(std::string)> Main{"Main"};
inline constexpr Definition<std::string()> Both{"Both"};

Orchestration<std::string> main_code(OrchestrationContext ctx, std::string input) {
    co_return co_await ctx.call(Work, input);
}

std::string cleaned;
int gone = 0;

World& working(World& world) {
    world.add(Main, main_code);
    return world;
}

// NOLINTBEGIN(cppcoreguidelines-avoid-reference-coroutine-parameters): outlives the coroutine.
Async<std::string> polls(ActivityContext& context, std::string input) {
    for (int i = 0; i < 1000; ++i) co_await context.sleep(1h);
    co_return input + " polled";
}
Async<std::string> in_pool(ActivityContext& context, std::string input) {
    co_await context.sleep(Millis(0));
    const auto blocking = [&] { return input + " in pool"; };
    co_return co_await context.run(blocking);
}
Async<std::string> runs_program(ActivityContext& context, std::string input) {
    Program echo = Program("echo").argument(input);
    const ProgramOutput output = co_await context.run(std::move(echo));
    co_return output.output;
}
Async<std::string> cleans_up(ActivityContext& context, std::string input) {
    std::string how = "not stopped";
    try {
        co_await context.sleep(24h);
    } catch (const Stopped& stopped) {
        how = to_string(stopped.reason());
    }
    {
        const StopShield shield = context.shield();
        co_await context.sleep(5s);
    }
    cleaned = input + ": " + how;
    throw Stopped(StopReason::canceled);
    co_return how;
}
Async<std::string> ignores_being_stopped(ActivityContext& context, std::string input) {
    const std::shared_ptr<int> destroyed(&gone, [](int* count) { ++*count; });
    const StopShield shield = context.shield();
    co_await context.sleep(1000h);
    co_return input;
}
// NOLINTEND(cppcoreguidelines-avoid-reference-coroutine-parameters)

TEST(WorldActivities, SleepInTheWorldsTime) {
    World world;
    working(world).replace(Work, polls);
    const Timestamp before = world.now();
    EXPECT_EQ(world.run(Main, "x").value(), "x polled");
    EXPECT_EQ(world.now() - before, 1000h);
}

TEST(WorldActivities, SleepSideBySide) {
    World world;
    world.add(Both, [](OrchestrationContext ctx) -> Orchestration<std::string> {
        auto both = co_await ctx.join(ctx.call(Work, "3"), ctx.call(Work, "2"));
        co_return std::get<0>(both) + std::get<1>(both);
    });
    std::vector<std::string> order;
    world.replace(Work, [&](ActivityContext& context, std::string hours) -> Async<std::string> {
        co_await context.sleep(std::chrono::hours(std::stoi(hours)));
        order.push_back(hours);
        co_return hours;
    });
    const Timestamp before = world.now();
    EXPECT_EQ(world.run(Both).value(), "32");
    EXPECT_EQ(world.now() - before, 3h);
    EXPECT_THAT(order, ::testing::ElementsAre("2", "3"));
}

TEST(WorldActivities, UseThePoolAtOnce) {
    World world;
    working(world).replace(Work, in_pool);
    EXPECT_EQ(world.run(Main, "x").value(), "x in pool");
}

TEST(WorldActivities, ReallyRunPrograms) {
    World world;
    working(world).replace(Work, runs_program);
    EXPECT_EQ(world.run(Main, "hello").value(), "hello\n");
    world.replace(Work, [](const std::string& input) { return Program("echo").argument(input); });
    EXPECT_EQ(world.run(Main, "again").value(), "again\n");
}

TEST(WorldActivities, AreStoppedAndCleanUp) {
    World world;
    working(world).replace(Work, cleans_up);
    const InstanceName name = world.start(Main, "x");
    world.advance(1h);
    world.cancel(name, "enough");
    EXPECT_EQ(world.wait(Main, name).outcome().status, Status::canceled);
    world.advance(5s);
    EXPECT_EQ(cleaned, "x: canceled");
}

TEST(WorldActivities, AreEndedByForceAfterTheirGrace) {
    gone = 0;
    World world;
    working(world).replace(Work, ignores_being_stopped);
    const InstanceName name = world.start(Main, "x");
    world.advance(1h);
    world.cancel(name, "enough");
    EXPECT_EQ(world.wait(Main, name).outcome().status, Status::canceled);
    EXPECT_EQ(gone, 0);
    world.advance(Policy().grace);
    EXPECT_EQ(gone, 1);
}

TEST(WorldActivities, GoWithTheirWorld) {
    gone = 0;
    {
        World world;
        working(world).replace(Work, ignores_being_stopped);
        (void)world.start(Main, "x");
        world.advance(1h);
    }
    EXPECT_EQ(gone, 1);
}

/// Resumed by a thread of its own.
class Elsewhere {
public:
    explicit Elsewhere(std::jthread& thread) : thread_(&thread) {}
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> frame) {
        *thread_ = std::jthread([frame] { frame.resume(); });
    }
    void await_resume() const noexcept {}

private:
    std::jthread* thread_;
};

TEST(WorldActivities, AreWaitedForElsewhere) {
    World world;
    std::jthread thread;
    working(world).replace(Work, [&](ActivityContext&, std::string input) -> Async<std::string> {
        co_await Elsewhere(thread);
        co_return input + " came back";
    });
    EXPECT_EQ(world.run(Main, "x").value(), "x came back");
}

/// Resumed when the test does it.
class Kept {
public:
    explicit Kept(std::coroutine_handle<>& frame) : frame_(&frame) {}
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> frame) { *frame_ = frame; }
    void await_resume() const noexcept {}

private:
    std::coroutine_handle<>* frame_;
};

TEST(WorldActivities, AreNotWaitedForForEver) {
    std::coroutine_handle<> kept;
    {
        World world(Registry(), WorldOptions().patience(1ms));
        working(world).replace(Work,
                               [&](ActivityContext&, std::string input) -> Async<std::string> {
                                   co_await Kept(kept);
                                   co_return input;
                               });
        EXPECT_THAT(problem_of([&] { (void)world.run(Main, "x"); }),
                    HasSubstr("activity Work, which awaits something of another library, has not "
                              "come back"));
    }
    kept.resume();  // Into a world that is gone.
}

TEST(WorldActivities, AComplaintIsMadeOnce) {
    World world;
    working(world).replace(Work, [](const std::string& input) { return input; });
    EXPECT_THAT(problem_of([&] {
                    (void)world.run_until([&] {
                        world.advance(1ms);
                        return true;
                    });
                }),
                HasSubstr("only the test itself can let time pass"));
    EXPECT_NO_THROW((void)world.run(Main, "x"));
}

}  // namespace
}  // namespace belay::testing_tests
