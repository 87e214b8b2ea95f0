// Tasks: their times, in a world of virtual time.
#include <belay/registry.hpp>
#include <belay/task.hpp>
#include <belay/testing/world.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <string>

namespace belay {
namespace {

using namespace std::chrono_literals;

inline constexpr Activity<std::int64_t(std::string)> MeasureText{"MeasureText"};

class TaskTimes : public ::testing::Test {
protected:
    TaskTimes() : world(with_flows()) {
        world.replace(MeasureText,
                      [](std::string text) { return static_cast<std::int64_t>(text.size()); });
    }

    void start(const Task<std::int64_t(std::string)>& task, StartOptions options = {}) {
        const auto run = world.client().start(task, options.id("task"), "four");
        ASSERT_TRUE(run.ok()) << run.error().describe();
    }
    Status status() { return world.status({"default", "task"}); }
    Outcome outcome() { return world.client().outcome("task").or_throw(); }

    testing::World world;

private:
    static Registry with_flows() {
        Registry registry;
        add_flows(registry);
        return registry;
    }
};

TEST_F(TaskTimes, AnAttemptThatTakesTooLongIsTriedAgain) {
    Task<std::int64_t(std::string)> task("measure", MeasureText);
    task.timeout(30s).retry(FlowRetry(2).delay(10s));
    world.replace(MeasureText, testing::never_answers());
    start(task);
    world.run_until_idle();
    world.advance(35s);
    EXPECT_EQ(status(), Status::running) << "it waits for its second attempt";
    EXPECT_EQ(world.times_called(MeasureText), 1U);
    world.advance(10s);
    EXPECT_EQ(world.times_called(MeasureText), 2U);
    EXPECT_EQ(status(), Status::running);
    world.advance(31s);
    ASSERT_EQ(status(), Status::failed);
    EXPECT_EQ(outcome().failure.kind, FailureKind::timeout);
    EXPECT_EQ(outcome().failure.attempt, 2U);
}

TEST_F(TaskTimes, OneThatHasNotBegunWhenItExpiresIsCanceledByPolicy) {
    Task<std::int64_t(std::string)> task("measure", MeasureText);
    task.expires(1h);
    ASSERT_TRUE(world.client().pause(PauseKind::definition, task.name(), "deploy").ok());
    start(task);
    world.advance(59min);
    EXPECT_EQ(status(), Status::pending);
    world.advance(2h);
    ASSERT_TRUE(world.client().resume(PauseKind::definition, task.name()).ok());
    world.run_until_idle();
    ASSERT_EQ(status(), Status::canceled);
    EXPECT_EQ(outcome().cancel.source, CancelSource::policy);
    EXPECT_EQ(outcome().cleanup, Cleanup::not_needed);
    EXPECT_EQ(world.times_called(MeasureText), 0U);
}

TEST_F(TaskTimes, OneThatHasBegunDoesNotExpire) {
    Task<std::int64_t(std::string)> task("measure", MeasureText);
    task.expires(1h).timeout(3h);
    world.replace(MeasureText, testing::never_answers());
    start(task);
    world.run_until_idle();
    world.advance(2h);
    EXPECT_EQ(status(), Status::running);
    EXPECT_EQ(world.times_called(MeasureText), 1U);
}

}  // namespace
}  // namespace belay
