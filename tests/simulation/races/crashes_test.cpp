// Deaths, expired leases and deletions in the worst moment, each forced into being.
#include "simulation/races/stage.hpp"
#include <belay/store/operations.hpp>

#include <gtest/gtest.h>

namespace belay::sim::crashes_tests {
namespace {

// ---- Deaths ------------------------------------------------------------------------------------

TEST(Crashes, DeathBetweenAppliedAndAnsweredOfATurn) {
    Stage stage(2);
    stage.boot(0);
    stage.hold_answers_to("from event 0");
    stage.start("order", kTwoActivities);
    stage.run();
    ASSERT_EQ(stage.calls("from event 0").size(), 1U);
    stage.kill(0);
    stage.release();
    stage.boot(1);
    stage.pass(3 * Stage::kLease);

    EXPECT_EQ(stage.status("order"), Status::completed) << stage.history_text("order");
    EXPECT_EQ(stage.problems(), "");
}

TEST(Crashes, DeathBeforeATurnIsAppliedThatArrivesLater) {
    Stage stage(2);
    stage.boot(0);
    stage.hold_back("from event 0");
    stage.start("order", kTwoActivities);
    stage.run();
    stage.kill(0, true);
    stage.boot(1);
    stage.pass(2 * Stage::kLease);  // The lock has expired, and the other has taken over.
    stage.release();
    stage.pass(Stage::kLease);

    EXPECT_EQ(stage.status("order"), Status::completed);
    EXPECT_EQ(stage.problems(), "");
}

TEST(Crashes, DeathBetweenAppliedAndAnsweredOfAnAck) {
    Stage stage(2);
    stage.boot(0);
    stage.hold_answers_to("AckActivity");
    stage.start("order", kOneActivity);
    stage.run();
    stage.kill(0);
    stage.release();
    stage.boot(1);
    stage.pass(2 * Stage::kLease);

    EXPECT_EQ(stage.status("order"), Status::completed);
    EXPECT_EQ(stage.times_begun("order", 1), 1U) << "what was completed is not run again";
    EXPECT_EQ(stage.problems(), "");
}

TEST(Crashes, StartWhoseOutcomeIsUnknownIsSentAgainAndCreatesOnce) {
    Stage stage(1);
    stage.hold_back("Start order");
    stage.start("order", kOneActivity);
    ASSERT_EQ(stage.calls("Start order").size(), 1U);
    stage.calls("Start order").front()->plan.answer_with = Errc::outcome_unknown;
    stage.release();
    stage.run();
    stage.boot(0);
    stage.pass(Millis(100));

    EXPECT_EQ(stage.status("order"), Status::completed);
    EXPECT_EQ(stage.observer().runs().size(), 1U);
    EXPECT_EQ(stage.problems(), "");
}

TEST(Crashes, StartSentAgainThroughAWorkerGoesOnWithTheFirstTurnThatWasRecorded) {
    Stage stage(1);
    stage.share_commits(true);
    stage.boot(0);
    Client client(stage.process(0).runtime().store());
    const Timestamp began = stage.true_store().now();
    stage.hold_answers_to("Start order");
    client.start(std::string(kDefinitions[0].name()),
                 program_input(kOneActivity, 0),
                 StartOptions().id("order").space(kSpace),
                 [](const Result<StartResult>&) {});
    stage.process(0).stir();
    stage.run();
    ASSERT_EQ(stage.calls("Start order").size(), 1U);
    stage.calls("Start order").front()->plan.answer_with = Errc::outcome_unknown;
    stage.pass(Millis(50));
    // The second time it comes with another first turn, of a later time.
    stage.release();
    stage.run();
    stage.pass(3 * Stage::kLease);

    EXPECT_EQ(stage.status("order"), Status::completed);
    EXPECT_EQ(stage.instance("order")->outcome->output.bytes,
              " " + (kBegan + std::to_string(began.time_since_epoch().count())));
    EXPECT_EQ(stage.problems(), "");
}

TEST(Crashes, StartSentAgainAfterDeletionBringsNothingBack) {
    Stage stage(1);
    stage.hold_answers_to("Start order");
    stage.start("order", kOneActivity);
    stage.run();
    stage.calls("Start order").front()->plan.answer_with = Errc::outcome_unknown;
    ASSERT_TRUE(stage.commit(op::force_delete(InstanceName{kSpace, "order"})).done());
    stage.release();
    stage.run();

    EXPECT_EQ(stage.instance("order"), nullptr);
    EXPECT_EQ(stage.problems(), "");
}

TEST(Crashes, MessageWhoseOutcomeIsUnknownIsSentAgainAndReceivedOnce) {
    Stage stage(1);
    stage.boot(0);
    stage.start("order", "(g(e 0 100)(e 0 100))");
    stage.run();
    stage.hold_back("Send m1");
    stage.client().raise(InstanceName{kSpace, "order"},
                         kEvents[0],
                         Payload::text("m1"),
                         std::string(),
                         [](const Result<InstanceBrief>&) {});
    stage.calls("Send m1").front()->plan.answer_with = Errc::outcome_unknown;
    stage.release();
    stage.pass(Millis(300));

    EXPECT_EQ(stage.status("order"), Status::completed);
    EXPECT_TRUE(
        stage.instance("order")->outcome->output.bytes.starts_with(std::string("m1  ") + kBegan));
    EXPECT_EQ(stage.problems(), "");
}

TEST(Crashes, TurnWhoseOutcomeIsUnknownIsSentAgainAndTheResidentStays) {
    Stage stage(1);
    stage.boot(0);
    stage.plan_handlers(takes(Millis(30)));  // No other turn comes in between.
    stage.hold_back("from event 0");
    stage.start("order", kTwoActivities);
    stage.run();
    stage.calls("from event 0").front()->plan.answer_with = Errc::outcome_unknown;
    stage.release();
    stage.pass(Millis(100));

    EXPECT_EQ(stage.status("order"), Status::completed);
    EXPECT_EQ(stage.process(0).counts().turns_refused, 0U);
    EXPECT_EQ(stage.process(0).counts().resident_turns, 2U);
    EXPECT_EQ(stage.problems(), "");
}

// ---- Leases ------------------------------------------------------------------------------------

TEST(Crashes, ZombieThatCompletesAfterATakeoverIsRefused) {
    Stage stage(2);
    stage.boot(0);
    stage.plan_handlers(takes(Millis(20)));
    stage.start("order", kOneActivity);
    stage.run();
    stage.process(0).pause(3 * Stage::kLease, true);
    stage.boot(1);
    stage.pass(2 * Stage::kLease);
    EXPECT_EQ(stage.status("order"), Status::completed);
    stage.pass(2 * Stage::kLease);  // The zombie wakes, finishes and reports.

    EXPECT_EQ(stage.times_begun("order", 1), 2U);
    EXPECT_EQ(stage.process(0).counts().completions_refused, 1U);
    EXPECT_EQ(stage.process(1).counts().activities_completed, 1U);
    EXPECT_EQ(stage.problems(), "");
}

TEST(Crashes, ExpiredLeaseThatNobodyTookMayStillComplete) {
    Stage stage(1);
    stage.boot(0);
    stage.plan_handlers(takes(Millis(20)));
    stage.start("order", kOneActivity);
    stage.run();
    stage.hold_back("AckActivity");
    stage.hold_back("RenewActivity");
    stage.hold_back("a claim of activities");
    stage.pass(2 * Stage::kLease);
    stage.release();
    stage.pass(Millis(50));

    EXPECT_EQ(stage.status("order"), Status::completed);
    EXPECT_EQ(stage.times_begun("order", 1), 1U);
    EXPECT_EQ(stage.problems(), "");
}

TEST(Crashes, TurnOfAPausedProcessIsRefusedAfterATakeover) {
    Stage stage(2);
    stage.boot(0);
    stage.hold_back("from event 0");
    stage.start("order", kTwoActivities);
    stage.run();
    stage.process(0).pause(3 * Stage::kLease, false);
    StoreCall* const late = stage.calls("from event 0").front();
    stage.boot(1);
    stage.pass(Stage::kLease + Millis(100));  // Its lock has expired; the other's turn is held too.
    ASSERT_EQ(stage.calls("from event 0").size(), 2U);
    stage.release();
    stage.pass(4 * Stage::kLease);
    (void)late;

    EXPECT_EQ(stage.status("order"), Status::completed);
    EXPECT_EQ(stage.process(0).counts().turns_refused + stage.process(1).counts().turns_refused,
              1U);
    EXPECT_EQ(stage.problems(), "");
}

TEST(Crashes, RetryableErrorsOfRenewalDoNotStopAnActivity) {
    Stage stage(1);
    stage.boot(0);
    stage.plan_handlers(takes(3 * Stage::kLease));
    stage.start("order", kOneActivity);
    stage.run();
    stage.hold_back("RenewActivity");
    for (int i = 0; i < 40; ++i) {
        stage.pass(Millis(20));
        for (StoreCall* const call : stage.calls("RenewActivity")) {
            call->plan.apply = false;
            call->plan.answer_with = Errc::busy;
        }
        stage.release();
        stage.run();
        stage.hold_back("RenewActivity");
    }
    stage.release();
    stage.pass(3 * Stage::kLease);

    EXPECT_EQ(stage.status("order"), Status::completed);
    EXPECT_EQ(stage.process(0).counts().stops_requested, 0U);
    EXPECT_EQ(stage.times_begun("order", 1), 1U);
    EXPECT_EQ(stage.problems(), "");
}

// ---- Deletion and replacement ------------------------------------------------------------------

TEST(Crashes, ForceDeleteDuringATurnAndANewRunOfTheSameId) {
    Stage stage(1);
    stage.boot(0);
    stage.hold_back("from event 0");
    stage.start("order", kTwoActivities);
    stage.run();
    const RunRef old = stage.instance("order")->ref;
    ASSERT_TRUE(stage.commit(op::force_delete(InstanceName{kSpace, "order"})).done());
    stage.start("order", kOneActivity);
    stage.run();
    stage.release();
    stage.pass(Millis(100));

    EXPECT_EQ(stage.status("order"), Status::completed);
    EXPECT_NE(stage.instance("order")->ref, old);
    EXPECT_EQ(stage.process(0).counts().turns_refused, 1U);
    EXPECT_EQ(stage.problems(), "");
}

TEST(Crashes, ForceDeleteOfARunningActivityStopsIt) {
    Stage stage(1);
    stage.boot(0);
    stage.plan_handlers(hangs());
    stage.start("order", kOneActivity);
    stage.run();
    ASSERT_TRUE(stage.commit(op::force_delete(InstanceName{kSpace, "order"})).done());
    stage.run();

    EXPECT_EQ(stage.process(0).counts().stops_requested, 1U);
    EXPECT_TRUE(stage.process(0).executor().handlers().empty());
    EXPECT_EQ(stage.problems(), "");
}

TEST(Crashes, ReplacementWaitsForARunThatAnEarlierReplacementWaitedFor) {
    Stage stage(1);
    stage.boot(0);
    HandlerPlan stubborn;
    stubborn.takes = Millis(400);
    stage.plan_handlers(stubborn);
    stage.start("order", kOneActivity);
    stage.run();
    StartOptions replace;
    replace.on_conflict(IdConflict::replace);
    stage.start("order", kOneActivity, replace);
    stage.run();
    stage.cancel("order");  // The second, which still waits for the first.
    stage.run();
    stage.start("order", kOneActivity, replace);
    stage.run();
    EXPECT_EQ(stage.status("order"), Status::pending) << "the first one's handler still runs";
    stage.pass(3 * Stage::kLease);

    EXPECT_EQ(stage.status("order"), Status::completed);
    EXPECT_EQ(stage.problems(), "");
}

}  // namespace
}  // namespace belay::sim::crashes_tests
