// The same commit or the same request again: nothing happens twice.
#include "conformance/case.hpp"

BELAY_CONFORMANCE_AREA(repeats)

namespace belay::conformance {
namespace {

BELAY_CASE(Repeats, IdenticalTurnIsAlreadyApplied) {
    const RunRef run = start_running("a");
    raise("a", "go");
    Turn turn = turn_of(claim(run));
    turn.activities = {activity(1)};
    const Change transition = fuse(turn);
    apply(transition);
    EXPECT_TRUE(already_applied(commit(transition)));
    EXPECT_TRUE(already_applied(commit(transition)));
    EXPECT_EQ(info(run).position, 2U);
    EXPECT_EQ(history(run).size(), 2U);
    EXPECT_EQ(activities(run).size(), 1U);
}

BELAY_CASE(Repeats, IdenticalTurnThatEndedTheRunIsAlreadyApplied) {
    const RunRef parent = start_running("p");
    const RunRef run = start_child(parent, 1, "p/c");
    const Change transition = fuse(ending(turn_of(claim(run)), completed()));
    apply(transition);
    EXPECT_TRUE(already_applied(commit(transition)));
    EXPECT_EQ(inbox(parent).size(), 1U) << "the parent is told once";
}

BELAY_CASE(Repeats, IdenticalTurnThatContinuedAsNewIsAlreadyApplied) {
    const RunRef run = start_running("a");
    raise("a", "go");
    const Change transition = fuse(continuing(turn_of(claim(run))));
    apply(transition);
    EXPECT_TRUE(already_applied(commit(transition)));
    EXPECT_EQ(info(run).execution, 2U);
}

BELAY_CASE(Repeats, IdenticalUnclaimedTurnIsAlreadyApplied) {
    const RunRef run = start_running("a");
    const Change transition = fuse(next_turn(run));
    apply(transition);
    EXPECT_TRUE(already_applied(commit(transition)));
    EXPECT_EQ(info(run).position, 2U);
}

BELAY_CASE(Repeats, IdenticalTurnAfterALaterMessageIsAlreadyApplied) {
    const RunRef run = start_running("a");
    raise("a", "go");
    const Change transition = fuse(turn_of(claim(run)));
    apply(transition);
    raise("a", "more");
    claim(run);
    EXPECT_TRUE(already_applied(commit(transition))) << "a message or a claim is not a turn";
    EXPECT_EQ(info(run).ready_messages, 1U);
}

BELAY_CASE(Repeats, IdenticalTurnAfterACancelIsAlreadyApplied) {
    const RunRef run = start_running("a");
    raise("a", "go");
    const Change transition = fuse(turn_of(claim(run)));
    apply(transition);
    cancel("a");
    EXPECT_TRUE(already_applied(commit(transition)));
    EXPECT_EQ(status(run), Status::canceling);
}

BELAY_CASE(Repeats, IdenticalTurnAfterAnotherTurnIsRefused) {
    const RunRef run = start_running("a");
    raise("a", "go");
    const Change transition = fuse(turn_of(claim(run)));
    apply(transition);
    apply(next_turn(run));
    const Answer late = commit(transition);
    EXPECT_EQ(late.verdict, Verdict::refused) << describe(late);
    EXPECT_EQ(info(run).position, 3U);
}

BELAY_CASE(Repeats, RefusedCommitMayBeSentAgain) {
    const RunRef run = start_running("a");
    raise("a", "go");
    Turn turn = next_turn(run);
    turn.in_line = true;
    const Change transition = fuse(turn);
    EXPECT_TRUE(refused(commit(transition), Errc::messages_waiting));
    const ClaimedInstance item = claim(run);
    Turn nothing = turn_of(item);
    nothing.history = HistoryRow();
    apply(nothing);
    EXPECT_TRUE(applied(commit(transition))) << "a refusal leaves no trace of its commit id";
}

BELAY_CASE(Repeats, IdenticalStartIsAlreadyApplied) {
    const NewInstance made = instance("a");
    const Change transition = fuse(op::start(made));
    apply(transition);
    const Answer again = commit(transition);
    EXPECT_TRUE(already_applied(again));
    ASSERT_TRUE(again.instance);
    EXPECT_EQ(again.instance->run, made.run);
    EXPECT_EQ(claim_instances(10).size(), 1U);
}

BELAY_CASE(Repeats, IdenticalFusedStartHappensOnce) {
    const NewInstance made = instance("a");
    Turn turn;
    turn.run = made.run;
    turn.history = events(1);
    turn.activities = {activity(1)};
    const Change transition = fuse(op::start(made), turn);
    apply(transition);
    EXPECT_TRUE(already_applied(commit(transition)));
    EXPECT_EQ(activities().size(), 1U);
    EXPECT_EQ(info(made.run).position, 1U);
}

BELAY_CASE(Repeats, IdenticalFusedCompletionHappensOnce) {
    const RunRef run = start_with_activities("a", 1);
    const ClaimedActivity item = claim_activity();
    Turn turn = next_turn(run);
    turn.activities = {activity(2)};
    const Change transition = fuse(op::ack_activity(item, std::nullopt), turn);
    apply(transition);
    EXPECT_TRUE(already_applied(commit(transition)));
    EXPECT_EQ(info(run).position, 2U);
    EXPECT_EQ(activities(run).size(), 1U);
}

BELAY_CASE(Repeats, IdenticalCompletionSendsOnce) {
    const RunRef run = start_with_activities("a", 1);
    const ClaimedActivity item = claim_activity();
    const Change transition =
        fuse(op::ack_activity(item, op::activity_completed(item.activity, Payload())));
    apply(transition);
    EXPECT_TRUE(refused(commit(transition), Errc::lease_lost)) << "the row is the fence";
    EXPECT_EQ(inbox(run).size(), 1U);
}

BELAY_CASE(Repeats, DeliverHappensOnceWithAPartThatIsRecognised) {
    const RunRef other = start_running("b");
    Deliver hello;
    hello.run = other;
    hello.message = event("hello");

    const Change with_turn = fuse(next_turn(start_running("a")), hello);
    apply(with_turn);
    EXPECT_TRUE(already_applied(commit(with_turn)));
    const Change with_start = fuse(op::start(instance("c")), hello);
    apply(with_start);
    EXPECT_TRUE(already_applied(commit(with_start)));
    EXPECT_EQ(inbox(other).size(), 2U);
}

BELAY_CASE(Repeats, DeliverHappensOnceWithAPartThatIsRefusedTheSecondTime) {
    const RunRef other = start_running("b");
    Deliver hello;
    hello.run = other;
    hello.message = event("hello");
    start_with_activities("a", 1);
    const Change with_ack = fuse(op::ack_activity(claim_activity(), std::nullopt), hello);
    apply(with_ack);
    EXPECT_TRUE(refused(commit(with_ack), Errc::lease_lost));
    EXPECT_EQ(inbox(other).size(), 1U);
}

BELAY_CASE(Repeats, IdenticalBatchIsAnsweredOneByOne) {
    const RunRef a = start_running("a");
    const RunRef b = start_running("b");
    const std::vector<Change> batch = {fuse(next_turn(a)), fuse(next_turn(b))};
    for (const Answer& answer : commit_batch(batch)) EXPECT_TRUE(applied(answer));
    apply(next_turn(b));
    const auto again = commit_batch(batch);
    EXPECT_TRUE(already_applied(again[0]));
    EXPECT_EQ(again[1].verdict, Verdict::refused);
}

BELAY_CASE(Repeats, RequestIdOfAStart) {
    Start first = op::start(instance("a"));
    first.request_id = "r-1";
    apply(first);
    Start again = op::start(instance("a"));
    again.request_id = "r-1";
    const Answer answer = commit(again);
    EXPECT_TRUE(already_applied(answer));
    ASSERT_TRUE(answer.instance);
    EXPECT_EQ(answer.instance->run, first.instance.run);
    EXPECT_FALSE(find(again.instance.run));
    EXPECT_EQ(claim_instances(10).size(), 1U);
}

BELAY_CASE(Repeats, RequestIdOfACancel) {
    const RunRef run = start_running("a");
    belay::Cancel part = op::cancel(named("a"), "enough", kDeadline);
    part.request_id = "r-1";
    EXPECT_TRUE(apply(part).changed);
    advance(1s);
    const Answer again = commit(part);
    EXPECT_TRUE(already_applied(again));
    EXPECT_TRUE(again.changed) << "a repeat answers as the first did";
    ASSERT_TRUE(again.instance);
    EXPECT_EQ(again.instance->run, run);
}

BELAY_CASE(Repeats, RequestIdOfACancelDoesNotReachALaterNamesake) {
    start_running("a");
    belay::Cancel part = op::cancel(named("a"), "enough", kDeadline);
    part.request_id = "r-1";
    apply(part);
    apply(op::force_delete(named("a")));
    const RunRef recreated = start_running("a");
    EXPECT_TRUE(already_applied(commit(part)));
    EXPECT_EQ(status(recreated), Status::running);
}

BELAY_CASE(Repeats, RequestIdOfARaise) {
    const RunRef run = start_running("a");
    Send send = op::raise(named("a"), "go", Payload());
    send.request_id = "r-1";
    apply(send);
    EXPECT_TRUE(already_applied(commit(send)));
    EXPECT_EQ(info(run).ready_messages, 1U);
    send.request_id = "r-2";
    apply(send);
    EXPECT_EQ(info(run).ready_messages, 2U);
}

BELAY_CASE(Repeats, WithoutARequestIdEachIsItsOwn) {
    const RunRef run = start_running("a");
    const Send send = op::raise(named("a"), "go", Payload());
    apply(send);
    apply(send);
    EXPECT_EQ(info(run).ready_messages, 2U);
}

BELAY_CASE(Repeats, RequestIdOfARefusalIsNotConsumed) {
    Send send = op::raise(named("a"), "go", Payload());
    send.request_id = "r-1";
    EXPECT_TRUE(refused(commit(send), Errc::not_found));
    const RunRef run = start_running("a");
    EXPECT_TRUE(applied(commit(send)));
    EXPECT_EQ(info(run).ready_messages, 1U);
}

BELAY_CASE(Repeats, RequestIdIsForgottenAfterItsTime) {
    StoreOptions options;
    options.request_kept = 1h;
    use_options(options);
    const RunRef run = start_running("a");
    Send send = op::raise(named("a"), "go", Payload());
    send.request_id = "r-1";
    apply(send);
    advance(1h - 1ms);
    sweep();
    EXPECT_TRUE(already_applied(commit(send)));
    advance(2ms);
    sweep();
    EXPECT_TRUE(applied(commit(send)));
    EXPECT_EQ(info(run).ready_messages, 2U);
}

BELAY_CASE(Repeats, RequestIdsOfNamespacesDoNotMeet) {
    NewInstance here = instance("a");
    NewInstance there = instance("a");
    there.name.space = "other";
    Start first = op::start(here);
    first.request_id = "r-1";
    Start second = op::start(there);
    second.request_id = "r-1";
    apply(first);
    EXPECT_TRUE(applied(commit(second)));
}

Digest digest(std::uint8_t of) {
    Digest made{};
    made.back() = of;
    return made;
}

BELAY_CASE(Repeats, RequestIdOfARelease) {
    const RunRef run = start("a");
    Hold hold;
    hold.run = run;
    hold.token = claim(run).token;
    apply(hold);
    Release part;
    part.name = named("a");
    part.request_id = "r-1";
    const Answer first = apply(part);
    ASSERT_TRUE(first.instance);
    EXPECT_EQ(first.instance->run, run);
    const Answer again = commit(part);
    EXPECT_TRUE(already_applied(again)) << "not refused although nothing is held any more";
    ASSERT_TRUE(again.instance);
    EXPECT_EQ(again.instance->run, run);
}

BELAY_CASE(Repeats, RequestIdOfAFreedKey) {
    Start first = op::start(instance("a"));
    first.key = IdempotencyKey{"k", KeyScope::forever, Millis(0)};
    apply(first);
    FreeKey part{"default", "team", "Order", "k", "r-1", {}};
    const Answer freed = apply(part);
    ASSERT_TRUE(freed.instance);
    EXPECT_EQ(freed.instance->run, first.instance.run);

    Start second = op::start(instance("b"));
    second.key = first.key;
    apply(second);
    EXPECT_TRUE(already_applied(commit(part)));
    Start third = op::start(instance("c"));
    third.key = first.key;
    EXPECT_TRUE(refused(commit(third), Errc::duplicate_key)) << "it was not freed again";
}

BELAY_CASE(Repeats, RequestIdWithAnotherContentIsRefused) {
    const RunRef run = start_running("a");
    Send send = op::raise(named("a"), "go", Payload());
    send.request_id = "r-1";
    send.request_digest = digest(1);
    apply(send);
    send.request_digest = digest(2);
    const Answer other = commit(send);
    ASSERT_TRUE(refused(other, Errc::request_id_reused));
    EXPECT_NE(other.error->message().find("r-1"), std::string::npos) << "it says which";
    EXPECT_EQ(info(run).ready_messages, 1U);
    send.request_digest = digest(1);
    EXPECT_TRUE(already_applied(commit(send))) << "the first is still known";
}

BELAY_CASE(Repeats, DigestCountsForEveryKindOfRequest) {
    const auto twice = [&](auto part) {
        part.request_digest = digest(1);
        apply(part);
        part.request_digest = digest(2);
        EXPECT_TRUE(refused(commit(part), Errc::request_id_reused)) << part.request_id;
    };
    Start starts = op::start(instance("a"));
    starts.request_id = "start";
    starts.key = IdempotencyKey{"k", KeyScope::forever, Millis(0)};
    twice(starts);
    Hold hold;
    hold.run = starts.instance.run;
    hold.token = claim(hold.run).token;
    apply(hold);
    Release release;
    release.name = named("a");
    release.request_id = "release";
    twice(release);
    apply(next_turn(hold.run));
    belay::Cancel cancels = op::cancel(named("a"), "enough", kDeadline);
    cancels.request_id = "cancel";
    twice(cancels);
    belay::Finish terminates = op::terminate(named("a"), "me", "now");
    terminates.request_id = "terminate";
    twice(terminates);
    belay::Delete removal = op::force_delete(named("a"));
    removal.request_id = "delete";
    twice(removal);
    twice(FreeKey{"default", "team", "Order", "k", "free", {}});
}

BELAY_CASE(Repeats, RequestIdOfAnotherInstanceIsRefused) {
    start_running("a");
    const RunRef other = start_running("b");
    Send send = op::raise(named("a"), "go", Payload());
    send.request_id = "r-1";
    apply(send);
    send.name = named("b");
    EXPECT_TRUE(refused(commit(send), Errc::request_id_reused));
    EXPECT_EQ(info(other).ready_messages, 0U);
}

BELAY_CASE(Repeats, RequestIdOfAnotherKindIsRefused) {
    const RunRef run = start_running("a");
    Send send = op::raise(named("a"), "go", Payload());
    send.request_id = "r-1";
    apply(send);
    belay::Cancel part = op::cancel(named("a"), "enough", kDeadline);
    part.request_id = "r-1";
    EXPECT_TRUE(refused(commit(part), Errc::request_id_reused));
    EXPECT_EQ(status(run), Status::running);
}

}  // namespace
}  // namespace belay::conformance
