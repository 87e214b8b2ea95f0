// Cancels that follow from another commit, and the bound on canceling.
#include "conformance/case.hpp"

#include <algorithm>

BELAY_CONFORMANCE_AREA(cancel_tree)

namespace belay::conformance {
namespace {

void expect_parent_canceled(const InstanceInfo& child) {
    ASSERT_TRUE(child.cancel);
    EXPECT_EQ(child.cancel->source, CancelSource::parent);
}

BELAY_CASE(CancelTree, EndOfTheParentCancelsItsChildren) {
    const RunRef parent = start_running("p");
    const RunRef pending = start_child(parent, 1, "p/pending");
    const RunRef running = start_child(parent, 2, "p/running");
    take_turn(running);
    end(parent);
    EXPECT_EQ(status(pending), Status::canceled);
    EXPECT_EQ(status(running), Status::canceling);
    expect_parent_canceled(info(pending));
    expect_parent_canceled(info(running));
    EXPECT_FALSE(try_claim(pending));
    EXPECT_TRUE(claim(running).cancel);
}

BELAY_CASE(CancelTree, EndedChildrenAreLeftAlone) {
    const RunRef parent = start_running("p");
    const RunRef child = start_child(parent, 1, "p/c");
    end(child);
    end(parent);
    EXPECT_EQ(status(child), Status::completed);
    EXPECT_FALSE(info(child).cancel);
}

BELAY_CASE(CancelTree, TurnCancelsTheChildrenItNames) {
    const RunRef parent = start_running("p");
    const RunRef first = start_child(parent, 1, "p/1");
    const RunRef second = start_child(parent, 2, "p/2");
    take_turn(first);
    take_turn(second);
    Turn turn = next_turn(parent);
    turn.canceled_children = {1, 9};
    apply(turn);
    EXPECT_EQ(status(first), Status::canceling);
    expect_parent_canceled(info(first));
    EXPECT_EQ(status(second), Status::running);
}

BELAY_CASE(CancelTree, TurnThatCancelsAChildStopsItsHandlers) {
    const RunRef parent = start_running("p");
    const RunRef child = start_child(parent, 1, "p/c");
    schedule(child, {activity(1)});
    const ClaimedActivity item = claim_activity();
    Turn turn = next_turn(parent);
    turn.canceled_children = {1};
    const Answer answer = apply(turn);
    EXPECT_EQ(answer.stopped, std::vector<LeaseToken>{item.token});
    EXPECT_TRUE(refused(try_complete(item), Errc::canceled));
}

BELAY_CASE(CancelTree, ContinueAsNewCancelsTheOldExecutionsChildren) {
    const RunRef parent = start_running("p");
    const RunRef child = start_child(parent, 1, "p/c");
    take_turn(child);
    apply(continuing(next_turn(parent)));
    EXPECT_EQ(status(child), Status::canceling);
    expect_parent_canceled(info(child));
}

BELAY_CASE(CancelTree, HeldParentEndsAndTakesItsChildrenAlong) {
    const RunRef parent = start_running("p");
    const RunRef child = start_child(parent, 1, "p/c");
    take_turn(child);
    raise("p", "go");
    Hold hold;
    hold.run = parent;
    hold.token = claim(parent).token;
    apply(hold);
    cancel("p");
    EXPECT_EQ(status(parent), Status::canceled);
    EXPECT_EQ(status(child), Status::canceling);
    expect_parent_canceled(info(child));
}

BELAY_CASE(CancelTree, PendingChildrenEndAllTheWayDown) {
    const RunRef parent = start_running("p");
    const RunRef child = start_child(parent, 1, "p/c");
    take_turn(child);
    const RunRef grandchild = start_child(child, 1, "p/c/g");
    end(parent);
    EXPECT_EQ(status(child), Status::canceling);
    EXPECT_EQ(status(grandchild), Status::pending) << "its own parent still decides";
    end(child, canceled());
    EXPECT_EQ(status(grandchild), Status::canceled);
}

BELAY_CASE(CancelTree, ReachesTheWholeTreeInItsCommitOrByTheNextSweeps) {
    // Runs below `top` that end the moment they are canceled: they were held.
    const auto hold = [&](RunRef run, const std::string& id) {
        raise(id, "go");
        Hold part;
        part.run = run;
        part.token = claim(run).token;
        apply(part);
    };
    const RunRef top = start_running("p");
    const RunRef child = start_child(top, 1, "p/1");
    take_turn(child);
    const RunRef grandchild = start_child(child, 1, "p/1/2");
    take_turn(grandchild);
    const RunRef last = start_child(grandchild, 1, "p/1/2/3");
    hold(grandchild, "p/1/2");
    hold(child, "p/1");

    end(top);
    EXPECT_EQ(status(child), Status::canceled) << "a child goes in the same commit";
    sweep();
    EXPECT_EQ(status(grandchild), Status::canceled);
    sweep();
    EXPECT_EQ(status(last), Status::canceled);
    expect_parent_canceled(info(last));
    EXPECT_TRUE(info(top).settled);
}

BELAY_CASE(CancelTree, FirstRecordOfAChildStays) {
    const RunRef parent = start_running("p");
    const RunRef child = start_child(parent, 1, "p/c");
    take_turn(child);
    cancel("p/c", "by hand");
    end(parent);
    ASSERT_TRUE(info(child).cancel);
    EXPECT_EQ(cancel_record(child).source, CancelSource::user);
    EXPECT_EQ(cancel_record(child).reason, "by hand");
}

BELAY_CASE(CancelTree, CascadedCancelHasTheDeadlineOfItsTransition) {
    const RunRef parent = start_running("p");
    const RunRef child = start_child(parent, 1, "p/c");
    take_turn(child);
    StopTerms stop;
    stop.cancel_deadline = 42s;
    apply(Change(ending(next_turn(parent), completed())).with(stop));
    EXPECT_EQ(info(child).cancel_deadline, now() + 42s);
}

BELAY_CASE(CancelTree, SweepEndsWhatIsPastItsDeadline) {
    const RunRef run = start_running("a");
    cancel("a", "enough");
    advance(kDeadline - 1ms);
    sweep();
    EXPECT_EQ(status(run), Status::canceling);
    advance(2ms);
    EXPECT_GE(sweep().swept, 1U);
    const InstanceInfo after = info(run);
    EXPECT_EQ(after.status, Status::canceled);
    ASSERT_TRUE(after.outcome);
    EXPECT_EQ(after.outcome->cleanup, Cleanup::timed_out);
    EXPECT_EQ(after.outcome->cancel.reason, "enough");
    EXPECT_EQ(after.ended_at, now());
    EXPECT_FALSE(try_claim(run));
}

BELAY_CASE(CancelTree, SweepEndsARunThatHangsInItsTurn) {
    const RunRef run = start_running("a");
    cancel("a");
    const ClaimedInstance hanging = claim(run);
    advance(kDeadline - 10s);
    apply(op::abandon_turn(hanging));
    const ClaimedInstance item = claim(run);
    advance(10s + 1ms);
    ASSERT_TRUE(info(run).locked);
    sweep();
    EXPECT_EQ(status(run), Status::canceled);
    EXPECT_TRUE(refused(commit(turn_of(item)), Errc::already_ended));
}

BELAY_CASE(CancelTree, SweepStopsShieldedHandlers) {
    const RunRef run = start("a");
    NewActivity refund = activity(1, "Refund");
    refund.shielded = true;
    schedule(run, {refund});
    cancel("a");
    ClaimActivities request = op::claim_activity(fresh_token(), "worker", 2 * kDeadline);
    const auto items = claim_activities(request);
    ASSERT_EQ(items.size(), 1U);
    advance(kDeadline + 1ms);
    EXPECT_EQ(sweep().stopped, std::vector<LeaseToken>{items[0].token});
    EXPECT_EQ(status(run), Status::canceled);
    EXPECT_FALSE(info(run).settled);
}

BELAY_CASE(CancelTree, SweepTellsTheParent) {
    const RunRef parent = start_running("p");
    const RunRef child = start_child(parent, 1, "p/c");
    take_turn(child);
    cancel("p/c");
    advance(kDeadline + 1ms);
    sweep();
    EXPECT_EQ(status(child), Status::canceled);
    const auto messages = inbox(parent);
    ASSERT_EQ(messages.size(), 1U);
    EXPECT_EQ(messages[0].content.kind, MessageKind::child_canceled);
    EXPECT_EQ(messages[0].content.command, 1U);
}

BELAY_CASE(CancelTree, ShieldExtendsTheDeadline) {
    const RunRef run = start_running("a");
    cancel("a");
    Turn turn = turn_of(claim(run));
    GoesOn shield;
    shield.cancel_deadline = now() + 2 * kDeadline;
    turn.after = shield;
    apply(turn);
    EXPECT_EQ(info(run).cancel_deadline, shield.cancel_deadline);
    advance(kDeadline + 1s);
    sweep();
    EXPECT_EQ(status(run), Status::canceling);
    advance(kDeadline);
    sweep();
    EXPECT_EQ(status(run), Status::canceled);
}

BELAY_CASE(CancelTree, TurnWithoutAShieldKeepsTheDeadline) {
    const RunRef run = start_running("a");
    cancel("a");
    const auto deadline = info(run).cancel_deadline;
    advance(1s);
    take_turn(run);
    EXPECT_EQ(info(run).cancel_deadline, deadline);
}

BELAY_CASE(CancelTree, SweepOfDeadlinesIsLimited) {
    for (int i = 0; i < 5; ++i) {
        const std::string id = "a" + std::to_string(i);
        start_running(id);
        cancel(id);
    }
    advance(kDeadline + 1ms);
    EXPECT_EQ(sweep(2).swept, 2U);
    EXPECT_EQ(sweep(2).swept, 2U);
    EXPECT_EQ(sweep(2).swept, 1U);
    for (int i = 0; i < 5; ++i) EXPECT_EQ(found("a" + std::to_string(i)).status, Status::canceled);
}

BELAY_CASE(CancelTree, SweepWithNothingToDoDoesNothing) {
    const RunRef run = start_with_activities("a", 1);
    const ClaimedActivity item = claim_activity();
    advance(24h);
    EXPECT_EQ(sweep().swept, 0U);
    EXPECT_EQ(status(run), Status::running);
    EXPECT_TRUE(applied(try_complete(item))) << "an expired lease is not swept";
}

}  // namespace
}  // namespace belay::conformance
