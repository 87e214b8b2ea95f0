// Children: started in the parent's turn, and the parent always hears how they ended.
#include "conformance/case.hpp"

#include <algorithm>

BELAY_CONFORMANCE_AREA(children)

namespace belay::conformance {
namespace {

BELAY_CASE(Children, StartPendingWithTheirLink) {
    const RunRef parent = start_running("p");
    const RunRef child = start_child(parent, 4, "p/c");
    const InstanceInfo made = info(child);
    EXPECT_EQ(made.status, Status::pending);
    EXPECT_EQ(made.parent, (ParentLink{parent, 1, 4}));
    const ClaimedInstance item = claim(child);
    EXPECT_EQ(item.parent, (ParentLink{parent, 1, 4}));
    EXPECT_EQ(item.input, Payload::text("input of p/c"));
    EXPECT_EQ(found("p/c").run, child);
}

BELAY_CASE(Children, AreListedInTheOrderTheyWereStarted) {
    const RunRef parent = start_running("p");
    const RunRef z = start_child(parent, 1, "p/z");
    const RunRef a = start_child(parent, 2, "p/a");
    take_turn(a);
    start_child(a, 1, "p/a/grandchild");
    const auto list = read(ListChildren{parent});
    ASSERT_EQ(list.size(), 2U) << "direct children only";
    EXPECT_EQ(list[0].run, z);
    EXPECT_EQ(list[0].status, Status::pending);
    EXPECT_EQ(list[1].run, a);
    EXPECT_EQ(list[1].name, named("p/a"));
    EXPECT_EQ(list[1].status, Status::running);
}

BELAY_CASE(Children, RunWithoutChildrenHasNone) {
    EXPECT_TRUE(read(ListChildren{start("a")}).empty());
    EXPECT_TRUE(read(ListChildren{fresh_run("b")}).empty());
}

BELAY_CASE(Children, CompletedChildTellsItsParent) {
    const RunRef parent = start_running("p");
    const RunRef child = start_child(parent, 1, "p/c");
    end(child, completed("done"));
    const auto messages = inbox(parent);
    ASSERT_EQ(messages.size(), 1U);
    EXPECT_EQ(messages[0].content, op::child_ended(ParentLink{parent, 1, 1}, completed("done")));
}

BELAY_CASE(Children, NoticeIsWhatTheTurnSays) {
    const RunRef parent = start_running("p");
    const RunRef child = start_child(parent, 1, "p/c");
    Turn turn = next_turn(child);
    Ends ends;
    ends.outcome = completed();
    ends.parent_notice = event("notice", "as it was given");
    turn.after = ends;
    apply(turn);
    const auto messages = inbox(parent);
    ASSERT_EQ(messages.size(), 1U);
    EXPECT_EQ(messages[0].content, *ends.parent_notice);
}

BELAY_CASE(Children, NoticeOfARunWithoutParentGoesNowhere) {
    const RunRef run = start_running("a");
    Turn turn = next_turn(run);
    Ends ends;
    ends.outcome = completed();
    ends.parent_notice = event("notice");
    turn.after = ends;
    apply(turn);
    EXPECT_FALSE(try_claim());
    EXPECT_TRUE(dead_letters().empty());
}

BELAY_CASE(Children, NoticeIsSentInTheCommitThatEndsTheChild) {
    const RunRef parent = start_running("p");
    const RunRef child = start_child(parent, 1, "p/c");
    Turn wrong = ending(next_turn(child), completed());
    wrong.position = 3;
    EXPECT_TRUE(refused(commit(wrong), Errc::position_moved));
    EXPECT_TRUE(inbox(parent).empty());
    end(child);
    EXPECT_EQ(inbox(parent).size(), 1U);
}

BELAY_CASE(Children, PendingChildThatIsCanceledTellsItsParent) {
    const RunRef parent = start_running("p");
    const RunRef child = start_child(parent, 3, "p/c");
    cancel("p/c", "not that one");
    EXPECT_EQ(status(child), Status::canceled);
    const auto messages = inbox(parent);
    ASSERT_EQ(messages.size(), 1U);
    EXPECT_EQ(messages[0].content.kind, MessageKind::child_canceled);
    EXPECT_EQ(messages[0].content.execution, 1U);
    EXPECT_EQ(messages[0].content.command, 3U);
    EXPECT_EQ(messages[0].content, op::child_ended(ParentLink{parent, 1, 3}, outcome_of(child)));
}

BELAY_CASE(Children, TerminatedChildTellsItsParent) {
    const RunRef parent = start_running("p");
    const RunRef child = start_child(parent, 1, "p/c");
    take_turn(child);
    apply(op::terminate(named("p/c"), "operator", "stuck"));
    const auto messages = inbox(parent);
    ASSERT_EQ(messages.size(), 1U);
    EXPECT_EQ(messages[0].content.kind, MessageKind::child_canceled);
}

BELAY_CASE(Children, PoisonedChildTellsItsParent) {
    const RunRef parent = start_running("p");
    const RunRef child = start_child(parent, 1, "p/c");
    Finish finish;
    finish.target = std::pair(child, claim(child).token);
    finish.outcome = poisoned();
    apply(finish);
    const auto messages = inbox(parent);
    ASSERT_EQ(messages.size(), 1U);
    EXPECT_EQ(messages[0].content.kind, MessageKind::child_failed);
    EXPECT_EQ(messages[0].content.command, 1U);
}

BELAY_CASE(Children, ChildCanceledByItsParentsTurnTellsIt) {
    const RunRef parent = start_running("p");
    start_child(parent, 1, "p/c");
    Turn turn = next_turn(parent);
    turn.canceled_children = {1};
    apply(turn);
    EXPECT_EQ(inbox(parent).size(), 1U);
}

BELAY_CASE(Children, NoticeToAnEndedParentIsDropped) {
    const RunRef parent = start_running("p");
    const RunRef child = start_child(parent, 1, "p/c");
    take_turn(child);
    end(parent);
    end(child, canceled());
    EXPECT_EQ(status(child), Status::canceled);
    EXPECT_EQ(info(parent).ready_messages, 0U);
    EXPECT_TRUE(dead_letters().empty());
}

BELAY_CASE(Children, IdInUseIsToldToTheParent) {
    const RunRef other = start("taken");
    const RunRef parent = start_running("p");
    const RunRef child = [&] {
        Turn turn = next_turn(parent);
        NewChild wanted;
        wanted.instance = instance("taken");
        wanted.instance.run = fresh_run("p");
        wanted.instance.parent = ParentLink{parent, 1, 2};
        wanted.on_conflict = event("conflict", "id in use");
        turn.children = {wanted};
        apply(turn);
        return wanted.instance.run;
    }();
    EXPECT_FALSE(find(child));
    EXPECT_EQ(found("taken").run, other);
    EXPECT_TRUE(read(ListChildren{parent}).empty());
    const auto messages = inbox(parent);
    ASSERT_EQ(messages.size(), 1U);
    EXPECT_EQ(messages[0].content, event("conflict", "id in use"));
}

BELAY_CASE(Children, ConflictOfOneLeavesTheOthers) {
    const RunRef parent = start_running("p");
    Turn turn = next_turn(parent);
    for (CommandNo command : {1U, 2U, 3U}) {
        NewChild wanted;
        wanted.instance = instance(command == 2 ? "p/1" : "p/" + std::to_string(command));
        wanted.instance.parent = ParentLink{parent, 1, command};
        wanted.on_conflict = event("conflict " + std::to_string(command));
        turn.children.push_back(std::move(wanted));
    }
    apply(turn);
    EXPECT_EQ(read(ListChildren{parent}).size(), 2U);
    EXPECT_EQ(names_of(inbox(parent)), std::vector<std::string>{"conflict 2"});
}

BELAY_CASE(Children, EndedNamesakeIsInUseToo) {
    const RunRef parent = start_running("p");
    end(start_child(parent, 1, "p/c"));
    take_turn(parent);
    start_child(parent, 2, "p/c");
    EXPECT_EQ(names_of(inbox(parent)), std::vector<std::string>{"conflict"});
    EXPECT_EQ(read(ListChildren{parent}).size(), 1U);
}

BELAY_CASE(Children, ManyChildrenInOneTurn) {
    const RunRef parent = start_running("p");
    Turn turn = next_turn(parent);
    for (CommandNo command = 1; command <= 100; ++command) {
        NewChild wanted;
        wanted.instance = instance("p/" + std::to_string(command));
        wanted.instance.parent = ParentLink{parent, 1, command};
        turn.children.push_back(std::move(wanted));
    }
    apply(turn);
    EXPECT_EQ(read(ListChildren{parent}).size(), 100U);
    EXPECT_EQ(claim_instances(1000).size(), 100U);
}

BELAY_CASE(Children, NoticeDoesNotReachALaterExecutionOfTheParent) {
    const RunRef parent = start_running("p");
    const RunRef child = start_child(parent, 1, "p/c");
    take_turn(child);
    apply(continuing(next_turn(parent)));
    ASSERT_EQ(status(child), Status::canceling);
    end(child, canceled());
    EXPECT_TRUE(inbox(parent).empty()) << "command 1 of the new execution is something else";
    EXPECT_TRUE(dead_letters().empty());
}

BELAY_CASE(Children, KeyOfAChildIsGreaterThanItsParents) {
    const RunRef earlier = fresh_run("p/c");
    const RunRef parent = start_running("p");
    Turn turn = next_turn(parent);
    NewChild child;
    child.instance = instance("p/c");
    child.instance.run = earlier;
    child.instance.parent = ParentLink{parent, turn.execution, 1};
    turn.children = {child};
    EXPECT_TRUE(refused(commit(turn), Errc::invalid_argument));
    EXPECT_TRUE(refused(commit(op::start(child.instance)), Errc::invalid_argument));
    EXPECT_FALSE(find("p/c"));
    EXPECT_EQ(info(parent).position, 1U);
}

BELAY_CASE(Children, AbandonedOnesGoOnWhenTheirParentEnds) {
    const RunRef parent = start_running("p");
    const RunRef alone = start_abandoned(parent, 1, "p/a");
    const RunRef other = start_child(parent, 2, "p/b");
    end(parent, completed());
    EXPECT_EQ(info(alone).status, Status::pending);
    EXPECT_FALSE(info(alone).cancel.has_value());
    EXPECT_EQ(info(other).status, Status::canceled);
    EXPECT_FALSE(info(parent).settled) << "it is still its child";
    take_turn(alone);
    end(alone, completed());
    EXPECT_TRUE(info(parent).settled);
    EXPECT_TRUE(dead_letters().empty()) << "nobody is there to be told";
}

BELAY_CASE(Children, AbandonedOnesGoOnWhenTheirParentContinuesAsNew) {
    const RunRef parent = start_running("p");
    const RunRef alone = start_abandoned(parent, 1, "p/a");
    Turn turn = next_turn(parent);
    turn.after = ContinuesAsNew{Payload(), "1"};
    apply(turn);
    EXPECT_FALSE(info(alone).cancel.has_value());
    take_turn(alone);
    end(alone, completed());
    EXPECT_TRUE(inbox(parent).empty()) << "the execution that asked is over";
}

BELAY_CASE(Children, AbandonedOnesTellAParentThatWaits) {
    const RunRef parent = start_running("p");
    const RunRef alone = start_abandoned(parent, 1, "p/a");
    end(alone, completed("done"));
    EXPECT_EQ(inbox(parent).size(), 1U);
}

BELAY_CASE(Children, AbandonedOnesGoOnWhenTheirParentIsTerminated) {
    const RunRef parent = start_running("p");
    const RunRef alone = start_abandoned(parent, 1, "p/a");
    apply(op::terminate(named("p"), "operator", "stuck"));
    EXPECT_FALSE(info(alone).cancel.has_value());
}

BELAY_CASE(Children, AbandonedOnesAreDeletedWithTheirParent) {
    const RunRef parent = start_running("p");
    start_abandoned(parent, 1, "p/a");
    end(parent, completed());
    Delete part;
    part.name = named("p");
    EXPECT_TRUE(refused(commit(part), Errc::still_running));
    part.force = true;
    EXPECT_TRUE(applied(commit(part)));
    EXPECT_FALSE(find("p/a").has_value());
}

BELAY_CASE(Children, ARunOnItsOwnIsStartedWithTheTurn) {
    const RunRef run = start_running("p");
    Turn turn = next_turn(run);
    NewChild first;
    first.instance = instance("alone");
    NewChild second;
    second.instance = instance("alone");
    second.instance.input = Payload::text("another");
    NewChild third;
    third.instance = instance("beside");
    turn.children = {first, second, third};
    apply(turn);
    EXPECT_EQ(found("alone").run, first.instance.run);
    EXPECT_EQ(found("alone").status, Status::pending);
    EXPECT_FALSE(info(first.instance.run).parent.has_value());
    EXPECT_EQ(info(first.instance.run).input, first.instance.input) << "the first one stays";
    EXPECT_EQ(found("beside").run, third.instance.run);
    EXPECT_TRUE(inbox(run).empty()) << "nobody is told that the second was not needed";
    EXPECT_TRUE(read(ListChildren{run}).empty());
    end(run, completed());
    EXPECT_FALSE(info(first.instance.run).cancel.has_value());
    EXPECT_TRUE(info(run).settled);
}

BELAY_CASE(Children, ARefusedTurnStartsNoRunOnItsOwn) {
    const RunRef run = start_running("p");
    Turn turn = next_turn(run);
    turn.position += 1;
    NewChild start;
    start.instance = instance("alone");
    turn.children = {start};
    EXPECT_TRUE(refused(commit(turn), Errc::position_moved));
    EXPECT_FALSE(find("alone").has_value());
}

}  // namespace
}  // namespace belay::conformance
