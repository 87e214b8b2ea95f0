// Messages to runs: order, batches, and those that nobody can receive.
#include "conformance/case.hpp"

#include <algorithm>

BELAY_CONFORMANCE_AREA(messages)

namespace belay::conformance {
namespace {

Deliver to(RunRef run, std::string name) {
    Deliver part;
    part.run = run;
    part.message = event(std::move(name));
    return part;
}

BELAY_CASE(Messages, ArriveInTheOrderTheyWereSent) {
    const RunRef run = start_running("a");
    for (const char* name : {"one", "two", "three"}) raise("a", name);
    const auto messages = claim(run).messages;
    EXPECT_EQ(names_of(messages), (std::vector<std::string>{"one", "two", "three"}));
    EXPECT_LT(messages[0].id, messages[1].id);
    EXPECT_LT(messages[1].id, messages[2].id);
}

BELAY_CASE(Messages, ArriveInTheOrderTheyWereSentWhenTheClockIsSetBack) {
    const RunRef run = start_running("a");
    raise("a", "one");
    set_back(1h);
    raise("a", "two");
    raise("a", "three");
    const auto messages = claim(run).messages;
    EXPECT_EQ(names_of(messages), (std::vector<std::string>{"one", "two", "three"}));
    EXPECT_LT(messages[0].id, messages[1].id);
    EXPECT_LE(messages[0].sent_at, messages[1].sent_at) << "times agree with the order";
}

BELAY_CASE(Messages, OrderOutlastsATurnAfterTheClockIsSetBack) {
    const RunRef run = start_running("a");
    raise("a", "one");
    take_turn(run);
    set_back(1h);
    raise("a", "two");
    EXPECT_EQ(names_of(claim(run).messages), std::vector<std::string>{"two"})
        << "it does not wait for the clock to catch up";
}

BELAY_CASE(Messages, TurnInLineDoesNotOvertakeOneFromBeforeTheClockWasSetBack) {
    const RunRef run = start_running("a");
    raise("a", "one");
    set_back(1h);
    Turn turn = next_turn(run);
    turn.in_line = true;
    EXPECT_TRUE(refused(commit(turn), Errc::messages_waiting));
    EXPECT_EQ(info(run).ready_messages, 1U);
}

BELAY_CASE(Messages, AMessageBeforeACancelHasTheSmallerNumberWhenTheClockIsSetBack) {
    const RunRef run = start_running("a");
    raise("a", "paid");
    set_back(1h);
    cancel("a");
    raise("a", "late");
    const ClaimedInstance item = claim(run);
    ASSERT_TRUE(item.cancel);
    ASSERT_EQ(names_of(item.messages), (std::vector<std::string>{"paid", "late"}));
    EXPECT_LT(item.messages[0].id, item.cancel->sequence);
    EXPECT_GE(item.messages[1].id, item.cancel->sequence);
}

BELAY_CASE(Messages, AreKeptAsTheyWereSent) {
    const RunRef run = start_running("a");
    Send send;
    send.name = named("a");
    send.message.kind = MessageKind::queue_message;
    send.message.execution = 3;
    send.message.command = 9;
    send.message.name = "mail";
    send.message.payload = Payload(PayloadCodec::bytes, std::string("a\0b", 3));
    send.message.payload.flags = 5;
    apply(send);
    const auto messages = inbox(run);
    ASSERT_EQ(messages.size(), 1U);
    EXPECT_EQ(messages[0].content, send.message);
    EXPECT_EQ(messages[0].sent_at, now());
}

BELAY_CASE(Messages, UnknownKindIsDeliveredLikeAnyOther) {
    const RunRef run = start_running("a");
    Send send = op::raise(named("a"), "future", Payload());
    send.message.kind = static_cast<MessageKind>(999);
    apply(send);
    const auto messages = inbox(run);
    ASSERT_EQ(messages.size(), 1U);
    EXPECT_EQ(messages[0].content.kind, static_cast<MessageKind>(999));
}

BELAY_CASE(Messages, RaiseAnswersWithTheInstance) {
    const RunRef run = start_running("a");
    const Answer answer = apply(op::raise(named("a"), "go", Payload()));
    ASSERT_TRUE(answer.instance);
    EXPECT_EQ(answer.instance->run, run);
    EXPECT_EQ(answer.instance->status, Status::running);
}

BELAY_CASE(Messages, RaiseToAPendingRunComesWithItsFirstTurn) {
    const RunRef run = start("a");
    raise("a", "early");
    EXPECT_EQ(names_of(claim(run).messages), std::vector<std::string>{"early"});
}

BELAY_CASE(Messages, RaiseToAnEndedRunIsRefused) {
    const RunRef run = start_running("a");
    end(run);
    EXPECT_TRUE(refused(commit(op::raise(named("a"), "go", Payload())), Errc::already_ended));
    EXPECT_EQ(info(run).ready_messages, 0U);
}

BELAY_CASE(Messages, BatchLimitLeavesTheRestForTheNextTurn) {
    const RunRef run = start_running("a");
    for (int i = 0; i < 5; ++i) raise("a", std::to_string(i));
    ClaimInstances request = op::claim_instance(fresh_token(), "worker", kLease);
    request.max_messages = 2;
    const auto items = claim_instances(request);
    ASSERT_EQ(items.size(), 1U);
    EXPECT_EQ(names_of(items.front().messages), (std::vector<std::string>{"0", "1"}));
    apply(turn_of(items.front()));
    EXPECT_EQ(names_of(claim(run).messages), (std::vector<std::string>{"2", "3", "4"}));
}

BELAY_CASE(Messages, ReadyOnesAreCounted) {
    const RunRef run = start_running("a");
    EXPECT_EQ(info(run).ready_messages, 0U);
    raise("a", "one");
    raise("a", "two");
    EXPECT_EQ(info(run).ready_messages, 2U);
    take_turn(run);
    EXPECT_EQ(info(run).ready_messages, 0U);
}

/// A turn after which so many messages may wait.
Turn with_room(Turn turn, std::uint64_t room) {
    turn.message_room = room;
    return turn;
}

BELAY_CASE(Messages, BeyondTheRoomOfTheRunAreRefusedToTheSender) {
    const RunRef run = start_running("a");
    apply(with_room(next_turn(run), 2));
    raise("a", "one");
    raise("a", "two");
    const Answer answer = commit(op::raise(named("a"), "three", Payload()));
    EXPECT_TRUE(refused(answer, Errc::limit_exceeded));
    ASSERT_TRUE(answer.instance);
    EXPECT_EQ(answer.instance->run, run);
    EXPECT_TRUE(refused(commit(op::enqueue(named("a"), "q", Payload())), Errc::limit_exceeded));
    EXPECT_EQ(names_of(inbox(run)), (std::vector<std::string>{"one", "two"}));
}

BELAY_CASE(Messages, ATurnMakesRoom) {
    const RunRef run = start_running("a");
    apply(with_room(next_turn(run), 1));
    raise("a", "one");
    EXPECT_TRUE(refused(commit(op::raise(named("a"), "two", Payload())), Errc::limit_exceeded));
    apply(with_room(turn_of(claim(run)), 1));
    raise("a", "two");
    apply(with_room(turn_of(claim(run)), 0));
    EXPECT_TRUE(refused(commit(op::raise(named("a"), "three", Payload())), Errc::limit_exceeded));
}

BELAY_CASE(Messages, TheMessagesOfOneTransitionFillTheRoomTogether) {
    const RunRef run = start_running("a");
    apply(with_room(next_turn(run), 1));
    const Send one = op::raise(named("a"), "one", Payload());
    EXPECT_TRUE(refused(commit(fuse(one, one)), Errc::limit_exceeded));
    EXPECT_TRUE(inbox(run).empty());
}

BELAY_CASE(Messages, WithADelayTakeRoom) {
    const RunRef run = start_running("a");
    apply(with_room(next_turn(run), 1));
    Send later = op::raise(named("a"), "later", Payload());
    later.delay = 1h;
    apply(later);
    EXPECT_TRUE(refused(commit(op::raise(named("a"), "now", Payload())), Errc::limit_exceeded));
}

BELAY_CASE(Messages, AnswersAndTimersTakeNoRoom) {
    const RunRef run = start_with_activities("a", 3);
    Turn turn = with_room(next_turn(run), 1);
    turn.timers = {NewTimer{7, now() + 1h, op::timer_fired(1, 7)}};
    apply(turn);
    for (int i = 0; i < 3; ++i) complete(claim_activity());
    raise("a", "one");
    EXPECT_TRUE(refused(commit(op::raise(named("a"), "two", Payload())), Errc::limit_exceeded));
    EXPECT_EQ(inbox(run).size(), 4U);
}

BELAY_CASE(Messages, ARepeatedRequestIsAnsweredAlthoughThereIsNoRoom) {
    const RunRef run = start_running("a");
    apply(with_room(next_turn(run), 1));
    Send send = op::raise(named("a"), "one", Payload());
    send.request_id = "r";
    apply(send);
    EXPECT_TRUE(already_applied(commit(send)));
}

BELAY_CASE(Messages, DeliverReachesTheRun) {
    const RunRef run = start_running("a");
    apply(to(run, "inside"));
    EXPECT_EQ(names_of(claim(run).messages), std::vector<std::string>{"inside"});
    EXPECT_TRUE(dead_letters().empty());
}

BELAY_CASE(Messages, DeliverToAnEndedRunIsDropped) {
    const RunRef run = start_running("a");
    end(run);
    EXPECT_TRUE(applied(commit(to(run, "late"))));
    EXPECT_FALSE(try_claim());
    EXPECT_TRUE(dead_letters().empty());
}

BELAY_CASE(Messages, DeliverToAnUnknownRunIsADeadLetter) {
    const RunRef nobody = fresh_run("nobody");
    EXPECT_TRUE(applied(commit(to(nobody, "lost"))));
    const auto letters = dead_letters();
    ASSERT_EQ(letters.size(), 1U);
    EXPECT_EQ(letters[0].run, nobody);
    EXPECT_EQ(letters[0].message, event("lost"));
    EXPECT_FALSE(letters[0].reason.empty());
    EXPECT_EQ(letters[0].at, now());
}

BELAY_CASE(Messages, DeadLettersAreListedInPages) {
    for (int i = 0; i < 5; ++i) apply(to(fresh_run("nobody"), std::to_string(i)));
    std::vector<std::string> names;
    ListDeadLetters request;
    request.max = 2;
    for (int page = 0; page < 4; ++page) {
        const auto letters = read(request);
        EXPECT_LE(letters.size(), 2U);
        for (const DeadLetter& letter : letters) {
            EXPECT_GT(letter.id, request.after);
            names.push_back(letter.message.name);
            request.after = letter.id;
        }
    }
    EXPECT_EQ(names, (std::vector<std::string>{"0", "1", "2", "3", "4"}));
}

BELAY_CASE(Messages, DeadLettersNeverBlockAQueue) {
    for (int i = 0; i < 50; ++i) apply(to(fresh_run("nobody"), "lost"));
    const RunRef run = start("a");
    const auto item = try_claim();
    ASSERT_TRUE(item);
    EXPECT_EQ(item->run, run);
    EXPECT_FALSE(try_claim());
}

BELAY_CASE(Messages, DeadLetterIsNotDeliveredToALaterNamesake) {
    const RunRef old = start_running("a");
    apply(op::force_delete(named("a")));
    apply(to(old, "stale"));
    const RunRef recreated = start_running("a");
    EXPECT_FALSE(try_claim(recreated));
    EXPECT_EQ(dead_letters().size(), 1U);
}

}  // namespace
}  // namespace belay::conformance
