// Stopping records: a canceled handler counts as running until it is seen to end.
#include "conformance/case.hpp"

BELAY_CONFORMANCE_AREA(settled)

namespace belay::conformance {
namespace {

BELAY_CASE(Settled, EndedRunWithoutHandlersIsSettled) {
    const RunRef run = start_running("a");
    EXPECT_FALSE(info(run).settled);
    end(run);
    EXPECT_TRUE(info(run).settled);
}

BELAY_CASE(Settled, RunIsSettledWhenItsLastHandlerHasEnded) {
    const RunRef run = start_with_activities("a", 2);
    const auto items = claim_activities();
    ASSERT_EQ(items.size(), 2U);
    cancel("a");
    apply(ending(turn_of(claim(run)), canceled()));
    EXPECT_EQ(status(run), Status::canceled);
    EXPECT_FALSE(info(run).settled);
    EXPECT_TRUE(applied(try_drop(items[0])));
    EXPECT_FALSE(info(run).settled);
    EXPECT_TRUE(applied(try_drop(items[1])));
    EXPECT_TRUE(info(run).settled);
}

BELAY_CASE(Settled, CompletedRunWithAStoppingHandlerIsNotSettled) {
    const RunRef run = start_with_activities("a", 1);
    const ClaimedActivity item = claim_activity();
    end(run);
    EXPECT_EQ(status(run), Status::completed);
    EXPECT_FALSE(info(run).settled);
    EXPECT_TRUE(applied(try_drop(item)));
    EXPECT_TRUE(info(run).settled);
}

BELAY_CASE(Settled, RecordSaysWhoIsStillRunning) {
    const RunRef run = start_with_activities("a", 1);
    const ClaimedActivity item = claim_activity();
    cancel("a");
    const auto records = stopping(run);
    ASSERT_EQ(records.size(), 1U);
    EXPECT_EQ(records[0].activity, item.activity);
    EXPECT_EQ(records[0].token, item.token);
    EXPECT_EQ(records[0].worker, "worker");
}

BELAY_CASE(Settled, RecordLastsForLeasePlusGrace) {
    const RunRef run = start_with_activities("a", 1);
    const ClaimedActivity item = claim_activity();
    advance(10s);
    StopTerms stop;
    stop.grace = 7s;
    apply(Change(op::cancel(named("a"), "enough", kDeadline)).with(stop));
    ASSERT_EQ(stopping(run).size(), 1U);
    EXPECT_EQ(stopping(run)[0].until, item.leased_until + 7s);
}

BELAY_CASE(Settled, SweepRemovesRecordsPastTheirTime) {
    const RunRef run = start_with_activities("a", 1);
    claim_activity();
    end(run);
    const Timestamp until = stopping(run).at(0).until;
    advance(until - now() - 1ms);
    sweep();
    EXPECT_EQ(stopping(run).size(), 1U);
    EXPECT_FALSE(info(run).settled);
    advance(2ms);
    EXPECT_GE(sweep().swept, 1U);
    EXPECT_TRUE(stopping(run).empty());
    EXPECT_TRUE(info(run).settled);
}

BELAY_CASE(Settled, DropAfterTheSweepIsRefused) {
    const RunRef run = start_with_activities("a", 1);
    const ClaimedActivity item = claim_activity();
    end(run);
    advance(1h);
    sweep();
    EXPECT_TRUE(refused(try_drop(item), Errc::lease_lost));
    EXPECT_TRUE(info(run).settled);
}

BELAY_CASE(Settled, SweepIsLimited) {
    const RunRef run = start_with_activities("a", 10);
    ASSERT_EQ(claim_activities().size(), 10U);
    end(run);
    advance(1h);
    EXPECT_EQ(sweep(4).swept, 4U);
    EXPECT_EQ(stopping(run).size(), 6U);
    EXPECT_EQ(sweep(4).swept, 4U);
    EXPECT_EQ(sweep(4).swept, 2U);
    EXPECT_EQ(sweep(4).swept, 0U);
    EXPECT_TRUE(stopping(run).empty());
}

BELAY_CASE(Settled, DropWithAnotherTokenLeavesTheRecord) {
    const RunRef run = start_with_activities("a", 1);
    ClaimedActivity item = claim_activity();
    cancel("a");
    item.token = fresh_token();
    EXPECT_TRUE(refused(try_drop(item), Errc::lease_lost));
    EXPECT_EQ(stopping(run).size(), 1U);
}

BELAY_CASE(Settled, SecondDropIsRefused) {
    start_with_activities("a", 1);
    const ClaimedActivity item = claim_activity();
    cancel("a");
    EXPECT_TRUE(applied(try_drop(item)));
    EXPECT_TRUE(refused(try_drop(item), Errc::lease_lost));
}

BELAY_CASE(Settled, ParentWaitsForItsChildrensHandlers) {
    const RunRef parent = start_running("p");
    const RunRef child = start_child(parent, 1, "p/c");
    schedule(child, {activity(1)});
    const ClaimedActivity item = claim_activity();
    end(parent);
    EXPECT_EQ(status(child), Status::canceling);
    EXPECT_FALSE(info(parent).settled);
    end(child, canceled());
    EXPECT_FALSE(info(parent).settled);
    EXPECT_FALSE(info(child).settled);
    EXPECT_TRUE(applied(try_drop(item)));
    EXPECT_TRUE(info(child).settled);
    EXPECT_TRUE(info(parent).settled);
}

BELAY_CASE(Settled, RecordsOfOneRunAreListedApart) {
    const RunRef a = start_with_activities("a", 1);
    const RunRef b = start_with_activities("b", 2);
    ASSERT_EQ(claim_activities().size(), 3U);
    cancel("a");
    cancel("b");
    EXPECT_EQ(stopping(a).size(), 1U);
    EXPECT_EQ(stopping(b).size(), 2U);
    EXPECT_EQ(count_stopping(), 3U);
}

}  // namespace
}  // namespace belay::conformance
