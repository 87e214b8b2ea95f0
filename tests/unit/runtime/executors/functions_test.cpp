// Plain functions on the pool.
#include "stage.hpp"

#include <atomic>
#include <stdexcept>
#include <stop_token>
#include <thread>

namespace belay::executor_tests::functions {
namespace {

inline constexpr Activity<std::string(std::string)> Third{"Third"};

/// An activity that says when it runs, and goes on until it is let go, whatever it is told.
struct Stubborn {
    Event running;
    Event let_go;
    void add_to(Registry& registry, const Activity<std::string(std::string)>& as = Work) {
        registry.add(as, [this](const std::string& what) {
            running.set();
            let_go.wait();
            return what;
        });
    }
};

TEST(Functions, AResultIsEncodedAndAnArgumentDecoded) {
    Stage stage;
    stage.registry.add(Work, [](const std::string& what) { return "did " + what; });
    const Started started = stage.begin(Work, "it");
    EXPECT_EQ(started.text(), "did it");
    EXPECT_EQ(started.times(), 1);
}

TEST(Functions, AnExceptionIsAFailure) {
    Stage stage;
    stage.registry.add(Work, [](const std::string& what) -> std::string {
        if (what == "odd") throw 42;
        if (what == "failed") {
            throw OperationFailed(Failure{.kind = FailureKind::timeout, .message = "too slow"});
        }
        throw std::runtime_error("no " + what);
    });
    const Failure failure = stage.begin(Work, "luck").failure();
    EXPECT_EQ(failure.message, "no luck");
    EXPECT_EQ(failure.where, "Work");
    EXPECT_EQ(failure.attempt, 3U);
    EXPECT_EQ(stage.begin(Work, "odd").failure().message,
              "something that is not a std::exception was thrown");
    EXPECT_EQ(stage.begin(Work, "failed").failure().kind, FailureKind::timeout);
}

TEST(Functions, AStopIsSeenInTheTokenAndTheContextAndSaysWhy) {
    for (const StopReason reason :
         {StopReason::canceled, StopReason::lease_lost, StopReason::shutdown}) {
        Stage stage;
        Event running;
        stage.registry.add(Work, [&](ActivityContext& ctx, const std::string&) {
            EXPECT_EQ(ctx.stop_reason(), StopReason::none);
            Event stopped;
            const std::stop_callback on_stop(ctx.stop_token(), [&] { stopped.set(); });
            running.set();
            stopped.wait();
            EXPECT_TRUE(ctx.stop_requested());
            return std::string(to_string(ctx.stop_reason()));
        });
        const Started started = stage.begin(Work, "");
        ASSERT_TRUE(running.wait());
        stage.stop(started, reason);
        stage.stop(started, StopReason::canceled);  // The first reason stays.
        EXPECT_EQ(started.text(), to_string(reason));
    }
}

TEST(Functions, StopCallbacksDoNotRunOnTheThreadThatAsks) {
    Stage stage;
    Event running;
    std::thread::id ran_on;
    stage.registry.add(Work, [&](ActivityContext& ctx, const std::string&) -> std::string {
        Event stopped;
        const std::stop_callback on_stop(ctx.stop_token(), [&] {
            ran_on = std::this_thread::get_id();
            stopped.set();
        });
        running.set();
        stopped.wait();
        return "stopped";
    });
    const Started started = stage.begin(Work, "");
    ASSERT_TRUE(running.wait());
    stage.stop(started);
    EXPECT_EQ(started.text(), "stopped");
    EXPECT_NE(ran_on, std::this_thread::get_id());
}

TEST(Functions, AStopCallbackThatBlocksDoesNotKeepOthersFromBeingStopped) {
    Event let_go;
    Event one_blocks;
    std::atomic<int> running = 0;
    Event all_running;
    Stage stage(ExecutorOptions().threads(12).stop_threads(4));
    const auto begun = [&] {
        if (++running == 10) all_running.set();
    };
    // Three callbacks that block, then many others: as many threads as there may be, less one.
    stage.registry.add(Work, [&](ActivityContext& ctx, const std::string&) -> std::string {
        const std::stop_callback on_stop(ctx.stop_token(), [&] {
            one_blocks.set();
            let_go.wait();
        });
        begun();
        let_go.wait();
        return "let go";
    });
    stage.registry.add(Other, [&](ActivityContext& ctx, const std::string&) -> std::string {
        Event stopped;
        const std::stop_callback on_stop(ctx.stop_token(), [&] { stopped.set(); });
        begun();
        stopped.wait();
        return "stopped";
    });
    std::vector<Started> blocking;
    std::vector<Started> others;
    for (int i = 0; i < 3; ++i) blocking.push_back(stage.begin(Work, ""));
    for (int i = 0; i < 7; ++i) others.push_back(stage.begin(Other, ""));
    ASSERT_TRUE(all_running.wait());
    for (const Started& one : blocking) stage.stop(one);
    ASSERT_TRUE(one_blocks.wait());
    for (const Started& one : others) stage.stop(one);
    for (const Started& one : others) EXPECT_EQ(one.text(), "stopped");
    EXPECT_FALSE(let_go.happened());
    let_go.set();
    for (const Started& one : blocking) EXPECT_EQ(one.text(), "let go");
}

TEST(Functions, ThreadsAreMadeWhenTheyAreNeededUpToTheLimitAndKept) {
    Stage stage(ExecutorOptions().threads(3));
    std::atomic<int> running = 0;
    Event three;
    Event let_go;
    stage.registry.add(Work, [&](const std::string& what) {
        if (++running == 3) three.set();
        let_go.wait();
        return what;
    });
    EXPECT_EQ(stage.executor->threads(), 0U);
    EXPECT_EQ(stage.executor->room(ActivityKind::function), 3U);
    std::vector<Started> all;
    all.push_back(stage.begin(Work, "a"));
    EXPECT_EQ(stage.executor->threads(), 1U);
    EXPECT_EQ(stage.executor->room(ActivityKind::function), 2U);
    for (int i = 0; i < 4; ++i) all.push_back(stage.begin(Work, "b"));
    ASSERT_TRUE(three.wait());
    EXPECT_EQ(stage.executor->threads(), 3U);
    EXPECT_EQ(stage.executor->room(ActivityKind::function), 0U);
    let_go.set();
    for (const Started& one : all) EXPECT_NE(one.text(), "");
    EXPECT_EQ(running, 5);
    EXPECT_EQ(stage.executor->threads(), 3U);
    EXPECT_EQ(stage.executor->room(ActivityKind::function), 3U)
        << "free as soon as the end is told";
}

TEST(Functions, AFunctionStoppedBeforeItBeganNeverBegins) {
    Stage stage(ExecutorOptions().threads(1));
    Stubborn first;
    first.add_to(stage.registry);
    std::atomic<bool> ran = false;
    stage.registry.add(Other, [&](const std::string&) -> std::string {
        ran = true;
        return "";
    });
    const Started one = stage.begin(Work, "first");
    ASSERT_TRUE(first.running.wait());
    const Started two = stage.begin(Other, "");
    const Started three = stage.begin(Other, "");
    stage.stop(two);
    EXPECT_EQ(two.failure().message, "stopped before it began");
    EXPECT_TRUE(stage.abort(three));
    EXPECT_EQ(three.failure().message, "stopped before it began");
    first.let_go.set();
    EXPECT_EQ(one.text(), "first");
    EXPECT_FALSE(ran);
}

TEST(Functions, AFunctionNotBegunCanBeTakenBack) {
    Stage stage(ExecutorOptions().threads(1));
    Stubborn first;
    first.add_to(stage.registry);
    std::atomic<bool> ran = false;
    stage.registry.add(Other, [&](const std::string&) -> std::string {
        ran = true;
        return "";
    });
    const Started one = stage.begin(Work, "first");
    ASSERT_TRUE(first.running.wait());
    const Started two = stage.begin(Other, "");
    EXPECT_FALSE(stage.executor->withdraw(one.task)) << "it runs";
    EXPECT_TRUE(stage.executor->withdraw(two.task));
    EXPECT_FALSE(stage.executor->withdraw(two.task)) << "once";
    first.let_go.set();
    EXPECT_EQ(one.text(), "first");
    EXPECT_FALSE(stage.executor->withdraw(one.task)) << "it has ended";
    EXPECT_EQ(stage.begin(Work, "third").text(), "third");
    EXPECT_FALSE(ran);
    EXPECT_EQ(two.times(), 0);
}

TEST(Functions, ShortOnesMayWaitForAThreadUntilOneTakesLong) {
    Stage stage(ExecutorOptions().threads(2));
    stage.registry.add(Other, [](const std::string& what) { return what; });
    Stubborn one;
    Stubborn two;
    one.add_to(stage.registry);
    two.add_to(stage.registry, Third);
    const auto room = [&] { return stage.executor->room(ActivityKind::function); };
    EXPECT_EQ(room(), 2U) << "nothing is known yet";
    const auto hang = std::chrono::steady_clock::now() + kHang;
    while (room() <= 2U && std::chrono::steady_clock::now() < hang) {
        EXPECT_EQ(stage.begin(Other, "short").text(), "short");
    }
    EXPECT_GT(room(), 2U) << "all that ran was short";

    const Started first = stage.begin(Work, "long");
    const Started second = stage.begin(Third, "long");
    ASSERT_TRUE(one.running.wait());
    ASSERT_TRUE(two.running.wait());
    while (room() > 0U && std::chrono::steady_clock::now() < hang) std::this_thread::yield();
    EXPECT_EQ(room(), 0U) << "no thread comes back";
    one.let_go.set();
    two.let_go.set();
    EXPECT_EQ(first.text(), "long");
    EXPECT_EQ(second.text(), "long");
}

TEST(Functions, AThreadThatDoesNotStopIsAbandonedAndItsPlaceIsFree) {
    Stage stage(ExecutorOptions().threads(1));
    Stubborn stubborn;
    stubborn.add_to(stage.registry);
    stage.registry.add(Other, [](const std::string& what) { return what; });
    const Started stuck = stage.begin(Work, "stuck");
    const Started next = stage.begin(Other, "next");
    ASSERT_TRUE(stubborn.running.wait());
    stage.stop(stuck);
    EXPECT_EQ(next.times(), 0);
    EXPECT_EQ(stage.executor->room(ActivityKind::function), 0U);

    EXPECT_FALSE(stage.abort(stuck));
    EXPECT_EQ(next.text(), "next");
    EXPECT_EQ(stage.executor->room(ActivityKind::function), 1U);
    EXPECT_EQ(stage.executor->abandoned(), std::vector<std::string>{"Work of 'i1' (attempt 3)"});

    stubborn.let_go.set();
    EXPECT_EQ(stage.begin(Other, "more").text(), "more");
    while (!stage.executor->abandoned().empty()) std::this_thread::yield();
    EXPECT_EQ(stuck.times(), 0) << "its result is ignored";
    EXPECT_EQ(stage.executor->threads(), 1U + 2U) << "one for functions, two for stop callbacks";
}

TEST(Functions, TheListenerOfAnAbandonedFunctionIsLetGoOf) {
    Stage stage;
    Stubborn stubborn;
    stubborn.add_to(stage.registry);
    const Started started = stage.make(Work, "");
    auto used = std::make_shared<int>(7);
    stage.executor->begin(started.task, [used](const ActivityResult&) {});
    ASSERT_TRUE(stubborn.running.wait());
    EXPECT_FALSE(stage.abort(started));
    EXPECT_EQ(used.use_count(), 1) << "so it may be destroyed from now on";
    stubborn.let_go.set();
    while (!stage.executor->abandoned().empty()) std::this_thread::yield();
}

TEST(Functions, AbortingWhatHasEndedIsNoAbandonment) {
    Stage stage;
    stage.registry.add(Work, [](const std::string& what) { return what; });
    const Started started = stage.begin(Work, "x");
    EXPECT_EQ(started.text(), "x");
    EXPECT_TRUE(stage.abort(started));
    stage.stop(started);
    EXPECT_EQ(started.times(), 1);
    EXPECT_TRUE(stage.executor->abandoned().empty());
}

TEST(Functions, ThoseOfTheEngineHaveThreadsOfTheirOwn) {
    Stage stage(ExecutorOptions().threads(1));
    Stubborn stubborn;
    stubborn.add_to(stage.registry);
    const ActivityHandler plain = detail::make_handler<std::string, std::string>(
        [](const std::string& what) { return what; });
    stage.registry.add_activity(
        std::string(Third.name()),
        ActivityHandler(ActivityHandler::Function([plain](ActivityContext& ctx, const Payload& in) {
                            return plain.call(ctx, in);
                        }),
                        ActivityKind::engine));
    const Started held = stage.begin(Work, "held");
    ASSERT_TRUE(stubborn.running.wait());
    EXPECT_EQ(stage.executor->room(ActivityKind::function), 0U);
    EXPECT_GT(stage.executor->room(ActivityKind::engine), 0U);
    EXPECT_EQ(stage.begin(Third, "engine").text(), "engine");
    stubborn.let_go.set();
    EXPECT_EQ(held.text(), "held");
}

}  // namespace
}  // namespace belay::executor_tests::functions
