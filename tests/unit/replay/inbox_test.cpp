// The inbox: messages from their arrival until code takes them.
#include "replay/inbox.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace belay::replay::inbox_tests {
namespace {

using detail::Operation;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr MessageKind kQueue = MessageKind::queue_message;

class InboxTest : public ::testing::Test {
protected:
    std::shared_ptr<Operation> wait(const std::string& name) {
        detail::OperationSpec spec;
        spec.kind = detail::OperationKind::wait;
        spec.channel = kQueue;
        spec.name = name;
        auto operation = std::make_shared<Operation>(nullptr, commands.next(), spec, false);
        commands.add(operation, spec.kind);
        inbox.begin_wait(spec, operation);
        return operation;
    }
    bool receive(const std::string& name, const std::string& text) {
        return inbox.receive(model::MessageReceived{kQueue, name, Payload::text(text)});
    }
    static NewMessage message(const std::string& name, const std::string& text) {
        return NewMessage{kQueue, 0, 0, name, Payload::text(text)};
    }
    std::vector<std::string> carried() const {
        std::vector<std::string> texts;
        for (const model::CarriedMessage& one : inbox.carried()) {
            texts.push_back(one.name + ":" + one.payload.bytes);
        }
        return texts;
    }

    Limits limits;
    Journal journal{limits};
    Commands commands;
    Inbox inbox{limits, journal, commands};
};

TEST_F(InboxTest, BuffersAMessageUntilAWaitBegins) {
    EXPECT_TRUE(receive("q", "a"));
    EXPECT_EQ(inbox.buffered(), 1U);
    const auto first = wait("q");
    EXPECT_TRUE(first->ready());
    EXPECT_FALSE(commands.is_open(first->number()));
    EXPECT_EQ(inbox.buffered(), 0U);
    EXPECT_EQ(inbox.untaken(), 1U) << "handed over, and not taken";
}

TEST_F(InboxTest, HandsAMessageToTheFirstWait) {
    const auto first = wait("q");
    const auto second = wait("q");
    EXPECT_TRUE(receive("q", "a"));
    EXPECT_TRUE(first->ready());
    EXPECT_FALSE(second->ready());
}

TEST_F(InboxTest, AnArrivalIsReadyOnceAMessageOfItsChannelIsBuffered) {
    const auto arrival = inbox.arrival(kQueue, "q");
    EXPECT_TRUE(receive("other", "x"));
    EXPECT_FALSE(arrival->ready());
    EXPECT_TRUE(receive("q", "a"));
    EXPECT_TRUE(arrival->ready());
    EXPECT_TRUE(inbox.arrival(kQueue, "q")->ready()) << "the message is still there";
    EXPECT_EQ(inbox.try_take(kQueue, "q")->bytes, "a");
    EXPECT_FALSE(inbox.arrival(kQueue, "q")->ready());
}

TEST_F(InboxTest, AnArrivalIsNotReadyForAMessageThatGoesToAWait) {
    const auto arrival = inbox.arrival(kQueue, "q");
    const auto first = wait("q");
    EXPECT_TRUE(receive("q", "a"));
    EXPECT_TRUE(first->ready());
    EXPECT_FALSE(arrival->ready());
}

TEST_F(InboxTest, AMessageWhoseArrivalIsAwaitedComesInThoughTheBufferIsFull) {
    limits.buffered_messages = 1;
    EXPECT_TRUE(receive("other", "x"));
    const auto arrival = inbox.arrival(kQueue, "q");
    EXPECT_TRUE(receive("q", "a"));
    EXPECT_TRUE(arrival->ready());
    EXPECT_FALSE(receive("q", "b")) << "nobody awaits another one";
}

TEST_F(InboxTest, KeepsChannelsApart) {
    const auto other = wait("other");
    EXPECT_TRUE(receive("q", "a"));
    EXPECT_FALSE(other->ready());
}

TEST_F(InboxTest, ForgetsAMessageThatWasTaken) {
    const auto first = wait("q");
    EXPECT_TRUE(receive("q", "a"));
    inbox.set_taken(first->number());
    EXPECT_EQ(inbox.untaken(), 0U);
}

TEST_F(InboxTest, PassesTheMessageOfADroppedWaitToTheNextOne) {
    const auto first = wait("q");
    const auto second = wait("q");
    EXPECT_TRUE(receive("q", "a"));
    inbox.pass_on(*first);
    ASSERT_TRUE(second->ready());
    EXPECT_EQ(second->take().bytes, "a");
}

TEST_F(InboxTest, PutsTheMessageOfADroppedWaitBackInItsOldPlace) {
    const auto first = wait("q");
    EXPECT_TRUE(receive("q", "a"));
    EXPECT_TRUE(receive("q", "b"));
    inbox.pass_on(*first);
    EXPECT_THAT(carried(), ElementsAre("q:a", "q:b"));
}

TEST_F(InboxTest, HandsNothingToAWaitThatHasEnded) {
    const auto first = wait("q");
    inbox.end_wait(first->number());
    EXPECT_TRUE(receive("q", "a"));
    EXPECT_FALSE(first->ready());
    EXPECT_EQ(inbox.buffered(), 1U);
}

TEST_F(InboxTest, BuffersForTheNextExecutionWhatNoCodeTook) {
    const auto first = wait("q");
    EXPECT_TRUE(receive("q", "a"));
    EXPECT_TRUE(receive("q", "b"));
    EXPECT_THAT(carried(), ElementsAre("q:b"));
    inbox.buffer_handed_over();
    EXPECT_THAT(carried(), ElementsAre("q:a", "q:b"));
}

TEST_F(InboxTest, TakesOverTheBufferInItsOrder) {
    inbox.take_over({{kQueue, "q", Payload::text("a")}, {kQueue, "q", Payload::text("b")}});
    EXPECT_EQ(inbox.try_take(kQueue, "q")->bytes, "a");
    EXPECT_EQ(inbox.try_take(kQueue, "q")->bytes, "b");
    EXPECT_EQ(inbox.try_take(kQueue, "q"), std::nullopt);
    EXPECT_EQ(journal.recorded().size(), 2U) << "each is recorded as taken";
}

TEST_F(InboxTest, RefusesAMessageThatItHasNoRoomFor) {
    limits.buffered_messages = 1;
    EXPECT_TRUE(receive("q", "a"));
    EXPECT_FALSE(receive("q", "b"));
    EXPECT_EQ(inbox.room(), 0U);
}

TEST_F(InboxTest, HasRoomForAMessageThatAWaitGets) {
    limits.buffered_messages = 1;
    EXPECT_TRUE(receive("q", "a"));
    const auto other = wait("other");
    EXPECT_TRUE(receive("other", "b"));
    EXPECT_TRUE(other->ready());
}

TEST_F(InboxTest, GivesAnAnnouncedMessageEarlyAndOnce) {
    const NewMessage announced = message("q", "a");
    inbox.announce(announced);
    EXPECT_FALSE(inbox.took_early(announced));
    EXPECT_EQ(inbox.try_take(kQueue, "q")->bytes, "a");
    EXPECT_TRUE(inbox.took_early(announced));
    EXPECT_FALSE(inbox.begin_applying(announced)) << "it must not be applied a second time";
}

TEST_F(InboxTest, AppliesAnAnnouncedMessageThatTheCodeDidNotTake) {
    const NewMessage announced = message("q", "a");
    inbox.announce(announced);
    EXPECT_TRUE(inbox.begin_applying(announced));
}

TEST_F(InboxTest, CountsAnnouncedMessages) {
    const NewMessage first = message("q", "a");
    const NewMessage second = message("q", "b");
    inbox.announce(first);
    inbox.announce(second);
    EXPECT_EQ(inbox.depth(kQueue, "q"), 2U);
}

TEST_F(InboxTest, IsAsDeepAsItSaysThoughItsBufferIsFull) {
    limits.buffered_messages = 1;
    EXPECT_TRUE(receive("other", "x"));
    const NewMessage first = message("q", "a");
    const NewMessage second = message("q", "b");
    inbox.announce(first);
    inbox.announce(second);
    EXPECT_EQ(inbox.depth(kQueue, "q"), 2U);
    EXPECT_TRUE(inbox.has_too_many());
    EXPECT_EQ(inbox.try_take(kQueue, "q")->bytes, "a");
    EXPECT_TRUE(inbox.has_too_many());
    EXPECT_EQ(inbox.try_take(kQueue, "q")->bytes, "b");
    EXPECT_FALSE(inbox.has_too_many()) << "the code has made room again";
    EXPECT_EQ(inbox.try_take(kQueue, "q"), std::nullopt);
}

TEST_F(InboxTest, HasNotTooManyBecauseAMessageIsPutBack) {
    limits.buffered_messages = 1;
    const auto first = wait("q");
    EXPECT_TRUE(receive("q", "a"));
    EXPECT_TRUE(receive("q", "b"));
    inbox.pass_on(*first);
    EXPECT_EQ(inbox.buffered(), 2U);
    EXPECT_FALSE(inbox.has_too_many()) << "nobody could have refused it";
}

TEST_F(InboxTest, ForgetsAnnouncedMessagesWhenTheTurnEnds) {
    const NewMessage announced = message("q", "a");
    inbox.announce(announced);
    inbox.end_turn();
    EXPECT_EQ(inbox.depth(kQueue, "q"), 0U);
    EXPECT_THAT(journal.recorded(), IsEmpty());
}

TEST_F(InboxTest, LeavesAnAnnouncedMessageToTheWaitOfItsChannel) {
    const NewMessage announced = message("q", "a");
    inbox.announce(announced);
    const auto first = wait("q");
    EXPECT_EQ(inbox.try_take(kQueue, "q"), std::nullopt);
    EXPECT_FALSE(inbox.took_early(announced));
}

}  // namespace
}  // namespace belay::replay::inbox_tests
