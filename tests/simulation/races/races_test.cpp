// The races that the design is about, each forced into being.
#include "simulation/races/stage.hpp"
#include <belay/store/operations.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace belay::sim::races_tests {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Cleanup cleanup_of(Stage& stage, const std::string& id) {
    return stage.instance(id)->outcome->cleanup;
}

// ---- Completion and cancel ---------------------------------------------------------------------

TEST(Races, CompletionBeforeCancelIsInHistoryAndTheRunIsCanceled) {
    Stage stage(1);
    stage.boot(0);
    stage.plan_handlers(takes(Millis(20)));
    stage.start("order", kTwoActivities);
    stage.run();
    stage.hold_back("a claim of runs");
    stage.pass(Millis(30));  // The first activity has completed; no turn has seen it.
    stage.cancel("order");
    stage.run();
    EXPECT_EQ(stage.status("order"), Status::canceling);
    stage.release();
    stage.pass(Millis(50));

    EXPECT_EQ(stage.status("order"), Status::canceled);
    const std::string history = stage.history_text("order");
    EXPECT_THAT(history, HasSubstr("CommandCompleted #1"));
    EXPECT_LT(history.find("CommandCompleted #1"), history.find("CancelRequested"));
    EXPECT_EQ(stage.problems(), "");
}

TEST(Races, RunWhoseLastCompletionCameBeforeTheCancelIsCanceled) {
    Stage stage(1);
    stage.boot(0);
    stage.plan_handlers(takes(Millis(20)));
    stage.start("order", kOneActivity);
    stage.run();
    stage.hold_back("a claim of runs");
    stage.pass(Millis(30));
    stage.cancel("order");
    stage.run();
    stage.release();
    stage.pass(Millis(50));

    EXPECT_EQ(stage.status("order"), Status::canceled) << stage.history_text("order");
    EXPECT_EQ(cleanup_of(stage, "order"), Cleanup::done);
    EXPECT_EQ(stage.process(0).counts().turns_refused, 0U);
    EXPECT_EQ(stage.problems(), "");
}

TEST(Races, CompletionAfterCancelIsRefused) {
    Stage stage(1);
    stage.boot(0);
    stage.plan_handlers(takes(Millis(20)));
    stage.start("order", kOneActivity);
    stage.run();
    stage.hold_back("AckActivity");
    stage.pass(Millis(30));
    ASSERT_EQ(stage.calls("AckActivity").size(), 1U);
    stage.cancel("order");
    stage.run();
    stage.release();
    stage.pass(Millis(50));

    EXPECT_EQ(stage.status("order"), Status::canceled);
    EXPECT_THAT(stage.history_text("order"), Not(HasSubstr("CommandCompleted")));
    EXPECT_EQ(stage.process(0).counts().completions_refused, 1U);
    EXPECT_TRUE(stage.instance("order")->settled) << "the handler has ended, and said so";
    EXPECT_EQ(stage.problems(), "");
}

TEST(Races, CancelBetweenClaimAndCommitRefusesTheTurnAndItRunsAgain) {
    Stage stage(1);
    stage.boot(0);
    stage.start("order", kTwoActivities);
    stage.hold_back("from event 3");  // The second turn.
    stage.pass(Millis(10));
    ASSERT_EQ(stage.calls("from event 3").size(), 1U);
    stage.cancel("order");
    stage.run();
    EXPECT_EQ(stage.status("order"), Status::canceling);
    stage.release();
    stage.pass(Millis(50));

    EXPECT_EQ(stage.status("order"), Status::canceled);
    EXPECT_EQ(stage.process(0).counts().turns_refused, 1U);
    // The resident had run past history: it was destroyed, and the run made anew.
    EXPECT_EQ(stage.process(0).counts().cold_replays, 2U);
    EXPECT_EQ(stage.problems(), "");
}

TEST(Races, CancelBeforeTheFirstTurnIsCommittedRunsNothing) {
    Stage stage(1);
    stage.boot(0);
    stage.hold_back("Turn ");
    stage.start("order", kOneActivity);
    stage.run();
    stage.cancel("order");
    stage.run();
    stage.release();
    stage.pass(Stage::kLease);

    EXPECT_EQ(stage.status("order"), Status::canceled);
    EXPECT_EQ(stage.times_begun("order", 1), 0U);
    EXPECT_EQ(stage.problems(), "");
}

