// The lease of an activity: the token decides, and only renewing asks the clock.
#include "conformance/case.hpp"

BELAY_CONFORMANCE_AREA(lease_expiry)

namespace belay::conformance {
namespace {

BELAY_CASE(LeaseExpiry, ClaimTakesOverAfterExpiry) {
    start_with_activities("a", 1);
    const ClaimedActivity first = claim_activity();
    advance(kLease - 1ms);
    EXPECT_FALSE(try_claim_activity());
    advance(1ms);
    const ClaimedActivity second = claim_activity();
    EXPECT_EQ(second.activity, first.activity);
    EXPECT_NE(second.token, first.token);
}

BELAY_CASE(LeaseExpiry, OldHolderCannotCompleteAfterTakeOver) {
    const RunRef run = start_with_activities("a", 1);
    const ClaimedActivity first = claim_activity();
    advance(kLease);
    const ClaimedActivity second = claim_activity();
    EXPECT_TRUE(refused(try_complete(first), Errc::lease_lost));
    EXPECT_TRUE(refused(try_drop(first), Errc::lease_lost));
    EXPECT_EQ(info(run).ready_messages, 0U);
    EXPECT_TRUE(applied(try_complete(second)));
    EXPECT_EQ(inbox(run).size(), 1U);
}

BELAY_CASE(LeaseExpiry, OldHolderCannotRenewOrGiveBackAfterTakeOver) {
    start_with_activities("a", 1);
    const ClaimedActivity first = claim_activity();
    advance(kLease);
    claim_activity();
    EXPECT_TRUE(refused(try_renew(first), Errc::lease_lost));
    EXPECT_TRUE(refused(commit(op::abandon_activity(first)), Errc::lease_lost));
    EXPECT_FALSE(try_claim_activity());
}

BELAY_CASE(LeaseExpiry, ExpiredLeaseThatNobodyTookMayStillComplete) {
    const RunRef run = start_with_activities("a", 1);
    const ClaimedActivity item = claim_activity();
    advance(kLease + 1h);
    EXPECT_FALSE(activities(run).at(0).leased);
    EXPECT_TRUE(applied(try_complete(item)));
    EXPECT_EQ(inbox(run).size(), 1U);
}

BELAY_CASE(LeaseExpiry, ExpiredLeaseThatNobodyTookMayStillBeGivenBack) {
    start_with_activities("a", 1);
    const ClaimedActivity item = claim_activity();
    advance(kLease);
    EXPECT_TRUE(applied(commit(op::abandon_activity(item))));
    EXPECT_TRUE(try_claim_activity());
}

BELAY_CASE(LeaseExpiry, RenewalExtendsFromNow) {
    start_with_activities("a", 1);
    const ClaimedActivity item = claim_activity();
    advance(20s);
    EXPECT_TRUE(applied(try_renew(item, 60s)));
    advance(60s - 1ms);
    EXPECT_FALSE(try_claim_activity());
    advance(1ms);
    EXPECT_TRUE(try_claim_activity());
}

BELAY_CASE(LeaseExpiry, RenewalIsSeenByReaders) {
    const RunRef run = start_with_activities("a", 1);
    const ClaimedActivity item = claim_activity();
    advance(20s);
    EXPECT_TRUE(applied(try_renew(item, 60s)));
    EXPECT_EQ(activities(run).at(0).leased_until, now() + 60s);
}

BELAY_CASE(LeaseExpiry, RenewalAfterExpiryIsRefused) {
    start_with_activities("a", 1);
    const ClaimedActivity item = claim_activity();
    advance(kLease);
    EXPECT_TRUE(refused(try_renew(item), Errc::lease_lost));
    EXPECT_TRUE(try_claim_activity()) << "a refused renewal revives nothing";
}

BELAY_CASE(LeaseExpiry, RenewedManyTimesIsNeverTaken) {
    start_with_activities("a", 1);
    const ClaimedActivity item = claim_activity();
    for (int i = 0; i < 10; ++i) {
        advance(kLease - 1s);
        EXPECT_TRUE(applied(try_renew(item)));
        EXPECT_FALSE(try_claim_activity());
    }
    EXPECT_TRUE(applied(try_complete(item)));
}

BELAY_CASE(LeaseExpiry, RowsExpireEachByItself) {
    start_with_activities("a", 2);
    ASSERT_TRUE(try_claim_activity(10s));
    ASSERT_TRUE(try_claim_activity(60s));
    advance(10s);
    EXPECT_EQ(commands_of(claim_activities()), std::vector<CommandNo>{1});
}

BELAY_CASE(LeaseExpiry, ExpiredTokenStillHoldsUntilTaken) {
    start_with_activities("a", 1);
    const ClaimedActivity item = claim_activity();
    CheckLeases request;
    request.leases.emplace_back(item.activity, item.token);
    advance(kLease);
    EXPECT_EQ(read(request).size(), 1U);
    claim_activity();
    EXPECT_TRUE(read(request).empty());
}

}  // namespace
}  // namespace belay::conformance
