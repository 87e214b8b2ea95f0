// The kinds of steps, their retries and their timeouts.
#include "flows.hpp"

namespace belay::flow::test {
namespace {

using namespace std::chrono_literals;

TEST(FlowStep, RetriesWithGrowingDelays) {
    Flow made("f");
    made.call("a", "Flaky").retry(4, 10s);
    made.last().retry.max_delay = 30s;
    FlowWorld flow(made);
    std::vector<Timestamp> at;
    flow.does("Flaky", [&](const expr::Value& in) {
        at.push_back(flow.world().now());
        if (at.size() < 4) throw std::runtime_error("again");
        return in;
    });
    EXPECT_EQ(flow.run().status, Status::completed);
    ASSERT_EQ(at.size(), 4U);
    EXPECT_EQ(at[1] - at[0], 10s);
    EXPECT_EQ(at[2] - at[1], 20s);
    EXPECT_EQ(at[3] - at[2], 30s);
}

TEST(FlowStep, TheFailureOfTheLastAttemptNamesItsNumber) {
    FlowWorld flow(Flow("f").call("a", "Bad").retry(3));
    flow.fails("Bad");
    const Outcome outcome = flow.run();
    EXPECT_EQ(outcome.failure.attempt, 3U);
    EXPECT_EQ(outcome.failure.where, "a");
    EXPECT_EQ(flow.calls("Bad").size(), 3U);
}

TEST(FlowStep, ATimeoutBoundsEachAttempt) {
    Flow made("f");
    made.call("a", "Slow").retry(2, 1s);
    made.last().timeout = 5min;
    FlowWorld flow(made);
    flow.hangs("Slow");
    const Timestamp begun = flow.world().now();
    const Outcome outcome = flow.run();
    EXPECT_EQ(outcome.failure.kind, FailureKind::timeout);
    EXPECT_GE(flow.world().now() - begun, 10min);
    EXPECT_LT(flow.world().now() - begun, 11min);
}

TEST(FlowStep, TheTimeoutOfTheFlowFailsItAndCancelsItsSteps) {
    Flow made("f");
    made.call("a", "Slow").finally().call("z");
    made.raw().timeout = 1h;
    FlowWorld flow(made);
    flow.hangs("Slow");
    const InstanceName run = flow.start();
    const Outcome outcome = flow.wait(run);
    EXPECT_EQ(outcome.failure.kind, FailureKind::timeout);
    EXPECT_EQ(outcome.failure.where, "f");
    EXPECT_EQ(flow.states(run), "a:canceled z:completed");
}

TEST(FlowStep, SleepsForATextANumberOrADuration) {
    for (const char* const length : {"90s", "${{ 90000 }}", "${{ duration('1m30s') }}"}) {
        FlowWorld flow(Flow("f").sleep("a", length));
        const Timestamp begun = flow.world().now();
        EXPECT_EQ(flow.run().status, Status::completed);
        EXPECT_EQ(flow.world().now() - begun, 90s) << length;
    }
}

TEST(FlowStep, ASleepOfNoLengthFailsTheStep) {
    FlowWorld flow(Flow("f").sleep("a", "soon"));
    EXPECT_EQ(flow.result().substr(0, 31), "a: 'soon' is no time to sleep: ");
}

Flow waiting(OnTimeout then) {
    Flow made("f");
    made.step("w", Wait{.event = "go", .timeout = 1h, .on_timeout = then});
    made.set("b", "${{ steps.w.output }}").needs({"w"});
    return made;
}

TEST(FlowStep, AWaitGetsTheValueOfItsEvent) {
    FlowWorld flow(waiting(OnTimeout::fail));
    const InstanceName run = flow.start();
    flow.world().run_until_idle();
    EXPECT_EQ(flow.states(run), "w:waiting b:pending");
    flow.raise(run, "go", R"({"x":1})");
    EXPECT_EQ(FlowWorld::shown(flow.wait(run)), R"({"b":{"x":1}})");
}

TEST(FlowStep, AnEventThatCameEarlyIsKept) {
    Flow made("f");
    made.sleep("s", "1m").step("w", Wait{.event = "go"}).needs({"s"});
    FlowWorld flow(made);
    const InstanceName run = flow.start();
    flow.raise(run, "go", "7");
    flow.raise(run, "go", "8");
    EXPECT_EQ(FlowWorld::shown(flow.wait(run)), R"({"w":7})");
}

TEST(FlowStep, AWaitWithoutItsEventFailsIsSkippedOrCompletes) {
    EXPECT_EQ(FlowWorld(waiting(OnTimeout::fail)).result(),
              "w: the event 'go' did not come in time");
    EXPECT_EQ(FlowWorld(waiting(OnTimeout::skip)).result(), "{}");
    EXPECT_EQ(FlowWorld(waiting(OnTimeout::complete)).result(), R"({"b":null})");
}

TEST(FlowStep, ASubFlowIsAChildWithItsOwnId) {
    Flow child("child");
    child.raw().params.push_back(Param{.name = "n", .place = {}, .type = ParamType::integer});
    child.set("r", "${{ params.n + 1 }}").output("${{ steps.r.output }}");
    Flow parent("f");
    parent.step("sub", SubFlow{"child"}).with("n", "${{ 41 }}");
    FlowWorld flow({parent.made(), child.made()});
    const InstanceName run = flow.start();
    EXPECT_EQ(FlowWorld::shown(flow.wait(run)), R"({"sub":42})");
    EXPECT_EQ(flow.world().status(InstanceName{"default", "run/sub"}), Status::completed);
    EXPECT_EQ(find_step(flow.picture(run), "sub")->child, "run/sub");
}

TEST(FlowStep, AFailureNamesTheStepOfThisFlowAlsoIfOneOfTheSubFlowHasItsName) {
    Flow child("child");
    child.call("a", "Bad").map("[1, 2]", 1);
    FlowWorld flow({Flow("f").step("a", SubFlow{"child"}).made(), child.made()});
    flow.fails("Bad");
    const Outcome outcome = flow.run();
    EXPECT_EQ(outcome.failure.where, "a");
    EXPECT_EQ(outcome.failure.detail, "failed in 'a[0]' of the flow 'child'");
}

TEST(FlowStep, TheParamsOfASubFlowAreChecked) {
    Flow child("child");
    child.raw().params.push_back(Param{.name = "n", .place = {}, .type = ParamType::integer});
    child.set("r", "1");
    Flow parent("f");
    parent.step("sub", SubFlow{"child"}).with("n", "x");
    FlowWorld flow({parent.made(), child.made()});
    const Outcome outcome = flow.run();
    EXPECT_EQ(outcome.failure.where, "sub");
    EXPECT_NE(outcome.failure.message.find("n"), std::string::npos);
    EXPECT_EQ(outcome.failure.detail, "failed in 'child' of the flow 'child'");
}

TEST(FlowStep, AStepOfAnotherQueueWaitsForItsWorker) {
    Flow made("f");
    made.call("a");
    made.last().queue = "gpu";
    made.last().priority = 7;
    made.last().session = "files";
    FlowWorld flow(made, quick());
    const InstanceName run = flow.start();
    flow.world().run_until_idle();
    const std::string document = flow.world().exported(run);
    EXPECT_NE(document.find("gpu"), std::string::npos);
    EXPECT_NE(document.find("files"), std::string::npos);
    EXPECT_NE(document.find("\"priority\""), std::string::npos);
}

TEST(FlowStep, TheLimitsOfAQueueCountByTheKeyOfAStep) {
    Flow made("f");
    made.call("m", "Item").map("['a', 'b', 'a', 'a']").with("n", "${{ item }}");
    made.last().limit_key = form("host-${{ item }}");
    FlowWorld flow(made, quick());
    flow.hangs("Item");
    QueueLimits limits;
    limits.running_per_key = 1;
    ASSERT_TRUE(flow.world().client().set_queue_limits("", limits).ok());
    (void)flow.start();
    flow.world().run_until_idle();
    EXPECT_EQ(flow.calls("Item"), (std::vector<std::string>{R"({"n":"a"})", R"({"n":"b"})"}));
}

TEST(FlowStep, AValueBeyondThePayloadLimitFailsWithKindLimit) {
    Limits limits;
    limits.payload_bytes = 1'000;
    const auto options = testing::WorldOptions().limits(limits);
    FlowWorld set(Flow("f").set("a", std::string(2'000, 'x')), options);
    EXPECT_EQ(set.run().failure.kind, FailureKind::limit);
    FlowWorld call(Flow("f").call("a").with("x", std::string(2'000, 'x')), options);
    const Outcome outcome = call.run();
    EXPECT_EQ(outcome.failure.kind, FailureKind::limit);
    EXPECT_EQ(outcome.failure.where, "a");
}

TEST(FlowStep, AResultOfAnyCodecIsAValue) {
    const Activity<std::int64_t(Payload)> count{"Count"};
    FlowWorld flow(Flow("f").call("a", "Count"));
    flow.world().replace(count, [](const Payload&) -> std::int64_t { return 9; });
    EXPECT_EQ(flow.result(), R"({"a":9})");
}

}  // namespace
}  // namespace belay::flow::test
