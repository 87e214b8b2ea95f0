// Cancels of one step, branch or item while the rest of the flow goes on.
#include "flow/interpreter/cancels.hpp"
#include "flows.hpp"

namespace belay::flow::test {
namespace {

using namespace std::chrono_literals;

/// Cancels a step or an item, and does what is due.
void cancel_one(FlowWorld& flow,
                const InstanceName& run,
                std::string step,
                std::optional<std::uint64_t> item = std::nullopt) {
    flow.world().raise(run,
                       std::string(kCancelStepEvent),
                       encode_cancel({std::move(step), item, "too slow", "ann"}));
    flow.world().run_until_idle();
}

std::string item_states(FlowWorld& flow, const InstanceName& run) {
    const FlowPicture picture = flow.picture(run);
    std::string text;
    for (const ItemPicture& item : picture.lists.front().steps.front().items) {
        text.append(text.empty() ? "" : " ").append(to_string(item.status));
    }
    return text;
}

// ---- Steps -------------------------------------------------------------------------------------

TEST(StepCancels, ACanceledStepFailsTheFlowWithKindCanceled) {
    FlowWorld flow(Flow("f").call("a", "Slow").call("b", "Slow"));
    flow.hangs("Slow");
    const InstanceName run = flow.start();
    flow.world().run_until_idle();
    cancel_one(flow, run, "a");
    const Outcome outcome = flow.wait(run);
    EXPECT_EQ(outcome.status, Status::failed);
    EXPECT_EQ(outcome.failure.kind, FailureKind::canceled);
    EXPECT_EQ(outcome.failure.where, "a");
    EXPECT_EQ(outcome.failure.message, "canceled by ann: too slow");
    EXPECT_EQ(flow.states(run), "a:canceled b:canceled");
}

TEST(StepCancels, ACanceledStepThatMayFailEndsOnlyItsBranch) {
    Flow made("f");
    made.call("a", "Slow").may_fail().call("behind_a").needs({"a"});
    made.call("b").call("joins").after({"behind_a", "b"});
    FlowWorld flow(made);
    flow.hangs("Slow");
    const InstanceName run = flow.start();
    flow.world().run_until_idle();
    cancel_one(flow, run, "a");
    EXPECT_EQ(flow.wait(run).status, Status::completed);
    EXPECT_EQ(flow.states(run), "a:canceled behind_a:skipped b:completed joins:completed");
}

TEST(StepCancels, TheWorkOfACanceledStepIsStopped) {
    FlowWorld flow(Flow("f").call("a", "Slow").may_fail().sleep("rest", "1h"));
    flow.hangs("Slow");
    const InstanceName run = flow.start();
    flow.world().run_until_idle();
    EXPECT_NE(flow.world().waits_for(run).find("Slow"), std::string::npos);
    cancel_one(flow, run, "a");
    EXPECT_EQ(flow.world().waits_for(run).find("Slow"), std::string::npos);
    EXPECT_EQ(flow.states(run), "a:canceled rest:waiting");
}

TEST(StepCancels, AStepThatSleepsWaitsAsksOrRetriesCanBeCanceled) {
    const std::vector<Action> actions{
        Sleep{form("1h")}, Wait{.event = "go"}, Approval{.prompt = form("?")}, Call{"Bad"}};
    for (const Action& action : actions) {
        FlowWorld flow(Flow("f").step("a", action).retry(5, 1h).may_fail().set("b", "1"));
        flow.fails("Bad");
        const InstanceName run = flow.start();
        flow.world().run_until_idle();
        ASSERT_EQ(flow.states(run), "a:waiting b:completed") << kind_of(action);
        cancel_one(flow, run, "a");
        EXPECT_EQ(flow.world().status(run), Status::completed) << kind_of(action);
        EXPECT_EQ(flow.states(run), "a:canceled b:completed") << kind_of(action);
    }
}

TEST(StepCancels, AStepWhoseTurnHasNotComeNeverRuns) {
    Flow made("f");
    made.call("a", "Slow").call("b").needs({"a"}).may_fail().call("c").after({"b"});
    FlowWorld flow(made);
    flow.hangs("Slow");
    const InstanceName run = flow.start();
    flow.world().run_until_idle();
    cancel_one(flow, run, "b");
    EXPECT_EQ(flow.states(run), "a:queued b:canceled c:completed");
    EXPECT_EQ(flow.calls().size(), 1U);
}

TEST(StepCancels, ASubFlowIsCanceledWithItsStep) {
    Flow child("child");
    child.call("c", "Slow").finally().call("z");
    Flow made("f");
    made.step("sub", SubFlow{"child"}).may_fail().set("b", "1");
    FlowWorld flow({made.made(), child.made()});
    flow.hangs("Slow");
    const InstanceName run = flow.start();
    flow.world().run_until_idle();
    cancel_one(flow, run, "sub");
    EXPECT_EQ(flow.wait(run).status, Status::completed);
    EXPECT_EQ(flow.world().status(InstanceName{"default", "run/sub"}), Status::canceled);
    EXPECT_EQ(flow.calls().size(), 1U) << "`finally` of the sub-flow";
}

TEST(StepCancels, TheFirstCancelCountsAndAStepThatHasEndedStaysAsItIs) {
    FlowWorld flow(Flow("f").call("a").call("b", "Slow").may_fail().sleep("rest", "1h"));
    flow.hangs("Slow");
    const InstanceName run = flow.start();
    flow.world().run_until_idle();
    cancel_one(flow, run, "a");
    cancel_one(flow, run, "b");
    cancel_one(flow, run, "b");
    EXPECT_EQ(flow.wait(run).status, Status::completed);
    EXPECT_EQ(flow.states(run), "a:completed b:canceled rest:completed");
}

TEST(StepCancels, AnEndThatCameFirstStands) {
    FlowWorld flow(Flow("f").step("a", Wait{.event = "go"}));
    const InstanceName run = flow.start();
    flow.world().run_until_idle();
    flow.raise(run, "go", "1");
    cancel_one(flow, run, "a");
    EXPECT_EQ(flow.world().status(run), Status::completed);
}

TEST(StepCancels, ACancelOfTheWholeRunAfterThatOfAStepEndsIt) {
    Flow made("f");
    made.call("a", "Slow").may_fail().call("b", "Slow").finally().call("z");
    FlowWorld flow(made);
    flow.hangs("Slow");
    const InstanceName run = flow.start();
    flow.world().run_until_idle();
    cancel_one(flow, run, "a");
    flow.world().cancel(run, "all of it");
    EXPECT_EQ(flow.wait(run).cancel.reason, "all of it");
    EXPECT_EQ(flow.states(run), "a:canceled b:canceled z:completed");
}

TEST(StepCancels, AStepOfFinallyCanBeCanceledToo) {
    FlowWorld flow(Flow("f").set("a", "1").finally().call("z", "Slow").may_fail().call("y"));
    flow.hangs("Slow");
    const InstanceName run = flow.start();
    flow.world().run_until_idle();
    cancel_one(flow, run, "z");
    EXPECT_EQ(flow.world().status(run), Status::completed);
    EXPECT_EQ(flow.states(run), "a:completed z:canceled y:completed");
}

// ---- Items -------------------------------------------------------------------------------------

TEST(StepCancels, ACanceledItemCountsAmongThoseThatMayFail) {
    Flow made("f");
    made.step("m", Wait{.event = "go"}).map("lists.range(4)", 2, 2);
    made.output("${{ steps.m.failed.map(f, f.kind) + steps.m.output }}");
    FlowWorld flow(made);
    const InstanceName run = flow.start();
    flow.world().run_until_idle();
    cancel_one(flow, run, "m", 1);
    EXPECT_EQ(item_states(flow, run), "waiting canceled waiting pending");
    for (const char* const value : {"0", "2", "3"}) flow.raise(run, "go", value);
    EXPECT_EQ(flow.wait(run).output.bytes, R"(["canceled",0,2,3])");
    EXPECT_EQ(item_states(flow, run), "completed canceled completed completed");
}

TEST(StepCancels, AnItemTooManyFailsTheMap) {
    FlowWorld flow(Flow("f").call("m", "Slow").map("lists.range(3)", 3));
    flow.hangs("Slow");
    const InstanceName run = flow.start();
    flow.world().run_until_idle();
    cancel_one(flow, run, "m", 2);
    const Outcome outcome = flow.wait(run);
    EXPECT_EQ(outcome.failure.kind, FailureKind::canceled);
    EXPECT_EQ(outcome.failure.where, "m[2]");
    EXPECT_EQ(item_states(flow, run), "canceled canceled canceled");
}

TEST(StepCancels, AnItemWhoseTurnHasNotComeNeverRuns) {
    Flow made("f");
    made.step("m", Wait{.event = "go"}).map("lists.range(3)", 1, 1);
    FlowWorld flow(made);
    const InstanceName run = flow.start();
    flow.world().run_until_idle();
    cancel_one(flow, run, "m", 1);
    for (const char* const value : {"0", "2"}) flow.raise(run, "go", value);
    EXPECT_EQ(flow.wait(run).output.bytes, R"({"m":[0,2]})");
    EXPECT_EQ(item_states(flow, run), "completed canceled completed");
}

TEST(StepCancels, AWholeMapCanBeCanceledWithItsItems) {
    FlowWorld flow(Flow("f").call("m", "Slow").map("lists.range(3)", 2).may_fail().set("b", "1"));
    flow.hangs("Slow");
    const InstanceName run = flow.start();
    flow.world().run_until_idle();
    cancel_one(flow, run, "m");
    EXPECT_EQ(flow.wait(run).status, Status::completed);
    EXPECT_EQ(flow.states(run), "m:canceled b:completed");
    EXPECT_EQ(flow.calls("Slow").size(), 2U);
}

TEST(StepCancels, AnItemInAChildIsCanceledThere) {
    FlowWorld flow(Flow("f").call("m", "Slow").map("lists.range(1500)", 3, 1).output("1"), quick());
    flow.hangs("Slow");
    const InstanceName run = flow.start();
    flow.world().run_until_idle();
    cancel_one(flow, InstanceName{"default", "run/m-1"}, "m", 1);
    EXPECT_EQ(flow.calls("Slow").size(), 4U) << "the next item has begun";
    EXPECT_EQ(flow.world().status(run), Status::running);
    cancel_one(flow, InstanceName{"default", "run/m-1"}, "m", 2);
    EXPECT_EQ(flow.wait(run).failure.where, "m[2]");
}

// ---- Cleanup -----------------------------------------------------------------------------------

TEST(StepCancels, OnCancelOfTheStepRunsAtOnceAndOnlyOnce) {
    Flow made("f");
    made.call("a", "Slow").on_cancel("Undo").may_fail().call("b", "Slow").on_cancel("Undo");
    made.last().on_cancel->with.emplace_back("of", form("b"));
    FlowWorld flow(made);
    flow.hangs("Slow");
    flow.does("Undo", [](const expr::Value& in) { return in; });
    const InstanceName run = flow.start();
    flow.world().run_until_idle();
    cancel_one(flow, run, "a");
    EXPECT_EQ(flow.calls("Undo"), (std::vector<std::string>{"{}"}));
    EXPECT_EQ(flow.world().status(run), Status::running);
    flow.world().cancel(run, "all of it");
    EXPECT_EQ(flow.wait(run).status, Status::canceled);
    EXPECT_EQ(flow.calls("Undo"), (std::vector<std::string>{"{}", R"({"of":"b"})"}));
}

TEST(StepCancels, OnCancelThatIsInterruptedByTheEndOfTheFlowRunsAgain) {
    Flow made("f");
    made.call("a", "Slow").on_cancel("Undo").may_fail().step("b", Wait{.event = "go"});
    made.call("c", "Bad").needs({"b"});
    FlowWorld flow(made);
    flow.hangs("Slow");
    flow.hangs("Undo");
    flow.fails("Bad");
    const InstanceName run = flow.start();
    flow.world().run_until_idle();
    cancel_one(flow, run, "a");
    ASSERT_EQ(flow.calls("Undo").size(), 1U);
    flow.raise(run, "go", "1");
    EXPECT_EQ(flow.wait(run).failure.where, "c");
    EXPECT_EQ(flow.calls("Undo").size(), 2U);
}

// ---- Events ------------------------------------------------------------------------------------

TEST(StepCancels, EventsThatFitNoStepAreIgnored) {
    FlowWorld flow(Flow("f").call("a", "Slow"));
    flow.hangs("Slow");
    const InstanceName run = flow.start();
    flow.world().run_until_idle();
    cancel_one(flow, run, "nobody");
    cancel_one(flow, run, "a", 3);
    for (const char* const value : {"1", "{}", R"({"step":1})", R"({"step":"a","item":-1})"}) {
        flow.raise(run, std::string(kCancelStepEvent), value);
    }
    flow.world().run_until_idle();
    EXPECT_EQ(flow.states(run), "a:queued");
}

TEST(StepCancels, AFlowThatIsNotAskedRecordsNothingForThem) {
    FlowWorld flow(Flow("f").set("a", "1"));
    const InstanceName run = flow.start();
    flow.wait(run);
    for (const TimelineEntry& entry : flow.world().history(run).entries) {
        EXPECT_EQ(entry.command, 0U);
    }
}

TEST(StepCancels, TheEventHasAllThatWasSaid) {
    const StepCancel cancel = decode_cancel(encode_cancel({"dump", 17, "too slow", "ann"}));
    EXPECT_EQ(cancel.step, "dump");
    EXPECT_EQ(cancel.item, 17U);
    EXPECT_EQ(cancel.reason, "too slow");
    EXPECT_EQ(cancel.by, "ann");
    EXPECT_FALSE(decode_cancel(encode_cancel({"dump"})).item);
}

}  // namespace
}  // namespace belay::flow::test
