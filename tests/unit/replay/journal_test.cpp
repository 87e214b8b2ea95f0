// The journal: recording, and comparing with history.
#include "replay/journal.hpp"

#include <belay/exceptions.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace belay::replay::journal_tests {
namespace {

using model::CommandCanceled;
using model::CommandCompleted;
using model::Event;
using model::PatchRetired;

const Event kInput = CommandCompleted{1, Payload()};

class JournalTest : public ::testing::Test {
protected:
    /// Feeds the next input, and records what the code decides behind it.
    std::optional<Journal::Difference> step(const std::vector<Event>& decisions) {
        const Event* const input = journal.next_input();
        EXPECT_NE(input, nullptr);
        journal.record(*input);
        for (const Event& decision : decisions) journal.record(decision);
        return journal.match_input();
    }

    Limits limits;
    Journal journal{limits};
};

TEST_F(JournalTest, NumbersTheEventsItRecords) {
    journal.record(kInput);
    journal.record(CommandCanceled{2});
    EXPECT_EQ(journal.position(), 2U);
    EXPECT_EQ(journal.take_recorded(), (std::vector<Event>{kInput, CommandCanceled{2}}));
    EXPECT_TRUE(journal.recorded().empty());
    EXPECT_EQ(journal.position(), 2U);
}

TEST_F(JournalTest, HasNoHistoryAheadWhenItIsLive) {
    journal.record(kInput);
    EXPECT_EQ(journal.in_history(0), nullptr);
    EXPECT_EQ(journal.retired_ahead(), 0U);
}

TEST_F(JournalTest, GoesFromInputToInput) {
    const std::vector<Event> history{kInput, CommandCanceled{2}, kInput};
    journal.begin_replay(history);
    EXPECT_FALSE(step({CommandCanceled{2}}));
    EXPECT_FALSE(step({}));
    EXPECT_EQ(journal.next_input(), nullptr);
    journal.end_replay();
    EXPECT_FALSE(journal.replaying());
    EXPECT_EQ(journal.position(), 3U);
    EXPECT_TRUE(journal.recorded().empty());
}

TEST_F(JournalTest, ShowsTheEventThatDiffers) {
    const std::vector<Event> history{kInput, CommandCanceled{2}};
    journal.begin_replay(history);
    const auto difference = step({CommandCanceled{3}});
    ASSERT_TRUE(difference);
    EXPECT_EQ(difference->at, 2U);
    EXPECT_EQ(*difference->in_history, Event(CommandCanceled{2}));
    EXPECT_EQ(*difference->from_code, Event(CommandCanceled{3}));
}

TEST_F(JournalTest, ShowsAnEventBehindTheEndOfHistory) {
    const std::vector<Event> history{kInput};
    journal.begin_replay(history);
    const auto difference = step({CommandCanceled{3}});
    ASSERT_TRUE(difference);
    EXPECT_EQ(difference->at, 2U);
    EXPECT_EQ(difference->in_history, nullptr);
}

TEST_F(JournalTest, TakesOverARetiredPatchThatTheCodeHasForgotten) {
    const std::vector<Event> history{kInput, PatchRetired{"p"}, CommandCanceled{2}};
    journal.begin_replay(history);
    EXPECT_FALSE(journal.passed_any_retired());
    EXPECT_FALSE(step({CommandCanceled{2}}));
    EXPECT_TRUE(journal.passed_retired("p"));
    EXPECT_FALSE(journal.passed_retired("q"));
    EXPECT_EQ(journal.position(), 3U);
}

TEST_F(JournalTest, TakesOverARetiredPatchBeforeTheNextInput) {
    const std::vector<Event> history{kInput, PatchRetired{"p"}, kInput};
    journal.begin_replay(history);
    EXPECT_FALSE(step({}));
    EXPECT_TRUE(journal.passed_retired("p"));
    EXPECT_FALSE(step({}));
}

TEST_F(JournalTest, LooksBehindRetiredPatches) {
    const std::vector<Event> history{
        kInput, PatchRetired{"p"}, PatchRetired{"q"}, CommandCanceled{2}};
    journal.begin_replay(history);
    journal.record(*journal.next_input());
    EXPECT_EQ(journal.retired_ahead(), 2U);
    ASSERT_NE(journal.next_in_history<CommandCanceled>(), nullptr);
    EXPECT_EQ(journal.next_in_history<CommandCompleted>(), nullptr);
}

TEST_F(JournalTest, IsFullAtTheLimit) {
    limits.history_events = 2;
    journal.record(kInput);
    EXPECT_NO_THROW(journal.check_room());
    journal.record(kInput);
    EXPECT_THROW(journal.check_room(), LimitExceeded);
}

TEST_F(JournalTest, CountsForgottenPatchesWhenItLooksForRoom) {
    limits.history_events = 3;
    const std::vector<Event> history{kInput, PatchRetired{"p"}, PatchRetired{"q"}};
    journal.begin_replay(history);
    journal.record(*journal.next_input());
    EXPECT_THROW(journal.check_room(), LimitExceeded);
}

TEST_F(JournalTest, IsOverfullATenthBeyondTheLimit) {
    limits.history_events = 10;
    for (int i = 0; i < 11; ++i) journal.record(kInput);
    EXPECT_FALSE(journal.is_overfull());
    journal.record(kInput);
    EXPECT_TRUE(journal.is_overfull());
}

}  // namespace
}  // namespace belay::replay::journal_tests
