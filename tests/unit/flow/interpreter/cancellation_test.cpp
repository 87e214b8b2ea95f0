// A cancel in every state of a flow: seed 5's matrix, and what cleans up.
#include "flow/definition/bundle.hpp"
#include "flows.hpp"

#include <optional>

namespace belay::flow::test {
namespace {

using namespace std::chrono_literals;

/// Waits until a canceled run has ended, and returns its outcome.
Outcome canceled(FlowWorld& flow, const InstanceName& run) {
    flow.world().cancel(run, "enough", "ann");
    return flow.wait(run);
}

Registry with_interpreter() {
    Registry registry;
    registry.set_interpreter(interpreter());
    return registry;
}

/// Starts a run that has its definition as its document, as runs of flows and tasks do.
InstanceName start_document(testing::World& world, const std::string& text) {
    const auto bundle = read_bundle(text, [](std::string_view) { return std::nullopt; });
    EXPECT_TRUE(bundle.has_value());
    const InstanceName run = world.start_with(
        belay::Definition<Payload(Payload)>(bundle->main),
        StartOptions().id("run").document(Payload(PayloadCodec::json, write_bundle(*bundle))),
        Payload(PayloadCodec::json, "{}"));
    world.run_until_idle();
    return run;
}

// ---- Seed 5's matrix ---------------------------------------------------------------------------

TEST(FlowCancel, Seed5_CancelQueuedRunIsCanceledImmediately) {
    FlowWorld flow(Flow("f").call("a").finally().call("z"));
    const InstanceName run = flow.start();
    EXPECT_EQ(canceled(flow, run).status, Status::canceled);
    EXPECT_TRUE(flow.calls().empty());
    EXPECT_EQ(flow.states(run), "a:canceled z:canceled");
}

TEST(FlowCancel, Seed5_CancelStartedRunIsCancelingUntilItsHandlerExits) {
    testing::World world(with_interpreter(), testing::WorldOptions());
    world.replace(Activity<Payload(Payload)>("Slow"), testing::never_answers());
    const InstanceName run = start_document(
        world,
        "belay: 1\nname: f\nsteps: [{id: a, activity: Slow}, {id: b, needs: [a], set: x}]\n");
    Client& client = world.client();
    const auto canceled = client.cancel(run, CancelOptions().reason("enough").by("ann"));
    ASSERT_TRUE(canceled.ok());
    EXPECT_TRUE(canceled->changed);
    EXPECT_EQ(canceled->instance.status, Status::canceling);
    EXPECT_EQ(client.status(run).or_throw(), Status::canceling);
    EXPECT_EQ(client.outcome(run).error().code(), Errc::still_running);
    std::optional<Result<Outcome>> waited;
    client.wait(run, [&](Result<Outcome> outcome) { waited.emplace(std::move(outcome)); });
    while (client.step()) {
    }
    EXPECT_FALSE(waited.has_value()) << "its handler runs";

    world.run_until_idle();
    while (client.step()) {
    }
    ASSERT_TRUE(waited && waited->ok()) << "without time passing";
    EXPECT_EQ((*waited)->status, Status::canceled);
    EXPECT_EQ((*waited)->cleanup, Cleanup::not_needed);
    EXPECT_EQ((*waited)->cancel.by, "ann");
    EXPECT_EQ(client.status(run).or_throw(), Status::canceled);
    // A cancel after the end changes nothing.
    const auto again = client.cancel(run, CancelOptions().reason("again"));
    ASSERT_TRUE(again.ok());
    EXPECT_FALSE(again->changed);
    EXPECT_EQ(again->instance.status, Status::canceled);
}

TEST(FlowCancel, AFlowWithCleanupIsCancelingUntilItsHandlerExits) {
    FlowWorld flow(Flow("f").call("a", "Slow").finally().call("z"));
    flow.hangs("Slow");
    const InstanceName run = flow.start();
    flow.world().run_until_idle();
    flow.world().cancel(run, "enough", "ann");
    EXPECT_EQ(flow.world().status(run), Status::canceling);
    EXPECT_EQ(flow.wait(run).status, Status::canceled);
    EXPECT_EQ(flow.states(run), "a:canceled z:completed");
}

TEST(FlowCancel, Seed5_CancelStartedFlowCancelsPendingBranchesAndStopsRunningOnes) {
    Flow made("f");
    made.set("done", "1").call("a", "Slow").call("b", "Slow").call("c").needs({"a"});
    FlowWorld flow(made);
    flow.hangs("Slow");
    const InstanceName run = flow.start();
    flow.world().run_until_idle();
    EXPECT_EQ(canceled(flow, run).status, Status::canceled);
    EXPECT_EQ(flow.states(run), "done:completed a:canceled b:canceled c:canceled");
    EXPECT_TRUE(flow.calls().empty());
}

TEST(FlowCancel, Seed5_CancelFlowWhileItemsRunClaimsNoFurtherItem) {
    FlowWorld flow(Flow("f").call("m", "Slow").map("lists.range(50)", 4));
    flow.hangs("Slow");
    const InstanceName run = flow.start();
    flow.world().run_until_idle();
    EXPECT_EQ(canceled(flow, run).status, Status::canceled);
    EXPECT_EQ(flow.calls("Slow").size(), 4U);
    const FlowPicture picture = flow.picture(run);
    for (const ItemPicture& item : find_step(picture, "m")->items) {
        EXPECT_EQ(item.status, StepStatus::canceled);
    }
}

TEST(FlowCancel, Seed5_DuplicateCancelsChangeNothing) {
    FlowWorld flow(Flow("f").call("a", "Slow"));
    flow.hangs("Slow");
    const InstanceName run = flow.start();
    flow.world().run_until_idle();
    flow.world().cancel(run, "first", "ann");
    flow.world().cancel(run, "second", "bob");
    EXPECT_EQ(flow.wait(run).cancel.reason, "first");
    flow.world().cancel(run, "third", "eve");
    EXPECT_EQ(flow.wait(run).cancel.reason, "first");
}

TEST(FlowCancel, Seed5_CancelAfterTheEndLeavesTheOneEnd) {
    FlowWorld flow(Flow("f").set("a", "1"));
    const InstanceName run = flow.start();
    ASSERT_EQ(flow.wait(run).status, Status::completed);
    EXPECT_EQ(canceled(flow, run).status, Status::completed);
}

TEST(FlowCancel, Seed5_CancelBeforeAFailureIsSeenEndsInCanceled) {
    FlowWorld flow(Flow("f").call("a", "Bad").call("b", "Slow"));
    flow.hangs("Slow");
    flow.fails("Bad");
    const InstanceName run = flow.start();
    flow.world().cancel(run, "enough");
    EXPECT_EQ(flow.wait(run).status, Status::canceled);
}

TEST(FlowCancel, Seed5_WaitsReturnTheCanceledResult) {
    FlowWorld flow(Flow("f").call("a", "Slow"));
    flow.hangs("Slow");
    const InstanceName run = flow.start();
    flow.world().run_until_idle();
    const Outcome first = canceled(flow, run);
    const Outcome second = flow.wait(run);
    EXPECT_EQ(first, second);
    EXPECT_EQ(second.cancel.reason, "enough");
    EXPECT_TRUE(second.failure.message.empty());
}

// ---- Every state -------------------------------------------------------------------------------

TEST(FlowCancel, WhileAStepWaitsForARetryEndsInCanceled) {
    FlowWorld flow(Flow("f").call("a", "Bad").retry(5, 1h));
    flow.fails("Bad");
    const InstanceName run = flow.start();
    flow.world().run_until_idle();
    EXPECT_EQ(flow.states(run), "a:waiting");
    const Timestamp begun = flow.world().now();
    EXPECT_EQ(canceled(flow, run).status, Status::canceled);
    EXPECT_EQ(flow.world().now(), begun);
    EXPECT_EQ(flow.calls("Bad").size(), 1U);
    EXPECT_EQ(flow.states(run), "a:canceled");
}

TEST(FlowCancel, WhileAStepSleepsWaitsOrAsksEndsInCanceled) {
    const std::vector<Action> actions{
        Sleep{form("1h")}, Wait{.event = "go"}, Approval{.prompt = form("?")}};
    for (const Action& action : actions) {
        FlowWorld flow(Flow("f").step("a", action));
        const InstanceName run = flow.start();
        flow.world().run_until_idle();
        EXPECT_EQ(flow.states(run), "a:waiting");
        EXPECT_EQ(canceled(flow, run).status, Status::canceled) << kind_of(action);
        EXPECT_EQ(flow.states(run), "a:canceled");
    }
}

TEST(FlowCancel, ReachesASubFlow) {
    Flow child("child");
    child.call("c", "Slow");
    FlowWorld flow({Flow("f").step("sub", SubFlow{"child"}).made(), child.made()});
    flow.hangs("Slow");
    const InstanceName run = flow.start();
    flow.world().run_until_idle();
    EXPECT_EQ(canceled(flow, run).status, Status::canceled);
    flow.world().run_until_idle();
    EXPECT_EQ(flow.world().status(InstanceName{"default", "run/sub"}), Status::canceled);
}

TEST(FlowCancel, ReachesTheItemsInChildren) {
    Flow made("f");
    made.call("m", "Slow").map("lists.range(1500)", 3).output("1");
    FlowWorld flow(made, quick());
    flow.hangs("Slow");
    const InstanceName run = flow.start();
    flow.world().run_until_idle();
    EXPECT_EQ(canceled(flow, run).status, Status::canceled);
    flow.world().run_until_idle();
    EXPECT_EQ(flow.world().status(InstanceName{"default", "run/m-1"}), Status::canceled);
    EXPECT_EQ(flow.calls("Slow").size(), 3U);
}

TEST(FlowCancel, ASubFlowThatSomebodyCanceledFailsItsStep) {
    Flow child("child");
    child.call("c", "Slow");
    FlowWorld flow({Flow("f").step("sub", SubFlow{"child"}).made(), child.made()});
    flow.hangs("Slow");
    const InstanceName run = flow.start();
    flow.world().run_until_idle();
    flow.world().cancel(InstanceName{"default", "run/sub"}, "no");
    const Outcome outcome = flow.wait(run);
    EXPECT_EQ(outcome.status, Status::failed);
    EXPECT_EQ(outcome.failure.kind, FailureKind::canceled);
    EXPECT_EQ(outcome.failure.where, "sub");
}

// ---- Cleaning up -------------------------------------------------------------------------------

TEST(FlowCancel, OnCancelOfAStepRunsForStepsAndItemsThatWereUnderWay) {
    Flow made("f");
    made.call("a").on_cancel("Undo").call("m", "Slow").map("['x', 'y', 'z']", 2).on_cancel("Undo");
    made.last().on_cancel->with.emplace_back("item", form("${{ item }}"));
    made.with("not", "for Undo").call("late").needs({"m"}).on_cancel("Undo");
    FlowWorld flow(made);
    flow.hangs("Slow");
    flow.does("Undo", [](const expr::Value& in) { return in; });
    const InstanceName run = flow.start();
    flow.world().run_until_idle();
    EXPECT_EQ(canceled(flow, run).status, Status::canceled);
    EXPECT_EQ(flow.calls("Undo"), (std::vector<std::string>{R"({"item":"x"})", R"({"item":"y"})"}));
}

TEST(FlowCancel, OnCancelOfAStepRunsIfTheFlowFailsToo) {
    Flow made("f");
    made.call("a", "Slow").on_cancel("Undo").call("b", "Bad");
    FlowWorld flow(made);
    flow.hangs("Slow");
    flow.fails("Bad");
    flow.does("Undo", [](const expr::Value& in) { return in; });
    EXPECT_EQ(flow.run().status, Status::failed);
    EXPECT_EQ(flow.calls("Undo").size(), 1U);
}

TEST(FlowCancel, OnCancelOfAStepThatWaitsRunsToo) {
    const std::vector<Action> actions{
        Sleep{form("1h")}, Wait{.event = "go"}, Approval{.prompt = form("?")}};
    for (const Action& action : actions) {
        FlowWorld flow(Flow("f").step("a", action).on_cancel("Work"));
        const InstanceName run = flow.start();
        flow.world().run_until_idle();
        EXPECT_EQ(canceled(flow, run).status, Status::canceled);
        EXPECT_EQ(flow.calls().size(), 1U) << kind_of(action);
    }
}

TEST(FlowCancel, OnCancelOfAStepSeesTheResultsOfStepsBeforeIt) {
    Flow made("f");
    made.set("a", "7").call("b", "Slow").needs({"a"}).on_cancel("Work");
    made.last().on_cancel->with.emplace_back("a", form("${{ steps.a.output }}"));
    FlowWorld flow(made);
    flow.hangs("Slow");
    const InstanceName run = flow.start();
    flow.world().run_until_idle();
    EXPECT_EQ(canceled(flow, run).status, Status::canceled);
    EXPECT_EQ(flow.calls(), (std::vector<std::string>{R"({"a":"7"})"}));
}

TEST(FlowCancel, OnCancelOfAProgramRunsInItsOwnFolder) {
    Flow made("f");
    made.call("a", "Slow");
    made.last().on_cancel = OnCancel{.action = Script{.text = "rm x"}, .dir = form("out")};
    FlowWorld flow(made);
    flow.hangs("Slow");
    ProgramRequest asked;
    flow.world().replace(kRunProgram, [&](const ProgramRequest& request) {
        asked = request;
        return Payload(PayloadCodec::json, "null");
    });
    const InstanceName run = flow.start();
    flow.world().run_until_idle();
    EXPECT_EQ(canceled(flow, run).status, Status::canceled);
    EXPECT_EQ(asked.directory, "out");
}

TEST(FlowCancel, TheHandlersOfTheFlowSeeTheStepsThatWereCanceled) {
    Flow made("f");
    made.call("a", "Slow").call("b").needs({"a"}).finally().call("z");
    made.with("z", "${{ steps.a.status }} ${{ steps.b.status }}");
    FlowWorld flow(made);
    flow.hangs("Slow");
    const InstanceName run = flow.start();
    flow.world().run_until_idle();
    EXPECT_EQ(canceled(flow, run).status, Status::canceled);
    EXPECT_EQ(flow.calls(), (std::vector<std::string>{R"({"z":"canceled canceled"})"}));
    EXPECT_EQ(flow.states(run), "a:canceled b:canceled z:completed");
}

TEST(FlowCancel, OnCancelOfAStepIsBounded) {
    Flow made("f");
    made.call("a", "Slow").on_cancel("Slow");
    made.last().on_cancel->timeout = 2min;
    FlowWorld flow(made);
    flow.hangs("Slow");
    const InstanceName run = flow.start();
    flow.world().run_until_idle();
    const Timestamp begun = flow.world().now();
    EXPECT_EQ(canceled(flow, run).status, Status::canceled);
    EXPECT_GE(flow.world().now() - begun, 2min);
    EXPECT_LT(flow.world().now() - begun, 3min);
}

TEST(FlowCancel, TheHandlersOfTheFlowRunAndSeeTheReason) {
    Flow made("f");
    made.set("before", "kept").call("a", "Slow");
    made.canceled().call("c").with("c", "${{ outcome.reason }}");
    made.finally().call("z").with("z", "${{ outcome.status }} ${{ steps.before.output }}");
    FlowWorld flow(made);
    flow.hangs("Slow");
    const InstanceName run = flow.start();
    flow.world().run_until_idle();
    EXPECT_EQ(canceled(flow, run).status, Status::canceled);
    EXPECT_EQ(flow.calls(),
              (std::vector<std::string>{R"({"c":"enough"})", R"({"z":"canceled kept"})"}));
    EXPECT_EQ(flow.states(run), "before:completed a:canceled c:completed z:completed");
}

TEST(FlowCancel, AFailureOfTheCleanupIsADetailOfTheCancel) {
    Flow made("f");
    made.call("a", "Slow").finally().call("z", "Bad");
    FlowWorld flow(made);
    flow.hangs("Slow");
    flow.fails("Bad");
    const InstanceName run = flow.start();
    flow.world().run_until_idle();
    const Outcome outcome = canceled(flow, run);
    EXPECT_EQ(outcome.status, Status::canceled);
    EXPECT_NE(outcome.cleanup_detail.find("no luck"), std::string::npos) << outcome.cleanup_detail;
}

TEST(FlowCancel, AFlowWhoseOnCancelFailedIsStillCanceledForFinally) {
    Flow made("f");
    made.call("a", "Slow").canceled().call("c", "Bad");
    made.finally().call("z").with("z", "${{ outcome.status }} ${{ outcome.reason }}");
    FlowWorld flow(made);
    flow.hangs("Slow");
    flow.fails("Bad");
    const InstanceName run = flow.start();
    flow.world().run_until_idle();
    const Outcome outcome = canceled(flow, run);
    EXPECT_EQ(outcome.status, Status::canceled);
    EXPECT_NE(outcome.cleanup_detail.find("no luck"), std::string::npos) << outcome.cleanup_detail;
    EXPECT_EQ(flow.calls(), (std::vector<std::string>{R"({"z":"canceled enough"})"}));
}

TEST(FlowCancel, ACancelDuringFinallyLetsItEndAndTheRunIsCanceled) {
    Flow made("f");
    made.set("a", "1").finally().sleep("z", "1m").call("y").needs({"z"});
    FlowWorld flow(made);
    const InstanceName run = flow.start();
    flow.world().run_until_idle();
    EXPECT_EQ(canceled(flow, run).status, Status::canceled);
    EXPECT_EQ(flow.calls().size(), 1U);
    EXPECT_EQ(flow.states(run), "a:completed z:completed y:completed");
}

TEST(FlowCancel, OnlyDefinitionsThatCleanUpNeedATurn) {
    EXPECT_FALSE(cleans_up(*Flow("f").call("a").made()));
    EXPECT_TRUE(cleans_up(*Flow("f").call("a").on_cancel("Undo").made()));
    EXPECT_TRUE(cleans_up(*Flow("f").call("a").finally().call("z").made()));
    EXPECT_TRUE(cleans_up(*Flow("f").call("a").canceled().call("z").made()));
}

}  // namespace
}  // namespace belay::flow::test
