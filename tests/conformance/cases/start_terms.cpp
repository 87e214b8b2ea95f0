// Until when a run must begin and end, and the priority that its start gives it.
#include "conformance/case.hpp"

#include <limits>

BELAY_CONFORMANCE_AREA(start_terms)

namespace belay::conformance {
namespace {

Start expiring(NewInstance made, Millis after) {
    Start part = op::start(std::move(made));
    part.expires = after;
    return part;
}

Start with_deadline(NewInstance made, Millis after) {
    Start part = op::start(std::move(made));
    part.deadline = after;
    return part;
}

// ---- Expiry ------------------------------------------------------------------------------------

BELAY_CASE(Expiry, RunThatWasNotBegunInTimeEndsAsCanceledByPolicy) {
    const RunRef run = apply(expiring(instance("a"), 10s)).instance->run;
    EXPECT_EQ(info(run).expires_at, now() + 10s);
    advance(10s - 1ms);
    EXPECT_EQ(sweep().swept, 0U);
    EXPECT_EQ(status(run), Status::pending);
    advance(1ms);
    EXPECT_EQ(sweep().swept, 1U);
    const Outcome outcome = outcome_of(run);
    EXPECT_EQ(outcome.status, Status::canceled);
    EXPECT_EQ(outcome.cancel.source, CancelSource::policy);
    EXPECT_NE(outcome.cancel.reason.find("expired"), std::string::npos);
    EXPECT_EQ(outcome.cancel.requested_at, now());
    EXPECT_EQ(outcome.cleanup, Cleanup::not_needed);
    EXPECT_TRUE(info(run).settled);
    EXPECT_EQ(sweep().swept, 0U);
}

BELAY_CASE(Expiry, ClaimNeverHandsItOutLateAndEndsIt) {
    const RunRef run = apply(expiring(instance("a"), 10s)).instance->run;
    advance(10s);
    EXPECT_FALSE(try_claim());
    EXPECT_EQ(status(run), Status::canceled);
    EXPECT_EQ(outcome_of(run).cancel.source, CancelSource::policy);
}

BELAY_CASE(Expiry, ClaimOfThatRunEndsIt) {
    const RunRef run = apply(expiring(instance("a"), 10s)).instance->run;
    advance(11s);
    EXPECT_FALSE(try_claim(run));
    EXPECT_EQ(status(run), Status::canceled);
}

BELAY_CASE(Expiry, LateRunsTakeNoPlaceInAClaim) {
    for (const char* id : {"a", "b", "c"}) apply(expiring(instance(id), 10s));
    advance(5s);
    const RunRef good = start("d");
    advance(5s);
    const auto claimed = claim_instances(1);
    ASSERT_EQ(claimed.size(), 1U);
    EXPECT_EQ(claimed[0].run, good);
}

BELAY_CASE(Expiry, RunThatIsBegunInTimeIsLeftAlone) {
    const RunRef run = apply(expiring(instance("a"), 10s)).instance->run;
    advance(9s);
    const ClaimedInstance item = claim(run);
    advance(5s);
    EXPECT_EQ(sweep().swept, 0U);
    EXPECT_EQ(status(run), Status::pending);
    apply(turn_of(item));
    advance(1h);
    EXPECT_EQ(sweep().swept, 0U);
    EXPECT_EQ(status(run), Status::running);
    raise("a", "go");
    EXPECT_TRUE(try_claim(run));
}

BELAY_CASE(Expiry, FirstTurnThatIsLostIsNotBegunAgainTooLate) {
    const RunRef run = apply(expiring(instance("a"), 10s)).instance->run;
    const ClaimedInstance item = claim(run);
    advance(kLease);
    EXPECT_FALSE(try_claim(run));
    EXPECT_EQ(status(run), Status::canceled);
    EXPECT_TRUE(refused(commit(turn_of(item)), Errc::already_ended));
}

BELAY_CASE(Expiry, FirstTurnThatIsGivenBackIsNotBegunAgainTooLate) {
    const RunRef run = apply(expiring(instance("a"), 10s)).instance->run;
    const ClaimedInstance item = claim(run);
    advance(11s);
    apply(op::abandon_turn(item));
    EXPECT_EQ(sweep().swept, 1U);
    EXPECT_EQ(status(run), Status::canceled);
}

BELAY_CASE(Expiry, UnclaimedFirstTurnIsRefusedTooLate) {
    const RunRef run = apply(expiring(instance("a"), 10s)).instance->run;
    const Turn turn = next_turn(run);
    advance(10s);
    EXPECT_TRUE(refused(commit(turn), Errc::lease_lost));
    sweep();
    EXPECT_EQ(status(run), Status::canceled);
}

BELAY_CASE(Expiry, AppliesToARunThatIsDelayed) {
    Start part = expiring(instance("a"), 10s);
    part.delay = 1min;
    const RunRef run = apply(part).instance->run;
    advance(10s);
    EXPECT_EQ(sweep().swept, 1U);
    EXPECT_EQ(status(run), Status::canceled);
}

BELAY_CASE(Expiry, AppliesToARunThatWaitsForTheOneItReplaces) {
    const RunRef old = start_running("a");
    Start part = expiring(instance("a"), 10s);
    part.on_conflict = IdConflict::replace;
    const RunRef run = apply(part).instance->run;
    advance(10s);
    EXPECT_EQ(sweep().swept, 1U);
    EXPECT_EQ(status(run), Status::canceled);
    EXPECT_EQ(status(old), Status::canceling);
}

BELAY_CASE(Expiry, SweepEndsAsManyAsItMay) {
    for (const char* id : {"a", "b", "c"}) apply(expiring(instance(id), 10s));
    advance(10s);
    EXPECT_EQ(sweep(2).swept, 2U);
    EXPECT_EQ(status(found("c").run), Status::pending) << "the longest overdue first";
    EXPECT_EQ(sweep(2).swept, 1U);
}

// ---- Deadline ----------------------------------------------------------------------------------

BELAY_CASE(Deadline, RunThatHasNotEndedInTimeFails) {
    const RunRef run = apply(with_deadline(instance("a"), 10s)).instance->run;
    apply(next_turn(run));
    EXPECT_EQ(info(run).deadline, now() + 10s);
    advance(10s - 1ms);
    EXPECT_EQ(sweep().swept, 0U);
    advance(1ms);
    EXPECT_EQ(sweep().swept, 1U);
    const Outcome outcome = outcome_of(run);
    EXPECT_EQ(outcome.status, Status::failed);
    EXPECT_EQ(outcome.failure.kind, FailureKind::timeout);
    EXPECT_EQ(outcome.failure.where, "Order");
    EXPECT_FALSE(outcome.failure.retryable);
    EXPECT_FALSE(info(run).cancel);
    EXPECT_EQ(info(run).ended_at, now());
}

BELAY_CASE(Deadline, ItsChildrenAreCanceledAndItsHandlersStopped) {
    const RunRef run = apply(with_deadline(instance("a"), 10s)).instance->run;
    const RunRef child = start_child(run, 1, "a/c");
    take_turn(child);
    schedule(run, {activity(2), activity(3)});
    const ClaimedActivity item = claim_activities(1).at(0);
    advance(10s);
    const Answer swept = sweep();
    EXPECT_EQ(swept.stopped, std::vector<LeaseToken>{item.token});
    EXPECT_EQ(status(run), Status::failed);
    EXPECT_EQ(status(child), Status::canceling);
    EXPECT_EQ(cancel_record(child).source, CancelSource::parent);
    EXPECT_TRUE(activities(run).empty());
    EXPECT_EQ(stopping(run).size(), 1U);
    EXPECT_FALSE(info(run).settled);
}

BELAY_CASE(Deadline, ClaimEndsItToo) {
    const RunRef run = apply(with_deadline(instance("a"), 10s)).instance->run;
    apply(next_turn(run));
    raise("a", "go");
    advance(10s);
    EXPECT_FALSE(try_claim());
    EXPECT_EQ(outcome_of(run).failure.kind, FailureKind::timeout);
}

BELAY_CASE(Deadline, TurnUnderWayIsRefusedOnceItHasEnded) {
    const RunRef run = apply(with_deadline(instance("a"), 10s)).instance->run;
    const ClaimedInstance item = claim(run);
    advance(10s);
    EXPECT_EQ(sweep().swept, 1U);
    EXPECT_TRUE(refused(commit(turn_of(item)), Errc::already_ended));
}

BELAY_CASE(Deadline, IsKeptAcrossContinueAsNew) {
    const RunRef run = apply(with_deadline(instance("a"), 10s)).instance->run;
    apply(continuing(next_turn(run)));
    advance(5s);
    apply(continuing(next_turn(run)));
    advance(5s);
    sweep();
    EXPECT_EQ(outcome_of(run).failure.kind, FailureKind::timeout);
}

BELAY_CASE(Deadline, CanceledRunEndsAsCanceled) {
    const RunRef run = apply(with_deadline(instance("a"), 10s)).instance->run;
    apply(next_turn(run));
    cancel("a");
    advance(10s);
    EXPECT_EQ(sweep().swept, 0U);
    EXPECT_EQ(status(run), Status::canceling);
    EXPECT_TRUE(try_claim(run)) << "its cleanup has the time of the cancel";
    advance(kDeadline);
    sweep();
    EXPECT_EQ(outcome_of(run).cleanup, Cleanup::timed_out);
}

BELAY_CASE(Deadline, EndedRunIsLeftAlone) {
    const RunRef run = apply(with_deadline(instance("a"), 10s)).instance->run;
    end(run);
    advance(10s);
    EXPECT_EQ(sweep().swept, 0U);
    EXPECT_EQ(status(run), Status::completed);
}

BELAY_CASE(Deadline, HeldRunFails) {
    const RunRef run = apply(with_deadline(instance("a"), 10s)).instance->run;
    Hold hold;
    hold.run = run;
    hold.token = claim(run).token;
    apply(hold);
    advance(10s);
    sweep();
    EXPECT_EQ(outcome_of(run).failure.kind, FailureKind::timeout);
    EXPECT_TRUE(held().empty());
}

BELAY_CASE(Deadline, TheEarlierOfTheTwoDecides) {
    Start part = with_deadline(instance("a"), 5s);
    part.expires = 10s;
    const RunRef fails = apply(part).instance->run;
    part = with_deadline(instance("b"), 10s);
    part.expires = 5s;
    const RunRef expires = apply(part).instance->run;
    advance(20s);
    EXPECT_EQ(sweep().swept, 2U);
    EXPECT_EQ(status(fails), Status::failed);
    EXPECT_EQ(status(expires), Status::canceled);
}

// ---- Priority ----------------------------------------------------------------------------------

BELAY_CASE(Priority, OfARunIsAddedToThatOfItsActivities) {
    NewInstance urgent = instance("urgent");
    urgent.priority = 10;
    const RunRef slow = start("slow");
    const RunRef fast = apply(op::start(urgent)).instance->run;
    EXPECT_EQ(info(fast).priority, 10);
    EXPECT_EQ(info(slow).priority, 0);
    NewActivity more = activity(2);
    more.priority = 5;
    NewActivity less = activity(3);
    less.priority = -20;
    schedule(slow, {activity(1), more});
    schedule(fast, {less, activity(1), more});
    const auto items = claim_activities();
    ASSERT_EQ(items.size(), 5U);
    std::vector<std::pair<RunRef, CommandNo>> order;
    for (const auto& item : items) order.emplace_back(item.activity.run, item.activity.command);
    const std::vector<std::pair<RunRef, CommandNo>> expected{
        {fast, 2}, {fast, 1}, {slow, 2}, {slow, 1}, {fast, 3}};
    EXPECT_EQ(order, expected);
}

BELAY_CASE(Priority, ChildrenInheritIt) {
    NewInstance urgent = instance("p");
    urgent.priority = 7;
    const RunRef parent = apply(op::start(urgent)).instance->run;
    const RunRef child = start_child(parent, 1, "p/c");
    EXPECT_EQ(info(child).priority, 7);
    const RunRef grandchild = start_child(child, 1, "p/c/d");
    EXPECT_EQ(info(grandchild).priority, 7);
}

BELAY_CASE(Priority, SumsStayInTheRangeOfTheirType) {
    constexpr std::int32_t kMost = std::numeric_limits<std::int32_t>::max();
    NewInstance urgent = instance("a");
    urgent.priority = kMost;
    const RunRef run = apply(op::start(urgent)).instance->run;
    NewActivity first = activity(2);
    first.priority = kMost;
    schedule(run, {activity(1), first});
    EXPECT_EQ(commands_of(claim_activities()), (std::vector<CommandNo>{1, 2}));
}

}  // namespace
}  // namespace belay::conformance
