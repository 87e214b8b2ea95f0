// Patches: which way each goes, and what is recorded of it.
#include "replay/patches.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

namespace belay::replay::patches_tests {
namespace {

using model::Event;
using model::PatchMarked;
using model::PatchRetired;

const Event kInput = model::CommandCompleted{1, Payload()};

class PatchesTest : public ::testing::Test {
protected:
    /// Replays an input that these events follow.
    void replay(const std::vector<Event>& behind) {
        history = {kInput};
        history.insert(history.end(), behind.begin(), behind.end());
        journal.begin_replay(history);
        journal.record(*journal.next_input());
    }

    Limits limits;
    Journal journal{limits};
    Patches patches{limits, journal};
    std::vector<Event> history;
};

TEST_F(PatchesTest, GoTheNewWayWhenLive) {
    EXPECT_TRUE(patches.patched("p"));
    EXPECT_EQ(journal.recorded(), std::vector<Event>{PatchMarked{"p"}});
}

TEST_F(PatchesTest, AreMarkedOnce) {
    EXPECT_TRUE(patches.patched("p"));
    EXPECT_TRUE(patches.patched("p"));
    patches.retire("p");
    EXPECT_EQ(journal.recorded().size(), 1U);
}

TEST_F(PatchesTest, GoTheNewWayIfHistoryHasTheMark) {
    replay({PatchMarked{"p"}});
    EXPECT_TRUE(patches.patched("p"));
    EXPECT_FALSE(journal.match_input());
    EXPECT_FALSE(patches.in_doubt());
}

TEST_F(PatchesTest, GoTheOldWayIfHistoryHasNoMark) {
    replay({});
    EXPECT_FALSE(patches.patched("p"));
    EXPECT_TRUE(patches.in_doubt());
    journal.end_replay();
    EXPECT_FALSE(patches.patched("p")) << "the answer stays";
}

TEST_F(PatchesTest, TakeARetiredMarkForTheirOwn) {
    replay({PatchRetired{"p"}});
    EXPECT_TRUE(patches.patched("p"));
    EXPECT_FALSE(journal.match_input());
}

TEST_F(PatchesTest, TakeAMarkForTheirOwnWhenTheyAreRetired) {
    replay({PatchMarked{"p"}});
    patches.retire("p");
    EXPECT_FALSE(journal.match_input());
}

TEST_F(PatchesTest, GoTheNewWayWhenTheyAreRetiredWithoutAMark) {
    replay({});
    patches.retire("p");
    EXPECT_TRUE(patches.in_doubt());
    EXPECT_TRUE(patches.patched("p"));
}

TEST_F(PatchesTest, GoTheNewWayIfTheyWereRetiredBeforeTheCodeAsked) {
    replay({PatchRetired{"p"}});
    EXPECT_FALSE(journal.match_input());
    EXPECT_TRUE(patches.in_doubt());
    journal.end_replay();
    EXPECT_TRUE(patches.patched("p"));
    EXPECT_TRUE(journal.recorded().empty());
}

TEST_F(PatchesTest, NeedAName) { EXPECT_THROW((void)patches.patched(""), std::invalid_argument); }

}  // namespace
}  // namespace belay::replay::patches_tests
