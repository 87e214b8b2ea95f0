// Coroutine activities on the loop.
#include "stage.hpp"

#include <atomic>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <thread>
#include <vector>

namespace belay::executor_tests::coroutines {
namespace {

inline constexpr Activity<std::string(std::string, int)> Two{"Two"};
inline constexpr Activity<int(int)> Count{"Count"};

/// State shared by a test and its coroutines. Passed to them by reference: it outlives them.
struct Shared {
    Event waiting;
    Event destroyed;
    Event let_go;
    std::vector<std::string> log;  // Written by one coroutine at a time.
    StopReason seen = StopReason::none;
};

/// Says when it is destroyed.
class Guard {
public:
    Guard(Shared& shared, std::string name) : shared_(&shared), name_(std::move(name)) {}
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;
    ~Guard() { shared_->log.push_back(name_); }

private:
    Shared* shared_;
    std::string name_;
};

Async<std::string> echo(ActivityContext& ctx, std::string text, int times) {
    std::string all;
    for (int i = 0; i < times; ++i) {
        co_await ctx.sleep(0ms);
        all += text;
    }
    co_return all;
}

Async<int> fails_with(std::string what) {
    if (what == "odd") throw 42;
    if (what == "kind") {
        throw OperationFailed(Failure{.kind = FailureKind::timeout, .message = "too slow"});
    }
    throw std::runtime_error("no " + what);
    co_return 0;
}

Async<std::string> calls_one_that_fails(std::string what) {
    const int value = co_await fails_with(what);
    co_return std::to_string(value);
}

TEST(Coroutines, AResultIsEncodedAndArgumentsAreHeldInTheFrame) {
    Stage stage;
    stage.registry.add(Two, echo);
    const std::string longer(100, 'x');
    EXPECT_EQ(stage.begin(Two, longer, 2).text(), longer + longer);
}

TEST(Coroutines, AnExceptionIsAFailureAlsoThroughHelpers) {
    Stage stage;
    stage.registry.add(Work, calls_one_that_fails);
    const Failure failure = stage.begin(Work, "luck").failure();
    EXPECT_EQ(failure.message, "no luck");
    EXPECT_EQ(failure.where, "Work");
    EXPECT_EQ(failure.attempt, 3U);
    EXPECT_EQ(stage.begin(Work, "odd").failure().message,
              "something that is not a std::exception was thrown");
    EXPECT_EQ(stage.begin(Work, "kind").failure().kind, FailureKind::timeout);
}

TEST(Coroutines, AnArgumentThatCannotBeDecodedIsAFailure) {
    Stage stage;
    stage.registry.add(Count, [](int value) -> Async<int> { co_return value; });
    stage.registry.add(Work, [](std::string text) -> Async<std::string> { co_return text; });
    Started wrong = stage.make(Work, "seven");
    wrong.task = std::make_shared<ActivityTask>(
        wrong.task->details(), Payload::text("seven"), *stage.registry.activity("Count"));
    stage.executor->begin(wrong.task, wrong.done());
    EXPECT_NE(wrong.failure().message.find("expected an integer"), std::string::npos);
}

Async<int> depth(int left) {
    if (left == 0) co_return 0;
    const int below = co_await depth(left - 1);
    co_return below + 1;
}

Async<int> many_helpers(int count) {
    int sum = 0;
    for (int i = 0; i < count; ++i) sum += co_await depth(1);
    co_return sum;
}

TEST(Coroutines, ManyHelpersInARowNeedNoStack) {
    Stage stage;
    stage.registry.add(Count, many_helpers);
    EXPECT_EQ(stage.begin(Count, 200'000).text(), "200000");
}

TEST(Coroutines, HelpersNestUpToALimit) {
    Stage stage;
    stage.registry.add(Count, depth);
    EXPECT_EQ(stage.begin(Count, 400).text(), "400");
    EXPECT_NE(stage.begin(Count, 1000).failure().message.find("nested more than"),
              std::string::npos);
}

Async<void> sleeps_long(ActivityContext& ctx, Shared& shared) {
    const Guard guard(shared, "helper");
    shared.waiting.set();
    co_await ctx.sleep(24h);
    shared.log.push_back("not reached");
}

Async<std::string> waits_in_a_helper(ActivityContext& ctx, Shared& shared) {
    const Guard guard(shared, "activity");
    try {
        co_await sleeps_long(ctx, shared);
    } catch (const Stopped& stopped) {
        shared.seen = stopped.reason();
        throw;
    }
    co_return "not reached";
}

TEST(Coroutines, ASleepEndsWithTheStopAndThrowsItsReason) {
    for (const StopReason reason :
         {StopReason::canceled, StopReason::lease_lost, StopReason::shutdown}) {
        Shared shared;
        Stage stage;
        stage.registry.add(Work, [&](ActivityContext& ctx, const std::string&) {
            return waits_in_a_helper(ctx, shared);
        });
        const Started started = stage.begin(Work, "");
        ASSERT_TRUE(shared.waiting.wait());
        stage.stop(started, reason);
        EXPECT_EQ(started.failure().message, "stopped: " + std::string(to_string(reason)));
        EXPECT_EQ(shared.seen, reason);
        EXPECT_EQ(shared.log, (std::vector<std::string>{"helper", "activity"}));
    }
}

TEST(Coroutines, AfterAStopNothingIsBegunAnyMoreAndNothingIsSwallowed) {
    Event let_go;
    Event running;
    bool called = false;
    Stage stage;
    stage.registry.add(Work, [&](ActivityContext& ctx, std::string) -> Async<std::string> {
        running.set();
        let_go.wait();  // Blocks the loop's thread, so that the stop comes in between.
        try {
            co_await ctx.sleep(24h);
        } catch (const std::exception&) {
            EXPECT_TRUE(false) << "Stopped is no std::exception";
        } catch (const Stopped&) {
        }
        const auto call = [&] { called = true; };
        co_await ctx.run(call);
        co_return "not reached";
    });
    const Started started = stage.begin(Work, "");
    ASSERT_TRUE(running.wait());
    stage.stop(started);
    let_go.set();
    EXPECT_EQ(started.failure().message, "stopped: canceled");
    EXPECT_FALSE(called);
}

TEST(Coroutines, OneCanWaitUntilItIsStopped) {
    Event running;
    Stage stage;
    stage.registry.add(Work, [&](ActivityContext& ctx, std::string) -> Async<std::string> {
        running.set();
        const StopReason reason = co_await ctx.stopped();
        EXPECT_TRUE(ctx.stop_requested());
        co_return std::string(to_string(reason));
    });
    const Started started = stage.begin(Work, "");
    ASSERT_TRUE(running.wait());
    stage.stop(started, StopReason::lease_lost);
    EXPECT_EQ(started.text(), "lease lost");
}

TEST(Coroutines, UnderAShieldCleanupCanWait) {
    Event running;
    Event cleaning;
    Stage stage;
    stage.registry.add(Work, [&](ActivityContext& ctx, std::string) -> Async<std::string> {
        running.set();
        co_await ctx.stopped();
        {
            const auto shield = ctx.shield();
            co_await ctx.sleep(1ms);
            const int undone = co_await ctx.run([] { return 7; });
            EXPECT_EQ(undone, 7);
            cleaning.set();
        }
        co_await ctx.sleep(1ms);
        co_return "not reached";
    });
    const Started started = stage.begin(Work, "");
    ASSERT_TRUE(running.wait());
    stage.stop(started);
    EXPECT_EQ(started.failure().message, "stopped: canceled");
    EXPECT_TRUE(cleaning.happened());
}

TEST(Coroutines, AFunctionRunsInThePoolAndItsResultOrExceptionComesBack) {
    Stage stage;
    stage.registry.add(Work, [](ActivityContext& ctx, std::string what) -> Async<std::string> {
        const auto here = std::this_thread::get_id();
        const auto there = co_await ctx.run([] { return std::this_thread::get_id(); });
        EXPECT_NE(here, there);
        // Move-only, and called where it is.
        auto held = std::make_unique<std::string>(what);
        auto call = [text = std::move(held)]() mutable { return std::move(*text); };
        const std::string back = co_await ctx.run(call);
        try {
            co_await ctx.run([] { throw std::runtime_error("from the pool"); });
        } catch (const std::runtime_error& problem) {
            co_return back + " " + problem.what();
        }
        co_return "not reached";
    });
    EXPECT_EQ(stage.begin(Work, "text").text(), "text from the pool");
}

TEST(Coroutines, TenThousandSleepAtOnceOnOneThread) {
    constexpr int kMany = 10'000;
    std::atomic<int> sleeping = 0;
    Event all;
    Stage stage;
    stage.registry.add(Count, [&](ActivityContext& ctx, int value) -> Async<int> {
        if (++sleeping == kMany) all.set();
        try {
            co_await ctx.sleep(24h);
        } catch (const Stopped&) {
        }
        co_return value;
    });
    std::vector<Started> started;
    started.reserve(kMany);
    for (int i = 0; i < kMany; ++i) started.push_back(stage.begin(Count, i));
    ASSERT_TRUE(all.wait());
    EXPECT_EQ(stage.executor->threads(), 1U);
    EXPECT_EQ(stage.executor->room(ActivityKind::coroutine), 0U);
    for (const Started& one : started) stage.stop(one);
    for (int i = 0; i < kMany; ++i) {
        EXPECT_EQ(started[static_cast<std::size_t>(i)].text(), std::to_string(i));
    }
}

TEST(Coroutines, TimersFireInTheirOrder) {
    Stage stage;
    std::mutex mutex;
    std::vector<int> order;
    stage.registry.add(Count, [&](ActivityContext& ctx, int value) -> Async<int> {
        co_await ctx.sleep(Millis(value));
        const std::lock_guard lock(mutex);
        order.push_back(value);
        co_return value;
    });
    Event let_go;
    Event blocked;
    stage.registry.add(Nothing, [&]() -> Async<void> {
        blocked.set();
        let_go.wait();
        co_return;
    });
    // All are begun before the first timer is looked at again.
    const Started blocker = stage.begin(Nothing);
    ASSERT_TRUE(blocked.wait());
    std::vector<Started> all;
    for (const int value : {30, 1, 20, 10}) all.push_back(stage.begin(Count, value));
    let_go.set();
    for (const Started& one : all) EXPECT_NE(one.text(), "");
    EXPECT_EQ(order, (std::vector<int>{1, 10, 20, 30}));
}

TEST(Coroutines, SeveralLoopThreadsRunManyThatHop) {
    Stage stage(ExecutorOptions().loop_threads(2).call_threads(2));
    stage.registry.add(Count, [](ActivityContext& ctx, int value) -> Async<int> {
        int sum = 0;
        for (int i = 0; i < value; ++i) {
            co_await ctx.sleep(Millis(i % 2));
            sum += co_await ctx.run([] { return 1; });
        }
        co_return sum;
    });
    std::vector<Started> all;
    for (int i = 0; i < 100; ++i) all.push_back(stage.begin(Count, 20));
    for (const Started& one : all) EXPECT_EQ(one.text(), "20");
}

TEST(Coroutines, StopsThatRaceWithTimersAndCallsLoseNothing) {
    Stage stage(ExecutorOptions().loop_threads(2).call_threads(2));
    std::atomic<int> alive = 0;
    struct Alive {
        explicit Alive(std::atomic<int>& count_) : count(&count_) { ++*count; }
        Alive(const Alive&) = delete;
        Alive& operator=(const Alive&) = delete;
        ~Alive() { --*count; }
        std::atomic<int>* count;
    };
    stage.registry.add(Count, [&](ActivityContext& ctx, int value) -> Async<int> {
        const Alive one(alive);
        for (;;) {
            co_await ctx.sleep(Millis(value % 3));
            co_await ctx.run([] {});
        }
    });
    std::vector<Started> all;
    for (int i = 0; i < 300; ++i) all.push_back(stage.begin(Count, i));
    for (const Started& one : all) stage.stop(one);
    for (const Started& one : all) {
        EXPECT_EQ(one.failure().message, "stopped: canceled");
        EXPECT_EQ(one.times(), 1);
    }
    EXPECT_EQ(alive, 0);
}

}  // namespace
}  // namespace belay::executor_tests::coroutines
