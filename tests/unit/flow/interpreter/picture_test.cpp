// The state of every step at every stage of a run, from its history alone.
#include "flows.hpp"

namespace belay::flow::test {
namespace {

using namespace std::chrono_literals;

TEST(FlowPicture, BeforeTheFirstTurnEverythingIsPending) {
    FlowWorld flow(Flow("f").call("a").call("b").needs({"a"}));
    const InstanceName run = flow.start();
    EXPECT_EQ(flow.states(run), "a:pending b:pending");
    EXPECT_EQ(flow.picture(run).status, Status::pending);
}

TEST(FlowPicture, ShowsTheTimesOfASequence) {
    FlowWorld flow(Flow("f").sleep("a", "1h").call("b").needs({"a"}));
    const InstanceName run = flow.start();
    const Timestamp begun = flow.world().now();
    flow.world().run_until_idle();
    EXPECT_EQ(find_step(flow.picture(run), "a")->waits->until, begun + 1h);
    ASSERT_EQ(flow.wait(run).status, Status::completed);
    const FlowPicture picture = flow.picture(run);
    EXPECT_EQ(find_step(picture, "a")->began_at, begun);
    EXPECT_EQ(find_step(picture, "a")->ended_at, begun + 1h);
    EXPECT_EQ(find_step(picture, "b")->began_at, begun + 1h);
    EXPECT_EQ(find_step(picture, "b")->attempts, 1U);
    EXPECT_EQ(picture.lists.size(), 1U);
    EXPECT_EQ(picture.lists[0].ended_at, begun + 1h);
}

TEST(FlowPicture, AStepBetweenTwoAttemptsWaitsAndShowsTheLastFailure) {
    FlowWorld flow(Flow("f").call("a", "Bad").retry(3, 2min));
    flow.fails("Bad");
    const InstanceName run = flow.start();
    const Timestamp begun = flow.world().now();
    flow.world().run_until_idle();
    const FlowPicture first = flow.picture(run);
    const StepPicture& waiting = *find_step(first, "a");
    EXPECT_EQ(waiting.status, StepStatus::waiting);
    ASSERT_TRUE(waiting.waits.has_value());
    EXPECT_EQ(waiting.waits->what, StepWait::What::retry);
    EXPECT_EQ(waiting.waits->until, begun + 2min);
    EXPECT_EQ(waiting.attempts, 1U);
    EXPECT_EQ(waiting.failure->message, "no luck");
    flow.world().advance(2min);
    EXPECT_EQ(find_step(flow.picture(run), "a")->attempts, 2U);
    (void)flow.wait(run);
    const FlowPicture last = flow.picture(run);
    EXPECT_EQ(find_step(last, "a")->status, StepStatus::failed);
    EXPECT_EQ(find_step(last, "a")->attempts, 3U);
    EXPECT_FALSE(find_step(last, "a")->waits.has_value());
}

TEST(FlowPicture, ASubFlowThatIsRetriedShowsItsAttempts) {
    Flow child("child");
    child.call("c", "Bad");
    Flow parent("f");
    parent.step("sub", SubFlow{"child"}).retry(3, 1min);
    parent.last().timeout = 1h;
    FlowWorld flow({parent.made(), child.made()});
    flow.fails("Bad", 1);
    flow.does("Good", [](const expr::Value& in) { return in; });
    const InstanceName run = flow.start();
    flow.world().run_until_idle();
    EXPECT_EQ(find_step(flow.picture(run), "sub")->waits->what, StepWait::What::retry);
    flow.hangs("Bad");
    flow.world().advance(1min);
    const FlowPicture picture = flow.picture(run);
    EXPECT_EQ(find_step(picture, "sub")->status, StepStatus::started);
    EXPECT_EQ(find_step(picture, "sub")->attempts, 2U);
    EXPECT_EQ(find_step(picture, "sub")->child, "run/sub.2");
}

TEST(FlowPicture, AnActivityInLineIsQueuedAndABegunOneIsStarted) {
    FlowWorld flow(Flow("f").call("a", "Slow"));
    flow.hangs("Slow");
    const InstanceName run = flow.start();
    flow.world().run_until_idle();
    FlowPicture picture = flow.picture(run);
    EXPECT_EQ(find_step(picture, "a")->status, StepStatus::queued);
    const auto described = flow.world().client().describe(run).or_throw();
    add_awaits(picture, described.awaits);
    EXPECT_EQ(find_step(picture, "a")->status, StepStatus::started);
    EXPECT_FALSE(find_step(picture, "a")->worker.empty());
}

TEST(FlowPicture, TheStepsOfATerminatedRunAreCanceled) {
    FlowWorld flow(
        Flow("f").set("x", "1").call("a", "Slow").call("b").needs({"a"}).finally().call("z"));
    flow.hangs("Slow");
    const InstanceName run = flow.start();
    flow.world().run_until_idle();
    (void)flow.world().client().terminate(run).or_throw();
    EXPECT_EQ(flow.states(run), "x:completed a:canceled b:canceled z:canceled");
    EXPECT_EQ(find_step(flow.picture(run), "a")->ended_at, flow.world().now());
}

TEST(FlowPicture, TheStepsOfARunThatItsDeadlineEndedAreCanceledThen) {
    FlowWorld flow(Flow("f").set("x", "1").call("a", "Slow").call("b").needs({"a"}));
    flow.hangs("Slow");
    const belay::Definition<Payload(Payload)> handle{"f"};
    const InstanceName run = flow.world().start_with(
        handle, StartOptions().id("run").deadline(2h), Payload(PayloadCodec::json, "{}"));
    const Timestamp begun = flow.world().now();
    flow.world().run_until_idle();
    flow.world().advance(2h);
    const Outcome outcome = flow.wait(run);
    EXPECT_EQ(outcome.status, Status::failed);
    EXPECT_EQ(outcome.failure.kind, FailureKind::timeout);
    EXPECT_EQ(flow.states(run), "x:completed a:canceled b:canceled");
    const FlowPicture picture = flow.picture(run);
    EXPECT_EQ(find_step(picture, "a")->canceled_at, begun + 2h);
    EXPECT_EQ(find_step(picture, "a")->ended_at, begun + 2h);
    EXPECT_EQ(find_step(picture, "b")->canceled_at, begun + 2h);
    EXPECT_FALSE(find_step(picture, "b")->began_at.has_value());
    EXPECT_FALSE(find_step(picture, "x")->canceled_at.has_value());
}

TEST(FlowPicture, ARunThatWasEndedWithoutItsCodeClosesItsItemsToo) {
    FlowWorld flow(Flow("f").call("m", "Slow").map("['x', 'y', 'z']", 2));
    flow.hangs("Slow");
    const InstanceName run = flow.start();
    flow.world().run_until_idle();
    flow.world().advance(1min);
    // Another process ends it, and none of its code runs any more.
    (void)flow.world().client().terminate(run, CancelOptions().reason("stuck")).or_throw();
    const FlowPicture picture = flow.picture(run);
    const StepPicture& map = *find_step(picture, "m");
    EXPECT_EQ(map.status, StepStatus::canceled);
    EXPECT_EQ(map.canceled_at, flow.world().now());
    ASSERT_EQ(map.items.size(), 3U);
    for (const ItemPicture& item : map.items) {
        EXPECT_EQ(item.status, StepStatus::canceled);
        EXPECT_EQ(item.canceled_at, flow.world().now());
        EXPECT_EQ(item.reason, "the run was canceled");
    }
    EXPECT_TRUE(map.items[1].began_at.has_value());
    EXPECT_FALSE(map.items[2].began_at.has_value());
}

TEST(FlowPicture, ItemsSayWhenTheyWereCanceled) {
    Flow made("f");
    made.call("m", "Item").map("['quick', 'slow']", 2).with("n", "${{ item }}");
    made.finally().sleep("z", "1m");
    FlowWorld flow(made);
    flow.hangs("Item");
    const InstanceName run = flow.start();
    flow.world().run_until_idle();
    flow.world().advance(3min);
    const Timestamp canceled = flow.world().now();
    flow.world().cancel(run, "enough");
    ASSERT_EQ(flow.wait(run).status, Status::canceled);
    EXPECT_EQ(flow.world().now(), canceled + 1min);
    const FlowPicture picture = flow.picture(run);
    for (const ItemPicture& item : find_step(picture, "m")->items) {
        EXPECT_EQ(item.canceled_at, canceled) << "not when the run ended";
    }
    EXPECT_FALSE(find_step(picture, "z")->canceled_at.has_value());
}

TEST(FlowPicture, WhatIsCanceledAndHasAHandlerThatRunsIsCanceling) {
    FlowWorld flow(Flow("f").call("m", "Slow").map("['x', 'y', 'z']", 2).call("b").needs({"m"}));
    flow.hangs("Slow");
    const InstanceName run = flow.start();
    flow.world().run_until_idle();
    (void)flow.world().client().cancel(run).or_throw();
    const auto described = flow.world().client().describe(run).or_throw();
    ASSERT_EQ(described.stopping.size(), 2U);
    FlowPicture picture = flow.picture(run);
    add_stopping(picture, described.stopping, [](const std::string&) { return false; });
    const StepPicture& map = *find_step(picture, "m");
    EXPECT_EQ(map.status, StepStatus::canceling);
    EXPECT_EQ(map.items[0].status, StepStatus::canceling);
    EXPECT_FALSE(map.items[0].worker.empty());
    EXPECT_FALSE(map.items[0].ended_at.has_value());
    EXPECT_EQ(map.items[2].status, StepStatus::canceled);
    EXPECT_EQ(find_step(picture, "b")->status, StepStatus::canceled);
}

TEST(FlowPicture, AStepWhoseChildStillStopsIsCanceling) {
    Flow child("child");
    child.call("c", "Slow");
    FlowWorld flow({Flow("f").step("sub", SubFlow{"child"}).made(), child.made()});
    flow.hangs("Slow");
    const InstanceName run = flow.start();
    flow.world().run_until_idle();
    (void)flow.world().client().cancel(run).or_throw();
    FlowPicture picture = flow.picture(run);
    add_stopping(picture, {}, [](const std::string& id) { return id == "run/sub"; });
    EXPECT_EQ(find_step(picture, "sub")->status, StepStatus::canceling);
}

TEST(FlowPicture, HandlersThatWereNotNeededAreSkipped) {
    Flow made("f");
    made.set("a", "1").canceled().call("c").failed().call("t").finally().set("z", "1");
    FlowWorld flow(made);
    const InstanceName run = flow.start();
    ASSERT_EQ(flow.wait(run).status, Status::completed);
    EXPECT_EQ(flow.states(run), "a:completed t:skipped c:skipped z:completed");
}

TEST(FlowPicture, ItemsShowTheirOwnStates) {
    Flow made("f");
    made.call("m", "Item").map("['ok', 'bad', 'slow', 'next']", 3, 1).retry(2, 1min);
    made.with("n", "${{ item }}");
    FlowWorld flow(made);
    flow.does("Item", [](const expr::Value& in) {
        if (in.map().find("n")->text() != "ok") throw std::runtime_error("bad");
        return in;
    });
    const InstanceName run = flow.start();
    flow.world().run_until_idle();
    const FlowPicture picture = flow.picture(run);
    const auto& items = find_step(picture, "m")->items;
    EXPECT_EQ(items[0].status, StepStatus::completed);
    EXPECT_EQ(items[1].status, StepStatus::waiting);
    EXPECT_EQ(items[1].failure->message, "bad");
    EXPECT_EQ(items[3].status, StepStatus::waiting);
}

TEST(FlowPicture, OfAnotherDefinitionIsAnError) {
    FlowWorld flow(Flow("f").call("a"));
    const InstanceName run = flow.start();
    (void)flow.wait(run);
    const auto other = picture_of(Flow("f").call("a", "Other").made(), flow.world().exported(run));
    ASSERT_FALSE(other.ok());
    EXPECT_EQ(other.error().code(), Errc::nondeterminism);
}

}  // namespace
}  // namespace belay::flow::test
