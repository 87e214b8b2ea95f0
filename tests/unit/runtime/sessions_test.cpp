// Sessions, and limits of queues, as workers keep to them.
#include "world.hpp"

namespace belay::runtime_tests::sessions {
namespace {

using namespace std::chrono_literals;

constexpr int kSteps = 4;

/// Several activities at once, all of one session.
Orchestration<std::string> in_session(OrchestrationContext ctx, std::string session) {
    std::vector<Call<std::string>> calls;
    for (int i = 0; i < kSteps; ++i) {
        calls.push_back(ctx.call(Work.with(CallOptions().session(session)), std::to_string(i)));
    }
    const auto all = co_await ctx.join(std::move(calls));
    co_return all.back();
}

Orchestration<std::string> once_in_session(OrchestrationContext ctx, std::string session) {
    auto call = ctx.call(Work.with(CallOptions().session(session)), session);
    co_return co_await std::move(call);
}

Orchestration<std::string> keyed(OrchestrationContext ctx, std::string key) {
    std::vector<Call<std::string>> calls;
    for (int i = 0; i < kSteps; ++i) {
        calls.push_back(ctx.call(Work.with(CallOptions().fairness_key(key)), std::to_string(i)));
    }
    const auto all = co_await ctx.join(std::move(calls));
    co_return all.back();
}

class Sessions : public World {
protected:
    /// The processes that began something.
    std::size_t workers_that_began() {
        std::size_t count = 0;
        for (const auto& process : processes) count += process->executor.count() > 0 ? 1U : 0U;
        return count;
    }
    std::size_t begun() {
        std::size_t count = 0;
        for (const auto& process : processes) count += process->executor.count();
        return count;
    }
    static RuntimeOptions one_slot(const std::string& name) {
        return RuntimeOptions().worker(name).activity_slots(1);
    }
};

TEST_F(Sessions, AllActivitiesOfASessionAreRunByOneWorker) {
    process(registry_with(in_session), one_slot("w1"));
    process(registry_with(in_session), one_slot("w2"));
    const auto run = start("i1", "s");
    settle();
    for (int i = 0; i < kSteps; ++i) {
        ASSERT_EQ(begun(), static_cast<std::size_t>(i + 1));
        EXPECT_EQ(workers_that_began(), 1U) << "though the other one has nothing to do";
        Process& owner = *processes[processes[0]->executor.count() > 0 ? 0 : 1];
        owner.executor.finish(owner.executor.count() - 1);
        settle();
    }
    EXPECT_EQ(status(run), Status::completed);
}

TEST_F(Sessions, WhenItsWorkerIsGoneAnotherTakesItOver) {
    Process& first = process(registry_with(in_session), one_slot("w1"));
    start("i1", "s");
    settle();
    ASSERT_EQ(first.executor.count(), 1U);
    crash(first);
    Process& second = process(registry_with(in_session), one_slot("w2"));
    settle();
    EXPECT_EQ(second.executor.count(), 0U) << "as far as anybody knows it is still there";
    pass(Policy().activity_lease);
    EXPECT_EQ(second.executor.count(), 1U);
}

TEST_F(Sessions, AWorkerThatStopsLetsGoOfThem) {
    Process& first = process(registry_with(once_in_session), RuntimeOptions().worker("w1"));
    start("i1", "s");
    settle();
    ASSERT_EQ(first.executor.count(), 1U);
    first.executor.finish(0);
    settle();
    first.runtime->shut_down();
    settle();
    EXPECT_TRUE(first.runtime->idle());
    Process& second = process(registry_with(once_in_session), RuntimeOptions().worker("w2"));
    start("i2", "s");
    settle();
    EXPECT_EQ(second.executor.count(), 1U) << "at once";
}

TEST_F(Sessions, AnActivityThatAStopInterruptsIsTakenOverAtOnce) {
    Registry registry;
    registry.add(Main, in_session);
    registry.add(Work, [](ActivityContext& context, const std::string& input) -> std::string {
        if (context.stop_requested()) throw Stopped(context.stop_reason());
        return "did " + input;
    });
    Process& first = process(registry, one_slot("w1"));
    start("i1", "s");
    settle();
    ASSERT_EQ(first.executor.count(), 1U);
    Process& second = process(registry, RuntimeOptions().worker("w2"));
    settle();
    EXPECT_EQ(second.executor.count(), 0U);
    first.runtime->shut_down();
    settle();
    EXPECT_FALSE(first.runtime->idle());
    first.executor.finish(0);
    settle();
    EXPECT_TRUE(first.runtime->idle());
    EXPECT_EQ(second.executor.count(), static_cast<std::size_t>(kSteps));
}

TEST_F(Sessions, TheyAreLetGoOfAlsoIfTheStoreHesitates) {
    Process& first = process(registry_with(once_in_session), RuntimeOptions().worker("w1"));
    start("i1", "s");
    settle();
    first.executor.finish(0);
    settle();
    store.fail_commit_of<ReleaseSessions>(Fault::not_applied);
    first.runtime->shut_down();
    settle();
    EXPECT_FALSE(first.runtime->idle());
    pass(Policy().retry_delay);
    EXPECT_TRUE(first.runtime->idle());
    Process& second = process(registry_with(once_in_session), RuntimeOptions().worker("w2"));
    start("i2", "s");
    settle();
    EXPECT_EQ(second.executor.count(), 1U);
}

TEST_F(Sessions, AnIdleOneIsFreeWhenItsTimeIsOver) {
    Policy policy;
    policy.session_idle = 2s;
    const auto options = [&](const char* name) {
        return RuntimeOptions().worker(name).policy(policy);
    };
    Process& first = process(registry_with(once_in_session), options("w1"));
    start("i1", "s");
    settle();
    first.executor.finish(0);
    settle();
    crash(first);
    Process& second = process(registry_with(once_in_session), options("w2"));
    start("i2", "s");
    settle();
    EXPECT_EQ(second.executor.count(), 0U);
    pass(2s);
    EXPECT_EQ(second.executor.count(), 1U) << "long before the lease would have ended";
}

TEST_F(Sessions, AWorkerHasNoMoreSessionsThanItMayHave) {
    Process& p = process(registry_with(in_session), RuntimeOptions().sessions(1));
    start("i1", "s");
    start("i2", "t");
    settle();
    EXPECT_EQ(p.executor.count(), static_cast<std::size_t>(kSteps));
    for (int i = 0; i < kSteps; ++i) p.executor.finish(static_cast<std::size_t>(i));
    settle();
    EXPECT_EQ(p.executor.count(), static_cast<std::size_t>(kSteps)) << "it is kept for a while";
    pass(Policy().session_idle);
    EXPECT_EQ(p.executor.count(), static_cast<std::size_t>(2 * kSteps));
}

TEST_F(Sessions, AQueueRunsNoMoreThanItMay) {
    ASSERT_TRUE(client.set_queue_limits("", QueueLimits{.running = 3}).ok());
    process(registry_with(keyed), RuntimeOptions().worker("w1"));
    process(registry_with(keyed), RuntimeOptions().worker("w2"));
    start("i1", "x");
    start("i2", "y");
    settle();
    EXPECT_EQ(begun(), 3U);
    for (const auto& process : processes) {
        if (process->executor.count() > 0) process->executor.finish(0);
    }
    const std::size_t ended = workers_that_began();
    settle();
    EXPECT_EQ(begun(), 3U + ended) << "as many as have ended";
    ASSERT_TRUE(client.clear_queue_limits("").ok());
    settle();
    EXPECT_EQ(begun(), static_cast<std::size_t>(2 * kSteps)) << "told at once";
}

TEST_F(Sessions, EachKeyHasItsShare) {
    ASSERT_TRUE(client.set_queue_limits("", QueueLimits{.running_per_key = 1}).ok());
    Process& p = process(registry_with(keyed));
    start("i1", "x");
    start("i2", "y");
    settle();
    ASSERT_EQ(p.executor.count(), 2U);
    EXPECT_NE(p.executor.at(0).task->details().instance, p.executor.at(1).task->details().instance);
}

TEST_F(Sessions, AWorkerWaitsForTheRate) {
    ASSERT_TRUE(client.set_queue_limits("", QueueLimits{.started = StartRate{1, 7s}}).ok());
    Process& p = process(registry_with(keyed));
    start("i1", "x");
    settle();
    for (std::size_t i = 0; i < 3; ++i) {
        ASSERT_EQ(p.executor.count(), i + 1);
        p.executor.finish(i);
        pass(7s - 1ms);
        EXPECT_EQ(p.executor.count(), i + 1);
        pass(1ms);
    }
}

TEST_F(Sessions, EachKeyHasItsRate) {
    ASSERT_TRUE(client.set_queue_limits("", QueueLimits{.started_per_key = StartRate{1, 7s}}).ok());
    Process& p = process(registry_with(keyed));
    start("i1", "x");
    start("i2", "y");
    settle();
    const auto begun_of = [&](const std::string& id) {
        std::size_t count = 0;
        for (std::size_t i = 0; i < p.executor.count(); ++i) {
            if (p.executor.at(i).task->details().instance.id == id) ++count;
        }
        return count;
    };
    for (std::size_t i = 1; i <= 3; ++i) {
        EXPECT_EQ(begun_of("i1"), i);
        EXPECT_EQ(begun_of("i2"), i);
        pass(7s - 1ms);
        EXPECT_EQ(p.executor.count(), 2 * i);
        pass(1ms);
    }
}

TEST_F(Sessions, LimitsThatMakeNoSenseAreRefused) {
    EXPECT_EQ(client.set_queue_limits("", QueueLimits()).error().code(), Errc::invalid_argument);
    EXPECT_EQ(client.set_queue_limits("a\nb", QueueLimits{.running = 1}).error().code(),
              Errc::invalid_argument);
}

}  // namespace
}  // namespace belay::runtime_tests::sessions
