// The time that a worker may sleep: the hint that comes with every claim, for each reason it has.
#include "conformance/case.hpp"

BELAY_CONFORMANCE_AREA(ready_in)

namespace belay::conformance {
namespace {

ClaimInstances runs() { return op::claim_instance(LeaseToken(), "worker", kLease); }
ClaimActivities work() { return op::claim_activity(LeaseToken(), "worker", kLease); }

BELAY_CASE(ReadyIn, NothingToWaitForHasNoHint) {
    start_running("idle");
    EXPECT_FALSE(slept_until_claimed(runs()));
    EXPECT_FALSE(slept_until_claimed(work()));
}

BELAY_CASE(ReadyIn, DueTimer) {
    const RunRef run = start("a");
    Turn turn = next_turn(run);
    NewTimer far;
    far.command = 1;
    far.due_at = now() + 1h;
    NewTimer near = far;
    near.command = 2;
    near.due_at = now() + 90s;
    turn.timers = {far, near};
    apply(turn);
    EXPECT_EQ(slept_until_claimed(runs()), Millis(90s));
}

BELAY_CASE(ReadyIn, DelayedMessage) {
    start_running("a");
    Send send = op::raise(named("a"), "later", Payload());
    send.delay = 12s;
    apply(send);
    EXPECT_EQ(slept_until_claimed(runs()), Millis(12s));
}

BELAY_CASE(ReadyIn, DelayedStart) {
    Start part = op::start(instance("a"));
    part.delay = 12s;
    apply(part);
    EXPECT_EQ(slept_until_claimed(runs()), Millis(12s));
}

BELAY_CASE(ReadyIn, ExpiringLock) {
    const RunRef run = start("a");
    claim(run);
    advance(10s);
    EXPECT_EQ(slept_until_claimed(runs()), Millis(kLease - 10s));
}

BELAY_CASE(ReadyIn, LockOfTheClaimItself) {
    start("a");
    ASSERT_EQ(slept_until_claimed(runs()), Millis(0));
    EXPECT_EQ(slept_until_claimed(runs()), Millis(kLease)) << "should its holder die";
}

BELAY_CASE(ReadyIn, BackOffOfARun) {
    const RunRef run = start("a");
    apply(op::abandon_turn(claim(run), 12s));
    EXPECT_EQ(slept_until_claimed(runs()), Millis(12s));
}

BELAY_CASE(ReadyIn, DelayedActivity) {
    NewActivity late = activity(1);
    late.delay = 12s;
    schedule(start("a"), {late});
    EXPECT_EQ(slept_until_claimed(work()), Millis(12s));
}

BELAY_CASE(ReadyIn, ExpiringLease) {
    start_with_activities("a", 1);
    claim_activity();
    advance(10s);
    EXPECT_EQ(slept_until_claimed(work()), Millis(kLease - 10s));
}

BELAY_CASE(ReadyIn, LeaseThatWasHandedOver) {
    const RunRef run = start("a");
    Turn turn = next_turn(run);
    turn.activities = {activity(1)};
    turn.activities[0].hand_over = NewActivity::HandOver{fresh_token(), kLease, "same process"};
    ASSERT_EQ(apply(turn).leased.size(), 1U);
    EXPECT_EQ(slept_until_claimed(work()), Millis(kLease));
}

BELAY_CASE(ReadyIn, BackOffOfAnActivity) {
    start_with_activities("a", 1);
    apply(op::abandon_activity(claim_activity(), 12s));
    EXPECT_EQ(slept_until_claimed(work()), Millis(12s));
}

BELAY_CASE(ReadyIn, LeaseThatIsRenewedIsWaitedForAgain) {
    start_with_activities("a", 1);
    const ClaimedActivity item = claim_activity();
    advance(10s);
    EXPECT_TRUE(applied(try_renew(item)));
    EXPECT_EQ(slept_until_claimed(work()), Millis(kLease));
}

BELAY_CASE(ReadyIn, HeldRunIsNotWaitedFor) {
    const RunRef run = start("a");
    Hold hold;
    hold.run = run;
    hold.token = claim(run).token;
    apply(hold);
    EXPECT_FALSE(slept_until_claimed(runs()));
}

BELAY_CASE(ReadyIn, AnUnclaimedItemIsReadyAtOnce) {
    start_with_activities("a", 2);
    ClaimActivities first = work();
    first.first_token = fresh_token();
    EXPECT_EQ(claim_with_hint(first).ready_in, Millis(0));
    for (const char* id : {"b", "c"}) start(id);
    ClaimInstances some = runs();
    some.first_token = fresh_token();
    EXPECT_EQ(claim_with_hint(some).ready_in, Millis(0));
}

BELAY_CASE(ReadyIn, TheHintIsOfTheShardsAskedFor) {
    const std::string here = "a";
    std::string there = "b";
    while (shard_of(there) == shard_of(here)) there += "b";
    for (const auto& [id, delay] : {std::pair(here, Millis(5s)), std::pair(there, Millis(9s))}) {
        Start part = op::start(instance(id));
        part.delay = delay;
        apply(part);
    }
    ClaimInstances request = runs();
    request.shards = {shard_of(there)};
    EXPECT_EQ(slept_until_claimed(request), Millis(9s));
}

BELAY_CASE(ReadyIn, TheHintIsOfTheRunAskedFor) {
    Start part = op::start(instance("a"));
    part.delay = 9s;
    apply(part);
    start("b");
    ClaimInstances request = runs();
    request.run = part.instance.run;
    EXPECT_EQ(slept_until_claimed(request), Millis(9s));
}

}  // namespace
}  // namespace belay::conformance
