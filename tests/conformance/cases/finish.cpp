// Ends without running code: terminate, and poison.
#include "conformance/case.hpp"

BELAY_CONFORMANCE_AREA(finish)

namespace belay::conformance {
namespace {

BELAY_CASE(Finish, TerminateEndsAnActiveRunAtOnce) {
    const RunRef run = start_with_activities("a", 2);
    const ClaimedActivity item = claim_activity();
    const Answer answer = apply(op::terminate(named("a"), "operator", "stuck"));
    EXPECT_TRUE(answer.changed);
    ASSERT_TRUE(answer.instance);
    EXPECT_EQ(answer.instance->status, Status::canceled);
    EXPECT_EQ(answer.stopped, std::vector<LeaseToken>{item.token});

    const InstanceInfo after = info(run);
    EXPECT_EQ(after.status, Status::canceled);
    ASSERT_TRUE(after.outcome);
    EXPECT_EQ(after.outcome->cleanup, Cleanup::terminated);
    EXPECT_EQ(after.outcome->cancel.by, "operator");
    EXPECT_EQ(after.outcome->cancel.reason, "stuck");
    EXPECT_EQ(after.outcome->cancel.requested_at, now());
    EXPECT_EQ(after.ended_at, now());
    EXPECT_TRUE(activities(run).empty());
    EXPECT_FALSE(after.settled);
}

BELAY_CASE(Finish, TerminateOfAPendingRun) {
    const RunRef run = start("a");
    apply(op::terminate(named("a"), "operator", "stuck"));
    EXPECT_EQ(status(run), Status::canceled);
    EXPECT_FALSE(try_claim(run));
}

BELAY_CASE(Finish, TerminateOfALockedRunFencesItsHolder) {
    const RunRef run = start("a");
    const ClaimedInstance item = claim(run);
    apply(op::terminate(named("a"), "operator", "stuck"));
    EXPECT_EQ(status(run), Status::canceled);
    EXPECT_TRUE(refused(commit(turn_of(item)), Errc::already_ended));
}

BELAY_CASE(Finish, TerminateKeepsTheCancelRecordItHas) {
    const RunRef run = start_running("a");
    cancel("a", "first");
    const auto record = info(run).cancel;
    advance(1min);
    EXPECT_TRUE(apply(op::terminate(named("a"), "operator", "second")).changed);
    ASSERT_TRUE(info(run).outcome);
    EXPECT_EQ(outcome_of(run).cancel, *record);
    EXPECT_EQ(outcome_of(run).cleanup, Cleanup::terminated);
}

BELAY_CASE(Finish, TerminateOfAnEndedRunChangesNothing) {
    const RunRef run = start_running("a");
    end(run, completed("done"));
    const Answer answer = apply(op::terminate(named("a"), "operator", "stuck"));
    EXPECT_FALSE(answer.changed);
    ASSERT_TRUE(answer.instance);
    EXPECT_EQ(answer.instance->status, Status::completed);
    EXPECT_EQ(info(run).outcome, completed("done"));
}

BELAY_CASE(Finish, TerminateOfAnUnknownRunIsRefused) {
    EXPECT_TRUE(refused(commit(op::terminate(named("a"), "operator", "stuck")), Errc::not_found));
}

BELAY_CASE(Finish, TerminateStopsShieldedWork) {
    const RunRef run = start("a");
    NewActivity refund = activity(1, "Refund");
    refund.shielded = true;
    schedule(run, {refund});
    const ClaimedActivity item = claim_activity();
    EXPECT_EQ(apply(op::terminate(named("a"), "operator", "now")).stopped,
              std::vector<LeaseToken>{item.token});
    EXPECT_TRUE(activities(run).empty());
}

BELAY_CASE(Finish, TerminateCancelsTheChildren) {
    const RunRef parent = start_running("p");
    const RunRef child = start_child(parent, 1, "p/c");
    take_turn(child);
    apply(op::terminate(named("p"), "operator", "now"));
    EXPECT_EQ(status(child), Status::canceling);
    EXPECT_EQ(cancel_record(child).source, CancelSource::parent);
}

BELAY_CASE(Finish, TerminateRepeatedByRequestId) {
    start_running("a");
    belay::Finish part = op::terminate(named("a"), "operator", "now");
    part.request_id = "r-1";
    EXPECT_TRUE(apply(part).changed);
    const Answer again = commit(part);
    EXPECT_TRUE(already_applied(again));
    EXPECT_TRUE(again.changed);
}

BELAY_CASE(Finish, PoisonEndsEverythingOfTheRun) {
    const RunRef run = start_with_activities("a", 1);
    const ClaimedActivity work = claim_activity();
    raise("a", "go");
    belay::Finish part;
    part.target = std::pair(run, claim(run).token);
    part.outcome = poisoned();
    EXPECT_EQ(apply(part).stopped, std::vector<LeaseToken>{work.token});
    EXPECT_EQ(info(run).outcome, poisoned());
    EXPECT_EQ(info(run).ready_messages, 0U);
    EXPECT_FALSE(info(run).locked);
}

BELAY_CASE(Finish, AnOutcomeKeepsOnlyTheFieldsOfItsStatus) {
    const auto end_with = [this](const char* id, Outcome outcome) {
        const RunRef run = start(id);
        outcome.output = Payload::text("of one that completed");
        outcome.failure.message = "of one that failed";
        outcome.cancel.by = "of one that was canceled";
        outcome.cleanup = Cleanup::failed;
        outcome.cleanup_detail = "likewise";
        belay::Finish part;
        part.target = std::pair(run, claim(run).token);
        part.outcome = std::move(outcome);
        apply(part);
        return outcome_of(run);
    };
    EXPECT_EQ(end_with("a", completed()), completed("of one that completed"));
    EXPECT_EQ(end_with("b", failed("")), failed("of one that failed"));

    Outcome expected = canceled(Cleanup::failed);
    expected.cleanup_detail = "likewise";
    Outcome found = end_with("c", canceled());
    EXPECT_EQ(found.cancel.by, "of one that was canceled");
    found.cancel = expected.cancel;
    EXPECT_EQ(found, expected);
}

BELAY_CASE(Finish, PoisonOfADeletedRunIsRefused) {
    const RunRef run = start("a");
    belay::Finish part;
    part.target = std::pair(run, claim(run).token);
    part.outcome = poisoned();
    apply(op::force_delete(named("a")));
    EXPECT_TRUE(refused(commit(part), Errc::not_found));
}

BELAY_CASE(Finish, OnlyOneOutcomeIsEverWritten) {
    const RunRef run = start_running("a");
    end(run, failed("first"));
    EXPECT_TRUE(refused(commit(ending(next_turn(run), completed())), Errc::already_ended));
    EXPECT_FALSE(cancel("a").changed);
    EXPECT_FALSE(apply(op::terminate(named("a"), "operator", "now")).changed);
    advance(24h);
    sweep();
    EXPECT_EQ(info(run).outcome, failed("first"));
}

BELAY_CASE(Finish, PoisonOfACanceledRunEndsAsCanceled) {
    const RunRef run = start_running("a");
    cancel("a", "enough");
    belay::Finish part;
    part.target = std::pair(run, claim(run).token);
    part.outcome = poisoned();
    apply(part);
    const InstanceInfo after = info(run);
    EXPECT_EQ(after.status, Status::canceled);
    ASSERT_TRUE(after.outcome);
    EXPECT_EQ(after.outcome->cancel.reason, "enough");
    EXPECT_NE(after.outcome->cleanup_detail.find(poisoned().failure.message), std::string::npos);
}

Outcome skipped(std::string reason) {
    Outcome outcome;
    outcome.status = Status::skipped;
    outcome.skip_reason = std::move(reason);
    return outcome;
}

BELAY_CASE(Finish, ASkippedRunKeepsItsReason) {
    const RunRef run = start("a");
    Outcome wanted = skipped("nothing to do");
    wanted.failure.message = "means nothing here";
    end(run, wanted);
    EXPECT_EQ(status(run), Status::skipped);
    EXPECT_EQ(outcome_of(run), skipped("nothing to do"));
    end(start("b"), skipped(""));
    EXPECT_EQ(outcome_of(found("b").run), skipped(""));
}

BELAY_CASE(Finish, AParentIsToldThatItsChildWasSkipped) {
    const RunRef parent = start_running("a");
    end(start_child(parent, 1, "a/1"), skipped("nothing to do"));
    const std::vector<Message> messages = inbox(parent);
    ASSERT_EQ(messages.size(), 1U);
    EXPECT_EQ(messages[0].content.kind, MessageKind::child_completed);
    EXPECT_EQ(messages[0].content.payload, Payload(PayloadCodec::skipped, "nothing to do"));
}

BELAY_CASE(Finish, ACanceledRunIsNotSkipped) {
    const RunRef run = start_running("a");
    cancel("a");
    Turn turn = next_turn(run);
    turn.cancel_seen = true;
    turn.after = Ends{skipped("nothing to do"), std::nullopt};
    EXPECT_TRUE(refused(commit(turn), Errc::invalid_argument));
}

}  // namespace
}  // namespace belay::conformance
