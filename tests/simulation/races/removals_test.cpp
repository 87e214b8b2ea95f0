// The checks of deletion and pruning can fail: each is shown a fault.
#include "simulation/checks/removals.hpp"

#include "simulation/races/stage.hpp"
#include <belay/store/operations.hpp>

#include <gtest/gtest.h>

#include <functional>

namespace belay::sim::removals_tests {
namespace {

/// A chain of two executions, a parent with a child, and one that is done.
class RemovalsTest : public ::testing::Test {
protected:
    RemovalsTest() : stage_(1) {
        stage_.boot(0);
        stage_.start("chain", "(g(n 0 0)(e 0 0))");
        stage_.start("done", kOneActivity);
        stage_.pass(Millis(50));
        stage_.plan_handlers(hangs());
        stage_.start("parent", "(g(c 0 0 0(g(a 0 0))))");
        stage_.run();
        EXPECT_EQ(stage_.problems(), "");
    }

    static InstanceName named(const std::string& id) { return InstanceName{kSpace, id}; }
    memory::Run& run(memory::Tables& tables, const std::string& id) {
        return *memory::find_run(tables, named(id));
    }
    void doctor(const std::function<void(memory::Tables&)>& change) {
        stage_.true_store().with_tables(change);
    }
    std::string found_at_next_commit() {
        stage_.commit(Sweep{1, "test"});
        return invariant();
    }
    std::string invariant() {
        return stage_.violations().any() ? stage_.violations().first()->invariant : "nothing";
    }
    /// Returns the fault that is found when these runs are gone after `part` was committed.
    std::string found_when_gone(Part part, const std::vector<Vanished>& vanished) {
        const Transition by = op::transition(CommitId{1, 1}, std::move(part));
        Violations violations;
        doctor([&](memory::Tables& t) { check_vanished(violations, t, &by, vanished); });
        return violations.any() ? violations.first()->invariant : "nothing";
    }

