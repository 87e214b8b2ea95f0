// Until when a first attempt at an activity must have begun.
#include "conformance/case.hpp"

BELAY_CONFORMANCE_AREA(start_times)

namespace belay::conformance {
namespace {

constexpr Millis kWait{60'000};

/// An activity that must begin within kWait.
NewActivity hasty(CommandNo command, Timestamp now) {
    NewActivity wanted = activity(command);
    wanted.schedule_to_start = now + kWait;
    return wanted;
}

/// Gives it back as one of which nothing ran.
AbandonActivity never_began(const ClaimedActivity& item) {
    return op::abandon_activity(item, Millis(0), CountAttempt::no);
}

BELAY_CASE(StartTimes, AnActivityThatNobodyBeginsFailsOnTheDot) {
    const RunRef run = start("a");
    schedule(run, {hasty(1, now())});
    advance(kWait - 1ms);
    EXPECT_FALSE(try_claim(run));
    advance(1ms);
    const ClaimedInstance item = claim(run);
    ASSERT_EQ(item.messages.size(), 1U);
    const Message& message = item.messages[0];
    EXPECT_EQ(message.content,
              op::activity_not_started(ActivityRef{run, 1, 1}, "Charge", message.sent_at));
    EXPECT_TRUE(op::is_not_started(message.content));
    EXPECT_EQ(message.content.kind, MessageKind::activity_failed);
    EXPECT_EQ(message.sent_at, now());
}

BELAY_CASE(StartTimes, ASleepingWorkerIsToldWhenItFails) {
    const RunRef run = start("a");
    schedule(run, {hasty(1, now())});
    ClaimInstances request = op::claim_instance(fresh_token(), "worker", kLease);
    request.run = run;
    EXPECT_EQ(slept_until_claimed(request), kWait);
}

BELAY_CASE(StartTimes, AnInterruptedOneHasNoStartTimeAnyMore) {
    const RunRef run = start("a");
    schedule(run, {hasty(1, now())});
    AbandonActivity back = never_began(claim_activity());
    back.reason = AbandonReason::interrupted;
    apply(back);
    EXPECT_EQ(claim_activity().schedule_to_start, std::nullopt);
}

BELAY_CASE(StartTimes, AnInterruptedActivityHadBegunInTime) {
    const RunRef run = start("a");
    schedule(run, {hasty(1, now())});
    AbandonActivity back = never_began(claim_activity());
    back.reason = AbandonReason::interrupted;
    advance(2 * kWait);
    apply(back);
    EXPECT_FALSE(try_claim(run)) << "nothing has failed";
    const ClaimedActivity again = claim_activity();
    EXPECT_EQ(again.attempt, 1U);
    apply(never_began(again));
    EXPECT_TRUE(try_claim_activity()) << "given back untouched, it still has begun before";
}

BELAY_CASE(StartTimes, FromThenOnNobodyGetsIt) {
    const RunRef run = start("a");
    schedule(run, {hasty(1, now()), activity(2)});
    advance(kWait);
    const auto answer = claim_with_hint(op::claim_activity(fresh_token(), "worker", kLease));
    ASSERT_EQ(answer.claimed.size(), 1U) << "it does not stand in the way of others";
    EXPECT_EQ(answer.claimed[0].activity.command, 2U);
    EXPECT_EQ(answer.ready_in, kLease) << "when the other's lease ends, and not before";
    complete(answer.claimed[0]);
    const auto nothing = claim_with_hint(op::claim_activity(fresh_token(), "worker", kLease));
    EXPECT_TRUE(nothing.claimed.empty());
    EXPECT_EQ(nothing.ready_in, std::nullopt) << "nothing will come of waiting";
    ASSERT_EQ(activities(run).size(), 1U) << "its row is for the turn to remove";
    EXPECT_EQ(activities(run)[0].attempt, 0U);
}

BELAY_CASE(StartTimes, TheTurnThatTakesTheMessageRemovesTheRow) {
    const RunRef run = start("a");
    schedule(run, {hasty(1, now())});
    advance(kWait);
    Turn turn = turn_of(claim(run));
    turn.canceled_activities = {1};
    const Answer answer = apply(turn);
    EXPECT_TRUE(answer.stopped.empty()) << "nobody has it";
    EXPECT_TRUE(activities(run).empty());
    EXPECT_TRUE(stopping(run).empty());
    EXPECT_FALSE(try_claim(run)) << "and nothing comes of it any more";
}

BELAY_CASE(StartTimes, AClaimInTimeEndsTheWait) {
    const RunRef run = start("a");
    schedule(run, {hasty(1, now())});
    advance(kWait - 1ms);
    const ClaimedActivity item = claim_activity();
    EXPECT_EQ(item.schedule_to_start, now() + 1ms);
    advance(kWait);
    EXPECT_FALSE(try_claim(run));
    EXPECT_TRUE(applied(try_complete(item)));
    EXPECT_EQ(inbox(run).size(), 1U) << "its answer, and no other";
}

BELAY_CASE(StartTimes, AnAttemptThatWasLostHasBegunAllTheSame) {
    const RunRef run = start("a");
    schedule(run, {hasty(1, now())});
    const ClaimedActivity lost = claim_activity();
    advance(kWait + kLease);
    EXPECT_FALSE(try_claim(run));
    EXPECT_EQ(claim_activity().attempt, 2U) << "another one may try, however late";
}

BELAY_CASE(StartTimes, AnAttemptThatWasGivenBackAndCountsHasBegunAllTheSame) {
    const RunRef run = start("a");
    schedule(run, {hasty(1, now())});
    apply(op::abandon_activity(claim_activity()));
    advance(kWait);
    EXPECT_FALSE(try_claim(run));
    EXPECT_EQ(claim_activity().attempt, 2U);
}

BELAY_CASE(StartTimes, AnAttemptThatDoesNotCountNeverWas) {
    const RunRef run = start("a");
    schedule(run, {hasty(1, now())});
    apply(never_began(claim_activity()));
    EXPECT_FALSE(try_claim(run));
    advance(kWait);
    EXPECT_FALSE(try_claim_activity());
    const auto messages = inbox(run);
    ASSERT_EQ(messages.size(), 1U);
    EXPECT_TRUE(op::is_not_started(messages[0].content));
}

BELAY_CASE(StartTimes, GivenBackTooLateItFailsAtOnce) {
    const RunRef run = start("a");
    schedule(run, {hasty(1, now())});
    const ClaimedActivity item = claim_activity();
    advance(kWait);
    apply(never_began(item));
    EXPECT_FALSE(try_claim_activity());
    const auto messages = inbox(run);
    ASSERT_EQ(messages.size(), 1U);
    EXPECT_TRUE(op::is_not_started(messages[0].content));
}

BELAY_CASE(StartTimes, HandedOverItHasBegun) {
    const RunRef run = start("a");
    Turn turn = next_turn(run);
    turn.activities = {hasty(1, now())};
    turn.activities[0].hand_over = NewActivity::HandOver{fresh_token(), kLease, "worker"};
    EXPECT_EQ(apply(turn).leased, std::vector<CommandNo>{1});
    advance(kWait - 1ms);
    advance(1ms);
    EXPECT_FALSE(try_claim(run));
}

BELAY_CASE(StartTimes, AnActivityScheduledTooLateIsNotHandedOver) {
    const RunRef run = start("a");
    Turn turn = next_turn(run);
    turn.activities = {hasty(1, now() - kWait)};
    turn.activities[0].hand_over = NewActivity::HandOver{fresh_token(), kLease, "worker"};
    EXPECT_TRUE(apply(turn).leased.empty());
    EXPECT_FALSE(try_claim_activity());
    EXPECT_EQ(inbox(run).size(), 1U);
}

BELAY_CASE(StartTimes, CanceledItsWaitIsOver) {
    const RunRef run = start("a");
    schedule(run, {hasty(1, now())});
    Turn turn = next_turn(run);
    turn.canceled_activities = {1};
    apply(turn);
    advance(kWait);
    EXPECT_FALSE(try_claim(run));
}

BELAY_CASE(StartTimes, ACancelEndsTheWaitOfWhatIsNotShielded) {
    const RunRef run = start("a");
    NewActivity shielded = hasty(2, now());
    shielded.shielded = true;
    schedule(run, {hasty(1, now()), shielded});
    cancel("a");
    take_turn(run);
    advance(kWait);
    const auto messages = inbox(run);
    ASSERT_EQ(messages.size(), 1U);
    EXPECT_EQ(messages[0].content.command, 2U);
}

BELAY_CASE(StartTimes, ANextExecutionHearsNothingOfIt) {
    const RunRef run = start("a");
    schedule(run, {hasty(1, now())});
    apply(continuing(next_turn(run)));
    take_turn(run);
    advance(kWait);
    EXPECT_FALSE(try_claim(run));
}

// The run was claimed with the failure; then the clock was set back, and a worker began it.
BELAY_CASE(StartTimes, BegunBehindTheTurnsBackItIsStopped) {
    const RunRef run = start("a");
    schedule(run, {hasty(1, now())});
    advance(kWait);
    const ClaimedInstance item = claim(run);
    ASSERT_EQ(item.messages.size(), 1U);
    set_back(1ms);
    const ClaimedActivity begun = claim_activity();
    Turn turn = turn_of(item);
    turn.canceled_activities = {1};
    EXPECT_EQ(apply(turn).stopped, std::vector<LeaseToken>{begun.token});
    EXPECT_TRUE(refused(try_complete(begun), Errc::canceled));
    EXPECT_TRUE(applied(try_drop(begun)));
    EXPECT_TRUE(inbox(run).empty());
}

}  // namespace
}  // namespace belay::conformance
