// The real executor under the real engine: cancels reach work that really runs.
#include "stage.hpp"
#include "support/warnings.hpp"
#include <belay/client.hpp>
#include <belay/runtime.hpp>
#include <belay/store/memory.hpp>

#include <functional>
#include <stop_token>
#include <thread>

namespace belay::executor_tests::engine {
namespace {

inline constexpr Definition<std::string(std::string)> Main{"Main"};

Orchestration<std::string> one_step(OrchestrationContext ctx, std::string input) {
    co_return co_await ctx.call(Work, input);
}

/// State that the activities of a test share with it.
struct Shared {
    Event running;
    Event let_go;
};

class Engine : public ::testing::Test {
protected:
    void open(const Policy& policy = Policy()) {
        registry.add(Main, one_step);
        runtime = std::make_unique<Runtime>(
            *store,
            registry,
            executor,
            RuntimeOptions().policy(policy).activity_slots(1).events(
                support::warnings([this](const std::string& line) { logged.push_back(line); })));
    }
    void start(const std::string& id) {
        ASSERT_TRUE(client.start(Main, StartOptions().id(id), "x").ok());
    }
    InstanceInfo info(const std::string& id) { return *client.inspect({"default", id}); }
    /// Steps the engine on this thread until then.
    bool step_until(const std::function<bool()>& over) {
        const auto hang = std::chrono::steady_clock::now() + kHang;
        while (!over()) {
            if (std::chrono::steady_clock::now() > hang) return false;
            if (!runtime->step()) std::this_thread::yield();
        }
        return true;
    }
    void cancel_while_running() {
        open_and_run();
        ASSERT_TRUE(client.cancel({"default", "i1"}).ok());
        ASSERT_TRUE(step_until([&] { return info("i1").settled; }));
        EXPECT_EQ(info("i1").status, Status::canceled);
        EXPECT_EQ(runtime->counts().stops_requested, 1U);
    }
    void open_and_run() {
        start("i1");
        ASSERT_TRUE(step_until([&] { return shared.running.happened(); }));
    }

    Shared shared;
    std::unique_ptr<Store> store = make_memory_store(system_clock());
    Client client{*store, system_clock()};
    Registry registry;
    ThreadExecutor executor;
    std::unique_ptr<Runtime> runtime;
    std::vector<std::string> logged;
};

TEST_F(Engine, AFunctionHasAResult) {
    registry.add(Work, [](const std::string& what) { return "function " + what; });
    open();
    start("i1");
    ASSERT_TRUE(step_until([&] { return info("i1").settled; }));
    EXPECT_EQ(info("i1").outcome->output.bytes, "function x");
}

TEST_F(Engine, ACancelStopsAFunction) {
    registry.add(Work, [this](ActivityContext& ctx, const std::string&) -> std::string {
        Event stopped;
        const std::stop_callback on_stop(ctx.stop_token(), [&] { stopped.set(); });
        shared.running.set();
        stopped.wait();
        throw Stopped(ctx.stop_reason());
    });
    open();
    cancel_while_running();
    EXPECT_EQ(runtime->counts().abandoned, 0U);
}

TEST_F(Engine, ACancelStopsACoroutine) {
    registry.add(Work, [this](ActivityContext& ctx, std::string) -> Async<std::string> {
        shared.running.set();
        co_await ctx.sleep(24h);
        co_return "not reached";
    });
    open();
    cancel_while_running();
}

TEST_F(Engine, ACoroutineThatDoesNotStopIsEndedByForceAndAcked) {
    registry.add(Work, [this](ActivityContext& ctx, std::string) -> Async<std::string> {
        const auto shield = ctx.shield();
        shared.running.set();
        co_await ctx.sleep(24h);
        co_return "not reached";
    });
    Policy policy;
    policy.grace = Millis(200);
    open(policy);
    cancel_while_running();
    EXPECT_EQ(runtime->counts().abandoned, 0U);
    ASSERT_EQ(logged.size(), 1U);
    EXPECT_NE(logged.front().find("is ended by force (canceled)"), std::string::npos);
}

TEST_F(Engine, AProgramThatDoesNotStopIsKilledAndAcked) {
    registry.add(Work, [this](std::string) {
        shared.running.set();  // About to run, which is enough.
        return Program("sh", "-c", "trap '' TERM; while :; do sleep 0.01; done");
    });
    Policy policy;
    policy.grace = Millis(200);
    open(policy);
    cancel_while_running();
    EXPECT_EQ(runtime->counts().abandoned, 0U);
}

TEST_F(Engine, AFunctionThatDoesNotStopIsAbandonedAndItsSlotTaken) {
    registry.add(Work, [this](const std::string& what) -> std::string {
        if (shared.running.happened()) return "second " + what;
        shared.running.set();
        shared.let_go.wait();
        return "ignored";
    });
    Policy policy;
    policy.grace = Millis(200);
    open(policy);
    open_and_run();
    start("i2");
    ASSERT_TRUE(client.cancel({"default", "i1"}).ok());
    ASSERT_TRUE(step_until([&] { return info("i2").settled; }));
    EXPECT_EQ(info("i2").outcome->output.bytes, "second x");
    EXPECT_EQ(info("i1").status, Status::canceled);
    EXPECT_FALSE(info("i1").settled) << "it still runs";
    EXPECT_EQ(runtime->counts().abandoned, 1U);
    shared.let_go.set();
    while (!executor.abandoned().empty()) std::this_thread::yield();
}

}  // namespace
}  // namespace belay::executor_tests::engine
