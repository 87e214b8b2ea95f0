// Messages of the store as inputs.
#include "replay/message_input.hpp"

#include "model/encoding.hpp"

#include <gtest/gtest.h>

#include <string>

namespace belay::replay::message_input_tests {
namespace {

model::Event input(MessageKind kind, Payload payload) {
    return *input_of(NewMessage{kind, 1, 7, "name", std::move(payload)});
}
const Failure& failure_in(const model::Event& event) {
    return std::get<model::CommandFailed>(event).failure;
}

TEST(MessageInput, CompletesACommand) {
    const Payload result = Payload::text("x");
    for (const MessageKind kind : {MessageKind::activity_completed,
                                   MessageKind::timer_fired,
                                   MessageKind::child_completed}) {
        EXPECT_EQ(input(kind, result), model::Event(model::CommandCompleted{7, result}));
    }
}

TEST(MessageInput, FailsACommand) {
    const Failure failure{.message = "broken"};
    EXPECT_EQ(failure_in(input(MessageKind::activity_failed, model::to_payload(failure))), failure);
}

TEST(MessageInput, FailsACommandWhoseFailureCannotBeRead) {
    const model::Event event = input(MessageKind::child_failed, Payload::text("?"));
    EXPECT_EQ(failure_in(event).kind, FailureKind::infrastructure);
}

TEST(MessageInput, GivesTheReasonOfACanceledChild) {
    const Payload record = model::to_payload(CancelRecord{.reason = "stop"});
    const model::Event event = input(MessageKind::child_canceled, record);
    EXPECT_EQ(failure_in(event).kind, FailureKind::canceled);
    EXPECT_EQ(failure_in(event).message, "the child was canceled: stop");
}

TEST(MessageInput, BringsAMessageToTheCode) {
    const Payload payload = Payload::text("x");
    EXPECT_EQ(input(MessageKind::queue_message, payload),
              model::Event(model::MessageReceived{MessageKind::queue_message, "name", payload}));
    EXPECT_EQ(answered_kind(MessageKind::queue_message), std::nullopt);
    EXPECT_EQ(answered_kind(MessageKind::timer_fired), detail::OperationKind::timer);
}

}  // namespace
}  // namespace belay::replay::message_input_tests
