// Deletion of exactly what is listed: whole trees, as they are at that moment, or nothing.
#include "conformance/case.hpp"

#include <algorithm>

BELAY_CONFORMANCE_AREA(delete_instances)

namespace belay::conformance {
namespace {

DeleteInstances listed(std::vector<std::string> ids, bool force = false) {
    return op::delete_instances_atomic(named("").space, std::move(ids), force);
}

BELAY_CASE(DeleteInstances, AllOfATreeGo) {
    const RunRef parent = start_running("p");
    const RunRef child = start_child(parent, 1, "p/c");
    end(child);
    end(parent);
    const RunRef other = start_running("q");
    end(other);
    const RunRef bystander = start("r");
    const Answer answer = commit(listed({"p/c", "p", "q"}));
    EXPECT_TRUE(applied(answer));
    EXPECT_EQ(answer.deleted.instances, 3U);
    EXPECT_EQ(answer.deleted.executions, 3U);
    for (const RunRef run : {parent, child, other}) EXPECT_FALSE(find(run));
    EXPECT_TRUE(find(bystander));
    ASSERT_TRUE(answer.instance);
    EXPECT_EQ(answer.instance->run, other) << "the last one";
    EXPECT_TRUE(answer.instance->deleted);
}

BELAY_CASE(DeleteInstances, ChildThatWasStartedSinceIsNotOrphaned) {
    const RunRef parent = start_running("p");
    start_child(parent, 1, "p/a");
    const DeleteInstances made_before = listed({"p/a", "p"}, true);
    const RunRef late = start_child(parent, 2, "p/b");
    const Answer answer = commit(made_before);
    EXPECT_TRUE(refused(answer, Errc::has_children));
    ASSERT_TRUE(answer.instance);
    EXPECT_EQ(answer.instance->run, late) << "the one that was left out";
    EXPECT_EQ(answer.deleted, DeleteCounts());
    for (const char* id : {"p", "p/a", "p/b"}) EXPECT_TRUE(find(id)) << id;
}

BELAY_CASE(DeleteInstances, GrandchildMayNotBeLeftOutEither) {
    const RunRef parent = start_running("p");
    const RunRef child = start_child(parent, 1, "p/c");
    take_turn(child);
    start_child(child, 1, "p/c/g");
    EXPECT_TRUE(refused(commit(listed({"p/c", "p"}, true)), Errc::has_children));
    EXPECT_EQ(apply(listed({"p/c/g", "p/c", "p"}, true)).deleted.instances, 3U);
}

BELAY_CASE(DeleteInstances, ChildWithoutItsRootIsRefused) {
    const RunRef parent = start_running("p");
    const RunRef child = start_child(parent, 1, "p/c");
    end(child);
    for (const bool force : {false, true}) {
        const Answer answer = commit(listed({"p/c"}, force));
        EXPECT_TRUE(refused(answer, Errc::has_parent));
        ASSERT_TRUE(answer.instance);
        EXPECT_EQ(answer.instance->run, child);
    }
    EXPECT_TRUE(find(child));
}

BELAY_CASE(DeleteInstances, ParentsComeBehindTheirChildren) {
    const RunRef parent = start_running("p");
    start_child(parent, 1, "p/c");
    EXPECT_TRUE(refused(commit(listed({"p", "p/c"}, true)), Errc::invalid_argument));
    EXPECT_TRUE(find("p"));
    EXPECT_TRUE(find("p/c"));
}

BELAY_CASE(DeleteInstances, OneThatIsNotThereRefusesAll) {
    end(start_running("a"));
    EXPECT_TRUE(refused(commit(listed({"a", "nobody"})), Errc::not_found));
    EXPECT_TRUE(find("a"));
}

BELAY_CASE(DeleteInstances, OneThatRunsRefusesAllUnlessForced) {
    end(start_running("a"));
    const RunRef running = start_running("b");
    const Answer answer = commit(listed({"a", "b"}));
    EXPECT_TRUE(refused(answer, Errc::still_running));
    ASSERT_TRUE(answer.instance);
    EXPECT_EQ(answer.instance->run, running);
    EXPECT_TRUE(find("a"));
    EXPECT_EQ(apply(listed({"a", "b"}, true)).deleted.instances, 2U);
}

BELAY_CASE(DeleteInstances, RunningChildRefusesItsEndedTree) {
    const RunRef parent = start_running("p");
    const RunRef child = start_child(parent, 1, "p/c");
    take_turn(child);
    end(parent);
    EXPECT_TRUE(refused(commit(listed({"p/c", "p"})), Errc::still_running));
    EXPECT_TRUE(applied(commit(listed({"p/c", "p"}, true))));
}

BELAY_CASE(DeleteInstances, ListsThatMakeNoSenseAreRefused) {
    end(start_running("a"));
    EXPECT_TRUE(refused(commit(listed({})), Errc::invalid_argument));
    EXPECT_TRUE(refused(commit(listed({"a", "a"})), Errc::invalid_argument));
    EXPECT_TRUE(refused(commit(listed(std::vector<std::string>(Limits().bulk_ids + 1, "a"))),
                        Errc::limit_exceeded));
    EXPECT_TRUE(find("a"));
}

BELAY_CASE(DeleteInstances, OtherNamespacesAreNotMeant) {
    end(start_running("a"));
    DeleteInstances elsewhere = listed({"a"});
    elsewhere.space = "elsewhere";
    EXPECT_TRUE(refused(commit(elsewhere), Errc::not_found));
    EXPECT_TRUE(find("a"));
}

BELAY_CASE(DeleteInstances, EarlierRunsOfANameGoAndTheirChildrenMustBeListed) {
    const RunRef first = start_running("a");
    const RunRef child = start_child(first, 1, "a/c");
    Start again = op::start(instance("a"));
    again.on_conflict = IdConflict::replace;
    apply(again);
    EXPECT_TRUE(refused(commit(listed({"a"}, true)), Errc::has_children));
    EXPECT_EQ(apply(listed({"a/c", "a"}, true)).deleted.instances, 3U);
    EXPECT_FALSE(find(first));
    EXPECT_FALSE(find(child));
}

BELAY_CASE(DeleteInstances, ChildThatLostItsNameGoesWithItsTreeAndNotWhoHasTheName) {
    const RunRef parent = start_running("p");
    const RunRef child = start_child(parent, 1, "p/c");
    take_turn(child);
    const RunRef grandchild = start_child(child, 1, "p/c/g");
    Start other = op::start(instance("p/c"));
    other.on_conflict = IdConflict::replace;
    apply(other);
    // Its parent has no place in the list, so the grandchild may stand anywhere.
    EXPECT_EQ(apply(listed({"p", "p/c/g"}, true)).deleted.instances, 3U);
    for (const RunRef run : {parent, child, grandchild}) EXPECT_FALSE(find(run));
    EXPECT_TRUE(find(other.instance.run));
}

BELAY_CASE(DeleteInstances, LeasedActivitiesAreStopped) {
    const RunRef parent = start_with_activities("p", 1);
    const RunRef child = start_child(parent, 2, "p/c");
    schedule(child, {activity(1)});
    const auto items = claim_activities();
    ASSERT_EQ(items.size(), 2U);
    const Answer answer = apply(listed({"p/c", "p"}, true));
    EXPECT_EQ(answer.stopped.size(), 2U);
    for (const ClaimedActivity& item : items) {
        EXPECT_TRUE(refused(try_complete(item), Errc::lease_lost));
        EXPECT_TRUE(refused(try_renew(item), Errc::lease_lost));
    }
    EXPECT_EQ(count_stopping(), 0U);
}

BELAY_CASE(DeleteInstances, RepeatedRequestIsAnsweredAsTheFirst) {
    end(start_running("a"));
    end(start_running("b"));
    DeleteInstances part = listed({"a", "b"});
    part.request_id = "clean";
    const Answer first = apply(part);
    start("b");
    const Answer again = commit(part);
    EXPECT_TRUE(already_applied(again));
    EXPECT_EQ(again.deleted, first.deleted);
    EXPECT_TRUE(find("b")) << "the namesake was not meant";
    DeleteInstances other = part;
    other.ids = {"a", "c"};
    EXPECT_TRUE(refused(commit(other), Errc::request_id_reused));
}

BELAY_CASE(DeleteInstances, NothingElseMayBeAboutThem) {
    const RunRef run = start_running("a");
    EXPECT_TRUE(refused(commit(fuse(next_turn(run), listed({"a"}, true))), Errc::invalid_argument));
    EXPECT_TRUE(refused(commit(fuse(listed({"a"}, true), op::force_delete(named("a")))),
                        Errc::invalid_argument));
    EXPECT_TRUE(find(run));
}

BELAY_CASE(DeleteInstances, NothingBringsThemBack) {
    const NewInstance made = instance("a");
    const Change starting = fuse(op::start(made));
    apply(starting);
    const ClaimedInstance item = claim(made.run);
    apply(listed({"a"}, true));
    EXPECT_TRUE(refused(commit(turn_of(item)), Errc::not_found));
    EXPECT_TRUE(already_applied(commit(starting)));
    EXPECT_FALSE(find("a"));
}

// ---- Deleting one run and not its namesake -----------------------------------------------------

BELAY_CASE(DeleteInstances, DeleteOfAChosenRunSparesItsNamesake) {
    const RunRef old = start_running("a");
    end(old);
    Delete chosen = op::force_delete(named("a"));
    chosen.run = old;
    apply(op::force_delete(named("a")));
    const RunRef fresh = start("a");
    EXPECT_TRUE(refused(commit(chosen), Errc::not_found));
    EXPECT_TRUE(find(fresh));
    chosen.run = fresh;
    EXPECT_TRUE(applied(commit(chosen)));
    EXPECT_FALSE(find(fresh));
}

// ---- Dead letters ------------------------------------------------------------------------------

BELAY_CASE(DeleteInstances, DeadLettersGoWithTheirRun) {
    const NewInstance late = instance("a");
    apply(Deliver{late.run, event("too early")});
    apply(Deliver{fresh_run("b"), event("to somebody else")});
    apply(op::start(late));
    ASSERT_EQ(dead_letters().size(), 2U);
    const DeleteCounts counts = apply(op::force_delete(named("a"))).deleted;
    EXPECT_EQ(counts.messages, 1U);
    const auto left = dead_letters();
    ASSERT_EQ(left.size(), 1U);
    EXPECT_EQ(left[0].message.name, "to somebody else");
}

BELAY_CASE(DeleteInstances, NumbersOfDeadLettersAreNotGivenTwice) {
    const NewInstance late = instance("a");
    apply(Deliver{late.run, event("first")});
    const std::uint64_t gone = dead_letters().at(0).id;
    apply(op::start(late));
    apply(op::force_delete(named("a")));
    apply(Deliver{late.run, event("second")});
    ASSERT_EQ(dead_letters().size(), 1U);
    EXPECT_GT(dead_letters()[0].id, gone);
    ListDeadLetters after;
    after.after = gone;
    EXPECT_EQ(read(after).size(), 1U);
}

}  // namespace
}  // namespace belay::conformance