TEST(Races, DeadlineOfACancelIsKept) {
    Stage stage(1);
    stage.boot(0);
    stage.plan_handlers(hangs());
    stage.start("order", "(g(h 0(a 0 0)))");
    stage.run();
    Cancel cancel;
    cancel.name = InstanceName{kSpace, "order"};
    cancel.deadline = Millis(1000);
    ASSERT_TRUE(stage.commit(cancel).done());
    stage.pass(Millis(1400));
    EXPECT_EQ(stage.status("order"), Status::canceled);
    EXPECT_EQ(cleanup_of(stage, "order"), Cleanup::timed_out);
    EXPECT_EQ(stage.problems(), "");
}

// ---- The code is not there, or does not end ----------------------------------------------------

TEST(Races, DeadlineIsSweptByAProcessWithoutTheCode) {
    Stage stage(2);
    stage.boot(0);
    stage.plan_handlers(hangs());
    stage.start("order", "(g(h 0(a 0 0)))");
    stage.run();
    stage.cancel("order");
    stage.run();
    stage.kill(0);
    Code nothing;
    nothing.definitions = {false, false};
    nothing.activities = {false, false, false};
    stage.boot(1, nothing);
    stage.pass(Stage::kDeadline - Millis(500));
    EXPECT_EQ(stage.status("order"), Status::canceling);
    stage.pass(Millis(500) + Stage::kLease);

    EXPECT_EQ(stage.status("order"), Status::canceled);
    EXPECT_EQ(cleanup_of(stage, "order"), Cleanup::timed_out);
    EXPECT_EQ(stage.problems(), "");
}

TEST(Races, TurnSentAgainAfterAnotherWasCommittedIsRefusedAndTheResidentGoes) {
    Stage stage(1);
    stage.boot(0);
    stage.hold_back("from event 0");
    stage.start("order", kTwoActivities);
    stage.run();
    stage.calls("from event 0").front()->plan.answer_with = Errc::outcome_unknown;
    stage.release();
    stage.pass(Millis(100));

    EXPECT_EQ(stage.status("order"), Status::completed);
    EXPECT_EQ(stage.process(0).counts().turns_refused, 1U);
    EXPECT_EQ(stage.process(0).counts().cold_replays, 2U);
    EXPECT_EQ(stage.problems(), "");
}

TEST(Races, UnregisteredThenRegistered) {
    Stage stage(1);
    Code nothing;
    nothing.definitions = {false, false};
    nothing.activities = {false, false, false};
    stage.boot(0, nothing);
    stage.start("order", kOneActivity);
    stage.pass(20 * Stage::kLease);
    EXPECT_EQ(stage.status("order"), Status::pending);
    EXPECT_GT(stage.instance("order")->unregistered, 10U) << "backed off, and never poison";
    stage.kill(0);
    stage.boot(0);
    stage.pass(3 * Stage::kLease);

    EXPECT_EQ(stage.status("order"), Status::completed);
    EXPECT_EQ(stage.problems(), "");
}

TEST(Races, HandlerThatIgnoresTheStopIsAbandonedAndItsResultRefused) {
    Stage stage(1);
    stage.boot(0);
    HandlerPlan stubborn;
    stubborn.takes = 4 * Stage::kLease;
    stage.plan_handlers(stubborn);
    stage.start("order", kOneActivity);
    stage.run();
    stage.cancel("order");
    stage.run();
    EXPECT_EQ(stage.status("order"), Status::canceled) << "it does not wait for the handler";
    EXPECT_FALSE(stage.instance("order")->settled);
    stage.pass(Stage::kGrace + Millis(50));
    EXPECT_EQ(stage.process(0).counts().abandoned, 1U);
    stage.pass(5 * Stage::kLease);

    EXPECT_TRUE(stage.instance("order")->settled) << "swept after lease and grace";
    EXPECT_EQ(stage.process(0).counts().activities_completed, 0U);
    EXPECT_EQ(stage.problems(), "");
}

TEST(Races, MessageThatComesWithTheTurnThatContinuesIsKeptForTheNextExecution) {
    Stage stage(1);
    stage.boot(0);
    stage.hold_back("a claim of runs");
    stage.start("order", "(g(n)(e 0 0))");
    stage.run();
    stage.client().raise(InstanceName{kSpace, "order"},
                         kEvents[0],
                         Payload::text("m1"),
                         std::string(),
                         [](const Result<InstanceBrief>&) {});
    stage.run();
    stage.release();
    stage.pass(Millis(100));

    EXPECT_EQ(stage.status("order"), Status::completed);
    EXPECT_EQ(stage.instance("order")->execution, 4U);
    EXPECT_EQ(stage.problems(), "");
}

}  // namespace
}  // namespace belay::sim::races_tests
