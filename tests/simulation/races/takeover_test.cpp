// The work of a process whose death is noticed, each case forced into being.
#include "simulation/races/stage.hpp"
#include <belay/store/operations.hpp>

#include <gtest/gtest.h>

namespace belay::sim::takeover_tests {
namespace {

/// Long enough for a look at the dead, and far less than a lease.
constexpr Millis kSoon{300};

/// A process has an activity in hand, and a second one is up.
class Takeover : public ::testing::Test {
protected:
    Takeover() {
        stage.boot(0);
        stage.plan_handlers(hangs());
        stage.start("order", kOneActivity);
        stage.run();
        stage.boot(1);
        stage.run();
    }

    Stage stage{2};
};

TEST_F(Takeover, ADeathThatIsNoticedAtOnce) {
    stage.notice_deaths();
    stage.kill(0);
    stage.plan_handlers(takes(Millis(0)));
    stage.pass(kSoon);

    EXPECT_EQ(stage.status("order"), Status::completed) << stage.history_text("order");
    EXPECT_EQ(stage.process(1).counts().taken_over, 1U);
    EXPECT_EQ(stage.problems(), "");
}

TEST_F(Takeover, ADeathThatIsNeverNoticed) {
    stage.kill(0);
    stage.plan_handlers(takes(Millis(0)));
    stage.pass(kSoon);
    EXPECT_EQ(stage.status("order"), Status::running);
    stage.pass(Stage::kLease);

    EXPECT_EQ(stage.status("order"), Status::completed);
    EXPECT_EQ(stage.process(1).counts().taken_over, 0U);
    EXPECT_EQ(stage.problems(), "");
}

TEST_F(Takeover, ADeathThatIsNoticedWhenTheLeaseIsOver) {
    stage.notice_deaths(2 * Stage::kLease);
    stage.kill(0);
    stage.pass(Stage::kLease + kSoon);
    EXPECT_EQ(stage.times_begun("order", 1), 2U);
    // Another process has it by now, and keeps it.
    stage.pass(Stage::kLease);
    EXPECT_EQ(stage.process(1).counts().taken_over, 0U);
    EXPECT_EQ(stage.times_begun("order", 1), 2U);
    EXPECT_EQ(stage.problems(), "");
}

TEST_F(Takeover, AProcessThatStandsStillIsNotDead) {
    stage.notice_deaths();
    stage.process(0).pause(stage.time().now() + Stage::kLease / 2, false);
    stage.pass(Stage::kLease / 2);
    EXPECT_EQ(stage.times_begun("order", 1), 1U);
    stage.process(0).resume();
    stage.pass(Stage::kLease);
    EXPECT_EQ(stage.times_begun("order", 1), 1U) << "it has its lease again";
    EXPECT_EQ(stage.process(1).counts().taken_over, 0U);
    EXPECT_EQ(stage.problems(), "");
}

TEST(Takeovers, TheLastCommitOfTheDeadArrivesAfterTheRelease) {
    Stage stage(2);
    stage.notice_deaths();
    stage.boot(0);
    stage.hold_back("AckActivity");
    stage.start("order", kOneActivity);
    stage.run();
    ASSERT_EQ(stage.calls("AckActivity").size(), 1U);
    stage.kill(0, true);
    stage.plan_handlers(hangs());
    stage.boot(1);
    stage.pass(kSoon);
    EXPECT_EQ(stage.times_begun("order", 1), 2U);
    stage.release();
    stage.pass(kSoon);

    // The token is gone. The next holder of the activity has it alone.
    EXPECT_EQ(stage.status("order"), Status::running);
    EXPECT_EQ(stage.problems(), "");
}

TEST(Takeovers, TwoThatNoticeItDoNoHarm) {
    Stage stage(3);
    stage.notice_deaths();
    stage.boot(0);
    stage.plan_handlers(hangs());
    stage.start("order", kOneActivity);
    stage.run();
    stage.boot(1);
    stage.boot(2);
    stage.run();
    stage.kill(0);
    stage.hold_back("ReleaseHolder");
    stage.pass(kSoon);
    ASSERT_EQ(stage.calls("ReleaseHolder").size(), 2U);
    stage.release();
    stage.pass(kSoon);

    EXPECT_EQ(stage.times_begun("order", 1), 2U);
    EXPECT_EQ(stage.process(1).counts().taken_over + stage.process(2).counts().taken_over, 1U);
    EXPECT_EQ(stage.problems(), "");
}

TEST(Takeovers, WorkThatKillsItsWorkerDoesNotBurnItsAttemptsAtOnce) {
    Stage stage(1);
    stage.notice_deaths();
    stage.plan_handlers(hangs());
    stage.boot(0);
    stage.start("order", kOneActivity);
    stage.run();
    stage.kill(0);
    stage.boot(0);
    stage.pass(kSoon);
    ASSERT_EQ(stage.times_begun("order", 1), 2U) << "the first death is taken over at once";
    stage.kill(0);
    stage.boot(0);
    stage.pass(kSoon);
    EXPECT_EQ(stage.times_begun("order", 1), 2U) << "the second one waits";
    stage.pass(Stage::kLease);
    EXPECT_EQ(stage.times_begun("order", 1), 3U) << "no longer than its lease";
    EXPECT_EQ(stage.problems(), "");
}

}  // namespace
}  // namespace belay::sim::takeover_tests
