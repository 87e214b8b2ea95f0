// Claims of activities: peek, lease, complete, renew, give back.
#include "conformance/case.hpp"

BELAY_CONFORMANCE_AREA(leases)

namespace belay::conformance {
namespace {

BELAY_CASE(Leases, ClaimCarriesTheActivity) {
    const RunRef run = start("a");
    NewActivity wanted = activity(3, "Charge");
    wanted.queue = "gpu";
    wanted.headers = {{"traceparent", "00-abc"}};
    wanted.schedule_to_start = now() + 1h;
    wanted.start_to_close = 5min;
    schedule(run, {wanted});

    ClaimActivities request = op::claim_activity(fresh_token(), "worker-7", kLease);
    const LeaseToken token = request.first_token;
    request.queues = {"gpu"};
    const auto items = claim_activities(request);
    ASSERT_EQ(items.size(), 1U);
    const ClaimedActivity& item = items[0];
    EXPECT_EQ(item.activity, (ActivityRef{run, 1, 3}));
    EXPECT_EQ(item.instance, named("a"));
    EXPECT_EQ(item.definition, "Order");
    EXPECT_EQ(item.version, "1.0");
    EXPECT_EQ(item.name, "Charge");
    EXPECT_EQ(item.queue, "gpu");
    EXPECT_EQ(item.input, Payload::text("input of 3"));
    EXPECT_EQ(item.headers, wanted.headers);
    EXPECT_EQ(item.attempt, 1U);
    EXPECT_EQ(item.token, token);
    EXPECT_EQ(item.claimed_at, now());
    EXPECT_EQ(item.leased_until, now() + kLease);
    EXPECT_EQ(item.schedule_to_start, wanted.schedule_to_start);
    EXPECT_EQ(item.start_to_close, wanted.start_to_close);
}

BELAY_CASE(Leases, ClaimedRowStaysAndIsHidden) {
    const RunRef run = start_with_activities("a", 1);
    const ClaimedActivity item = claim_activity();
    EXPECT_FALSE(try_claim_activity());
    const auto rows = activities(run);
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_TRUE(rows[0].leased);
    EXPECT_EQ(rows[0].token, item.token);
    EXPECT_EQ(rows[0].worker, "worker");
    EXPECT_EQ(rows[0].leased_until, item.leased_until);
}

BELAY_CASE(Leases, TokensFollowTheFirst) {
    start_with_activities("a", 3);
    const auto items = claim_activities();
    ASSERT_EQ(items.size(), 3U);
    for (std::size_t i = 0; i < items.size(); ++i) {
        EXPECT_EQ(items[i].token, token_after(items[0].token, i));
        EXPECT_TRUE(applied(try_complete(items[i])));
    }
}

BELAY_CASE(Leases, ClaimTakesNoMoreThanAsked) {
    start_with_activities("a", 3);
    EXPECT_TRUE(claim_activities(0).empty());
    EXPECT_EQ(claim_activities(2).size(), 2U);
    EXPECT_EQ(claim_activities(2).size(), 1U);
    EXPECT_TRUE(claim_activities(2).empty());
}

BELAY_CASE(Leases, CompletionIsAddressedToItsCommand) {
    const RunRef run = start_with_activities("a", 2);
    const auto items = claim_activities();
    ASSERT_EQ(items.size(), 2U);
    complete(items[1]);
    const auto messages = inbox(run);
    ASSERT_EQ(messages.size(), 1U);
    EXPECT_EQ(messages[0].content.execution, 1U);
    EXPECT_EQ(messages[0].content.command, 2U);
}

BELAY_CASE(Leases, CompletionReadiesTheRun) {
    const RunRef run = start_with_activities("a", 1);
    EXPECT_FALSE(try_claim(run));
    complete(claim_activity());
    EXPECT_TRUE(try_claim(run));
}

BELAY_CASE(Leases, SecondCompletionIsRefused) {
    const RunRef run = start_with_activities("a", 1);
    const ClaimedActivity item = claim_activity();
    complete(item);
    EXPECT_TRUE(refused(try_complete(item), Errc::lease_lost));
    EXPECT_EQ(inbox(run).size(), 1U);
}

BELAY_CASE(Leases, CompletionOfAnUnclaimedRowIsRefused) {
    const RunRef run = start_with_activities("a", 1);
    AckActivity ack;
    ack.activity = ActivityRef{run, 1, 1};
    ack.token = fresh_token();
    ack.completion = op::activity_completed(ack.activity, Payload());
    EXPECT_TRUE(refused(commit(ack), Errc::lease_lost));
    ack.token = LeaseToken();
    EXPECT_TRUE(refused(commit(ack), Errc::lease_lost)) << "no token is not the token of no lease";
    EXPECT_TRUE(try_claim_activity());
}

BELAY_CASE(Leases, TokenOfOneRowDoesNotOpenAnother) {
    start_with_activities("a", 2);
    const auto items = claim_activities();
    ASSERT_EQ(items.size(), 2U);
    ClaimedActivity crossed = items[0];
    crossed.token = items[1].token;
    EXPECT_TRUE(refused(try_complete(crossed), Errc::lease_lost));
    EXPECT_TRUE(refused(try_renew(crossed), Errc::lease_lost));
    EXPECT_TRUE(applied(try_complete(items[0])));
    EXPECT_TRUE(applied(try_complete(items[1])));
}

BELAY_CASE(Leases, AbandonedRowIsClaimableAtOnce) {
    start_with_activities("a", 1);
    const ClaimedActivity first = claim_activity();
    apply(op::abandon_activity(first));
    const ClaimedActivity second = claim_activity();
    EXPECT_EQ(second.activity, first.activity);
    EXPECT_EQ(second.input, first.input);
    EXPECT_TRUE(refused(try_complete(first), Errc::lease_lost));
    EXPECT_TRUE(applied(try_complete(second)));
}

BELAY_CASE(Leases, AbandonedWithoutADelayItKeepsItsPlace) {
    const RunRef first = start_with_activities("a", 1);
    advance(1s);
    start_with_activities("b", 1);
    advance(1s);
    apply(op::abandon_activity(claim_activity()));
    EXPECT_EQ(claim_activity().activity.run, first);
}

BELAY_CASE(Leases, AbandonedRowShowsNoLease) {
    const RunRef run = start_with_activities("a", 1);
    apply(op::abandon_activity(claim_activity(), 1h));
    const auto rows = activities(run);
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_FALSE(rows[0].leased);
    EXPECT_EQ(rows[0].visible_at, now() + 1h);
}

BELAY_CASE(Leases, AbandonWithDelayHidesTheRow) {
    start_with_activities("a", 1);
    apply(op::abandon_activity(claim_activity(), 10s));
    advance(10s - 1ms);
    EXPECT_FALSE(try_claim_activity());
    advance(1ms);
    EXPECT_TRUE(try_claim_activity());
}

BELAY_CASE(Leases, AbandonWithAnotherTokenIsRefused) {
    const RunRef run = start_with_activities("a", 1);
    ClaimedActivity item = claim_activity();
    item.token = fresh_token();
    EXPECT_TRUE(refused(commit(op::abandon_activity(item)), Errc::lease_lost));
    EXPECT_TRUE(activities(run).at(0).leased);
}

BELAY_CASE(Leases, SecondAbandonIsRefused) {
    start_with_activities("a", 1);
    const ClaimedActivity first = claim_activity();
    apply(op::abandon_activity(first));
    const ClaimedActivity second = claim_activity();
    EXPECT_TRUE(refused(commit(op::abandon_activity(first)), Errc::lease_lost));
    EXPECT_TRUE(applied(try_complete(second))) << "and does not take the next holder's lease";
}

BELAY_CASE(Leases, RenewalAfterCompletionIsRefused) {
    start_with_activities("a", 1);
    const ClaimedActivity item = claim_activity();
    complete(item);
    EXPECT_TRUE(refused(try_renew(item), Errc::lease_lost));
}

BELAY_CASE(Leases, RenewalWithAnotherTokenIsRefused) {
    start_with_activities("a", 1);
    ClaimedActivity item = claim_activity();
    item.token = fresh_token();
    EXPECT_TRUE(refused(try_renew(item), Errc::lease_lost));
}

BELAY_CASE(Leases, ManyAreRenewedInOneBatch) {
    start_with_activities("a", 20);
    const auto items = claim_activities();
    ASSERT_EQ(items.size(), 20U);
    complete(items[7]);
    advance(20s);
    std::vector<Change> batch;
    for (const ClaimedActivity& item : items) {
        batch.push_back(fuse(op::renew_activity(item, kLease)));
    }
    const auto answers = commit_batch(std::move(batch));
    for (std::size_t i = 0; i < answers.size(); ++i) {
        if (i == 7) {
            EXPECT_TRUE(refused(answers[i], Errc::lease_lost));
        } else {
            EXPECT_TRUE(applied(answers[i]));
        }
    }
    advance(kLease - 1ms);
    EXPECT_FALSE(try_claim_activity());
}

BELAY_CASE(Leases, CheckTellsWhichTokensStillHold) {
    start_with_activities("a", 4);
    const auto items = claim_activities(3);
    ASSERT_EQ(items.size(), 3U);
    complete(items[0]);
    apply(op::abandon_activity(items[1]));
    CheckLeases request;
    for (const ClaimedActivity& item : items)
        request.leases.emplace_back(item.activity, item.token);
    request.leases.emplace_back(items[2].activity, fresh_token());
    EXPECT_EQ(read(request), std::vector<LeaseToken>{items[2].token});
}

BELAY_CASE(Leases, ActivityOfALockedRunCanBeClaimedAndCompleted) {
    const RunRef run = start_with_activities("a", 1);
    raise("a", "go");
    const ClaimedInstance item = claim(run);
    complete(claim_activity());
    EXPECT_TRUE(applied(commit(turn_of(item))));
}

}  // namespace
}  // namespace belay::conformance
