// The end of an executor, with everything still running.
#include "fifo.hpp"
#include "stage.hpp"
#include "support/temporary_directory.hpp"

#include <sys/wait.h>

#include <atomic>
#include <filesystem>
#include <stdexcept>
#include <stop_token>
#include <thread>

namespace belay::executor_tests::shutdown {
namespace {

inline constexpr Activity<std::string(std::string)> Coroutine{"Coroutine"};
inline constexpr Activity<std::string(std::string)> Shell{"Shell"};

std::size_t threads_of_this_process() {
    // With the first thread a sanitizer begins one of its own, which stays.
    static const bool begun = [] {
        std::thread([] {}).join();
        return true;
    }();
    static_cast<void>(begun);
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry :
         std::filesystem::directory_iterator("/proc/self/task")) {
        ++count;
    }
    return count;
}

Async<std::string> sleeps(ActivityContext& ctx, Event& waiting) {
    waiting.set();
    co_await ctx.sleep(24h);
    co_return "not reached";
}

Async<std::string> ignores(ActivityContext& ctx, Event& waiting) {
    const auto shield = ctx.shield();
    waiting.set();
    co_await ctx.sleep(24h);
    co_return "not reached";
}

TEST(Shutdown, ObedientActivitiesStopAndEveryThreadIsGone) {
    const std::size_t before = threads_of_this_process();
    Event function_runs;
    Event coroutine_waits;
    Stage stage;
    stage.registry.add(Work, [&](ActivityContext& ctx, const std::string&) {
        Event stopped;
        const std::stop_callback on_stop(ctx.stop_token(), [&] { stopped.set(); });
        function_runs.set();
        stopped.wait();
        return std::string(to_string(ctx.stop_reason()));
    });
    stage.registry.add(Coroutine, [&](ActivityContext& ctx, const std::string&) {
        return sleeps(ctx, coroutine_waits);
    });
    stage.registry.add(Shell, [](std::string script) { return Program("sh", "-c", script); });
    const Started function = stage.begin(Work, "");
    const Started coroutine = stage.begin(Coroutine, "");
    const Started program = stage.begin(Shell, "sleep 1000");
    ASSERT_TRUE(function_runs.wait());
    ASSERT_TRUE(coroutine_waits.wait());
    EXPECT_GT(threads_of_this_process(), before);

    EXPECT_TRUE(stage.executor->shut_down(std::chrono::hours(1)).empty());
    EXPECT_EQ(function.text(), "shutdown");
    EXPECT_EQ(coroutine.failure().message, "stopped: shutdown");
    EXPECT_EQ(program.failure().message, "stopped: shutdown");
    EXPECT_EQ(threads_of_this_process(), before);
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "no child is left";
    EXPECT_THROW(stage.begin(Work, ""), std::runtime_error);
    EXPECT_THROW(stage.begin(Coroutine, ""), std::runtime_error);
}

/// State that an abandoned thread shares with its test, however late it ends.
struct Shared {
    Event runs;
    Event blocked;
    Event let_go;
    Event ended;
    std::string used;
};

TEST(Shutdown, DisobedientActivitiesAreEndedOrAbandonedAndReported) {
    const auto shared = std::make_shared<Shared>();
    Event coroutine_waits;
    const support::TemporaryDirectory directory;
    Fifo fifo(directory.file("fifo"));
    std::size_t before = threads_of_this_process();
    Started function;
    {
        Stage stage;
        // Held by the handler, which the abandoned thread keeps alive.
        auto held = std::make_shared<std::string>("held");
        stage.registry.add(Work, [shared, held](ActivityContext& ctx, const std::string& text) {
            shared->runs.set();
            shared->let_go.wait();
            // All of this was here before the executor and the registry were destroyed.
            shared->used = ctx.name() + " " + *held + " " + text + " " +
                           std::string(to_string(ctx.stop_reason()));
            shared->ended.set();
            return text;
        });
        stage.registry.add(Coroutine, [&](ActivityContext& ctx, const std::string&) {
            return ignores(ctx, coroutine_waits);
        });
        stage.registry.add(Shell, [](std::string script) { return Program("sh", "-c", script); });
        function = stage.begin(Work, "argument");
        const Started coroutine = stage.begin(Coroutine, "");
        const Started program = stage.begin(
            Shell, "trap '' TERM; echo up > " + fifo.path() + "; while :; do sleep 0.01; done");
        EXPECT_EQ(fifo.line(), "up");
        ASSERT_TRUE(shared->runs.wait());
        ASSERT_TRUE(coroutine_waits.wait());
        stage.settle_loop();

        const std::vector<std::string> left = stage.executor->shut_down(10ms);
        EXPECT_EQ(left, std::vector<std::string>{"Work of 'i1' (attempt 3)"});
        EXPECT_EQ(coroutine.failure().message, "ended by force: it did not stop in time");
        EXPECT_EQ(program.failure().message, "ended by force: it did not stop in time");
        EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "no child is left";
        EXPECT_EQ(stage.executor->abandoned(), left);
        function.task.reset();
    }
    EXPECT_EQ(threads_of_this_process(), before + 1) << "only the abandoned one";
    shared->let_go.set();
    ASSERT_TRUE(shared->ended.wait());
    EXPECT_EQ(shared->used, "Work held argument shutdown");
    while (threads_of_this_process() > before) std::this_thread::yield();
    EXPECT_EQ(function.times(), 0);
}

TEST(Shutdown, AStopCallbackThatNeverReturnsDoesNotHoldItUp) {
    const auto shared = std::make_shared<Shared>();
    const std::size_t before = threads_of_this_process();
    {
        Stage stage;
        stage.registry.add(Work, [shared](ActivityContext& ctx, const std::string&) -> std::string {
            // Deregistering it waits for it.
            const std::stop_callback on_stop(ctx.stop_token(), [&] {
                shared->blocked.set();
                shared->let_go.wait();
            });
            shared->runs.set();
            shared->blocked.wait();
            return "";
        });
        const Started started = stage.begin(Work, "");
        ASSERT_TRUE(shared->runs.wait());
        stage.stop(started);
        ASSERT_TRUE(shared->blocked.wait());
        const std::vector<std::string> left = stage.executor->shut_down(10ms);
        EXPECT_EQ(left,
                  (std::vector<std::string>{"Work of 'i1' (attempt 3)",
                                            "a stop callback of Work of 'i1' (attempt 3)"}));
    }
    shared->let_go.set();
    while (threads_of_this_process() > before) std::this_thread::yield();
}

TEST(Shutdown, AnIdleExecutorHasNoThreadAndEndsAtOnce) {
    const std::size_t before = threads_of_this_process();
    {
        Stage stage;
        EXPECT_EQ(threads_of_this_process(), before);
        EXPECT_EQ(stage.executor->room(ActivityKind::function), 16U);
    }
}

TEST(Shutdown, AGracePeriodWithoutEndIsNoneThatIsOver) {
    Event runs;
    Stage stage;
    stage.registry.add(Work, [&](ActivityContext& ctx, const std::string&) -> std::string {
        runs.set();
        while (!ctx.stop_requested()) std::this_thread::yield();
        return "in time";
    });
    const Started started = stage.begin(Work, "");
    ASSERT_TRUE(runs.wait());
    EXPECT_TRUE(stage.executor->shut_down(Millis::max()).empty());
    EXPECT_EQ(started.text(), "in time");
}

TEST(ExecutorSettings, OutOfRangeAreRefusedByName) {
    const auto refusal = [](const ExecutorOptions& options) -> std::string {
        try {
            const ThreadExecutor executor(options);
            return "";
        } catch (const std::invalid_argument& refused) {
            return refused.what();
        }
    };
    const auto count = [](const std::string& name) {
        return "belay: ExecutorOptions::" + name + " must be at least 1";
    };
    EXPECT_EQ(refusal(ExecutorOptions().threads(0)), count("threads"));
    EXPECT_EQ(refusal(ExecutorOptions().coroutines(0)), count("coroutines"));
    EXPECT_EQ(refusal(ExecutorOptions().loop_threads(0)), count("loop_threads"));
    EXPECT_EQ(refusal(ExecutorOptions().call_threads(0)), count("call_threads"));
    EXPECT_EQ(refusal(ExecutorOptions().programs(0)), count("programs"));
    EXPECT_EQ(refusal(ExecutorOptions().stop_threads(0)), count("stop_threads"));
    const auto duration = [](const std::string& name) {
        return "belay: ExecutorOptions::" + name + " must not be negative, and at most ten years";
    };
    for (const Millis wrong : {Millis(-1), Millis::max()}) {
        EXPECT_EQ(refusal(ExecutorOptions().grace(wrong)), duration("grace"));
        EXPECT_EQ(refusal(ExecutorOptions().stop_patience(wrong)), duration("stop_patience"));
    }
    EXPECT_EQ(refusal(ExecutorOptions().grace(0ms).stop_patience(0ms)), "");
}

}  // namespace
}  // namespace belay::executor_tests::shutdown
