// Durable timers: never early, once, and gone when canceled.
#include "conformance/case.hpp"

BELAY_CONFORMANCE_AREA(timers)

namespace belay::conformance {
namespace {

NewTimer timer(CommandNo command, Timestamp due_at) {
    NewTimer made;
    made.command = command;
    made.due_at = due_at;
    made.message = op::timer_fired(1, command);
    return made;
}

std::vector<CommandNo> fired(const std::vector<Message>& messages) {
    std::vector<CommandNo> commands;
    for (const Message& message : messages) {
        if (message.content.kind == MessageKind::timer_fired) {
            commands.push_back(message.content.command);
        }
    }
    return commands;
}

BELAY_CASE(Timers, NeverEarly) {
    const RunRef run = start("a");
    Turn turn = next_turn(run);
    turn.timers = {timer(1, now() + 1h)};
    apply(turn);
    EXPECT_FALSE(try_claim(run));
    advance(1h - 1ms);
    EXPECT_FALSE(try_claim(run));
    EXPECT_EQ(info(run).ready_messages, 0U);
    advance(1ms);
    EXPECT_EQ(fired(claim(run).messages), std::vector<CommandNo>{1});
}

BELAY_CASE(Timers, ArriveAsTheirMessage) {
    const RunRef run = start("a");
    Turn turn = next_turn(run);
    NewTimer wanted = timer(1, now() + 1s);
    wanted.message.payload = Payload::text("tick");
    turn.timers = {wanted};
    apply(turn);
    advance(1min);
    const auto messages = inbox(run);
    ASSERT_EQ(messages.size(), 1U);
    EXPECT_EQ(messages[0].content, wanted.message);
    EXPECT_EQ(messages[0].sent_at, wanted.due_at);
}

BELAY_CASE(Timers, PastDueIsDueAtOnce) {
    const RunRef run = start("a");
    Turn turn = next_turn(run);
    turn.timers = {timer(1, now() - 1h)};
    apply(turn);
    EXPECT_EQ(fired(claim(run).messages), std::vector<CommandNo>{1});
}

BELAY_CASE(Timers, FireOnce) {
    const RunRef run = start("a");
    Turn turn = next_turn(run);
    turn.timers = {timer(1, now() + 1s)};
    apply(turn);
    advance(1s);
    take_turn(run);
    advance(1h);
    EXPECT_FALSE(try_claim(run));
}

BELAY_CASE(Timers, AreGivenAgainWhenTheTurnIsLost) {
    const RunRef run = start("a");
    Turn turn = next_turn(run);
    turn.timers = {timer(1, now() + 1s)};
    apply(turn);
    advance(1s);
    claim(run);
    advance(kLease);
    EXPECT_EQ(fired(claim(run).messages), std::vector<CommandNo>{1});
}

BELAY_CASE(Timers, ComeInOrderOfTheirTimes) {
    const RunRef run = start("a");
    Turn turn = next_turn(run);
    turn.timers = {timer(1, now() + 3s), timer(2, now() + 1s), timer(3, now() + 2s)};
    apply(turn);
    advance(1h);
    EXPECT_EQ(fired(inbox(run)), (std::vector<CommandNo>{2, 3, 1}));
}

BELAY_CASE(Timers, AreOrderedAmongMessagesByTime) {
    const RunRef run = start_running("a");
    Turn turn = next_turn(run);
    turn.timers = {timer(1, now() + 10s)};
    apply(turn);
    advance(5s);
    raise("a", "before");
    advance(10s);
    raise("a", "after");
    const auto messages = inbox(run);
    ASSERT_EQ(messages.size(), 3U);
    EXPECT_EQ(messages[0].content.name, "before");
    EXPECT_EQ(messages[1].content.kind, MessageKind::timer_fired);
    EXPECT_EQ(messages[2].content.name, "after");
}

BELAY_CASE(Timers, EqualTimesComeInTheOrderTheyWereSet) {
    const RunRef run = start("a");
    Turn turn = next_turn(run);
    turn.timers = {timer(2, now() + 1s), timer(1, now() + 1s)};
    apply(turn);
    advance(1s);
    EXPECT_EQ(fired(inbox(run)), (std::vector<CommandNo>{2, 1}));
}

BELAY_CASE(Timers, AreNotStarvedByAFloodOfMessages) {
    const RunRef run = start_running("a");
    Turn turn = next_turn(run);
    turn.timers = {timer(1, now() + 1s)};
    apply(turn);
    advance(2s);
    for (int i = 0; i < 5; ++i) raise("a", "flood");
    ClaimInstances request = op::claim_instance(fresh_token(), "worker", kLease);
    request.max_messages = 2;
    const auto items = claim_instances(request);
    ASSERT_EQ(items.size(), 1U);
    EXPECT_EQ(fired(items[0].messages), std::vector<CommandNo>{1});
}

BELAY_CASE(Timers, WaitAgainWhenTheClockIsSetBack) {
    const RunRef run = start("a");
    Turn turn = next_turn(run);
    turn.timers = {timer(1, now() + 10s)};
    apply(turn);
    advance(10s);
    set_back(5s);
    EXPECT_FALSE(try_claim(run)) << "never early, by whatever clock there is";
    raise("a", "go");
    EXPECT_EQ(names_of(inbox(run)), std::vector<std::string>{"go"});
    advance(5s);
    EXPECT_EQ(fired(inbox(run)), std::vector<CommandNo>{1});
}

BELAY_CASE(Timers, CanceledTimerNeverFires) {
    const RunRef run = start("a");
    Turn turn = next_turn(run);
    turn.timers = {timer(1, now() + 1s), timer(2, now() + 1s)};
    apply(turn);
    Turn canceling = next_turn(run);
    canceling.canceled_timers = {1};
    apply(canceling);
    advance(1h);
    EXPECT_EQ(fired(inbox(run)), std::vector<CommandNo>{2});
}

BELAY_CASE(Timers, DueTimerCanStillBeCanceled) {
    const RunRef run = start("a");
    Turn turn = next_turn(run);
    turn.timers = {timer(1, now() + 1s)};
    apply(turn);
    advance(1h);
    Turn canceling = next_turn(run);
    canceling.canceled_timers = {1};
    apply(canceling);
    EXPECT_FALSE(try_claim(run));
}

BELAY_CASE(Timers, CancelingAnUnknownTimerIsHarmless) {
    const RunRef run = start_running("a");
    Turn turn = next_turn(run);
    turn.canceled_timers = {7};
    EXPECT_TRUE(applied(commit(turn)));
}

BELAY_CASE(Timers, LongTimersDoNotHideReadyRuns) {
    for (int i = 0; i < 20; ++i) {
        const RunRef run = start("sleeper-" + std::to_string(i));
        Turn turn = next_turn(run);
        turn.timers = {timer(1, now() + 24h)};
        apply(turn);
    }
    const RunRef awake = start("awake");
    const auto item = try_claim();
    ASSERT_TRUE(item);
    EXPECT_EQ(item->run, awake);
    EXPECT_FALSE(try_claim());
}

BELAY_CASE(Timers, FarFutureIsKept) {
    const RunRef run = start("a");
    const Timestamp due = now() + std::chrono::hours(24 * 365 * 100);
    Turn turn = next_turn(run);
    turn.timers = {timer(1, due)};
    apply(turn);
    advance(std::chrono::hours(24 * 365 * 100));
    const auto messages = inbox(run);
    ASSERT_EQ(messages.size(), 1U);
    EXPECT_EQ(messages[0].sent_at, due);
}

BELAY_CASE(Timers, EndOfTheRunEndsItsTimers) {
    const RunRef run = start("a");
    Turn turn = next_turn(run);
    turn.timers = {timer(1, now() + 1s)};
    apply(turn);
    end(run);
    advance(1h);
    EXPECT_FALSE(try_claim());
    EXPECT_EQ(info(run).ready_messages, 0U);
}

}  // namespace
}  // namespace belay::conformance
