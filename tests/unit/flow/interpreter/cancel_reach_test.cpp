// The reach of a cancel: what it ends, what it leaves alone, and how long that may take.
#include "flows.hpp"

namespace belay::flow::test {
namespace {

using namespace std::chrono_literals;

CancelResult cancel(FlowWorld& flow, const InstanceName& run, const char* reason = "enough") {
    return flow.world().client().cancel(run, CancelOptions().reason(reason)).or_throw();
}

// ---- The answer --------------------------------------------------------------------------------

TEST(FlowCancelReach, ARunOfWhichNothingBeganAnswersCanceledAtOnceAndNothingOfItEverRuns) {
    FlowWorld flow(Flow("f").call("a").finally().call("z"));
    const InstanceName run = flow.start();
    const CancelResult answer = cancel(flow, run);
    EXPECT_TRUE(answer.changed);
    EXPECT_EQ(answer.instance.status, Status::canceled);
    flow.world().run_until_idle();
    EXPECT_TRUE(flow.calls().empty());
    EXPECT_TRUE(flow.world().history(run).entries.empty());
}

TEST(FlowCancelReach, ARepeatedCancelSaysThatItChangesNothingAndTheFirstReasonStays) {
    FlowWorld flow(Flow("f").call("a", "Slow").finally().call("z"));
    flow.hangs("Slow");
    const InstanceName run = flow.start();
    flow.world().run_until_idle();
    EXPECT_TRUE(cancel(flow, run, "first").changed);
    const CancelResult second = cancel(flow, run, "second");
    EXPECT_FALSE(second.changed);
    EXPECT_EQ(second.instance.status, Status::canceling);
    EXPECT_EQ(flow.wait(run).cancel.reason, "first");
    const CancelResult third = cancel(flow, run, "third");
    EXPECT_FALSE(third.changed);
    EXPECT_EQ(third.instance.status, Status::canceled);
    EXPECT_EQ(flow.wait(run).cancel.reason, "first");
    EXPECT_EQ(flow.calls().size(), 1U) << "`finally` runs once";
}

// ---- Steps and items ---------------------------------------------------------------------------

TEST(FlowCancelReach, DuringTheLastStepEndsInCanceledAndTheOthersKeepTheirResults) {
    FlowWorld flow(Flow("f").call("a").call("last", "Slow").needs({"a"}));
    flow.hangs("Slow");
    const InstanceName run = flow.start();
    flow.world().run_until_idle();
    EXPECT_EQ(flow.states(run), "a:completed last:queued");
    EXPECT_EQ(cancel(flow, run).instance.status, Status::canceled);
    EXPECT_EQ(flow.wait(run).status, Status::canceled);
    EXPECT_EQ(flow.states(run), "a:completed last:canceled");
}

TEST(FlowCancelReach, OfTenThousandItemsBeginsNoFurtherOne) {
    FlowWorld flow(Flow("f").call("m", "Slow").map("lists.range(10000)", 50).output("1"), quick());
    flow.hangs("Slow");
    const InstanceName run = flow.start();
    flow.world().run_until_idle();
    ASSERT_EQ(flow.calls("Slow").size(), 50U);
    EXPECT_TRUE(cancel(flow, run).changed);
    EXPECT_EQ(flow.wait(run).status, Status::canceled);
    flow.world().run_until_idle();
    EXPECT_EQ(flow.world().status(InstanceName{"default", "run/m-1"}), Status::canceled);
    EXPECT_EQ(flow.calls("Slow").size(), 50U);
    EXPECT_EQ(flow.states(run), "m:canceled");
    EXPECT_FALSE(flow.world().client().inspect(InstanceName{"default", "run/m-2"}).ok());
}

// ---- Sub-flows and many runs -------------------------------------------------------------------

class FlowCancelOfMany : public ::testing::Test {
protected:
    FlowCancelOfMany() { flow.hangs("Slow"); }

    InstanceName start(const std::string& id, const StartOptions& options) {
        const belay::Definition<Payload(Payload)> handle{id.starts_with("other") ? "other" : "f"};
        StartOptions own = options;
        const InstanceName run =
            flow.world().start_with(handle, own.id(id), Payload(PayloadCodec::json, "{}"));
        flow.world().run_until_idle();
        return run;
    }
    CancelManyResult cancel_bulk(const CancelTargets& targets) {
        const auto canceled =
            flow.world().client().cancel_bulk(targets, CancelOptions().reason("enough"));
        flow.world().run_until_idle();
        return canceled.or_throw();
    }
    Status status(const char* id) { return flow.world().status(InstanceName{"default", id}); }

