// Commands: which are open.
#include "replay/commands.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace belay::replay::commands_tests {
namespace {

using detail::Operation;
using detail::OperationKind;
using State = Commands::State;

class CommandsTest : public ::testing::Test {
protected:
    CommandNo add(OperationKind kind) {
        detail::OperationSpec spec;
        spec.kind = kind;
        return commands.add(std::make_shared<Operation>(nullptr, commands.next(), spec, false),
                            kind);
    }

    Commands commands;
};

TEST_F(CommandsTest, AreNumberedFromOne) {
    EXPECT_EQ(commands.next(), 1U);
    EXPECT_EQ(add(OperationKind::activity), 1U);
    EXPECT_EQ(add(OperationKind::timer), 2U);
    EXPECT_EQ(commands.open_count(), 2U);
}

TEST_F(CommandsTest, GoFromOpenToClosed) {
    EXPECT_EQ(commands.state_of(0), State::none);
    EXPECT_EQ(commands.state_of(1), State::none);
    const CommandNo command = add(OperationKind::activity);
    EXPECT_EQ(commands.state_of(command), State::open);
    commands.close(command);
    EXPECT_EQ(commands.state_of(command), State::closed);
    EXPECT_EQ(commands.open_count(), 0U);
}

TEST_F(CommandsTest, KeepTheirKindWhenTheyAreClosed) {
    const CommandNo command = add(OperationKind::child);
    commands.close(command);
    EXPECT_EQ(commands.kind_of(command), OperationKind::child);
    EXPECT_EQ(commands.kind_of(command + 1), std::nullopt);
}

TEST_F(CommandsTest, TakeOnlyAnswersOfTheirKind) {
    const CommandNo activity = add(OperationKind::activity);
    const CommandNo timer = add(OperationKind::timer);
    const CommandNo child = add(OperationKind::child);
    const CommandNo wait = add(OperationKind::wait);
    EXPECT_TRUE(commands.can_complete(activity) && commands.can_fail(activity));
    EXPECT_TRUE(commands.can_complete(child) && commands.can_fail(child));
    EXPECT_TRUE(commands.can_complete(timer));
    EXPECT_FALSE(commands.can_fail(timer));
    EXPECT_FALSE(commands.can_complete(wait) || commands.can_fail(wait));
}

TEST_F(CommandsTest, TakeNoAnswerWhenTheyAreClosed) {
    const CommandNo command = add(OperationKind::activity);
    commands.close(command);
    EXPECT_FALSE(commands.can_complete(command) || commands.can_fail(command));
}

TEST_F(CommandsTest, AreAbandonedUntilAnotherAttemptTakesTheirPlace) {
    const CommandNo first = add(OperationKind::child);
    const CommandNo second = add(OperationKind::child);
    commands.set_abandoned(first);
    EXPECT_TRUE(commands.is_abandoned(first));
    EXPECT_FALSE(commands.is_abandoned(second));
    commands.clear_abandoned(first);
    EXPECT_FALSE(commands.is_abandoned(first));
}

}  // namespace
}  // namespace belay::replay::commands_tests
