// Schedules that start runs of flows.
#include "flow/flow_schedule.hpp"

#include "unit/flow/bundles.hpp"
#include <belay/client.hpp>
#include <belay/finding.hpp>

#include <chrono>

namespace belay::flow::test {
namespace {

using namespace std::chrono_literals;

Registry with_schedules() {
    Registry registry;
    add_schedules(registry);
    return registry;
}

class FlowScheduleTest : public BundleWorld {
protected:
    FlowScheduleTest() : BundleWorld(with_schedules()) {}

    void create(const std::string& name, const ScheduleSpec& spec) {
        const Result<void> created = schedules.create(name, spec);
        ASSERT_TRUE(created.ok()) << created.error().describe();
    }
    std::vector<InstanceInfo> runs(const std::string& name) {
        std::vector<InstanceInfo> found;
        const auto page = world.client().list(
            ListOptions().label("belay.schedule", name).order(InstanceOrder::started));
        for (const ListedInstance& one : page.or_throw().instances) {
            found.push_back(info(one.instance.name.id));
        }
        return found;
    }

    Schedules schedules{world.client()};
};

constexpr const char* kNightly = R"(
belay: 1
name: backup
params: {keep: {type: integer, default: 3}}
labels: {team: data}
priority: 2
schedules:
  - {every: 1m, params: {keep: 5}}
  - {name: weekly, cron: "0 4 * * sun", overlap: queue, catch_up: all, jitter: 5m}
steps: [{id: ok, set: "${{ params.keep }} by ${{ run.started_by }}"}]
output: steps.ok.output
)";

TEST_F(FlowScheduleTest, TheSchedulesOfAFileHaveTheNameOfItsFlow) {
    const auto all = schedules_of(bundle_of(kNightly)).or_throw();
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[0].name, "backup-1");
    EXPECT_EQ(all[1].name, "backup-weekly");
    EXPECT_EQ(all[1].spec.cron, "0 4 * * sun");
    EXPECT_EQ(all[1].spec.overlap, belay::Overlap::queue);
    EXPECT_EQ(all[1].spec.catch_up, belay::CatchUp::all);
    EXPECT_EQ(all[1].spec.jitter, Millis(5min));
    EXPECT_EQ(ScheduleSpec::parse(all[1].spec.json()).or_throw(), all[1].spec);
}

TEST_F(FlowScheduleTest, ATickStartsARunOnTheTermsOfItsDefinition) {
    const auto all = schedules_of(bundle_of(kNightly)).or_throw();
    create(all[0].name, all[0].spec);
    world.advance(61s);
    const auto found = runs("backup-1");
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].definition, "backup");
    EXPECT_EQ(found[0].priority, 2);
    EXPECT_EQ(found[0].labels.at("team"), LabelValue("data"));
    ASSERT_EQ(found[0].status, Status::completed);
    EXPECT_EQ(found[0].outcome->output.bytes, R"("5 by schedule backup-1")");
}

TEST_F(FlowScheduleTest, AScheduleKeepsTheDefinitionAndTheParamsItWasMadeWith) {
    ScheduleSpec times;
    times.every = 1min;
    const Bundle first = bundle_of(kNightly);
    const auto params = params_of({{"keep", integer_of(9)}});
    create("own", schedule_flow(first, params, "own", times).or_throw());
    world.advance(61s);
    ASSERT_EQ(runs("own").size(), 1U);
    EXPECT_EQ(runs("own")[0].outcome->output.bytes, R"("9 by schedule own")");
}

TEST_F(FlowScheduleTest, AFailedRunOfAScheduleIsFollowedByItsHandler) {
    const Bundle bundle = bundle_of(R"(
belay: 1
name: fails
steps: [{id: never, wait: {event: x, timeout: 1s}}]
on_fail: [{id: tell, set: 1}]
schedules: [{every: 1m}]
)");
    create("fails-1", schedules_of(bundle).or_throw().front().spec);
    world.advance(70s);
    ASSERT_FALSE(runs("fails-1").empty());
    const std::string id = runs("fails-1")[0].name.id;
    EXPECT_EQ(status(id), Status::failed);
    EXPECT_EQ(status(id + "/~on-fail"), Status::completed);
}

TEST_F(FlowScheduleTest, ParamsThatTheDefinitionRefusesMakeNoSchedule) {
    ScheduleSpec times;
    times.every = 1min;
    const auto spec =
        schedule_flow(bundle_of(kNightly), params_of({{"keep", expr::Value("x")}}), "own", times);
    ASSERT_FALSE(spec.ok());
    EXPECT_NE(spec.error().message().find("keep"), std::string::npos);
}

}  // namespace
}  // namespace belay::flow::test
