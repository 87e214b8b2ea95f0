// The lock of a run: how long it lasts, how it is renewed, given back and taken over.
#include "conformance/case.hpp"

BELAY_CONFORMANCE_AREA(lock_expiry)

namespace belay::conformance {
namespace {

BELAY_CASE(LockExpiry, LeaseIsCountedFromTheClaim) {
    const RunRef run = start("a");
    advance(1h);
    const ClaimedInstance item = claim(run);
    EXPECT_EQ(item.claimed_at, now());
    EXPECT_EQ(item.locked_until, now() + kLease);
}

BELAY_CASE(LockExpiry, ClaimTakesOverAfterExpiry) {
    const RunRef run = start("a");
    const ClaimedInstance first = claim(run);
    advance(kLease - 1ms);
    EXPECT_FALSE(try_claim(run));
    advance(1ms);
    const ClaimedInstance second = claim(run);
    EXPECT_NE(second.token, first.token);
    EXPECT_TRUE(refused(commit(turn_of(first)), Errc::lease_lost));
    EXPECT_TRUE(applied(commit(turn_of(second))));
}

BELAY_CASE(LockExpiry, TakenOverRunIsGivenItsMessagesAgain) {
    const RunRef run = start_running("a");
    raise("a", "one");
    claim(run);
    raise("a", "two");
    advance(kLease);
    EXPECT_EQ(names_of(claim(run).messages), (std::vector<std::string>{"one", "two"}));
}

BELAY_CASE(LockExpiry, ExpiredLockThatNobodyTookMayStillCommit) {
    const RunRef run = start("a");
    const ClaimedInstance item = claim(run);
    advance(kLease + 1h);
    EXPECT_FALSE(info(run).locked);
    EXPECT_TRUE(applied(commit(turn_of(item))));
    EXPECT_EQ(status(run), Status::running);
}

BELAY_CASE(LockExpiry, UnclaimedTurnPassesAnExpiredLock) {
    const RunRef run = start_running("a");
    raise("a", "go");
    const ClaimedInstance old = claim(run);
    advance(kLease);
    apply(next_turn(run));
    const Answer late = commit(turn_of(old));
    EXPECT_EQ(late.verdict, Verdict::refused) << describe(late);
    EXPECT_EQ(info(run).position, 2U);
}

BELAY_CASE(LockExpiry, RenewalExtendsFromNow) {
    const RunRef run = start("a");
    const ClaimedInstance item = claim(run);
    advance(20s);
    apply(op::renew_turn(item, kLease));
    advance(kLease - 1ms);
    EXPECT_FALSE(try_claim(run));
    advance(1ms);
    EXPECT_TRUE(try_claim(run));
}

BELAY_CASE(LockExpiry, RenewalAfterExpiryIsRefused) {
    const RunRef run = start("a");
    const ClaimedInstance item = claim(run);
    advance(kLease);
    EXPECT_TRUE(refused(commit(op::renew_turn(item, kLease)), Errc::lease_lost));
    EXPECT_TRUE(try_claim(run)) << "a refused renewal revives nothing";
}

BELAY_CASE(LockExpiry, RenewalAfterTakeOverIsRefused) {
    const RunRef run = start("a");
    const ClaimedInstance first = claim(run);
    advance(kLease);
    const ClaimedInstance second = claim(run);
    EXPECT_TRUE(refused(commit(op::renew_turn(first, kLease)), Errc::lease_lost));
    EXPECT_TRUE(applied(commit(op::renew_turn(second, kLease))));
}

BELAY_CASE(LockExpiry, RenewalAfterTheTurnIsRefused) {
    const RunRef run = start("a");
    const ClaimedInstance item = claim(run);
    apply(turn_of(item));
    EXPECT_TRUE(refused(commit(op::renew_turn(item, kLease)), Errc::lease_lost));
}

BELAY_CASE(LockExpiry, RenewalWithAnotherTokenIsRefused) {
    ClaimedInstance item = claim(start("a"));
    item.token = fresh_token();
    EXPECT_TRUE(refused(commit(op::renew_turn(item, kLease)), Errc::lease_lost));
}

BELAY_CASE(LockExpiry, AbandonReleasesAtOnce) {
    const RunRef run = start("a");
    const ClaimedInstance item = claim(run);
    apply(op::abandon_turn(item));
    EXPECT_FALSE(info(run).locked);
    EXPECT_TRUE(try_claim(run));
}

BELAY_CASE(LockExpiry, AbandonedTurnIsRefused) {
    const RunRef run = start("a");
    const ClaimedInstance item = claim(run);
    apply(op::abandon_turn(item));
    EXPECT_TRUE(refused(commit(turn_of(item)), Errc::lease_lost));
    EXPECT_EQ(status(run), Status::pending);
}

BELAY_CASE(LockExpiry, AbandonKeepsTheMessages) {
    const RunRef run = start_running("a");
    raise("a", "go");
    apply(op::abandon_turn(claim(run)));
    EXPECT_EQ(names_of(claim(run).messages), std::vector<std::string>{"go"});
}

BELAY_CASE(LockExpiry, AbandonWithAnotherTokenIsRefused) {
    const RunRef run = start("a");
    ClaimedInstance item = claim(run);
    item.token = fresh_token();
    EXPECT_TRUE(refused(commit(op::abandon_turn(item)), Errc::lease_lost));
    EXPECT_TRUE(info(run).locked);
}

BELAY_CASE(LockExpiry, SecondAbandonIsRefused) {
    const RunRef run = start("a");
    const ClaimedInstance first = claim(run);
    apply(op::abandon_turn(first));
    const ClaimedInstance second = claim(run);
    EXPECT_TRUE(refused(commit(op::abandon_turn(first)), Errc::lease_lost));
    EXPECT_TRUE(applied(commit(turn_of(second)))) << "and does not unlock the next holder";
}

BELAY_CASE(LockExpiry, AbandonWithDelayBacksOffWhateverArrives) {
    const RunRef run = start_running("a");
    raise("a", "one");
    apply(op::abandon_turn(claim(run), 10s));
    raise("a", "two");
    EXPECT_FALSE(try_claim(run));
    advance(10s - 1ms);
    EXPECT_FALSE(try_claim(run));
    advance(1ms);
    EXPECT_EQ(names_of(claim(run).messages), (std::vector<std::string>{"one", "two"}));
}

BELAY_CASE(LockExpiry, BackOffOfOneRunDoesNotDelayOthers) {
    const RunRef slow = start("a");
    advance(1s);
    const RunRef other = start("b");
    apply(op::abandon_turn(claim(slow), 1h));
    const auto item = try_claim();
    ASSERT_TRUE(item);
    EXPECT_EQ(item->run, other);
}

BELAY_CASE(LockExpiry, ExpiryOfOneLockLeavesTheOthers) {
    const RunRef a = start("a");
    const RunRef b = start("b");
    ASSERT_TRUE(try_claim(a, 10s));
    ASSERT_TRUE(try_claim(b, 60s));
    advance(10s);
    const auto items = claim_instances(10);
    ASSERT_EQ(items.size(), 1U);
    EXPECT_EQ(items[0].run, a);
}

}  // namespace
}  // namespace belay::conformance
