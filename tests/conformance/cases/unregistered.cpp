// Code that nobody has: backed off for ever, shown, and never poison.
#include "conformance/case.hpp"

BELAY_CONFORMANCE_AREA(unregistered)

namespace belay::conformance {
namespace {

AbandonTurn nobody_has_it(const ClaimedInstance& item, Millis delay) {
    AbandonTurn part = op::abandon_turn(item, delay, CountAttempt::no);
    part.reason = AbandonReason::unregistered;
    return part;
}

AbandonActivity nobody_has_it(const ClaimedActivity& item, Millis delay) {
    AbandonActivity part = op::abandon_activity(item, delay, CountAttempt::no);
    part.reason = AbandonReason::unregistered;
    return part;
}

BELAY_CASE(Unregistered, RunIsCountedSeparately) {
    const RunRef run = start("a");
    for (std::uint32_t times = 0; times < 15; ++times) {
        const ClaimedInstance item = claim(run);
        EXPECT_EQ(item.unregistered, times);
        EXPECT_EQ(item.attempts, 1U);
        apply(nobody_has_it(item, 1s));
        EXPECT_FALSE(try_claim(run));
        advance(1s);
    }
    EXPECT_EQ(info(run).unregistered, 15U);
    EXPECT_EQ(info(run).status, Status::pending);
}

BELAY_CASE(Unregistered, TurnResetsTheCount) {
    const RunRef run = start("a");
    apply(nobody_has_it(claim(run), Millis(0)));
    EXPECT_EQ(info(run).unregistered, 1U);
    take_turn(run);
    EXPECT_EQ(info(run).unregistered, 0U);
}

BELAY_CASE(Unregistered, ItIsKeptSinceWhen) {
    const RunRef run = start("a");
    EXPECT_FALSE(info(run).code_missing_since);
    const Timestamp first = now();
    apply(nobody_has_it(claim(run), 0ms));
    advance(1s);
    apply(nobody_has_it(claim(run), 0ms));
    EXPECT_EQ(info(run).code_missing_since, first);
    const ClaimedInstance item = claim(run);
    EXPECT_EQ(item.code_missing_since, first) << "whoever claims it is told";
    apply(turn_of(item));
    EXPECT_FALSE(info(run).code_missing_since);
}

BELAY_CASE(Overruns, AreCountedUntilATurnIsCommitted) {
    const RunRef run = start("a");
    AbandonTurn back = op::abandon_turn(claim(run), 0ms, CountAttempt::yes);
    back.reason = AbandonReason::overran;
    apply(back);
    EXPECT_EQ(info(run).overruns, 1U);
    const ClaimedInstance item = claim(run);
    EXPECT_EQ(item.overruns, 1U) << "whoever claims it is told";
    EXPECT_EQ(item.attempts, 2U);
    apply(op::abandon_turn(item));
    EXPECT_EQ(info(run).overruns, 1U) << "for another reason";
    take_turn(run);
    EXPECT_EQ(info(run).overruns, 0U);
}

BELAY_CASE(Overruns, AnOverrunWithoutALockIsCountedWithTheActivityThatCausedIt) {
    const RunRef run = start("a");
    schedule(run, {activity(1), activity(2)});
    const ClaimedActivity first = claim_activity();
    const ClaimedActivity second = claim_activity();
    AckActivity ended =
        op::ack_activity(first, op::activity_completed(first.activity, Payload::text("1")));
    ended.turn_overran = true;
    apply(ended);
    EXPECT_EQ(info(run).overruns, 1U);
    EXPECT_EQ(info(run).ready_messages, 1U);
    apply(op::ack_activity(second, op::activity_completed(second.activity, Payload::text("2"))));
    EXPECT_EQ(info(run).overruns, 1U) << "its turn did not run past the limit";
    EXPECT_EQ(claim(run).overruns, 1U) << "whoever claims it is told";
}

BELAY_CASE(Overruns, AreForgottenWhenTheRunIsReleased) {
    const RunRef run = start("a");
    AbandonTurn back = op::abandon_turn(claim(run), 0ms, CountAttempt::yes);
    back.reason = AbandonReason::overran;
    apply(back);
    const ClaimedInstance item = claim(run);
    apply(Hold{item.run, item.token, "held"});
    EXPECT_EQ(info(run).overruns, 1U);
    Release release;
    release.name = item.name;
    apply(release);
    EXPECT_EQ(info(run).overruns, 0U);
    EXPECT_EQ(claim(run).overruns, 0U);
}

BELAY_CASE(Unregistered, OrdinaryAbandonIsNotCountedAsSuch) {
    const RunRef run = start("a");
    apply(op::abandon_turn(claim(run)));
    EXPECT_EQ(info(run).unregistered, 0U);
}

BELAY_CASE(Unregistered, ActivityIsCountedSeparately) {
    const RunRef run = start_with_activities("a", 1);
    for (std::uint32_t times = 0; times < 15; ++times) {
        const ClaimedActivity item = claim_activity();
        EXPECT_EQ(item.unregistered, times);
        EXPECT_EQ(item.attempt, 1U);
        apply(nobody_has_it(item, 1s));
        EXPECT_FALSE(try_claim_activity());
        advance(1s);
    }
    EXPECT_EQ(activities(run).at(0).unregistered, 15U);
}

BELAY_CASE(Unregistered, AWorkerWithTheCodeOfAnActivityResetsTheCount) {
    const RunRef run = start_with_activities("a", 1);
    apply(nobody_has_it(claim_activity(), 0ms));
    apply(nobody_has_it(claim_activity(), 0ms));
    EXPECT_EQ(activities(run).at(0).unregistered, 2U);
    apply(op::abandon_activity(claim_activity()));
    EXPECT_EQ(activities(run).at(0).unregistered, 0U) << "it ran there, or could have";
    apply(nobody_has_it(claim_activity(), 0ms));
    EXPECT_EQ(activities(run).at(0).unregistered, 1U);
}

BELAY_CASE(Unregistered, RunThatIsBeingTriedAgainBecomesCanceling) {
    const RunRef run = start_running("a");
    raise("a", "go");
    apply(nobody_has_it(claim(run), Millis(0)));
    const ClaimedInstance item = claim(run);
    cancel("a");
    EXPECT_EQ(status(run), Status::canceling) << "somebody holds it and may have the code";
    apply(op::abandon_turn(item));
    EXPECT_TRUE(claim(run).cancel);
}

BELAY_CASE(Unregistered, CancelWhileBackedOffStopsItsHandlers) {
    const RunRef run = start_with_activities("a", 1);
    const ClaimedActivity work = claim_activity();
    raise("a", "go");
    apply(nobody_has_it(claim(run), kDeadline));
    advance(kDeadline);
    const Answer answer = cancel("a");
    EXPECT_EQ(answer.stopped, std::vector<LeaseToken>{work.token});
    EXPECT_EQ(status(run), Status::canceled);
    EXPECT_FALSE(info(run).settled);
    EXPECT_TRUE(applied(try_drop(work)));
    EXPECT_TRUE(info(run).settled);
}

BELAY_CASE(Unregistered, CanceledActivityOfThatKindIsGone) {
    const RunRef run = start_with_activities("a", 1);
    apply(nobody_has_it(claim_activity(), 1h));
    Turn turn = next_turn(run);
    turn.canceled_activities = {1};
    EXPECT_TRUE(apply(turn).stopped.empty());
    EXPECT_TRUE(activities(run).empty());
    EXPECT_TRUE(stopping(run).empty());
}

}  // namespace
}  // namespace belay::conformance
