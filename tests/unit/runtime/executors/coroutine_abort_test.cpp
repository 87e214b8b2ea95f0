// Coroutine activities that do not stop.
#include "stage.hpp"

#include <atomic>
#include <coroutine>
#include <memory>
#include <thread>
#include <vector>

namespace belay::executor_tests::coroutine_abort {
namespace {

/// State shared by a test and its coroutines. Passed to them by reference: it outlives them.
struct Shared {
    Event waiting;
    Event let_go;
    Event destroyed;
    std::vector<std::string> log;
};

class Guard {
public:
    Guard(Shared& shared, std::string name) : shared_(&shared), name_(std::move(name)) {}
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;
    ~Guard() {
        shared_->log.push_back(name_);
        if (name_ == "activity") shared_->destroyed.set();
    }

private:
    Shared* shared_;
    std::string name_;
};

/// An awaitable of another library: resumed by whoever holds the handle.
class Foreign {
public:
    explicit Foreign(std::shared_ptr<std::coroutine_handle<>> slot, Event& waiting)
        : slot_(std::move(slot)), waiting_(&waiting) {}
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> frame) {
        *slot_ = frame;
        waiting_->set();
    }
    [[nodiscard]] int await_resume() const noexcept { return 7; }

private:
    std::shared_ptr<std::coroutine_handle<>> slot_;
    Event* waiting_;
};

Async<void> ignores_the_stop(ActivityContext& ctx, Shared& shared) {
    const Guard guard(shared, "helper");
    const auto shield = ctx.shield();
    shared.waiting.set();
    co_await ctx.sleep(24h);
    shared.log.push_back("not reached");
}

Async<std::string> waits_in_a_helper(ActivityContext& ctx, Shared& shared) {
    const Guard guard(shared, "activity");
    co_await ignores_the_stop(ctx, shared);
    co_return "not reached";
}

TEST(CoroutineAbort, OneThatWaitsForUsIsDestroyedThereWithItsHelpers) {
    Shared shared;
    Stage stage;
    stage.registry.add(Work, [&](ActivityContext& ctx, const std::string&) {
        return waits_in_a_helper(ctx, shared);
    });
    const Started started = stage.begin(Work, "");
    ASSERT_TRUE(shared.waiting.wait());
    stage.settle_loop();
    stage.stop(started);
    EXPECT_EQ(started.times(), 0);
    EXPECT_TRUE(stage.abort(started));
    EXPECT_EQ(started.failure().message, "ended by force: it did not stop in time");
    EXPECT_EQ(started.times(), 1);
    EXPECT_EQ(shared.log, (std::vector<std::string>{"helper", "activity"}));
    EXPECT_TRUE(stage.executor->abandoned().empty());
}

TEST(CoroutineAbort, OneThatHasNotBegunNeverBegins) {
    Shared shared;
    Stage stage;
    stage.registry.add(Nothing, [&]() -> Async<void> {
        shared.waiting.set();
        shared.let_go.wait();
        co_return;
    });
    bool ran = false;
    stage.registry.add(Work, [&](std::string) -> Async<std::string> {
        ran = true;
        co_return "";
    });
    const Started blocker = stage.begin(Nothing);
    ASSERT_TRUE(shared.waiting.wait());
    const Started aborted = stage.begin(Work, "");
    const Started stopped = stage.begin(Work, "");
    EXPECT_TRUE(stage.abort(aborted));
    stage.stop(stopped);
    shared.let_go.set();
    EXPECT_EQ(aborted.failure().message, "ended by force: it did not stop in time");
    EXPECT_EQ(stopped.failure().message, "stopped: canceled");
    EXPECT_EQ(blocker.text(), "");
    EXPECT_FALSE(ran);
}

Async<std::string> waits_for_another_library(ActivityContext& ctx,
                                             Shared& shared,
                                             std::shared_ptr<std::coroutine_handle<>> slot) {
    const Guard guard(shared, "activity");
    const auto shield = ctx.shield();
    Foreign foreign(slot, shared.waiting);
    const int value = co_await foreign;
    shared.log.push_back("went on");
    co_return std::to_string(value);
}

TEST(CoroutineAbort, AForeignAwaitableResumesItOnTheLoop) {
    Shared shared;
    auto slot = std::make_shared<std::coroutine_handle<>>();
    Stage stage;
    stage.registry.add(Work, [&](ActivityContext& ctx, const std::string&) {
        return waits_for_another_library(ctx, shared, slot);
    });
    const Started started = stage.begin(Work, "");
    ASSERT_TRUE(shared.waiting.wait());
    std::thread([&] { slot->resume(); }).join();
    EXPECT_EQ(started.text(), "7");
}

TEST(CoroutineAbort, OneInAForeignAwaitableIsAbandonedAndDestroyedWhenThatIsOver) {
    Shared shared;
    auto slot = std::make_shared<std::coroutine_handle<>>();
    Stage stage;
    stage.registry.add(Work, [&](ActivityContext& ctx, const std::string&) {
        return waits_for_another_library(ctx, shared, slot);
    });
    const Started started = stage.begin(Work, "");
    ASSERT_TRUE(shared.waiting.wait());
    stage.stop(started);
    // `waiting` is set while the awaitable is still being told to wait; either way it is abandoned.
    EXPECT_FALSE(stage.abort(started));
    EXPECT_EQ(stage.executor->abandoned(), std::vector<std::string>{"Work of 'i1' (attempt 3)"});
    EXPECT_FALSE(shared.destroyed.happened());
    slot->resume();
    ASSERT_TRUE(shared.destroyed.wait());
    EXPECT_EQ(shared.log, std::vector<std::string>{"activity"}) << "it does not go on";
    while (!stage.executor->abandoned().empty()) std::this_thread::yield();
    EXPECT_EQ(started.times(), 0);
}

TEST(CoroutineAbort, OneInAForeignAwaitableOutlivesTheExecutor) {
    Shared shared;
    auto slot = std::make_shared<std::coroutine_handle<>>();
    {
        Stage stage(ExecutorOptions().grace(0ms));
        stage.registry.add(Work, [&](ActivityContext& ctx, const std::string&) {
            return waits_for_another_library(ctx, shared, slot);
        });
        const Started started = stage.begin(Work, "");
        ASSERT_TRUE(shared.waiting.wait());
        stage.settle_loop();
        EXPECT_EQ(stage.executor->shut_down(0ms).size(), 1U);
    }
    EXPECT_FALSE(shared.destroyed.happened());
    slot->resume();
    EXPECT_TRUE(shared.destroyed.happened());
    EXPECT_EQ(shared.log, std::vector<std::string>{"activity"});
}

TEST(CoroutineAbort, OneThatBlocksItsThreadIsAbandonedAndTheOthersGoOn) {
    Shared shared;
    Stage stage;
    stage.registry.add(Work, [&](ActivityContext& ctx, std::string) -> Async<std::string> {
        const Guard guard(shared, "activity");
        shared.waiting.set();
        shared.let_go.wait();  // A coroutine must not do this.
        co_await ctx.sleep(24h);
        co_return "not reached";
    });
    stage.registry.add(Other, [](ActivityContext& ctx, std::string what) -> Async<std::string> {
        co_await ctx.sleep(1ms);
        co_return what;
    });
    const Started stuck = stage.begin(Work, "");
    ASSERT_TRUE(shared.waiting.wait());
    const Started next = stage.begin(Other, "next");
    stage.stop(stuck);
    EXPECT_FALSE(stage.abort(stuck));
    EXPECT_EQ(next.text(), "next") << "on another thread";
    shared.let_go.set();
    ASSERT_TRUE(shared.destroyed.wait());
    EXPECT_EQ(stuck.times(), 0);
}

TEST(CoroutineAbort, AFunctionInThePoolThatHasBegunIsWaitedForAndThenAbandoned) {
    Shared shared;
    Stage stage(ExecutorOptions().call_threads(1));
    stage.registry.add(Work, [&](ActivityContext& ctx, std::string text) -> Async<std::string> {
        const Guard guard(shared, "activity");
        co_await ctx.run([&] {
            shared.waiting.set();
            shared.let_go.wait();
            text += " is still there";  // In the frame.
        });
        co_return text;
    });
    const Started stuck = stage.begin(Work, "text");
    ASSERT_TRUE(shared.waiting.wait());
    // A second one waits for the only thread: it can be stopped, and a third aborted.
    const Started second = stage.begin(Work, "");
    const Started third = stage.begin(Work, "");
    stage.settle_loop();
    stage.stop(second);
    EXPECT_EQ(second.failure().message, "stopped: canceled");
    EXPECT_TRUE(stage.abort(third));
    EXPECT_EQ(third.failure().message, "ended by force: it did not stop in time");

    stage.stop(stuck);
    EXPECT_EQ(stuck.times(), 0) << "its function has begun";
    EXPECT_FALSE(stage.abort(stuck));
    EXPECT_EQ(stage.executor->abandoned(), std::vector<std::string>{"Work of 'i1' (attempt 3)"});
    stage.registry.add(Other, [](ActivityContext& ctx, std::string what) -> Async<std::string> {
        const auto call = [&] { return what; };
        co_return co_await ctx.run(call);
    });
    EXPECT_EQ(stage.begin(Other, "free").text(), "free") << "the only thread was replaced";
    shared.let_go.set();
    while (!stage.executor->abandoned().empty()) std::this_thread::yield();
    EXPECT_EQ(stuck.times(), 0);
    EXPECT_EQ(shared.log.size(), 3U);
}

/// Foreign awaitables of other shapes.
class Ready {
public:
    explicit Ready(int value) noexcept : value_(value) {}
    [[nodiscard]] bool await_ready() const noexcept { return true; }
    void await_suspend(std::coroutine_handle<> /*frame*/) const noexcept {}
    [[nodiscard]] int await_resume() const noexcept { return value_; }

private:
    int value_;
};
class Declines {
public:
    Declines() noexcept {}
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    [[nodiscard]] bool await_suspend(std::coroutine_handle<> /*frame*/) const noexcept {
        return false;
    }
    [[nodiscard]] int await_resume() const noexcept { return 10; }
};
class Transfers {
public:
    Transfers() noexcept {}
    [[nodiscard]] Transfers operator co_await() const noexcept { return {}; }
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    [[nodiscard]] std::coroutine_handle<> await_suspend(
        std::coroutine_handle<> frame) const noexcept {
        return frame;
    }
    [[nodiscard]] int await_resume() const noexcept { return 100; }
};
class Throws {
public:
    Throws() noexcept {}
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> /*frame*/) const { throw 1000; }
    [[nodiscard]] int await_resume() const noexcept { return 0; }
};
class Elsewhere {
public:
    Elsewhere() noexcept {}
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> frame) const {
        std::thread([frame] { frame.resume(); }).detach();
    }
    [[nodiscard]] int await_resume() const noexcept { return 10'000; }
};

TEST(CoroutineAbort, ForeignAwaitablesOfAllShapesWork) {
    Stage stage;
    stage.registry.add(Work, [](std::string) -> Async<std::string> {
        int sum = co_await Ready(1);
        sum += co_await Declines();
        sum += co_await Transfers();
        try {
            sum += co_await Throws();
        } catch (const int thrown) {
            sum += thrown;
        }
        for (int i = 0; i < 20; ++i) sum += co_await Elsewhere();
        co_await std::suspend_never();
        co_return std::to_string(sum);
    });
    EXPECT_EQ(stage.begin(Work, "").text(), "201111");
}

}  // namespace
}  // namespace belay::executor_tests::coroutine_abort