    FlowWorld flow{{Flow("f").call("a", "Slow").finally().call("z").made(),
                    Flow("other").step("sub", SubFlow{"f"}).made()}};
};

TEST_F(FlowCancelOfMany, ByFilterReachesTheRunsOfOneFlow) {
    start("one", StartOptions().label("city", "Ulm"));
    start("two", StartOptions().label("city", "Ulm"));
    start("three", StartOptions().label("city", "Bonn"));
    start("other", StartOptions().label("city", "Ulm"));
    const auto done = cancel_bulk(InstanceFilter().definition("f").label("city", "Ulm"));
    EXPECT_EQ(done.canceled, 2U);
    EXPECT_EQ(status("one"), Status::canceled);
    EXPECT_EQ(status("two"), Status::canceled);
    EXPECT_EQ(status("three"), Status::running);
    EXPECT_EQ(status("other"), Status::running);
    EXPECT_EQ(flow.calls().size(), 2U) << "`finally` of each";
}

TEST_F(FlowCancelOfMany, ByKeyReachesTheRunThatWasStartedWithIt) {
    start("one", StartOptions().key("order-1"));
    start("two", StartOptions().key("order-2"));
    const auto done = cancel_bulk(CancelTargets(InstanceFilter()).key("order-2", "f"));
    EXPECT_EQ(done.canceled, 1U);
    EXPECT_EQ(status("one"), Status::running);
    EXPECT_EQ(status("two"), Status::canceled);
    EXPECT_EQ(cancel_bulk(CancelTargets(InstanceFilter()).key("order-2", "f")).already_ending, 1U);
}

TEST_F(FlowCancelOfMany, ByTreeReachesTheSubFlowsOfOneRun) {
    start("other-1", StartOptions());
    start("other-2", StartOptions());
    EXPECT_EQ(cancel_bulk(CancelTargets(InstanceFilter()).tree("other-1")).matched, 2U);
    EXPECT_EQ(status("other-1"), Status::canceled);
    EXPECT_EQ(status("other-1/sub"), Status::canceled);
    EXPECT_EQ(status("other-2/sub"), Status::running);
}

TEST(FlowCancelReach, ASubFlowThatIsCanceledAloneLeavesTheRestOfTheFlow) {
    Flow child("child");
    child.call("c", "Slow").finally().call("z");
    Flow made("f");
    made.step("sub", SubFlow{"child"}).may_fail().call("beside");
    made.call("behind").after({"sub"}).with("was", "${{ steps.sub.status }}");
    FlowWorld flow({made.output("done").made(), child.made()});
    flow.hangs("Slow");
    const InstanceName run = flow.start();
    flow.world().run_until_idle();
    EXPECT_TRUE(cancel(flow, InstanceName{"default", "run/sub"}).changed);
    EXPECT_EQ(flow.wait(run).status, Status::completed);
    EXPECT_EQ(flow.states(run), "sub:canceled beside:completed behind:completed");
    EXPECT_EQ(flow.calls(), (std::vector<std::string>{"{}", "{}", R"({"was":"failed"})"}));
}

// ---- Cleanup -----------------------------------------------------------------------------------

TEST(FlowCancelReach, NothingCleansUpAfterATerminate) {
    Flow made("f");
    made.call("a", "Slow").on_cancel("Undo").canceled().call("c").finally().call("z");
    FlowWorld flow(made);
    flow.hangs("Slow");
    flow.does("Undo", [](const expr::Value& in) { return in; });
    const InstanceName run = flow.start();
    flow.world().run_until_idle();
    ASSERT_TRUE(flow.world().client().terminate(run).ok());
    flow.world().advance(1h);
    EXPECT_EQ(flow.wait(run).status, Status::canceled);
    EXPECT_TRUE(flow.calls().empty());
    EXPECT_TRUE(flow.calls("Undo").empty());
    EXPECT_EQ(flow.states(run), "a:canceled c:canceled z:canceled");
}

TEST(FlowCancelReach, OnCancelAndFinallyOfAFlowAreBoundedAndEachHasAllOfItsTime) {
    Flow made("f");
    made.call("a", "Slow").on_cancel("Slow");
    made.last().on_cancel->timeout = 10min;
    made.canceled().call("c", "Slow");
    made.finally().sleep("rest", "25m").call("z").needs({"rest"}).call("hangs", "Slow");
    made.raw().on_cancel_timeout = 18min;
    made.raw().finally_timeout = 27min;
    FlowWorld flow(made);
    flow.hangs("Slow");
    const InstanceName run = flow.start();
    flow.world().run_until_idle();
    const Timestamp begun = flow.world().now();
    EXPECT_TRUE(cancel(flow, run).changed);
    const Outcome outcome = flow.wait(run);
    EXPECT_EQ(outcome.status, Status::canceled);
    EXPECT_EQ(flow.world().now() - begun, 55min);
    EXPECT_EQ(flow.calls().size(), 1U) << "the last step of `finally` that can run";
    EXPECT_EQ(flow.states(run), "a:canceled c:canceled rest:completed z:completed hangs:canceled");
    EXPECT_NE(outcome.cleanup_detail.find("on_cancel took longer"), std::string::npos);
}

TEST(FlowCancelReach, FinallyEndsBeforeTheHourOfACancelIsOver) {
    Flow made("f");
    made.call("a", "Slow").on_cancel("Slow").canceled().call("c", "Slow");
    made.finally().sleep("rest", "27m").call("z").needs({"rest"}).call("hangs", "Slow");
    FlowWorld flow(made);
    flow.hangs("Slow");
    const InstanceName run = flow.start();
    flow.world().run_until_idle();
    const Timestamp begun = flow.world().now();
    EXPECT_TRUE(cancel(flow, run).changed);
    EXPECT_EQ(flow.wait(run).cleanup, Cleanup::failed);
    EXPECT_EQ(flow.world().now() - begun, 59min) << "1, 30, and what is left";
    EXPECT_EQ(flow.calls().size(), 1U);
}

TEST(FlowCancelReach, FinallyOfAFlowThatCompletesIsBoundedToo) {
    Flow made("f");
    made.set("a", "1").finally().call("z", "Slow");
    made.raw().finally_timeout = 3min;
    FlowWorld flow(made);
    flow.hangs("Slow");
    const Timestamp begun = flow.world().now();
    const Outcome outcome = flow.run();
    EXPECT_EQ(outcome.failure.kind, FailureKind::timeout);
    EXPECT_EQ(flow.world().now() - begun, 3min);
}

}  // namespace
}  // namespace belay::flow::test
