// Chains of executions: one instance, one after the other.
#include "conformance/case.hpp"

BELAY_CONFORMANCE_AREA(continue_as_new)

namespace belay::conformance {
namespace {

BELAY_CASE(ContinueAsNew, BeginsTheNextExecution) {
    const RunRef run = start_running("a");
    apply(continuing(next_turn(run), "second input"));
    const InstanceInfo after = info(run);
    EXPECT_EQ(after.execution, 2U);
    EXPECT_EQ(after.position, 0U);
    EXPECT_EQ(after.version, "2.0");
    EXPECT_EQ(after.input, Payload::text("second input"));
    EXPECT_EQ(after.status, Status::running);
    EXPECT_FALSE(after.outcome);
    EXPECT_FALSE(after.ended_at);
}

BELAY_CASE(ContinueAsNew, IsReadyAtOnce) {
    const RunRef run = start_running("a");
    apply(continuing(next_turn(run), "second input"));
    const ClaimedInstance item = claim(run);
    EXPECT_EQ(item.execution, 2U);
    EXPECT_EQ(item.position, 0U);
    EXPECT_EQ(item.version, "2.0");
    EXPECT_EQ(item.input, Payload::text("second input"));
    EXPECT_EQ(item.status, Status::running);
    apply(turn_of(item));
    EXPECT_FALSE(try_claim(run));
}

BELAY_CASE(ContinueAsNew, HistoriesAreKeptApart) {
    const RunRef run = start("a");
    Turn first = next_turn(run);
    first.history = events(2, "first");
    apply(continuing(first));
    Turn second = next_turn(run);
    second.history = events(3, "second");
    apply(second);

    ASSERT_EQ(history(run, 1).size(), 1U);
    EXPECT_EQ(history(run, 1)[0].row.bytes, "first");
    ASSERT_EQ(history(run, 2).size(), 1U);
    EXPECT_EQ(history(run, 2)[0].row.bytes, "second");
    EXPECT_EQ(history(run, 2)[0].first_event, 1U);
    EXPECT_TRUE(history(run, 3).empty());
    EXPECT_EQ(info(run).position, 3U);
    EXPECT_EQ(info(run).event_count, 5U) << "over all executions";
}

BELAY_CASE(ContinueAsNew, ExecutionsAreListed) {
    const RunRef run = start_running("a");
    const Timestamp began = now();
    advance(1s);
    apply(continuing(next_turn(run)));
    const Timestamp continued = now();
    advance(1s);
    take_turn(run);

    auto list = read(ListExecutions{run});
    ASSERT_EQ(list.size(), 2U);
    EXPECT_EQ(list[0].execution, 1U);
    EXPECT_EQ(list[0].status, Status::continued_as_new);
    EXPECT_EQ(list[0].events, 2U);
    EXPECT_EQ(list[0].started_at, began);
    EXPECT_EQ(list[0].ended_at, continued);
    EXPECT_EQ(list[1].execution, 2U);
    EXPECT_EQ(list[1].status, Status::running);
    EXPECT_EQ(list[1].events, 1U);
    EXPECT_FALSE(list[1].ended_at);

    end(run);
    list = read(ListExecutions{run});
    ASSERT_EQ(list.size(), 2U);
    EXPECT_EQ(list[1].status, Status::completed);
    EXPECT_EQ(list[1].ended_at, now());
}

BELAY_CASE(ContinueAsNew, NumbersFollowEachOther) {
    const RunRef run = start("a");
    for (ExecutionNo execution = 1; execution <= 5; ++execution) {
        const ClaimedInstance item = claim(run);
        EXPECT_EQ(item.execution, execution);
        apply(continuing(turn_of(item)));
    }
    EXPECT_EQ(read(ListExecutions{run}).size(), 6U);
}

BELAY_CASE(ContinueAsNew, MessagesStay) {
    const RunRef run = start_running("a");
    raise("a", "consumed");
    const ClaimedInstance item = claim(run);
    raise("a", "waiting");
    apply(continuing(turn_of(item)));
    EXPECT_EQ(names_of(claim(run).messages), std::vector<std::string>{"waiting"});
}

BELAY_CASE(ContinueAsNew, DelayedMessagesStay) {
    const RunRef run = start_running("a");
    Send late = op::raise(info(run).name, "late", Payload::text("x"));
    late.delay = 1h;
    apply(late);
    apply(continuing(next_turn(run)));
    take_turn(run);
    EXPECT_FALSE(try_claim(run));
    advance(1h);
    EXPECT_EQ(names_of(claim(run).messages), std::vector<std::string>{"late"});
}

BELAY_CASE(ContinueAsNew, TimersOfTheOldExecutionGo) {
    const RunRef run = start("a");
    Turn turn = next_turn(run);
    NewTimer timer;
    timer.command = 1;
    timer.due_at = now() + 1s;
    timer.message = op::timer_fired(1, 1);
    turn.timers = {timer};
    apply(turn);
    apply(continuing(next_turn(run)));
    take_turn(run);
    advance(1h);
    EXPECT_FALSE(try_claim(run));
}

BELAY_CASE(ContinueAsNew, CommandNumbersAreFreeAgain) {
    const RunRef run = start("a");
    Turn turn = next_turn(run);
    NewTimer timer;
    timer.command = 2;
    timer.due_at = now() + 1h;
    timer.message = op::timer_fired(1, 2);
    turn.activities = {activity(1)};
    turn.timers = {timer};
    apply(turn);
    apply(continuing(next_turn(run)));

    Turn next = next_turn(run);
    next.activities = {activity(1)};
    timer.message = op::timer_fired(2, 2);
    next.timers = {timer};
    apply(next);
    const ClaimedActivity item = claim_activity();
    EXPECT_EQ(item.activity, (ActivityRef{run, 2, 1}));
    advance(1h);
    const auto messages = inbox(run);
    ASSERT_EQ(messages.size(), 1U);
    EXPECT_EQ(messages[0].content.execution, 2U);
}

BELAY_CASE(ContinueAsNew, TurnOfTheOldExecutionIsRefused) {
    const RunRef run = start_running("a");
    const Turn stale = next_turn(run);
    apply(continuing(next_turn(run)));
    EXPECT_TRUE(refused(commit(stale), Errc::position_moved));
    Turn same_position = next_turn(run);
    same_position.execution = 1;
    EXPECT_TRUE(refused(commit(same_position), Errc::position_moved));
}

BELAY_CASE(ContinueAsNew, CancelRecordIsKept) {
    const RunRef run = start_running("a");
    cancel("a", "enough");
    const auto record = info(run).cancel;
    apply(continuing(turn_of(claim(run))));
    EXPECT_EQ(status(run), Status::canceling);
    EXPECT_EQ(info(run).cancel, record);
    const ClaimedInstance item = claim(run);
    EXPECT_EQ(item.execution, 2U);
    EXPECT_EQ(item.cancel, record);
}

BELAY_CASE(ContinueAsNew, CustomStatusAndKeyValuesStay) {
    const RunRef run = start("a");
    Turn turn = next_turn(run);
    turn.custom_status = Payload::text("half way");
    KeyValueChange change;
    change.key = "k";
    change.value = Payload::text("v");
    turn.key_values = {change};
    apply(turn);
    apply(continuing(next_turn(run)));
    EXPECT_EQ(info(run).custom_status, Payload::text("half way"));
    EXPECT_EQ(info(run).custom_status_version, 1U);
    EXPECT_EQ(key_values(run).at("k"), Payload::text("v"));
}

BELAY_CASE(ContinueAsNew, AttemptsBeginAnew) {
    const RunRef run = start_running("a");
    raise("a", "go");
    claim(run);
    advance(kLease);
    apply(continuing(turn_of(claim(run))));
    EXPECT_EQ(claim(run).attempts, 1U);
}

BELAY_CASE(ContinueAsNew, KeptLockServesTheNextExecution) {
    const RunRef run = start_running("a");
    raise("a", "go");
    const ClaimedInstance item = claim(run);
    Turn turn = continuing(turn_of(item));
    turn.keep_lock = kLease;
    apply(turn);
    EXPECT_FALSE(try_claim(run));
    Turn next = turn_of(item);
    next.execution = 2;
    next.position = 0;
    next.consumed.clear();
    EXPECT_TRUE(applied(commit(next)));
}

BELAY_CASE(ContinueAsNew, ParentLinkStays) {
    const RunRef parent = start_running("p");
    const RunRef child = start_child(parent, 1, "p/c");
    apply(continuing(next_turn(child)));
    EXPECT_EQ(claim(child).parent, (ParentLink{parent, 1, 1}));
    EXPECT_TRUE(inbox(parent).empty()) << "the child has not ended";
}

}  // namespace
}  // namespace belay::conformance
