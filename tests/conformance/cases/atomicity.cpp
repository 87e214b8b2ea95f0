// A transition is applied whole or not at all.
#include "conformance/case.hpp"

BELAY_CONFORMANCE_AREA(atomicity)

namespace belay::conformance {
namespace {

/// A turn with an effect of every kind.
Turn rich_turn(Turn turn, NewChild child, Timestamp due_at) {
    turn.history = events(3, "rich");
    turn.activities = {activity(1), activity(2)};
    NewTimer timer;
    timer.command = 3;
    timer.due_at = due_at;
    timer.message = op::timer_fired(turn.execution, 3);
    turn.timers = {timer};
    turn.children.push_back(std::move(child));
    turn.custom_status = Payload::text("half way");
    KeyValueChange change;
    change.key = "count";
    change.value = Payload::text("1");
    turn.key_values = {change};
    return turn;
}

NewChild child_of(const Turn& turn, NewInstance instance) {
    NewChild child;
    child.instance = std::move(instance);
    child.instance.parent = ParentLink{turn.run, turn.execution, 4};
    return child;
}

BELAY_CASE(Atomicity, RefusedTurnWritesNothing) {
    const RunRef run = start_running("a");
    raise("a", "go");
    Turn turn = turn_of(claim(run));
    turn = rich_turn(turn, child_of(turn, instance("a/child")), now() + 1h);
    turn.lock = fresh_token();
    EXPECT_TRUE(refused(commit(turn), Errc::lease_lost));

    const InstanceInfo after = info(run);
    EXPECT_EQ(after.position, 1U);
    EXPECT_EQ(after.event_count, 1U);
    EXPECT_FALSE(after.custom_status);
    EXPECT_EQ(after.ready_messages, 1U);
    EXPECT_TRUE(activities().empty());
    EXPECT_FALSE(find("a/child"));
    EXPECT_TRUE(key_values(run).empty());
    advance(2h);
    EXPECT_EQ(names_of(inbox(run)), std::vector<std::string>{"go"}) << "no timer was created";
}

BELAY_CASE(Atomicity, AllEffectsOfATurnAppearTogether) {
    const RunRef run = start_running("a");
    raise("a", "go");
    Turn turn = turn_of(claim(run));
    turn = rich_turn(turn, child_of(turn, instance("a/child")), now() + 1h);
    apply(turn);

    const InstanceInfo after = info(run);
    EXPECT_EQ(after.position, 4U);
    EXPECT_EQ(after.custom_status, Payload::text("half way"));
    EXPECT_EQ(after.ready_messages, 0U);
    EXPECT_FALSE(after.locked);
    EXPECT_EQ(activities(run).size(), 2U);
    EXPECT_TRUE(find("a/child"));
    EXPECT_EQ(key_values(run).at("count"), Payload::text("1"));
    advance(1h);
    EXPECT_EQ(inbox(run).size(), 1U) << "the timer is due";
}

BELAY_CASE(Atomicity, RefusedTurnKeepsTheLock) {
    const RunRef run = start("a");
    const ClaimedInstance item = claim(run);
    Turn wrong = turn_of(item);
    wrong.position = 5;
    EXPECT_TRUE(refused(commit(wrong), Errc::position_moved));
    EXPECT_TRUE(info(run).locked);
    EXPECT_FALSE(try_claim(run));
    EXPECT_TRUE(applied(commit(turn_of(item)))) << "and its holder may still commit";
}

BELAY_CASE(Atomicity, RefusedTurnKeepsTheMessages) {
    const RunRef run = start_running("a");
    raise("a", "one");
    raise("a", "two");
    const ClaimedInstance item = claim(run);
    Turn wrong = turn_of(item);
    wrong.execution = 2;
    EXPECT_TRUE(refused(commit(wrong), Errc::position_moved));
    apply(op::abandon_turn(item));
    EXPECT_EQ(names_of(inbox(run)), (std::vector<std::string>{"one", "two"}));
}

BELAY_CASE(Atomicity, OnlyOneOfTwoTurnsOfOneClaimIsApplied) {
    const RunRef run = start("a");
    const ClaimedInstance item = claim(run);
    EXPECT_TRUE(applied(commit(turn_of(item))));
    const Answer second = commit(turn_of(item));
    EXPECT_EQ(second.verdict, Verdict::refused) << describe(second);
    EXPECT_EQ(info(run).position, 1U);
}

BELAY_CASE(Atomicity, RefusedAckSendsNothing) {
    const RunRef run = start_with_activities("a", 1);
    ClaimedActivity item = claim_activity();
    const LeaseToken right = item.token;
    item.token = fresh_token();
    EXPECT_TRUE(refused(try_complete(item), Errc::lease_lost));
    EXPECT_EQ(info(run).ready_messages, 0U);
    item.token = right;
    EXPECT_TRUE(applied(try_complete(item)));
}

BELAY_CASE(Atomicity, RefusedStartLeavesNoTrace) {
    start("a");
    Start again = op::start(instance("a"));
    const RunRef refused_run = again.instance.run;
    EXPECT_TRUE(refused(commit(again), Errc::id_in_use));
    EXPECT_FALSE(find(refused_run));
    EXPECT_EQ(claim_instances(10).size(), 1U);
}

BELAY_CASE(Atomicity, CanceledInTheTurnThatSchedulesItNetsToNothing) {
    const RunRef run = start("a");
    Turn turn = turn_of(claim(run));
    turn.activities = {activity(1), activity(2)};
    turn.canceled_activities = {1};
    apply(turn);
    EXPECT_EQ(commands_of(claim_activities()), std::vector<CommandNo>{2});
}

BELAY_CASE(Atomicity, TimerCanceledInTheTurnThatCreatesItNetsToNothing) {
    const RunRef run = start("a");
    Turn turn = turn_of(claim(run));
    NewTimer timer;
    timer.command = 1;
    timer.due_at = now() + 1s;
    timer.message = op::timer_fired(1, 1);
    turn.timers = {timer};
    turn.canceled_timers = {1};
    apply(turn);
    advance(1min);
    EXPECT_FALSE(try_claim(run));
}

BELAY_CASE(Atomicity, ChildCanceledInTheTurnThatStartsItNeverRuns) {
    const RunRef run = start_running("a");
    Turn turn = next_turn(run);
    NewChild child = child_of(turn, instance("a/child"));
    const RunRef child_run = child.instance.run;
    turn.children.push_back(std::move(child));
    turn.canceled_children = {4};
    apply(turn);
    EXPECT_EQ(status(child_run), Status::canceled);
    EXPECT_FALSE(try_claim(child_run));
}

BELAY_CASE(Atomicity, HistoryIsAppendedOnlyAtItsEnd) {
    const RunRef run = start_running("a");
    Turn stale = next_turn(run);
    stale.position = 0;
    EXPECT_TRUE(refused(commit(stale), Errc::position_moved));
    Turn ahead = next_turn(run);
    ahead.position = 2;
    EXPECT_TRUE(refused(commit(ahead), Errc::position_moved));
    EXPECT_EQ(history(run).size(), 1U);
}

}  // namespace
}  // namespace belay::conformance
