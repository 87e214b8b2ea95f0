// Nothing the store does for one run looks at all the others.
#include "fixture.hpp"

namespace belay::memory {
namespace {

constexpr int kRuns = 5'000;

using Scale = MemoryStoreTest;

/// With a scan anywhere this takes minutes, and without well under a second. Sanitizers run it too.
TEST_F(Scale, ManyRunsWithActivitiesAndTimers) {
    for (int i = 0; i < kRuns; ++i) {
        const NewInstance made = instance("run-" + std::to_string(i));
        Turn turn;
        turn.run = made.run;
        turn.history = events(1);
        turn.activities.push_back(activity(1));
        turn.timers.push_back(
            NewTimer{2, store_->now() + Millis(1'000'000 + i), op::timer_fired(1, 2)});
        ASSERT_TRUE(commit(op::start(made), std::move(turn)).done());
    }
    int completed = 0;
    for (auto items = claim_activities(); !items.empty(); items = claim_activities()) {
        NewMessage completion = op::activity_completed(items[0].activity, Payload());
        ASSERT_TRUE(commit(op::ack_activity(items[0], std::move(completion))).done());
        ++completed;
    }
    EXPECT_EQ(completed, kRuns);
    int ended = 0;
    for (auto items = claim_instances(); !items.empty(); items = claim_instances()) {
        Turn turn = op::turn(items[0], events(1));
        turn.after = Ends{Outcome(), std::nullopt};
        ASSERT_TRUE(commit(std::move(turn)).done());
        ++ended;
    }
    EXPECT_EQ(ended, kRuns);
}

TEST_F(Scale, OneRunWithManyChildrenEndsThemAll) {
    const NewInstance parent = instance("root");
    Turn turn;
    turn.run = parent.run;
    turn.history = events(1);
    for (CommandNo i = 1; i <= kRuns; ++i) {
        NewInstance child = instance("root/" + std::to_string(i));
        child.parent = ParentLink{parent.run, 1, i};
        turn.children.push_back(NewChild{std::move(child), NewMessage()});
    }
    ASSERT_TRUE(commit(op::start(parent), std::move(turn)).done());
    ASSERT_TRUE(commit(op::terminate(name("root"), "me", "enough")).done());
    EXPECT_TRUE(read(ReadInstance{name("root"), {}})->settled);
    EXPECT_EQ(commit(Delete{name("root"), false, {}}).deleted.instances, kRuns + 1U);
}

/// A chain of single children: nothing recurses.
TEST_F(Scale, ADeepTreeIsCanceledAndDeleted) {
    NewInstance parent = instance("root");
    commit(op::start(parent));
    for (int depth = 0; depth < kRuns; ++depth) {
        NewInstance child = instance("root/" + std::to_string(depth));
        child.parent = ParentLink{parent.run, 1, 1};
        Turn turn;
        turn.run = parent.run;
        turn.history = events(1);
        turn.children.push_back(NewChild{child, NewMessage()});
        ASSERT_TRUE(commit(std::move(turn)).done());
        parent = child;
    }
    ASSERT_TRUE(commit(op::terminate(name("root"), "me", "enough")).done());
    EXPECT_TRUE(commit(op::force_delete(name("root"))).done());
    EXPECT_FALSE(read(ReadInstance{name("root"), {}}).has_value());
}

}  // namespace
}  // namespace belay::memory
