// The consistency check finds what is planted.
#include "fixture.hpp"

namespace belay::memory {
namespace {

class Inspecting : public MemoryStoreTest {
protected:
    Inspecting() {
        commit(op::start(instance("a")));
        Turn turn = op::turn(claim_instances().at(0), events(1));
        turn.activities.push_back(activity(1));
        turn.timers.push_back(NewTimer{2, store_->now() + Millis(100), op::timer_fired(1, 2)});
        commit(std::move(turn));
    }
    /// Returns the findings after `plant` changed a copy of the tables.
    std::vector<std::string> problems_after(const std::function<void(Tables&)>& plant) {
        std::vector<std::string> problems;
        with_tables(*store_, [&](Tables& tables) {
            Tables copy = tables;
            plant(copy);
            problems = find_problems(copy);
        });
        return problems;
    }
};

TEST_F(Inspecting, NothingIsWrong) {
    EXPECT_THAT(check_memory_store(*store_), ::testing::IsEmpty());
}

TEST_F(Inspecting, AnEndedRunWithThingsLeft) {
    const auto problems = problems_after(
        [](Tables& tables) { tables.runs.begin()->second.status = Status::completed; });
    EXPECT_THAT(problems, ::testing::Contains(::testing::HasSubstr("has messages or timers")));
    EXPECT_THAT(problems, ::testing::Contains(::testing::HasSubstr("has activities")));
}

TEST_F(Inspecting, ALostIndexEntry) {
    EXPECT_THAT(problems_after([](Tables& tables) { tables.claimable.clear(); }),
                ::testing::Contains(::testing::HasSubstr("claimable and not in the index")));
    EXPECT_THAT(problems_after([](Tables& tables) { tables.ready = {}; }),
                ::testing::Contains(::testing::HasSubstr("ready and not in the index")));
}

TEST_F(Inspecting, AnIndexEntryWithoutARow) {
    EXPECT_THAT(
        problems_after([](Tables& tables) {
            tables.ready.insert(Shard{9}, ReadyKey{{}, RunKey{99}, Shard{9}});
        }),
        ::testing::Contains(::testing::HasSubstr("of ready runs has entries without a run")));
}

TEST_F(Inspecting, ALostName) {
    EXPECT_THAT(problems_after([](Tables& tables) { tables.names.clear(); }),
                ::testing::Contains(::testing::HasSubstr("has no name")));
}

TEST_F(Inspecting, AGapInHistory) {
    EXPECT_THAT(problems_after([](Tables& tables) {
                    ++tables.runs.begin()->second.executions[0].history[0].first_event;
                }),
                ::testing::Contains(::testing::HasSubstr("gap in its history")));
}

TEST_F(Inspecting, ALostPlaceAmongTheEndedOnesAndTheChains) {
    commit(op::start(instance("b")));
    commit(op::terminate(name("b"), "me", "enough"));
    EXPECT_THAT(problems_after([](Tables& tables) { tables.ended.clear(); }),
                ::testing::Contains(::testing::HasSubstr("has ended and is not in the index")));
    EXPECT_THAT(
        problems_after([](Tables& tables) {
            tables.ended["space"].insert(EndedKey{{}, RunKey{99}, Shard{9}});
        }),
        ::testing::Contains(::testing::HasSubstr("of ended runs has entries without a run")));
    EXPECT_THAT(
        problems_after([](Tables& tables) { tables.outcomes.clear(); }),
        ::testing::Contains(::testing::HasSubstr("has ended and is not in the index of outcomes")));
    EXPECT_THAT(problems_after([](Tables& tables) {
                    tables.outcomes.begin()->second.insert(EndedKey{{}, RunKey{99}, Shard{9}});
                }),
                ::testing::Contains(::testing::HasSubstr("of outcomes has entries without a run")));
    EXPECT_THAT(problems_after([](Tables& tables) {
                    tables.chains["space"].insert(ChainKey{RunKey{99}, Shard{9}});
                }),
                ::testing::Contains(::testing::HasSubstr("of chains has entries without a run")));
}

TEST_F(Inspecting, ALostExecution) {
    EXPECT_THAT(problems_after([](Tables& tables) {
                    tables.runs.begin()->second.executions[0].info.execution = 7;
                }),
                ::testing::Contains(::testing::HasSubstr("has lost its current execution")));
}

TEST_F(Inspecting, ALostDeadLetter) {
    commit(Deliver{RunRef{Shard{1}, RunKey{99}}, NewMessage()});
    EXPECT_THAT(problems_after([](Tables& tables) { tables.dead_letters.clear(); }),
                ::testing::Contains(::testing::HasSubstr("are not all there")));
    EXPECT_THAT(problems_after([](Tables& tables) { tables.letters_to.clear(); }),
                ::testing::Contains(::testing::HasSubstr("of dead letters misses some")));
}

TEST_F(Inspecting, ALostTimer) {
    EXPECT_THAT(problems_after([](Tables& tables) { tables.runs.begin()->second.timers.clear(); }),
                ::testing::Contains(::testing::HasSubstr("cannot be found by command")));
}

}  // namespace
}  // namespace belay::memory
