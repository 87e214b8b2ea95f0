// Schedules of flows and tasks that are written in C++.
#include <belay/client.hpp>
#include <belay/finding.hpp>
#include <belay/flow/resume.hpp>
#include <belay/schedules.hpp>
#include <belay/task.hpp>
#include <belay/testing/world.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace belay {
namespace {

using namespace std::chrono_literals;

inline constexpr Activity<std::int64_t(std::string)> MeasurePlace{"MeasurePlace"};
inline constexpr Activity<std::string(std::string, std::int64_t)> NotePlace{"NotePlace"};

using PlaceReport = Flow<std::string(std::string)>;

PlaceReport report_flow() {
    PlaceReport flow("report", "place");
    auto place = flow.param<0>();
    auto size = flow.step(MeasurePlace, place);
    flow.output(flow.step(NotePlace, place, size));
    flow.label("team", "data").expires(2h).concurrency(place);
    return flow;
}

class TypedSchedules : public ::testing::Test {
protected:
    TypedSchedules() : world(code()) {}

    static Registry code() {
        Registry registry;
        add_flows(registry);
        add_schedules(registry);
        registry.add(MeasurePlace, [](const std::string& place) {
            return static_cast<std::int64_t>(place.size());
        });
        registry.add(NotePlace, [](const std::string& place, std::int64_t size) {
            return place + " has " + std::to_string(size);
        });
        return registry;
    }
    /// Creates a schedule for each hour, and returns its first run.
    InstanceInfo first_run(const ScheduleSpec& spec) {
        Schedules schedules(world.client());
        const Result<void> created = schedules.create("hourly", spec);
        EXPECT_TRUE(created.ok()) << created.error().describe();
        world.advance(1h);
        const ScheduleView view = schedules.show("hourly").or_throw();
        if (view.runs.size() != 1) throw std::logic_error("one tick was due");
        return world.client().inspect(view.runs.front().id).or_throw();
    }

    testing::World world;
};

TEST_F(TypedSchedules, AScheduleStartsRunsOfAFlow) {
    const PlaceReport flow = report_flow();
    ScheduleSpec spec;
    spec.every = 1h;
    spec.labels["team"] = std::string("sales");
    spec.target(flow, "Ulm");
    const InstanceInfo run = first_run(spec);
    EXPECT_EQ(run.definition, "report");
    EXPECT_EQ(world.client().outcome(flow.handle(), run.name).or_throw().value(), "Ulm has 3");
    EXPECT_EQ(run.concurrency_key, "Ulm");
    EXPECT_EQ(run.labels.at("team"), LabelValue("sales"));
    EXPECT_EQ(run.expires_at, run.created_at + 2h);
    EXPECT_EQ(run.headers.at("started-by"), "schedule hourly");
}

TEST_F(TypedSchedules, AScheduleStartsRunsOfATask) {
    const Task<std::int64_t(std::string)> task("measure", MeasurePlace);
    ScheduleSpec spec;
    spec.every = 1h;
    const InstanceInfo run = first_run(spec.target(task, "Brussels"));
    EXPECT_EQ(run.definition, "measure");
    EXPECT_EQ(world.client().outcome(task.handle(), run.name).or_throw().value(), 8);
}

TEST_F(TypedSchedules, AFlowWithMistakesIsNoTarget) {
    const PlaceReport flow("report", "place");
    ScheduleSpec spec;
    EXPECT_THROW(spec.target(flow, "Ulm"), std::invalid_argument);
}

TEST_F(TypedSchedules, ARunIsResumedWithACorrectedFlow) {
    world.replace(NotePlace, testing::fails_always("no paper"));
    const auto run = world.client().start(report_flow(), StartOptions().id("r-1"), "Ulm");
    ASSERT_EQ(run.id(), "r-1");
    world.advance(1h);
    ASSERT_EQ(world.status(InstanceName{"default", "r-1"}), Status::failed);
    PlaceReport better("report", "place");
    auto size = better.step(MeasurePlace, better.param<0>());
    better.output(better.step("other", NotePlace, "Ghent", size));
    world.replace(NotePlace, [](const std::string& place, std::int64_t number) {
        return place + " has " + std::to_string(number);
    });
    const auto resumed = resume_flow(world.client(),
                                     InstanceName{"default", "r-1"},
                                     FlowResume().definition(better),
                                     RerunOptions().id("r-2"));
    ASSERT_TRUE(resumed.ok()) << resumed.error().describe();
    world.advance(1h);
    EXPECT_EQ(world.client().outcome(better.handle(), "r-2").or_throw().value(), "Ghent has 3");
    EXPECT_EQ(world.calls_of("MeasurePlace").size(), 1U);
}

}  // namespace
}  // namespace belay