    Stage stage_;
};

TEST_F(RemovalsTest, FindsAnExecutionThatVanished) {
    doctor([&](memory::Tables& t) {
        auto& executions = run(t, "chain").executions;
        ASSERT_GE(executions.size(), 2U);
        executions.erase(executions.begin());
    });
    EXPECT_EQ(found_at_next_commit(), "only pruning takes executions");
}

TEST_F(RemovalsTest, FindsACurrentExecutionThatVanished) {
    doctor([&](memory::Tables& t) { run(t, "chain").executions.pop_back(); });
    EXPECT_EQ(found_at_next_commit(), "a chain keeps its current execution");
}

TEST_F(RemovalsTest, FindsAPruningThatTookTooMuch) {
    Prune part = op::prune_executions(named("chain"), 100);
    Answer answer = stage_.commit(part);
    ASSERT_EQ(answer.deleted.executions, 0U);
    answer.deleted.executions = 1;
    Violations violations;
    ChainLedger ledger;
    ledger.pruned(violations, part, answer);
    ASSERT_TRUE(violations.any());
    EXPECT_EQ(violations.first()->invariant, "pruning counts what it took");
}

TEST_F(RemovalsTest, FindsAnExecutionThatWasToBePrunedAndIsThere) {
    memory::Run before;
    doctor([&](memory::Tables& t) { before = run(t, "chain"); });
    ASSERT_GT(stage_.commit(op::prune_executions(named("chain"), 1)).deleted.executions, 0U);
    doctor([&](memory::Tables& t) { run(t, "chain").executions = before.executions; });
    EXPECT_EQ(found_at_next_commit(), "only pruning takes executions");
}

TEST_F(RemovalsTest, FindsAGentleDeletionOfWhatRan) {
    Delete gentle;
    gentle.name = named("done");
    const RunRef gone{Shard{1}, RunKey{1}};
    EXPECT_EQ(found_when_gone(gentle, {Vanished{gone, Status::running}}),
              "only force deletes what has not ended");
    EXPECT_EQ(found_when_gone(gentle, {Vanished{gone, Status::failed}}), "nothing");
    gentle.force = true;
    EXPECT_EQ(found_when_gone(gentle, {Vanished{gone, Status::running}}), "nothing");
}

TEST_F(RemovalsTest, FindsARunThatNobodyDeleted) {
    const RunRef gone{Shard{1}, RunKey{1}};
    EXPECT_EQ(found_when_gone(Sweep{1, "test"}, {Vanished{gone, Status::completed}}),
              "runs do not vanish");
}

TEST_F(RemovalsTest, FindsANamesakeThatWasDeletedInstead) {
    Delete chosen = op::force_delete(named("done"));
    chosen.run = stage_.instance("done")->ref;
    EXPECT_EQ(found_when_gone(chosen, {Vanished{RunRef{Shard{1}, RunKey{1}}, Status::completed}}),
              "a run is deleted and not its namesake");
}

TEST_F(RemovalsTest, FindsAChildThatWasLeftBehind) {
    const RunRef parent = stage_.instance("parent")->ref;
    EXPECT_EQ(
        found_when_gone(op::force_delete(named("parent")), {Vanished{parent, Status::running}}),
        "a tree is deleted as a whole");
}

TEST_F(RemovalsTest, FindsRowsThatAreLeft) {
    RunRef busy;
    doctor([&](memory::Tables& t) {
        ASSERT_FALSE(t.activities.empty());
        busy = t.activities.begin()->first.run;
    });
    EXPECT_EQ(found_when_gone(op::force_delete(named("parent")), {Vanished{busy, Status::running}}),
              "nothing is left of what was deleted");
}

TEST_F(RemovalsTest, FindsALetterThatIsLeft) {
    const RunRef gone{Shard{1}, RunKey{1}};
    doctor([&](memory::Tables& t) {
        DeadLetter letter;
        letter.run = gone;
        memory::add_dead_letter(t, letter);
    });
    EXPECT_EQ(found_when_gone(op::force_delete(named("done")), {Vanished{gone, Status::completed}}),
              "nothing is left of what was deleted");
}

// ---- Letters -----------------------------------------------------------------------------------

class LettersTest : public RemovalsTest {
protected:
    static Deliver stranded() {
        NewMessage message;
        message.kind = MessageKind::event_raised;
        message.name = "go";
        message.payload = Payload::text("m1");
        return Deliver{RunRef{Shard{1}, RunKey{1}}, message};
    }
    std::string found() {
        doctor([&](memory::Tables& t) { stage_.observer().check_everything(t); });
        return invariant();
    }
};

TEST_F(LettersTest, AreThereUntilSomebodyDecides) {
    stage_.commit(stranded());
    EXPECT_EQ(found(), "nothing");
    Redrive again;
    again.letter = 1;
    again.to = named("chain");
    EXPECT_TRUE(stage_.commit(again).done());
    EXPECT_EQ(found(), "nothing");
    EXPECT_FALSE(stage_.commit(again).done());
    EXPECT_EQ(found(), "nothing");
}

TEST_F(LettersTest, FindsOneThatIsLost) {
    stage_.commit(stranded());
    doctor([](memory::Tables& t) {
        t.dead_letters.clear();
        t.letters_to.clear();
    });
    EXPECT_EQ(found(), "a letter is there until somebody decides about it");
}

TEST_F(LettersTest, FindsOneThatIsThereAfterItWasThrownAway) {
    stage_.commit(stranded());
    Discard part;
    part.letter = 1;
    EXPECT_TRUE(stage_.commit(part).done());
    EXPECT_EQ(found(), "nothing");
    doctor([](memory::Tables& t) {
        DeadLetter letter;
        letter.run = stranded().run;
        letter.message = stranded().message;
        memory::add_dead_letter(t, letter);
    });
    EXPECT_EQ(found(), "a letter is there until somebody decides about it");
}

TEST_F(LettersTest, FindsOneThatIsSentAgainTwice) {
    Violations violations;
    MessageLedger messages;
    LetterLedger ledger;
    memory::Tables tables;
    Redrive part;
    part.letter = 1;
    Answer answer;
    answer.instance.emplace();
    ledger.delivered(tables, violations, messages, stranded());
    DeadLetter letter;
    letter.message = stranded().message;
    memory::add_dead_letter(tables, letter);
    for (int times = 0; times < 2; ++times) {
        EXPECT_FALSE(violations.any());
        ledger.before_commit(tables, op::transition(CommitId{1, 1}, part));
        ledger.redriven(violations, messages, part, answer);
    }
    ASSERT_TRUE(violations.any());
    EXPECT_EQ(violations.first()->invariant, "a letter is sent again, or thrown away, once");
}

}  // namespace
}  // namespace belay::sim::removals_tests
