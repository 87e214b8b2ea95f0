// Attempt counts: how a message or an activity that kills its worker is found out.
#include "conformance/case.hpp"

BELAY_CONFORMANCE_AREA(poison)

namespace belay::conformance {
namespace {

BELAY_CASE(Poison, FirstClaimOfARunIsAttemptOne) { EXPECT_EQ(claim(start("a")).attempts, 1U); }

BELAY_CASE(Poison, LostTurnsAreCounted) {
    const RunRef run = start("a");
    for (std::uint32_t attempt = 1; attempt <= 4; ++attempt) {
        EXPECT_EQ(claim(run).attempts, attempt);
        advance(kLease);
    }
    EXPECT_EQ(info(run).attempts, 4U);
}

BELAY_CASE(Poison, AbandonedTurnsAreCounted) {
    const RunRef run = start("a");
    apply(op::abandon_turn(claim(run)));
    EXPECT_EQ(claim(run).attempts, 2U);
}

BELAY_CASE(Poison, AbandonedTurnCanBeTakenBack) {
    const RunRef run = start("a");
    for (int i = 0; i < 3; ++i) {
        const ClaimedInstance item = claim(run);
        EXPECT_EQ(item.attempts, 1U);
        apply(op::abandon_turn(item, Millis(0), CountAttempt::no));
    }
    EXPECT_EQ(info(run).attempts, 0U);
}

BELAY_CASE(Poison, OnlyTheAbandonedAttemptIsTakenBack) {
    const RunRef run = start("a");
    claim(run);
    advance(kLease);
    const ClaimedInstance item = claim(run);
    EXPECT_EQ(item.attempts, 2U);
    apply(op::abandon_turn(item, Millis(0), CountAttempt::no));
    EXPECT_EQ(claim(run).attempts, 2U);
}

BELAY_CASE(Poison, CommittedTurnResetsTheCount) {
    const RunRef run = start("a");
    claim(run);
    advance(kLease);
    take_turn(run);
    EXPECT_EQ(info(run).attempts, 0U);
    raise("a", "go");
    EXPECT_EQ(claim(run).attempts, 1U);
}

BELAY_CASE(Poison, RefusedTurnDoesNotResetTheCount) {
    const RunRef run = start("a");
    const ClaimedInstance item = claim(run);
    Turn wrong = turn_of(item);
    wrong.position = 9;
    EXPECT_TRUE(refused(commit(wrong), Errc::position_moved));
    apply(op::abandon_turn(item));
    EXPECT_EQ(claim(run).attempts, 2U);
}

BELAY_CASE(Poison, NewMessageDoesNotResetTheCount) {
    const RunRef run = start_running("a");
    raise("a", "one");
    claim(run);
    advance(kLease);
    raise("a", "two");
    EXPECT_EQ(claim(run).attempts, 2U) << "a claim takes them all, so they share their fate";
}

BELAY_CASE(Poison, RunsAreCountedEachByItself) {
    const RunRef a = start("a");
    const RunRef b = start("b");
    claim(a);
    advance(kLease);
    EXPECT_EQ(claim(a).attempts, 2U);
    EXPECT_EQ(claim(b).attempts, 1U);
}

BELAY_CASE(Poison, FirstClaimOfAnActivityIsAttemptOne) {
    const RunRef run = start_with_activities("a", 1);
    EXPECT_EQ(activities(run).at(0).attempt, 0U);
    EXPECT_EQ(claim_activity().attempt, 1U);
    EXPECT_EQ(activities(run).at(0).attempt, 1U);
}

BELAY_CASE(Poison, LostActivitiesAreCounted) {
    start_with_activities("a", 1);
    for (std::uint32_t attempt = 1; attempt <= 4; ++attempt) {
        EXPECT_EQ(claim_activity().attempt, attempt);
        advance(kLease);
    }
}

BELAY_CASE(Poison, AbandonedActivitiesAreCounted) {
    start_with_activities("a", 1);
    apply(op::abandon_activity(claim_activity()));
    EXPECT_EQ(claim_activity().attempt, 2U);
}

BELAY_CASE(Poison, AbandonedActivityCanBeTakenBack) {
    const RunRef run = start_with_activities("a", 1);
    for (int i = 0; i < 3; ++i) {
        const ClaimedActivity item = claim_activity();
        EXPECT_EQ(item.attempt, 1U);
        apply(op::abandon_activity(item, Millis(0), CountAttempt::no));
        EXPECT_EQ(activities(run).at(0).attempt, 0U) << "never below 0";
    }
}

BELAY_CASE(Poison, RenewalIsNoAttempt) {
    const RunRef run = start_with_activities("a", 1);
    const ClaimedActivity item = claim_activity();
    EXPECT_TRUE(applied(try_renew(item)));
    EXPECT_EQ(activities(run).at(0).attempt, 1U);
}

BELAY_CASE(Poison, ActivitiesAreCountedEachByItself) {
    start_with_activities("a", 2);
    const auto items = claim_activities();
    ASSERT_EQ(items.size(), 2U);
    apply(op::abandon_activity(items[0]));
    apply(op::abandon_activity(items[1], Millis(0), CountAttempt::no));
    for (const ClaimedActivity& item : claim_activities()) {
        EXPECT_EQ(item.attempt, item.activity.command == 1U ? 2U : 1U);
    }
}

BELAY_CASE(Poison, PoisonedRunIsEndedByItsHolder) {
    const RunRef run = start("a");
    const ClaimedInstance item = claim(run);
    Finish finish;
    finish.target = std::pair(run, item.token);
    finish.outcome = poisoned();
    apply(finish);
    EXPECT_EQ(status(run), Status::failed);
    EXPECT_EQ(outcome_of(run).failure.kind, FailureKind::poison);
    EXPECT_FALSE(try_claim(run));
}

BELAY_CASE(Poison, PoisonedRunIsNotEndedByWhoLostIt) {
    const RunRef run = start("a");
    const ClaimedInstance lost = claim(run);
    advance(kLease);
    claim(run);
    Finish finish;
    finish.target = std::pair(run, lost.token);
    finish.outcome = poisoned();
    EXPECT_TRUE(refused(commit(finish), Errc::lease_lost));
    EXPECT_EQ(status(run), Status::pending);
}

BELAY_CASE(Poison, PoisonedActivityFailsVisibly) {
    const RunRef run = start_with_activities("a", 1);
    const ClaimedActivity item = claim_activity();
    Failure failure;
    failure.kind = FailureKind::poison;
    apply(op::ack_activity(item, op::activity_failed(item.activity, failure)));
    const auto messages = inbox(run);
    ASSERT_EQ(messages.size(), 1U);
    EXPECT_EQ(messages[0].content.kind, MessageKind::activity_failed);
    EXPECT_EQ(messages[0].content.payload.codec, PayloadCodec::failure);
}

}  // namespace
}  // namespace belay::conformance
