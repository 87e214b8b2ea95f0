// Progress that a handler reports with its renewals.
#include "conformance/case.hpp"

BELAY_CONFORMANCE_AREA(heartbeats)

namespace belay::conformance {
namespace {

RenewActivity saying(const ClaimedActivity& item, const std::string& what) {
    RenewActivity part = op::renew_activity(item, kLease);
    part.progress = Payload::text(what);
    return part;
}

BELAY_CASE(Heartbeats, TheClaimCarriesHowLongItMayBeSilent) {
    const RunRef run = start("a");
    NewActivity wanted = activity(1);
    wanted.heartbeat_timeout = 5s;
    schedule(run, {wanted, activity(2)});
    const auto items = claim_activities();
    ASSERT_EQ(items.size(), 2U);
    EXPECT_EQ(items[0].heartbeat_timeout, 5s);
    EXPECT_EQ(items[1].heartbeat_timeout, std::nullopt);
}

BELAY_CASE(Heartbeats, NothingIsKnownBeforeTheFirst) {
    const RunRef run = start_with_activities("a", 1);
    const ClaimedActivity item = claim_activity();
    EXPECT_EQ(item.progress, std::nullopt);
    EXPECT_TRUE(applied(try_renew(item)));
    ASSERT_EQ(activities(run).size(), 1U);
    EXPECT_EQ(activities(run)[0].progress, std::nullopt);
    EXPECT_EQ(activities(run)[0].progress_at, std::nullopt);
}

BELAY_CASE(Heartbeats, TheLastOneIsShownWithItsTime) {
    const RunRef run = start_with_activities("a", 2);
    const auto items = claim_activities();
    ASSERT_EQ(items.size(), 2U);
    apply(saying(items[0], "a tenth"));
    advance(1s);
    const Timestamp said = now();
    Payload half(PayloadCodec::json, "{\"done\": 0.5}");
    half.flags = 3;
    RenewActivity part = op::renew_activity(items[0], kLease);
    part.progress = half;
    apply(part);
    advance(1s);
    EXPECT_TRUE(applied(try_renew(items[0]))) << "without a word: the last one stays";
    const auto rows = activities(run);
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_EQ(rows[0].progress, half);
    EXPECT_EQ(rows[0].progress_at, said);
    EXPECT_EQ(rows[1].progress, std::nullopt);

    const auto work = read(ReadOpenWork{named("a"), 10});
    ASSERT_TRUE(work.has_value());
    ASSERT_EQ(work->activities.size(), 2U);
    EXPECT_EQ(work->activities[0].progress, half);
    EXPECT_EQ(work->activities[0].progress_at, said);
}

BELAY_CASE(Heartbeats, ItRenewsTheLease) {
    start_with_activities("a", 1);
    const ClaimedActivity item = claim_activity();
    advance(kLease - 1ms);
    apply(saying(item, "half"));
    advance(kLease - 1ms);
    EXPECT_FALSE(try_claim_activity());
}

BELAY_CASE(Heartbeats, TheNextAttemptSeesTheLast) {
    const RunRef run = start_with_activities("a", 1);
    apply(saying(claim_activity(), "half"));
    advance(kLease);
    const ClaimedActivity second = claim_activity();
    EXPECT_EQ(second.progress, Payload::text("half"));
    apply(op::abandon_activity(second, Millis(0), CountAttempt::no));
    EXPECT_EQ(activities(run).at(0).progress, Payload::text("half"));
    const ClaimedActivity third = claim_activity();
    EXPECT_EQ(third.progress, Payload::text("half")) << "also when the one between said nothing";
    apply(saying(third, "more"));
    advance(kLease);
    EXPECT_EQ(claim_activity().progress, Payload::text("more"));
}

BELAY_CASE(Heartbeats, TheLastWordMayComeWithGivingItBack) {
    const RunRef run = start_with_activities("a", 1);
    const ClaimedActivity first = claim_activity();
    apply(saying(first, "half"));
    advance(1s);
    AbandonActivity part = op::abandon_activity(first, Millis(0), CountAttempt::no);
    part.reason = AbandonReason::interrupted;
    part.progress = Payload::text("more");
    apply(part);
    EXPECT_EQ(activities(run).at(0).progress, Payload::text("more"));
    EXPECT_EQ(activities(run).at(0).progress_at, now());
    const ClaimedActivity second = claim_activity();
    EXPECT_EQ(second.progress, Payload::text("more"));
    EXPECT_TRUE(refused(commit(part), Errc::lease_lost));
    complete(second);
    schedule(run, {activity(1)});
    EXPECT_EQ(claim_activity().progress, std::nullopt);
}

BELAY_CASE(Heartbeats, AHeartbeatWithAnotherTokenIsIgnored) {
    const RunRef run = start_with_activities("a", 1);
    const ClaimedActivity lost = claim_activity();
    advance(kLease);
    EXPECT_TRUE(refused(commit(saying(lost, "late")), Errc::lease_lost));
    const ClaimedActivity second = claim_activity();
    EXPECT_TRUE(refused(commit(saying(lost, "late")), Errc::lease_lost));
    EXPECT_EQ(second.progress, std::nullopt);
    EXPECT_EQ(activities(run).at(0).progress, std::nullopt);
}

BELAY_CASE(Heartbeats, ItGoesWithTheRow) {
    const RunRef run = start_with_activities("a", 1);
    const ClaimedActivity item = claim_activity();
    apply(saying(item, "half"));
    complete(item);
    // The same command again, as another try: it begins with nothing.
    schedule(run, {activity(1)});
    EXPECT_EQ(claim_activity().progress, std::nullopt);
}

BELAY_CASE(Heartbeats, ACancelEndsIt) {
    const RunRef run = start_with_activities("a", 1);
    const ClaimedActivity item = claim_activity();
    apply(saying(item, "half"));
    cancel("a");
    EXPECT_TRUE(refused(commit(saying(item, "more")), Errc::canceled));
    EXPECT_TRUE(activities(run).empty());
}

}  // namespace
}  // namespace belay::conformance
