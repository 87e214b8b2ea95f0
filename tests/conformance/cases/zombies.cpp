// Nothing brings back what was deleted, and nothing of it reaches a later namesake.
#include "conformance/case.hpp"

BELAY_CONFORMANCE_AREA(zombies)

namespace belay::conformance {
namespace {

BELAY_CASE(Zombies, TurnAfterDeletionIsRefused) {
    const RunRef run = start("a");
    const ClaimedInstance item = claim(run);
    apply(op::force_delete(named("a")));
    EXPECT_TRUE(refused(commit(turn_of(item)), Errc::not_found));
    EXPECT_FALSE(find("a"));
    EXPECT_FALSE(find(run));
}

BELAY_CASE(Zombies, UnclaimedTurnAfterDeletionIsRefused) {
    const RunRef run = start_running("a");
    Turn turn = next_turn(run);
    turn.activities = {activity(1)};
    apply(op::force_delete(named("a")));
    EXPECT_TRUE(refused(commit(turn), Errc::not_found));
    EXPECT_TRUE(activities().empty());
}

BELAY_CASE(Zombies, CompletionAfterDeletionIsRefused) {
    start_with_activities("a", 1);
    const ClaimedActivity item = claim_activity();
    apply(op::force_delete(named("a")));
    EXPECT_TRUE(refused(try_complete(item), Errc::lease_lost));
    EXPECT_TRUE(refused(try_drop(item), Errc::lease_lost));
    EXPECT_FALSE(try_claim());
    EXPECT_TRUE(dead_letters().empty()) << "a refused completion sends nothing anywhere";
}

BELAY_CASE(Zombies, RenewalsAfterDeletionAreRefused) {
    const RunRef run = start_with_activities("a", 1);
    const ClaimedActivity work = claim_activity();
    raise("a", "go");
    const ClaimedInstance item = claim(run);
    apply(op::force_delete(named("a")));
    EXPECT_TRUE(refused(try_renew(work), Errc::lease_lost));
    const Answer renewal = commit(op::renew_turn(item, kLease));
    EXPECT_EQ(renewal.verdict, Verdict::refused) << describe(renewal);
}

BELAY_CASE(Zombies, GivingBackAfterDeletionIsRefused) {
    const RunRef run = start_with_activities("a", 1);
    const ClaimedActivity work = claim_activity();
    raise("a", "go");
    const ClaimedInstance item = claim(run);
    apply(op::force_delete(named("a")));
    EXPECT_TRUE(refused(commit(op::abandon_activity(work)), Errc::lease_lost));
    const Answer abandon = commit(op::abandon_turn(item));
    EXPECT_EQ(abandon.verdict, Verdict::refused) << describe(abandon);
    EXPECT_FALSE(try_claim());
    EXPECT_FALSE(try_claim_activity());
}

BELAY_CASE(Zombies, RecreatedRunStartsFromNothing) {
    const RunRef old = start_running("a");
    raise("a", "for the old one");
    apply(continuing(next_turn(old)));
    cancel("a");
    apply(op::force_delete(named("a")));
    const RunRef fresh = start("a");
    const ClaimedInstance item = claim(fresh);
    EXPECT_EQ(item.execution, 1U);
    EXPECT_EQ(item.position, 0U);
    EXPECT_EQ(item.attempts, 1U);
    EXPECT_TRUE(item.messages.empty());
    EXPECT_FALSE(item.cancel);
    EXPECT_TRUE(history(fresh).empty());
}

BELAY_CASE(Zombies, LockOfTheOldRunIsGone) {
    const RunRef old = start("a");
    const ClaimedInstance item = claim(old);
    apply(op::force_delete(named("a")));
    const RunRef fresh = start("a");
    EXPECT_FALSE(info(fresh).locked);
    const ClaimedInstance own = claim(fresh);
    EXPECT_TRUE(refused(commit(turn_of(item)), Errc::not_found));
    EXPECT_TRUE(applied(commit(turn_of(own))));
}

BELAY_CASE(Zombies, OldTokenDoesNotOpenTheNewLock) {
    const RunRef old = start("a");
    const ClaimedInstance item = claim(old);
    apply(op::force_delete(named("a")));
    const RunRef fresh = start("a");
    claim(fresh);
    Turn crossed = turn_of(item);
    crossed.run = fresh;
    EXPECT_TRUE(refused(commit(crossed), Errc::lease_lost));
}

BELAY_CASE(Zombies, StaleCompletionCannotMatchTheNamesake) {
    start_with_activities("a", 1);
    const ClaimedActivity stale = claim_activity();
    apply(op::force_delete(named("a")));
    const RunRef fresh = start_with_activities("a", 1);
    EXPECT_TRUE(refused(try_complete(stale), Errc::lease_lost));
    EXPECT_EQ(activities(fresh).size(), 1U);
    const ClaimedActivity own = claim_activity();
    EXPECT_TRUE(refused(try_complete(stale), Errc::lease_lost));
    EXPECT_TRUE(applied(try_complete(own)));
    EXPECT_EQ(inbox(fresh).size(), 1U);
}

BELAY_CASE(Zombies, StaleTurnCannotCancelTheNamesakesActivities) {
    const RunRef old = start_with_activities("a", 1);
    raise("a", "go");
    Turn stale = turn_of(claim(old));
    stale.canceled_activities = {1};
    apply(op::force_delete(named("a")));
    const RunRef fresh = start_with_activities("a", 1);
    EXPECT_TRUE(refused(commit(stale), Errc::not_found));
    EXPECT_EQ(activities(fresh).size(), 1U);
}

BELAY_CASE(Zombies, ChildOfADeletedParentCannotReachItsNamesake) {
    const RunRef parent = start_running("p");
    const RunRef child = start_child(parent, 1, "p/c");
    const ClaimedInstance item = claim(child);
    const Turn last = ending(turn_of(item), completed());
    apply(op::force_delete(named("p")));
    const RunRef fresh = start_running("p");
    EXPECT_TRUE(refused(commit(last), Errc::not_found));
    EXPECT_TRUE(inbox(fresh).empty());
}

BELAY_CASE(Zombies, RepeatedCommitAfterDeletionIsNotAlreadyApplied) {
    const RunRef run = start("a");
    const Change transition = fuse(turn_of(claim(run)));
    apply(transition);
    apply(op::force_delete(named("a")));
    EXPECT_TRUE(refused(commit(transition), Errc::not_found));
    EXPECT_FALSE(find("a"));
}

BELAY_CASE(Zombies, StartSentAgainAfterDeletionDoesNotBringTheRunBack) {
    const NewInstance made = instance("a");
    const Change transition = fuse(op::start(made));
    apply(transition);
    apply(op::force_delete(named("a")));
    const Answer again = commit(transition);
    EXPECT_TRUE(already_applied(again));
    ASSERT_TRUE(again.instance);
    EXPECT_EQ(again.instance->run, made.run);
    EXPECT_TRUE(again.instance->deleted);
    EXPECT_FALSE(find("a"));
    EXPECT_TRUE(refused(commit(op::start(made)), Errc::run_key_taken));
}

BELAY_CASE(Zombies, DeletionSentAgainDoesNotReachTheNamesake) {
    start("a");
    Delete removal = op::force_delete(named("a"));
    removal.request_id = "r";
    const Answer first = commit(removal);
    EXPECT_TRUE(applied(first));
    const RunRef fresh = start("a");
    const Answer again = commit(removal);
    EXPECT_TRUE(already_applied(again));
    EXPECT_EQ(again.deleted, first.deleted);
    EXPECT_EQ(status(fresh), Status::pending);
}

BELAY_CASE(Zombies, RecreatedManyTimesIsAlwaysTheLast) {
    std::vector<ClaimedInstance> ghosts;
    for (int i = 0; i < 5; ++i) {
        ghosts.push_back(claim(start("a")));
        apply(op::force_delete(named("a")));
    }
    const RunRef last = start("a");
    for (const ClaimedInstance& ghost : ghosts) {
        EXPECT_TRUE(refused(commit(turn_of(ghost)), Errc::not_found));
    }
    EXPECT_EQ(found("a").run, last);
    EXPECT_EQ(status(last), Status::pending);
}

BELAY_CASE(Zombies, EndedRunCannotBeRevived) {
    const RunRef run = start_running("a");
    raise("a", "go");
    const ClaimedInstance item = claim(run);
    apply(op::terminate(named("a"), "operator", "enough"));
    EXPECT_TRUE(refused(commit(turn_of(item)), Errc::already_ended));
    EXPECT_TRUE(refused(commit(continuing(turn_of(item))), Errc::already_ended));
    EXPECT_TRUE(refused(commit(ending(turn_of(item), completed())), Errc::already_ended));
    EXPECT_EQ(status(run), Status::canceled);
}

}  // namespace
}  // namespace belay::conformance
