// Transitions of several parts: judged as if the earlier ones had been applied, or refused whole.
#include "fixture.hpp"

namespace belay::memory {
namespace {

class Fusing : public MemoryStoreTest {
protected:
    static Turn first_turn(RunRef run) {
        Turn turn;
        turn.run = run;
        turn.history = events(1);
        return turn;
    }
};

TEST_F(Fusing, AStartAndItsFirstTurnWithALeasedActivity) {
    const NewInstance a = instance("a");
    const LeaseToken token = next_token();
    Turn turn = first_turn(a.run);
    turn.activities.push_back(handed_over(1, token));
    const CommitId id = next_commit();
    const Answer answer = commit_as(id, op::start(a), turn);
    EXPECT_EQ(answer.verdict, Verdict::applied);
    EXPECT_EQ(answer.leased, std::vector<CommandNo>{1});

    const Answer again = commit_as(id, op::start(a), turn);
    EXPECT_EQ(again.verdict, Verdict::already_applied);
    EXPECT_EQ(again.leased, std::vector<CommandNo>{1});
    EXPECT_EQ(again.instance->run, a.run);
}

TEST_F(Fusing, ARefusedTurnTakesItsStartAlong) {
    const NewInstance a = instance("a");
    Turn turn = first_turn(a.run);
    turn.position = 5;
    EXPECT_TRUE(commit(op::start(a), turn).refused_with(Errc::position_moved));
    EXPECT_FALSE(read(ReadInstance{name("a"), {}}).has_value());
}

TEST_F(Fusing, AnAckAndTheTurnThatSchedulesTheSameCommandAgain) {
    const NewInstance a = instance("a");
    const LeaseToken token = next_token();
    Turn turn = first_turn(a.run);
    turn.activities.push_back(handed_over(1, token));
    commit(op::start(a), turn);

    Turn retry;
    retry.run = a.run;
    retry.position = 1;
    retry.history = events(1);
    retry.activities.push_back(activity(1));
    const ActivityRef ref{a.run, 1, 1};
    EXPECT_TRUE(commit(retry).refused_with(Errc::invalid_argument));
    EXPECT_EQ(commit(AckActivity{ref, token, std::nullopt}, retry).verdict, Verdict::applied);
    EXPECT_EQ(claim_activities().at(0).activity, ref);
}

TEST_F(Fusing, ATurnDoesNotOvertakeAMessageOfItsOwnTransition) {
    const NewInstance a = instance("a");
    commit(op::start(a), first_turn(a.run));
    Turn turn;
    turn.run = a.run;
    turn.position = 1;
    EXPECT_TRUE(commit(Deliver{a.run, NewMessage()}, turn).refused_with(Errc::messages_waiting));
    EXPECT_EQ(read(ReadInstance{name("a"), {}})->ready_messages, 0U);
}

TEST_F(Fusing, TwoPartsThatChangeOneRunAreRefused) {
    const NewInstance a = instance("a");
    commit(op::start(a));
    Turn turn = first_turn(a.run);
    turn.cancel_seen = true;
    const Answer answer = commit(op::cancel(name("a"), "enough", Millis(1000)), turn);
    EXPECT_TRUE(answer.refused_with(Errc::invalid_argument));
    EXPECT_EQ(read(ReadInstance{name("a"), {}})->status, Status::pending);
}

TEST_F(Fusing, NoPartAddressesARunThatAnEarlierOneMayEnd) {
    const NewInstance parent = instance("a");
    NewInstance child = instance("a/b");
    child.parent = ParentLink{parent.run, 1, 1};
    Turn turn = first_turn(parent.run);
    turn.children.push_back(NewChild{child, NewMessage()});
    commit(op::start(parent), turn);
    const Answer answer =
        commit(op::cancel(name("a"), "enough", Millis(1000)), first_turn(child.run));
    EXPECT_TRUE(answer.refused_with(Errc::invalid_argument));
    EXPECT_EQ(commit(first_turn(child.run), op::cancel(name("a"), "enough", Millis(1000))).verdict,
              Verdict::applied);
}

TEST_F(Fusing, AReplacementWaitsAlsoForTheOneItsPredecessorWaitedFor) {
    const NewInstance first = instance("a");
    const LeaseToken token = next_token();
    Turn turn = first_turn(first.run);
    turn.activities.push_back(handed_over(1, token));
    commit(op::start(first), turn);
    commit(op::terminate(name("a"), "me", "enough"));

    Start second = op::start(instance("a"));
    second.on_conflict = IdConflict::replace;
    Start third = op::start(instance("a"));
    third.on_conflict = IdConflict::replace;
    commit(second);
    commit(third);
    EXPECT_TRUE(claim_instances().empty());
    commit(AckActivity{ActivityRef{first.run, 1, 1}, token, std::nullopt});
    const auto items = claim_instances(10);
    ASSERT_EQ(items.size(), 1U);
    EXPECT_EQ(items[0].run, third.instance.run);
}

TEST_F(Fusing, DeletingANameDeletesTheRunsThatLostIt) {
    const NewInstance old = instance("a");
    commit(op::start(old));
    Start fresh = op::start(instance("a"));
    fresh.on_conflict = IdConflict::replace;
    commit(fresh);
    EXPECT_EQ(commit(op::force_delete(name("a"))).deleted.instances, 2U);
    EXPECT_FALSE(read(ReadInstance{{}, old.run}).has_value());
}

}  // namespace
}  // namespace belay::memory
