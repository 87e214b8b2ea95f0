// Runs whose code said that there is nothing to clean up: a cancel ends them in its own commit.
#include "conformance/case.hpp"

BELAY_CONFORMANCE_AREA(clean_ends)

namespace belay::conformance {
namespace {

Turn clean(Turn turn) {
    GoesOn after;
    after.nothing_to_clean_up = true;
    turn.after = after;
    return turn;
}

BELAY_CASE(CleanEnd, CancelEndsItInItsOwnCommit) {
    const RunRef run = start("a");
    apply(clean(next_turn(run)));
    EXPECT_TRUE(info(run).nothing_to_clean_up);
    const Answer answer = cancel("a", "enough");
    EXPECT_TRUE(answer.changed);
    ASSERT_TRUE(answer.instance);
    EXPECT_EQ(answer.instance->status, Status::canceled);

    const InstanceInfo after = info(run);
    EXPECT_EQ(after.status, Status::canceled);
    EXPECT_EQ(after.ended_at, now());
    ASSERT_TRUE(after.outcome);
    EXPECT_EQ(after.outcome->cleanup, Cleanup::not_needed);
    EXPECT_EQ(after.outcome->cancel.reason, "enough");
    EXPECT_TRUE(after.settled);
    EXPECT_FALSE(try_claim(run));
}

BELAY_CASE(CleanEnd, EachTurnSaysItAnew) {
    const RunRef run = start("a");
    apply(clean(next_turn(run)));
    apply(next_turn(run));
    EXPECT_FALSE(info(run).nothing_to_clean_up);
    cancel("a");
    EXPECT_EQ(status(run), Status::canceling);
}

BELAY_CASE(CleanEnd, LaterTurnMaySayIt) {
    const RunRef run = start_running("a");
    EXPECT_FALSE(info(run).nothing_to_clean_up);
    apply(clean(next_turn(run)));
    cancel("a");
    EXPECT_EQ(outcome_of(run).cleanup, Cleanup::not_needed);
}

BELAY_CASE(CleanEnd, ActivityThatWaitsIsDeletedAndOneThatRunsKeepsItUnsettled) {
    const RunRef run = start("a");
    Turn turn = clean(next_turn(run));
    turn.activities = {activity(1), activity(2)};
    turn.activities[1].shielded = true;
    apply(turn);
    const ClaimedActivity item = claim_activities(1).at(0);
    const Answer answer = cancel("a");
    EXPECT_EQ(answer.stopped, std::vector<LeaseToken>{item.token});
    EXPECT_EQ(status(run), Status::canceled);
    EXPECT_FALSE(info(run).settled) << "its handler still runs";
    EXPECT_TRUE(activities(run).empty());
    EXPECT_TRUE(applied(try_drop(item)));
    EXPECT_TRUE(info(run).settled);
}

BELAY_CASE(CleanEnd, CompletionThatItHasNotReceivedIsReceivedFirst) {
    const RunRef run = start("a");
    Turn turn = clean(next_turn(run));
    turn.activities = {activity(1)};
    apply(turn);
    complete(claim_activity());
    cancel("a");
    EXPECT_EQ(status(run), Status::canceling) << "a charge that happened can be refunded";
    const ClaimedInstance item = claim(run);
    ASSERT_TRUE(item.cancel);
    ASSERT_EQ(item.messages.size(), 1U);
    EXPECT_EQ(item.messages[0].content.kind, MessageKind::activity_completed);
}

BELAY_CASE(CleanEnd, EndOfAChildThatItHasNotReceivedIsReceivedFirst) {
    const RunRef parent = start_running("p");
    const RunRef child = start_child(parent, 1, "p/c");
    apply(clean(next_turn(parent)));
    take_turn(child);
    end(child);
    cancel("p");
    EXPECT_EQ(status(parent), Status::canceling);
}

BELAY_CASE(CleanEnd, CompletionThatItHasReceivedIsNoObstacle) {
    const RunRef run = start("a");
    Turn turn = next_turn(run);
    turn.activities = {activity(1)};
    apply(turn);
    complete(claim_activity());
    apply(clean(turn_of(claim(run))));
    cancel("a");
    EXPECT_EQ(status(run), Status::canceled);
}

BELAY_CASE(CleanEnd, EventsAndTimersAreNoObstacle) {
    const RunRef run = start("a");
    Turn turn = clean(next_turn(run));
    NewTimer timer;
    timer.command = 1;
    timer.due_at = now() + 1s;
    timer.message = op::timer_fired(1, 1);
    turn.timers = {timer};
    apply(turn);
    raise("a", "go");
    advance(2s);
    cancel("a");
    EXPECT_EQ(status(run), Status::canceled);
    EXPECT_EQ(info(run).ready_messages, 0U);
}

BELAY_CASE(CleanEnd, ActivityThatWasNotBegunInTimeIsNoObstacle) {
    const RunRef run = start("a");
    Turn turn = clean(next_turn(run));
    turn.activities = {activity(1)};
    turn.activities[0].schedule_to_start = now() + 1s;
    apply(turn);
    advance(2s);
    cancel("a");
    EXPECT_EQ(status(run), Status::canceled) << "nothing of it has happened";
}

BELAY_CASE(CleanEnd, TurnUnderWayIsRefused) {
    const RunRef run = start("a");
    apply(clean(next_turn(run)));
    raise("a", "go");
    const ClaimedInstance item = claim(run);
    cancel("a");
    EXPECT_EQ(status(run), Status::canceled);
    EXPECT_TRUE(refused(commit(turn_of(item)), Errc::already_ended));
}

BELAY_CASE(CleanEnd, HeldRunHasNothingToSkip) {
    const RunRef run = start("a");
    apply(clean(next_turn(run)));
    raise("a", "go");
    Hold hold;
    hold.run = run;
    hold.token = claim(run).token;
    apply(hold);
    cancel("a");
    EXPECT_EQ(outcome_of(run).cleanup, Cleanup::not_needed);
}

BELAY_CASE(CleanEnd, FollowsFromTheEndOfItsParent) {
    const RunRef parent = start_running("p");
    const RunRef child = start_child(parent, 1, "p/c");
    const RunRef other = start_child(parent, 2, "p/d");
    apply(clean(next_turn(child)));
    take_turn(other);
    end(parent);
    EXPECT_EQ(status(child), Status::canceled);
    EXPECT_EQ(outcome_of(child).cancel.source, CancelSource::parent);
    EXPECT_EQ(status(other), Status::canceling);
    EXPECT_FALSE(info(parent).settled);
}

BELAY_CASE(CleanEnd, CancelsItsChildrenAndTellsItsParent) {
    const RunRef root = start_running("r");
    const RunRef parent = start_child(root, 1, "r/p");
    take_turn(parent);
    const RunRef child = start_child(parent, 1, "r/p/c");
    take_turn(child);
    apply(clean(next_turn(parent)));
    cancel("r/p");
    EXPECT_EQ(status(parent), Status::canceled);
    EXPECT_EQ(status(child), Status::canceling);
    const auto messages = inbox(root);
    ASSERT_EQ(messages.size(), 1U);
    EXPECT_EQ(messages[0].content.kind, MessageKind::child_canceled);
}

BELAY_CASE(CleanEnd, ReplacementNeedNotWait) {
    const RunRef old = start("a");
    apply(clean(next_turn(old)));
    Start part = op::start(instance("a"));
    part.on_conflict = IdConflict::replace;
    const RunRef fresh = apply(part).instance->run;
    EXPECT_EQ(status(old), Status::canceled);
    EXPECT_TRUE(try_claim(fresh));
}

BELAY_CASE(CleanEnd, NextExecutionBeginsAsTheTurnBeforeSaid) {
    for (const bool nothing : {true, false}) {
        const std::string id = nothing ? "a" : "b";
        const RunRef run = start(id);
        Turn turn = continuing(next_turn(run));
        std::get<ContinuesAsNew>(turn.after).nothing_to_clean_up = nothing;
        apply(turn);
        cancel(id);
        EXPECT_EQ(status(run), nothing ? Status::canceled : Status::canceling);
    }
}

BELAY_CASE(CleanEnd, SecondCancelChangesNothing) {
    const RunRef run = start("a");
    apply(clean(next_turn(run)));
    cancel("a", "first");
    const Answer again = cancel("a", "second");
    EXPECT_FALSE(again.changed);
    EXPECT_EQ(outcome_of(run).cancel.reason, "first");
}

}  // namespace
}  // namespace belay::conformance
