// Approvals: who may answer, with what, and by when.
#include "flows.hpp"

namespace belay::flow::test {
namespace {

using namespace std::chrono_literals;

Flow asking() {
    Approval approval{.prompt = form("Upload ${{ params.size() }}?"), .from = {"operator"}};
    approval.input.push_back(
        Param{.name = "count", .place = {}, .type = ParamType::integer, .required = false});
    approval.timeout = 8h;
    Flow made("f");
    made.step("check", approval).set("up", "${{ steps.check.output }}").needs({"check"});
    return made;
}

constexpr const char* kEvent = "approval/check";

TEST(FlowApproval, WaitsForAPersonAndShowsThePrompt) {
    FlowWorld flow(asking());
    const InstanceName run = flow.start();
    flow.world().run_until_idle();
    const FlowPicture picture = flow.picture(run);
    const StepPicture& step = *find_step(picture, "check");
    EXPECT_EQ(step.status, StepStatus::waiting);
    ASSERT_TRUE(step.waits.has_value());
    EXPECT_EQ(step.waits->what, StepWait::What::approval);
    EXPECT_EQ(step.waits->event, kEvent);
    EXPECT_EQ(step.waits->prompt, "Upload 0?");
    EXPECT_EQ(step.waits->until, flow.world().now() + 8h);
}

TEST(FlowApproval, AnAnswerGivesItsFields) {
    FlowWorld flow(asking());
    const InstanceName run = flow.start();
    flow.raise(
        run, kEvent, R"({"approved":true,"by":"ann","role":"operator","values":{"count":3}})");
    EXPECT_EQ(FlowWorld::shown(flow.wait(run)),
              R"({"up":{"approved":true,"by":"ann","role":"operator","values":{"count":3}}})");
}

TEST(FlowApproval, ARefusalFailsTheStepAndNamesThePerson) {
    FlowWorld flow(asking());
    const InstanceName run = flow.start();
    flow.raise(run, kEvent, R"({"approved":false,"by":"ann","role":"operator"})");
    const Outcome outcome = flow.wait(run);
    EXPECT_EQ(FlowWorld::shown(outcome), "check: refused by ann");
    EXPECT_EQ(outcome.failure.type, "refused");
}

TEST(FlowApproval, AnswersThatDoNotFitAreIgnoredAndLogged) {
    std::vector<std::string> lines;
    const auto options = testing::WorldOptions().log(
        [&](const LogRecord& record) { lines.emplace_back(record.message); });
    FlowWorld flow(asking(), options);
    const InstanceName run = flow.start();
    flow.world().run_until_idle();
    flow.raise(run, kEvent, R"({"approved":true,"by":"eve","role":"guest"})");
    flow.raise(run, kEvent, R"({"approved":1,"role":"operator"})");
    flow.raise(run, kEvent, R"([])");
    flow.raise(run, kEvent, R"({"approved":true,"role":"operator","values":{"count":"x"}})");
    flow.world().run_until_idle();
    EXPECT_EQ(flow.states(run), "check:waiting up:pending");
    ASSERT_EQ(lines.size(), 4U);
    EXPECT_NE(lines[0].find("the role 'guest' may not answer"), std::string::npos);
    EXPECT_NE(lines[3].find("value \"count\""), std::string::npos);
    flow.raise(run, kEvent, R"({"approved":true,"by":"ann","role":"operator"})");
    EXPECT_EQ(flow.wait(run).status, Status::completed);
}

TEST(FlowApproval, IgnoredAnswersDoNotExtendTheTimeout) {
    FlowWorld flow(asking());
    const InstanceName run = flow.start();
    flow.world().run_until_idle();
    const Timestamp begun = flow.world().now();
    flow.world().advance(7h);
    flow.raise(run, kEvent, "{}");
    EXPECT_EQ(flow.wait(run).failure.kind, FailureKind::timeout);
    EXPECT_EQ(flow.world().now() - begun, 8h);
}

TEST(FlowApproval, WithoutAnAnswerItCanBeSkipped) {
    Flow made = asking();
    std::get<Approval>(made.raw().steps[0].action).on_timeout = OnTimeout::skip;
    made.set("end", "x").after({"check"});
    FlowWorld flow(made);
    const InstanceName run = flow.start();
    EXPECT_EQ(flow.wait(run).status, Status::completed);
    EXPECT_EQ(flow.states(run), "check:skipped up:skipped end:completed");
}

TEST(FlowApproval, EachItemOfAMapHasItsOwn) {
    Flow made("f");
    made.step("ok", Approval{.prompt = form("${{ item }}?")}).map("['a', 'b']");
    made.output("${{ steps.ok.output.map(o, o.by) }}");
    FlowWorld flow(made);
    const InstanceName run = flow.start();
    flow.raise(run, "approval/ok/1", R"({"approved":true,"by":"bob"})");
    flow.raise(run, "approval/ok/0", R"({"approved":true,"by":"ann"})");
    EXPECT_EQ(FlowWorld::shown(flow.wait(run)), R"(["ann","bob"])");
}

}  // namespace
}  // namespace belay::flow::test
