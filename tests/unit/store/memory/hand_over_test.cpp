// The reach of a hand-over. The contract leaves it to the store; the rules have one limit for all.
#include "fixture.hpp"

namespace belay::memory {
namespace {

class HandingOver : public MemoryStoreTest {
protected:
    /// Returns true if an activity goes to a worker that has the name "Act" only, behind these
    /// names in line.
    bool is_handed_over_behind(const std::vector<std::string>& names) {
        const NewInstance other = instance("other");
        Turn backlog;
        backlog.run = other.run;
        backlog.history = events(1);
        CommandNo command = 0;
        for (const std::string& one : names) {
            backlog.activities.push_back(activity(++command));
            backlog.activities.back().name = one;
        }
        EXPECT_TRUE(commit(op::start(other), std::move(backlog)).done());

        const NewInstance made = instance("made");
        Turn turn;
        turn.run = made.run;
        turn.history = events(1);
        turn.activities.push_back(handed_over(1, next_token()));
        turn.activities[0].hand_over->names =
            std::make_shared<const std::vector<std::string>>(std::vector<std::string>{"Act"});
        return !commit(op::start(made), std::move(turn)).leased.empty();
    }
};

TEST_F(HandingOver, ManyActivitiesOfOneOtherNameAreNotInTheWay) {
    EXPECT_TRUE(is_handed_over_behind(std::vector<std::string>(1'000, "Other")));
}

TEST_F(HandingOver, LooksAtSixtyFourOtherNames) {
    std::vector<std::string> names;
    for (int i = 0; i < 64; ++i) names.push_back("Other" + std::to_string(i));
    EXPECT_TRUE(is_handed_over_behind(names));
}

TEST_F(HandingOver, LooksAtNoMoreThanThat) {
    std::vector<std::string> names;
    for (int i = 0; i < 65; ++i) names.push_back("Other" + std::to_string(i));
    EXPECT_FALSE(is_handed_over_behind(names));
}

}  // namespace
}  // namespace belay::memory
