// A store keeps what it is given: codec, flags and bytes, of any size.
#include "conformance/case.hpp"

BELAY_CONFORMANCE_AREA(payloads)

namespace belay::conformance {
namespace {

/// Every byte value, with a codec and flags that no store knows.
Payload opaque(std::size_t size) {
    Payload payload;
    payload.codec = static_cast<PayloadCodec>(4242);
    payload.flags = 0x8001;
    payload.bytes.reserve(size);
    for (std::size_t i = 0; i < size; ++i) payload.bytes.push_back(static_cast<char>(i % 256));
    return payload;
}

/// Around those at which a store may begin to keep them another way.
constexpr std::size_t kPayloadSizes[] = {4095, 4096, 4097, 16384};

BELAY_CASE(Payloads, InputOfARun) {
    NewInstance made = instance("a");
    made.input = opaque(256);
    apply(op::start(made));
    EXPECT_EQ(info(made.run).input, made.input);
    EXPECT_EQ(claim(made.run).input, made.input);
}

BELAY_CASE(Payloads, LargeInputOfARun) {
    NewInstance made = instance("a");
    made.input = opaque(1'000'000);
    apply(op::start(made));
    EXPECT_TRUE(claim(made.run).input == made.input);
}

BELAY_CASE(Payloads, InputsOfRunsOfManySizes) {
    for (const std::size_t size : kPayloadSizes) {
        NewInstance made = instance("a" + std::to_string(size));
        made.input = opaque(size);
        apply(op::start(made));
        EXPECT_TRUE(info(made.run).input == made.input) << size;
        EXPECT_TRUE(claim(made.run).input == made.input) << size;
    }
}

BELAY_CASE(Payloads, InputsOfActivitiesOfManySizes) {
    std::vector<NewActivity> wanted;
    for (const std::size_t size : kPayloadSizes) {
        wanted.push_back(activity(static_cast<CommandNo>(wanted.size() + 1)));
        wanted.back().input = opaque(size);
    }
    schedule(start("a"), wanted);
    for (const char* const when : {"the first time", "again"}) {
        const auto items = claim_activities();
        ASSERT_EQ(items.size(), wanted.size());
        for (const ClaimedActivity& item : items) {
            const NewActivity& expected = wanted.at(item.activity.command - 1);
            EXPECT_TRUE(item.input == expected.input) << expected.input.bytes.size() << " " << when;
            apply(op::abandon_activity(item));
        }
    }
}

BELAY_CASE(Payloads, CustomStatusesOfManySizesOneAfterTheOther) {
    const RunRef run = start("a");
    const auto expect_kept = [&](std::size_t size) {
        Turn turn = next_turn(run);
        turn.custom_status = opaque(size);
        apply(turn);
        EXPECT_TRUE(info(run).custom_status == opaque(size)) << size;
        apply(next_turn(run));
        EXPECT_TRUE(info(run).custom_status == opaque(size)) << size << " after another turn";
    };
    for (const std::size_t size : kPayloadSizes) expect_kept(size);
    for (const std::size_t size : {100'000U, 10U, 20'000U, 4096U, 4097U, 1U}) expect_kept(size);
}

BELAY_CASE(Payloads, OutputsOfManySizes) {
    for (const std::size_t size : kPayloadSizes) {
        const RunRef run = start_running("a" + std::to_string(size));
        Outcome outcome = completed();
        outcome.output = opaque(size);
        end(run, outcome);
        EXPECT_TRUE(outcome_of(run).output == outcome.output) << size;
    }
}

BELAY_CASE(Payloads, InputsOfManySizesOfOneExecutionAfterTheOther) {
    const RunRef run = start_running("a");
    for (const std::size_t size : {4095U, 4096U, 4097U, 16384U, 10U, 100'000U, 4096U}) {
        ContinuesAsNew next;
        next.input = opaque(size);
        next.version = "1.0";
        Turn turn = next_turn(run);
        turn.after = next;
        apply(turn);
        EXPECT_TRUE(info(run).input == next.input) << size;
        const ClaimedInstance item = claim(run);
        EXPECT_TRUE(item.input == next.input) << size;
        apply(turn_of(item));
    }
}

BELAY_CASE(Payloads, NoValueIsNotAnEmptyValue) {
    NewInstance none = instance("none");
    none.input = Payload();
    NewInstance empty = instance("empty");
    empty.input = Payload::text("");
    apply(op::start(none));
    apply(op::start(empty));
    EXPECT_EQ(info(none.run).input, Payload());
    EXPECT_EQ(info(empty.run).input, Payload::text(""));
}

BELAY_CASE(Payloads, InputOfAnActivity) {
    NewActivity wanted = activity(1);
    wanted.input = opaque(100'000);
    schedule(start("a"), {wanted});
    const ClaimedActivity first = claim_activity();
    EXPECT_TRUE(first.input == wanted.input);
    apply(op::abandon_activity(first));
    EXPECT_TRUE(claim_activity().input == wanted.input);
}

BELAY_CASE(Payloads, ResultOfAnActivity) {
    const RunRef run = start_with_activities("a", 1);
    const ClaimedActivity item = claim_activity();
    const Payload result = opaque(100'000);
    apply(op::ack_activity(item, op::activity_completed(item.activity, result)));
    const auto messages = inbox(run);
    ASSERT_EQ(messages.size(), 1U);
    EXPECT_TRUE(messages[0].content.payload == result);
}

BELAY_CASE(Payloads, OutputOfARun) {
    const RunRef run = start_running("a");
    Outcome outcome = completed();
    outcome.output = opaque(100'000);
    end(run, outcome);
    EXPECT_TRUE(outcome_of(run).output == outcome.output);
}

BELAY_CASE(Payloads, MessageOfATimer) {
    const RunRef run = start("a");
    Turn turn = next_turn(run);
    NewTimer timer;
    timer.command = 1;
    timer.due_at = now() + 1s;
    timer.message.payload = opaque(20'000);
    turn.timers = {timer};
    apply(turn);
    advance(1s);
    const auto messages = inbox(run);
    ASSERT_EQ(messages.size(), 1U);
    EXPECT_TRUE(messages[0].content == timer.message);
}

BELAY_CASE(Payloads, HistoryOfAMegabyte) {
    const RunRef run = start("a");
    Turn turn = next_turn(run);
    turn.history = events(1000, opaque(1'000'000).bytes);
    apply(turn);
    const auto rows = history(run);
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_TRUE(rows[0].row.bytes == turn.history.bytes);
}

}  // namespace
}  // namespace belay::conformance
