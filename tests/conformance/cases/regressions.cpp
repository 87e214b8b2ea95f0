// Defects that other engines are known to have had, each under its number in the research
// catalogue.
//
// W1, W5, W8 and W17 are matters of the engine and the runtime, not of a store.
#include "conformance/case.hpp"

#include <set>

BELAY_CONFORMANCE_AREA(regressions)

namespace belay::conformance {
namespace {

BELAY_CASE(Regression, W2_ChildIdRepeatedAfterContinueAsNewIsToldToTheParent) {
    const RunRef parent = start_running("p");
    end(start_child(parent, 1, "p/1"));
    take_turn(parent);
    apply(continuing(next_turn(parent)));
    take_turn(parent);
    start_child(parent, 1, "p/1");
    const auto messages = inbox(parent);
    ASSERT_EQ(messages.size(), 1U) << "the parent must not wait for a child that was never started";
    EXPECT_EQ(messages[0].content.name, "conflict");
    EXPECT_EQ(messages[0].content.execution, 2U);
}

BELAY_CASE(Regression, W3_ChildReachesAParentPastItsFirstExecution) {
    const RunRef parent = start_running("p");
    apply(continuing(next_turn(parent)));
    take_turn(parent);
    const RunRef child = start_child(parent, 5, "p/c");
    end(child, completed("done"));
    const auto messages = inbox(parent);
    ASSERT_EQ(messages.size(), 1U);
    EXPECT_EQ(messages[0].content.execution, 2U);
    EXPECT_EQ(messages[0].content.command, 5U);
}

BELAY_CASE(Regression, W3_ChildThatContinuesAsNewKeepsItsParent) {
    const RunRef parent = start_running("p");
    const RunRef child = start_child(parent, 1, "p/c");
    for (int i = 0; i < 3; ++i) apply(continuing(next_turn(child)));
    EXPECT_EQ(info(child).parent, (ParentLink{parent, 1, 1}));
    end(child, completed("done"));
    EXPECT_EQ(inbox(parent).size(), 1U);
}

BELAY_CASE(Regression, W4_MessageToAnUnknownInstanceNeverStarvesTheQueue) {
    EXPECT_TRUE(refused(commit(op::cancel(named("ghost"), "enough", kDeadline)), Errc::not_found));
    EXPECT_TRUE(refused(commit(op::raise(named("ghost"), "go", Payload())), Errc::not_found));
    Deliver lost;
    lost.run = fresh_run("ghost");
    lost.message = event("late completion");
    apply(lost);
    for (int i = 0; i < 10; ++i) {
        const RunRef run = start("a" + std::to_string(i));
        const auto item = try_claim();
        ASSERT_TRUE(item);
        EXPECT_EQ(item->run, run);
        apply(turn_of(*item));
    }
    EXPECT_FALSE(try_claim());
    EXPECT_EQ(dead_letters().size(), 1U);
}

BELAY_CASE(Regression, W6_ChildIdOfARunningInstanceIsToldToTheParent) {
    const RunRef other = start_running("shared");
    const RunRef parent = start_running("p");
    start_child(parent, 1, "shared");
    EXPECT_EQ(names_of(inbox(parent)), std::vector<std::string>{"conflict"});
    EXPECT_FALSE(info(other).parent) << "and the other run is not adopted";
}

BELAY_CASE(Regression, W7_LeaseIsNeverBornExpired) {
    const RunRef run = start_with_activities("a", 1);
    raise("a", "go");
    advance(24h);
    const auto item = try_claim(run, 1s);
    ASSERT_TRUE(item);
    EXPECT_GT(item->locked_until, now());
    EXPECT_TRUE(info(run).locked);
    const auto work = try_claim_activity(1s);
    ASSERT_TRUE(work);
    EXPECT_GT(work->leased_until, now());
    EXPECT_TRUE(applied(try_renew(*work, 1s)));
    EXPECT_TRUE(applied(commit(turn_of(*item))));
}

BELAY_CASE(Regression, W9_GivingBackAfterARefusedCommitFreesTheRunAtOnce) {
    const RunRef run = start("a");
    const ClaimedInstance item = claim(run);
    Turn wrong = turn_of(item);
    wrong.position = 9;
    EXPECT_TRUE(refused(commit(wrong), Errc::position_moved));
    apply(op::abandon_turn(item, Millis(0), CountAttempt::no));
    EXPECT_TRUE(try_claim(run)) << "not only when the lock expires";
}

BELAY_CASE(Regression, W10_ParentIsToldHoweverItsChildEnds) {
    const RunRef parent = start_running("p");
    const RunRef by_turn = start_child(parent, 1, "p/turn");
    const RunRef by_poison = start_child(parent, 2, "p/poison");
    start_child(parent, 3, "p/cancel");
    start_child(parent, 4, "p/terminate");
    const RunRef by_sweep = start_child(parent, 5, "p/sweep");
    const RunRef by_hold = start_child(parent, 6, "p/hold");

    end(by_turn, failed());
    Finish finish;
    finish.target = std::pair(by_poison, claim(by_poison).token);
    finish.outcome = poisoned();
    apply(finish);
    cancel("p/cancel");
    apply(op::terminate(named("p/terminate"), "operator", "enough"));
    Hold hold;
    hold.run = by_hold;
    hold.token = claim(by_hold).token;
    apply(hold);
    cancel("p/hold");
    take_turn(by_sweep);
    cancel("p/sweep");
    advance(kDeadline + 1ms);
    sweep();

    std::set<CommandNo> told;
    for (const Message& message : inbox(parent)) told.insert(message.content.command);
    EXPECT_EQ(told, (std::set<CommandNo>{1, 2, 3, 4, 5, 6}));
}

BELAY_CASE(Regression, W11_ActivityEndsOnceInWhicheverWay) {
    const RunRef run = start_with_activities("a", 1);
    const ClaimedActivity item = claim_activity();
    const AckActivity failing =
        op::ack_activity(item, op::activity_failed(item.activity, Failure()));
    apply(failing);
    EXPECT_TRUE(refused(commit(failing), Errc::lease_lost));
    EXPECT_TRUE(refused(try_complete(item), Errc::lease_lost));
    EXPECT_EQ(inbox(run).size(), 1U);
}

BELAY_CASE(Regression, W12_DuplicateStartDoesNotTouchTheLiveInstance) {
    const RunRef run = start_running("a");
    NewInstance other = instance("a");
    other.definition = "Other";
    other.version = "9.9";
    other.input = Payload::text("other input");
    EXPECT_TRUE(refused(commit(op::start(other)), Errc::id_in_use));
    const InstanceInfo after = info(run);
    EXPECT_EQ(after.definition, "Order");
    EXPECT_EQ(after.version, "1.0");
    EXPECT_EQ(after.input, Payload::text("input of a"));
    EXPECT_FALSE(try_claim(run)) << "it is not even woken";
}

BELAY_CASE(Regression, W13_UnreadableBytesBlockNoQueue) {
    std::string garbage = "\xff\xfe{";
    garbage.push_back('\0');
    const RunRef bad = start("bad");
    Turn turn = next_turn(bad);
    turn.history = events(1, garbage);
    turn.history.format = 999;
    NewActivity unreadable = activity(1);
    unreadable.input = Payload(static_cast<PayloadCodec>(60'000), garbage);
    turn.activities = {unreadable};
    apply(turn);
    Send send = op::raise(named("bad"), "go", Payload(PayloadCodec::json, garbage));
    send.message.kind = static_cast<MessageKind>(60'000);
    apply(send);
    start_with_activities("good", 1);

    EXPECT_EQ(claim_activities().size(), 2U);
    const ClaimedInstance item = claim(bad);
    ASSERT_EQ(item.messages.size(), 1U) << "nothing is dropped either";
    EXPECT_EQ(item.messages[0].content, send.message);
    EXPECT_EQ(history(bad).at(0).row.bytes, garbage);
    EXPECT_TRUE(applied(commit(turn_of(item)))) << "and appending needs no reading";
}

BELAY_CASE(Regression, W14_RunBetweenTwoExecutionsIsRunning) {
    const RunRef run = start_running("a");
    apply(continuing(next_turn(run)));
    Delete gentle;
    gentle.name = named("a");
    EXPECT_TRUE(refused(commit(gentle), Errc::still_running));
    EXPECT_EQ(status(run), Status::running);
    EXPECT_TRUE(try_claim(run));
}

BELAY_CASE(Regression, W14_ChildBetweenTwoExecutionsKeepsItsTree) {
    const RunRef parent = start_running("p");
    const RunRef child = start_child(parent, 1, "p/c");
    take_turn(child);
    end(parent);
    apply(continuing(turn_of(claim(child))));
    Delete gentle;
    gentle.name = named("p");
    EXPECT_TRUE(refused(commit(gentle), Errc::still_running));
    EXPECT_TRUE(find(child));
}

BELAY_CASE(Regression, W15_KeyValuesComeBackTheSameEachTime) {
    const RunRef run = start("a");
    Turn turn = next_turn(run);
    for (int i = 0; i < 150; ++i) {
        KeyValueChange change;
        change.key = "key " + std::to_string(i * 7919 % 1000);
        change.value = Payload::text(std::to_string(i));
        turn.key_values.push_back(std::move(change));
    }
    apply(turn);
    const auto first = key_values(run);
    EXPECT_EQ(first.size(), 150U) << "no silent limit";
    EXPECT_EQ(key_values(run), first);
}

BELAY_CASE(Regression, W16_RunKeyInUseIsNeverSilentlyShared) {
    const RunRef run = start_running("a");
    end(run);
    NewInstance clash = instance("a/clash");
    clash.run = run;
    EXPECT_TRUE(refused(commit(op::start(clash)), Errc::run_key_taken))
        << "not even of an ended run";
    EXPECT_EQ(status(run), Status::completed);
}

BELAY_CASE(Regression, W18_NoticesOfTheStoreCarryTheirAddress) {
    const RunRef parent = start_running("p");
    apply(continuing(next_turn(parent)));
    take_turn(parent);
    start_child(parent, 9, "p/c");
    apply(op::terminate(named("p/c"), "operator", "enough"));
    const auto messages = inbox(parent);
    ASSERT_EQ(messages.size(), 1U);
    EXPECT_EQ(messages[0].content.execution, 2U);
    EXPECT_EQ(messages[0].content.command, 9U);
    EXPECT_EQ(messages[0].sent_at, now());
}

BELAY_CASE(Regression, W19_TimesAreReadBackAsTheyWereWritten) {
    const Timestamp began = now();
    ASSERT_GT(to_unix_ms(began), 0);
    const RunRef run = start("a");
    advance(1'234ms);
    take_turn(run);
    advance(1ms);
    apply(continuing(next_turn(run)));
    advance(1ms);
    end(run);
    EXPECT_EQ(info(run).created_at, began);
    EXPECT_EQ(info(run).started_at, began + 1'234ms);
    EXPECT_EQ(info(run).ended_at, began + 1'236ms);
    const auto list = read(ListExecutions{run});
    ASSERT_EQ(list.size(), 2U);
    EXPECT_EQ(list[0].ended_at, began + 1'235ms);
    EXPECT_EQ(list[1].ended_at, began + 1'236ms);
}

}  // namespace
}  // namespace belay::conformance
