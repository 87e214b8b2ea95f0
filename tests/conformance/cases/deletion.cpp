// Deletion: a whole tree in one commit, with counts.
#include "conformance/case.hpp"

#include <algorithm>

BELAY_CONFORMANCE_AREA(deletion)

namespace belay::conformance {
namespace {

Delete gentle(std::string id) {
    Delete part;
    part.name = named(std::move(id));
    return part;
}

BELAY_CASE(Deletion, EndedRunIsDeleted) {
    for (const Outcome& outcome : {completed(), failed(), canceled()}) {
        const RunRef run = start_running("a");
        end(run, outcome);
        EXPECT_TRUE(applied(commit(gentle("a"))));
        EXPECT_FALSE(find("a"));
        EXPECT_FALSE(find(run));
        EXPECT_TRUE(history(run).empty());
        EXPECT_TRUE(read(ListExecutions{run}).empty());
    }
}

BELAY_CASE(Deletion, UnknownRunIsRefusedWithZeroCounts) {
    for (const bool force : {false, true}) {
        Delete part = gentle("a");
        part.force = force;
        const Answer answer = commit(part);
        EXPECT_TRUE(refused(answer, Errc::not_found));
        EXPECT_EQ(answer.deleted, DeleteCounts());
    }
}

BELAY_CASE(Deletion, SecondDeletionFindsNothing) {
    end(start_running("a"));
    apply(gentle("a"));
    EXPECT_TRUE(refused(commit(gentle("a")), Errc::not_found));
}

BELAY_CASE(Deletion, RunThatHasNotEndedNeedsForce) {
    const RunRef pending = start("pending");
    const RunRef running = start_running("running");
    const RunRef canceling = start_running("canceling");
    cancel("canceling");
    for (const char* id : {"pending", "running", "canceling"}) {
        EXPECT_TRUE(refused(commit(gentle(id)), Errc::still_running)) << id;
    }
    EXPECT_TRUE(find(pending));
    EXPECT_TRUE(find(running));
    EXPECT_TRUE(find(canceling));
    for (const char* id : {"pending", "running", "canceling"}) {
        EXPECT_TRUE(applied(commit(op::force_delete(named(id))))) << id;
        EXPECT_FALSE(find(id));
    }
}

BELAY_CASE(Deletion, ForceWorksOnEndedRunsToo) {
    end(start_running("a"));
    EXPECT_TRUE(applied(commit(op::force_delete(named("a")))));
    EXPECT_FALSE(find("a"));
}

BELAY_CASE(Deletion, CountsWhatItRemoved) {
    const RunRef run = start("a");
    Turn turn = next_turn(run);
    turn.history = events(3);
    turn.activities = {activity(1), activity(2)};
    NewTimer timer;
    timer.command = 3;
    timer.due_at = now() + 1h;
    timer.message = op::timer_fired(1, 3);
    turn.timers = {timer};
    apply(turn);
    raise("a", "one");
    raise("a", "two");
    const DeleteCounts counts = apply(op::force_delete(named("a"))).deleted;
    EXPECT_EQ(counts.instances, 1U);
    EXPECT_EQ(counts.executions, 1U);
    EXPECT_EQ(counts.events, 3U);
    EXPECT_EQ(counts.messages, 5U) << "two messages, two activities, one timer";
}

BELAY_CASE(Deletion, CountsAllExecutions) {
    const RunRef run = start_running("a");
    apply(continuing(next_turn(run)));
    apply(continuing(next_turn(run)));
    end(run);
    const DeleteCounts counts = apply(gentle("a")).deleted;
    EXPECT_EQ(counts.instances, 1U);
    EXPECT_EQ(counts.executions, 3U);
    EXPECT_EQ(counts.events, 4U);
}

BELAY_CASE(Deletion, WholeTreeGoes) {
    const RunRef parent = start_running("p");
    const RunRef child = start_child(parent, 1, "p/c");
    take_turn(child);
    const RunRef grandchild = start_child(child, 1, "p/c/g");
    const RunRef bystander = start("q");
    const DeleteCounts counts = apply(op::force_delete(named("p"))).deleted;
    EXPECT_EQ(counts.instances, 3U);
    for (const RunRef run : {parent, child, grandchild}) EXPECT_FALSE(find(run));
    EXPECT_FALSE(find("p/c"));
    EXPECT_TRUE(find(bystander));
    EXPECT_EQ(claim_instances(10).size(), 1U);
}

BELAY_CASE(Deletion, EndedTreeGoesWithoutForce) {
    const RunRef parent = start_running("p");
    end(start_child(parent, 1, "p/c"));
    end(parent);
    EXPECT_EQ(apply(gentle("p")).deleted.instances, 2U);
}

BELAY_CASE(Deletion, ChildIsNotDeletedByItself) {
    const RunRef parent = start_running("p");
    const RunRef child = start_child(parent, 1, "p/c");
    EXPECT_TRUE(refused(commit(op::force_delete(named("p/c"))), Errc::has_parent));
    end(child);
    EXPECT_TRUE(refused(commit(gentle("p/c")), Errc::has_parent));
    EXPECT_TRUE(find(child));
}

BELAY_CASE(Deletion, RunningChildKeepsAnEndedRootFromBeingDeleted) {
    const RunRef parent = start_running("p");
    const RunRef child = start_child(parent, 1, "p/c");
    take_turn(child);
    end(parent);
    ASSERT_EQ(status(child), Status::canceling);
    EXPECT_TRUE(refused(commit(gentle("p")), Errc::still_running));
    EXPECT_TRUE(find(parent));
    end(child, canceled());
    EXPECT_TRUE(applied(commit(gentle("p"))));
}

BELAY_CASE(Deletion, LeasedActivitiesOfTheTreeAreStopped) {
    const RunRef parent = start_with_activities("p", 1);
    const RunRef child = start_child(parent, 2, "p/c");
    schedule(child, {activity(1)});
    const auto items = claim_activities();
    ASSERT_EQ(items.size(), 2U);
    Answer answer = apply(op::force_delete(named("p")));
    std::ranges::sort(answer.stopped);
    EXPECT_EQ(answer.stopped, (std::vector<LeaseToken>{items[0].token, items[1].token}));
    EXPECT_TRUE(activities().empty());
    EXPECT_EQ(count_stopping(), 0U) << "nothing is left of it";
}

BELAY_CASE(Deletion, StoppingRecordsGoToo) {
    const RunRef run = start_with_activities("a", 1);
    claim_activity();
    end(run);
    ASSERT_EQ(count_stopping(), 1U);
    apply(gentle("a"));
    EXPECT_EQ(count_stopping(), 0U);
}

BELAY_CASE(Deletion, HeldRunGoesFromTheList) {
    const RunRef run = start("a");
    Hold hold;
    hold.run = run;
    hold.token = claim(run).token;
    apply(hold);
    apply(op::force_delete(named("a")));
    EXPECT_TRUE(held().empty());
}

BELAY_CASE(Deletion, TimersGoToo) {
    const RunRef run = start("a");
    Turn turn = next_turn(run);
    NewTimer timer;
    timer.command = 1;
    timer.due_at = now() + 1s;
    timer.message = op::timer_fired(1, 1);
    turn.timers = {timer};
    apply(turn);
    apply(op::force_delete(named("a")));
    advance(1h);
    EXPECT_FALSE(try_claim());
    EXPECT_TRUE(dead_letters().empty());
}

BELAY_CASE(Deletion, CancelingRunIsNotSweptAfterwards) {
    start_running("a");
    cancel("a");
    apply(op::force_delete(named("a")));
    advance(kDeadline + 1h);
    EXPECT_EQ(sweep().swept, 0U);
    EXPECT_FALSE(find("a"));
}

BELAY_CASE(Deletion, RefusedDeletionRemovesNothing) {
    const RunRef run = start_with_activities("a", 2);
    raise("a", "go");
    const Answer answer = commit(gentle("a"));
    EXPECT_TRUE(refused(answer, Errc::still_running));
    EXPECT_EQ(answer.deleted, DeleteCounts());
    EXPECT_TRUE(answer.stopped.empty());
    EXPECT_EQ(activities(run).size(), 2U);
    EXPECT_EQ(info(run).ready_messages, 1U);
}

// ---- Runs that lost their name -----------------------------------------------------------------

BELAY_CASE(Deletion, ARunThatLostItsNameGoesByItself) {
    const RunRef first = start_running("a");
    end(start_child(first, 1, "a/c"));
    end(first);
    Start again = op::start(instance("a"));
    again.on_conflict = IdConflict::replace;
    apply(again);
    Delete part = gentle("a");
    part.run = first;
    const Answer answer = apply(part);
    EXPECT_EQ(answer.deleted.instances, 2U) << "with its child";
    EXPECT_EQ(answer.instance->run, first);
    EXPECT_FALSE(find(first));
    EXPECT_EQ(find("a")->run, again.instance.run) << "the one that has the name stays";
    EXPECT_TRUE(refused(commit(part), Errc::not_found));
}

BELAY_CASE(Deletion, ARunThatLostItsNameIsProtectedLikeAnyOther) {
    const RunRef first = start_running("a");
    Start again = op::start(instance("a"));
    again.on_conflict = IdConflict::replace;
    apply(again);
    Delete part = gentle("a");
    part.run = first;
    EXPECT_TRUE(refused(commit(part), Errc::still_running)) << "it is canceling";
    part.name = named("b");
    EXPECT_TRUE(refused(commit(part), Errc::not_found)) << "it never had that name";
}

// ---- Fused with what it takes along ------------------------------------------------------------

BELAY_CASE(Deletion, NothingActsOnWhatAnEarlierPartDeletes) {
    const RunRef run = start_with_activities("a", 1);
    const ClaimedActivity item = claim_activities(1).front();
    cancel("a");  // Its handler is stopping.
    const AckActivity ended = op::ack_activity(item, std::nullopt);
    EXPECT_TRUE(refused(commit(fuse(op::force_delete(named("a")), ended)), Errc::invalid_argument));
    NewInstance child = instance("a/c");
    child.run = fresh_run("a");
    child.parent = ParentLink{run, 1, 7};
    EXPECT_TRUE(refused(commit(fuse(op::force_delete(named("a")), op::start(child))),
                        Errc::invalid_argument));
    EXPECT_TRUE(find(run));
}

BELAY_CASE(Deletion, AKeyIsNotFreedBehindADeletion) {
    Start start = op::start(instance("a"));
    start.key = IdempotencyKey{"k", KeyScope::while_active, Millis(0)};
    apply(start);
    const FreeKey free{
        named("").space, start.instance.owner, start.instance.definition, "k", {}, {}};
    EXPECT_TRUE(refused(commit(fuse(op::force_delete(named("a")), free)), Errc::invalid_argument));
    EXPECT_TRUE(applied(commit(fuse(free, op::force_delete(named("a"))))));
}

// ---- Asked again -------------------------------------------------------------------------------

BELAY_CASE(Deletion, ARepeatedRequestSaysThatItsInstanceIsGone) {
    Start start = op::start(instance("a"));
    start.request_id = "r1";
    apply(start);
    EXPECT_FALSE(commit(start).instance->deleted);
    apply(op::force_delete(named("a")));
    const Answer again = commit(start);
    EXPECT_TRUE(already_applied(again));
    ASSERT_TRUE(again.instance);
    EXPECT_EQ(again.instance->run, start.instance.run);
    EXPECT_TRUE(again.instance->deleted);
}

BELAY_CASE(Deletion, OneThatNamesItsRunIsRecognisedByItsCommit) {
    const RunRef root = start_running("a");
    end(start_child(root, 1, "a/c"));
    end(root);
    Delete part = gentle("a");
    part.run = root;
    const Change transition = fuse(part);
    const Answer first = apply(transition);
    EXPECT_EQ(first.deleted.instances, 2U);
    const NewInstance namesake = instance("a");
    apply(op::start(namesake));
    const Answer again = commit(transition);
    EXPECT_TRUE(already_applied(again));
    EXPECT_EQ(again.deleted, first.deleted);
    ASSERT_TRUE(again.instance);
    EXPECT_EQ(again.instance->run, root);
    EXPECT_EQ(again.instance->status, Status::completed);
    EXPECT_TRUE(again.instance->deleted);
    EXPECT_TRUE(find(namesake.run)) << "it is about the first run";
    EXPECT_TRUE(refused(commit(part), Errc::not_found)) << "another commit finds nothing";
}

BELAY_CASE(Deletion, OneThatNamesItsRunIsForgottenAfterItsTime) {
    StoreOptions options;
    options.request_kept = 1h;
    use_options(options);
    const RunRef run = start_running("a");
    end(run);
    Delete part = gentle("a");
    part.run = run;
    const Change transition = fuse(part);
    apply(transition);
    advance(1h - 1ms);
    sweep();
    EXPECT_TRUE(already_applied(commit(transition)));
    advance(2ms);
    sweep();
    EXPECT_TRUE(refused(commit(transition), Errc::not_found));
}

BELAY_CASE(Deletion, OneThatNamesNoRunHasNothingToBeRecognisedBy) {
    end(start_running("a"));
    const Change transition = fuse(gentle("a"));
    apply(transition);
    EXPECT_TRUE(refused(commit(transition), Errc::not_found));
    end(start_running("a"));
    EXPECT_TRUE(applied(commit(transition))) << "it means whoever has the name";
}

}  // namespace
}  // namespace belay::conformance
