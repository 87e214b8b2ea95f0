// Cancel is a record on the instance: written once, seen by every later turn, never lost.
#include "conformance/case.hpp"

#include <algorithm>

BELAY_CONFORMANCE_AREA(cancel)

namespace belay::conformance {
namespace {

AbandonTurn without_code(const ClaimedInstance& item) {
    AbandonTurn part = op::abandon_turn(item, 0ms, CountAttempt::no);
    part.reason = AbandonReason::unregistered;
    return part;
}

BELAY_CASE(Cancel, PendingRunEndsInThatCommit) {
    const RunRef run = start("a");
    advance(1s);
    const Answer answer = cancel("a", "not needed");
    EXPECT_TRUE(answer.changed);
    ASSERT_TRUE(answer.instance);
    EXPECT_EQ(answer.instance->run, run);
    EXPECT_EQ(answer.instance->status, Status::canceled);

    const InstanceInfo after = info(run);
    EXPECT_EQ(after.status, Status::canceled);
    EXPECT_EQ(after.ended_at, now());
    ASSERT_TRUE(after.outcome);
    EXPECT_EQ(after.outcome->status, Status::canceled);
    EXPECT_EQ(after.outcome->cancel.reason, "not needed");
    EXPECT_EQ(after.outcome->cancel.requested_at, now());
    EXPECT_EQ(after.outcome->cleanup, Cleanup::not_needed);
    EXPECT_TRUE(after.settled);
}

BELAY_CASE(Cancel, NothingOfAPendingRunEverRuns) {
    const RunRef run = start("a");
    raise("a", "go");
    cancel("a");
    EXPECT_FALSE(try_claim(run));
    advance(24h);
    EXPECT_FALSE(try_claim());
    EXPECT_EQ(info(run).ready_messages, 0U);
}

BELAY_CASE(Cancel, RunningRunBecomesCanceling) {
    const RunRef run = start_running("a");
    const Answer answer = cancel("a", "enough");
    EXPECT_TRUE(answer.changed);
    ASSERT_TRUE(answer.instance);
    EXPECT_EQ(answer.instance->status, Status::canceling);

    const InstanceInfo after = info(run);
    EXPECT_EQ(after.status, Status::canceling);
    EXPECT_FALSE(after.outcome);
    EXPECT_FALSE(after.ended_at);
    EXPECT_EQ(after.cancel_deadline, now() + kDeadline);
}

BELAY_CASE(Cancel, RecordSaysWhoWhenAndWhy) {
    const RunRef run = start_running("a");
    advance(3s);
    belay::Cancel part = op::cancel(named("a"), "fraud", kDeadline);
    part.source = CancelSource::policy;
    part.by = "risk engine";
    apply(part);
    const auto record = info(run).cancel;
    ASSERT_TRUE(record);
    EXPECT_EQ(record->source, CancelSource::policy);
    EXPECT_EQ(record->by, "risk engine");
    EXPECT_EQ(record->reason, "fraud");
    EXPECT_EQ(record->requested_at, now());
}

BELAY_CASE(Cancel, ClaimCarriesTheRecord) {
    const RunRef run = start_running("a");
    cancel("a", "enough");
    const ClaimedInstance item = claim(run);
    EXPECT_EQ(item.status, Status::canceling);
    EXPECT_EQ(item.cancel, info(run).cancel);
    ASSERT_TRUE(item.cancel);
    EXPECT_EQ(item.cancel->reason, "enough");
    EXPECT_EQ(item.cancel_deadline, now() + kDeadline);
}

BELAY_CASE(Cancel, ReadiesTheRunOnce) {
    const RunRef run = start_running("a");
    EXPECT_FALSE(try_claim(run));
    cancel("a");
    take_turn(run);
    EXPECT_EQ(status(run), Status::canceling);
    EXPECT_FALSE(try_claim(run)) << "a turn that saw it is not asked again";
}

BELAY_CASE(Cancel, LostTurnSeesItAgain) {
    const RunRef run = start_running("a");
    cancel("a");
    claim(run);
    advance(kLease);
    EXPECT_TRUE(claim(run).cancel);
}

BELAY_CASE(Cancel, LaterTurnsSeeItToo) {
    const RunRef run = start_running("a");
    cancel("a", "enough");
    take_turn(run);
    raise("a", "go");
    const ClaimedInstance item = claim(run);
    ASSERT_TRUE(item.cancel);
    EXPECT_EQ(item.cancel->reason, "enough");
}

BELAY_CASE(Cancel, SecondCancelChangesNothing) {
    const RunRef run = start_running("a");
    cancel("a", "first");
    const auto record = info(run).cancel;
    advance(1min);
    const Answer again = cancel("a", "second");
    EXPECT_FALSE(again.changed);
    ASSERT_TRUE(again.instance);
    EXPECT_EQ(again.instance->status, Status::canceling);
    EXPECT_EQ(info(run).cancel, record);
    EXPECT_EQ(info(run).cancel_deadline, record->requested_at + kDeadline);
}

BELAY_CASE(Cancel, EndedRunIsNotChanged) {
    for (const Outcome& outcome : {completed(), failed()}) {
        const RunRef run = start_running("a" + std::to_string(static_cast<int>(outcome.status)));
        end(run, outcome);
        const Answer answer = cancel(info(run).name.id);
        EXPECT_FALSE(answer.changed);
        ASSERT_TRUE(answer.instance);
        EXPECT_EQ(answer.instance->status, outcome.status);
        EXPECT_EQ(info(run).outcome, outcome);
        EXPECT_FALSE(info(run).cancel);
        EXPECT_FALSE(try_claim(run));
    }
}

BELAY_CASE(Cancel, CanceledRunIsNotChanged) {
    const RunRef run = start("a");
    cancel("a", "first");
    advance(1s);
    const Answer again = cancel("a", "second");
    EXPECT_FALSE(again.changed);
    EXPECT_EQ(outcome_of(run).cancel.reason, "first");
    EXPECT_EQ(info(run).ended_at, now() - 1s);
}

BELAY_CASE(Cancel, UnknownIdIsNotFoundAndQueuesNothing) {
    EXPECT_TRUE(refused(commit(op::cancel(named("a"), "enough", kDeadline)), Errc::not_found));
    const RunRef run = start("a");
    EXPECT_EQ(status(run), Status::pending);
    EXPECT_FALSE(claim(run).cancel);
}

BELAY_CASE(Cancel, RunOfAnotherDefinitionIsNotFound) {
    const RunRef run = start_running("a");
    belay::Cancel part = op::cancel(named("a"), "enough", kDeadline);
    part.definition = "Another";
    EXPECT_TRUE(refused(commit(part), Errc::not_found));
    EXPECT_EQ(status(run), Status::running);
    part.definition = "Order";
    EXPECT_TRUE(apply(part).changed);
    EXPECT_EQ(status(run), Status::canceling);
}

BELAY_CASE(Cancel, TurnClaimedBeforeIsRefused) {
    const RunRef run = start_running("a");
    raise("a", "go");
    const ClaimedInstance item = claim(run);
    cancel("a");
    EXPECT_TRUE(refused(commit(turn_of(item)), Errc::cancel_unseen));
    EXPECT_TRUE(refused(commit(ending(turn_of(item), completed())), Errc::cancel_unseen));
    EXPECT_TRUE(refused(commit(continuing(turn_of(item))), Errc::cancel_unseen));
    EXPECT_EQ(info(run).position, 1U);

    apply(op::abandon_turn(item));
    const ClaimedInstance again = claim(run);
    ASSERT_TRUE(again.cancel);
    EXPECT_EQ(names_of(again.messages), std::vector<std::string>{"go"});
    EXPECT_TRUE(applied(commit(turn_of(again))));
}

BELAY_CASE(Cancel, UnclaimedTurnThatHasNotSeenItIsRefused) {
    const RunRef run = start_running("a");
    Turn turn = next_turn(run);
    cancel("a");
    EXPECT_TRUE(refused(commit(turn), Errc::cancel_unseen));
}

BELAY_CASE(Cancel, PendingRunEndsAtOnceAlsoUnderALiveLock) {
    const RunRef run = start("a");
    const ClaimedInstance item = claim(run);
    const Answer answer = cancel("a");
    EXPECT_TRUE(answer.changed);
    EXPECT_EQ(status(run), Status::canceled) << "nothing of its first turn was committed";
    EXPECT_TRUE(refused(commit(turn_of(item)), Errc::already_ended));
    EXPECT_FALSE(try_claim(run));
}

BELAY_CASE(Cancel, PendingRunUnderAnExpiredLockEndsAtOnce) {
    const RunRef run = start("a");
    const ClaimedInstance item = claim(run);
    advance(kLease);
    cancel("a");
    EXPECT_EQ(status(run), Status::canceled);
    EXPECT_TRUE(refused(commit(turn_of(item)), Errc::already_ended));
}

BELAY_CASE(Cancel, HeldRunEndsAtOnce) {
    const RunRef run = start_running("a");
    raise("a", "go");
    const ClaimedInstance item = claim(run);
    Hold hold;
    hold.run = run;
    hold.token = item.token;
    hold.detail = "mismatch";
    apply(hold);
    EXPECT_TRUE(cancel("a").changed);
    EXPECT_EQ(status(run), Status::canceled);
    EXPECT_EQ(outcome_of(run).cleanup, Cleanup::skipped) << "there may have been something to undo";
    EXPECT_TRUE(held().empty());
}

BELAY_CASE(Cancel, HeldOrUnregisteredRunThatNeverHadATurnNeedsNoCleanup) {
    const RunRef held = start("held");
    Hold hold;
    hold.run = held;
    hold.token = claim(held).token;
    apply(hold);
    cancel("held");
    EXPECT_EQ(outcome_of(held).cleanup, Cleanup::not_needed);

    const RunRef unknown = start("unknown");
    apply(without_code(claim(unknown)));
    advance(kDeadline);
    cancel("unknown");
    EXPECT_EQ(outcome_of(unknown).cleanup, Cleanup::not_needed);
}

BELAY_CASE(Cancel, ParentOfAHeldChildIsToldThatCleanupWasSkipped) {
    const RunRef parent = start_running("p");
    const RunRef child = start_child(parent, 1, "p/c");
    take_turn(child);
    raise("p/c", "go");
    Hold hold;
    hold.run = child;
    hold.token = claim(child).token;
    apply(hold);
    cancel("p/c");
    const std::vector<Message> told = inbox(parent);
    ASSERT_EQ(told.size(), 1U);
    const NewMessage wanted = op::child_ended(ParentLink{parent, 1, 1}, outcome_of(child));
    EXPECT_EQ(outcome_of(child).cleanup, Cleanup::skipped);
    EXPECT_EQ(told.front().content.payload, wanted.payload);
}

BELAY_CASE(Cancel, RunWhoseCodeIsMissingForAMomentIsLeftToWhoHasIt) {
    const RunRef run = start_running("a");
    raise("a", "go");
    for (int i = 0; i < 20; ++i) apply(without_code(claim(run)));
    advance(kDeadline - 1ms);
    EXPECT_TRUE(cancel("a").changed);
    EXPECT_EQ(status(run), Status::canceling) << "its compensations may still run";
    EXPECT_TRUE(claim(run).cancel);
}

BELAY_CASE(Cancel, AllThatCameBeforeItComesWithIt) {
    start_running("a");
    for (int i = 0; i < 5; ++i) raise("a", "before");
    cancel("a");
    raise("a", "after");
    ClaimInstances request = op::claim_instance(fresh_token(), "worker", kLease);
    request.max_messages = 2;
    const auto items = claim_instances(request);
    ASSERT_EQ(items.size(), 1U);
    EXPECT_EQ(items.front().messages.size(), 5U) << "none is left for a turn after the cancel";
}

BELAY_CASE(Cancel, RunWhoseCodeNobodyHasEndsAtOnce) {
    const RunRef run = start_running("a");
    raise("a", "go");
    apply(without_code(claim(run)));
    advance(kDeadline);
    EXPECT_TRUE(cancel("a").changed);
    EXPECT_EQ(status(run), Status::canceled);
    EXPECT_EQ(outcome_of(run).cleanup, Cleanup::skipped) << "there may have been something to undo";
}

BELAY_CASE(Cancel, RunWhoseCodeCameBackIsLeftToIt) {
    const RunRef run = start_running("a");
    raise("a", "go");
    apply(without_code(claim(run)));
    advance(kDeadline);
    take_turn(run);
    EXPECT_TRUE(cancel("a").changed);
    EXPECT_EQ(status(run), Status::canceling);
}

BELAY_CASE(Cancel, BackedOffRunIsReadyAtOnce) {
    const RunRef run = start_running("a");
    raise("a", "go");
    apply(op::abandon_turn(claim(run), 1h));
    EXPECT_FALSE(try_claim(run));
    cancel("a");
    EXPECT_TRUE(claim(run).cancel);
}

BELAY_CASE(Cancel, RunGivenBackWithoutHavingSeenItIsReadyAtOnce) {
    const RunRef run = start_running("a");
    raise("a", "go");
    const ClaimedInstance item = claim(run);
    cancel("a");
    apply(op::abandon_turn(item, 1h));
    EXPECT_TRUE(claim(run).cancel);
}

BELAY_CASE(Cancel, RunGivenBackThatHasSeenItIsBackedOff) {
    const RunRef run = start_running("a");
    cancel("a");
    const ClaimedInstance item = claim(run);
    ASSERT_TRUE(item.cancel);
    apply(op::abandon_turn(item, 10s));
    EXPECT_FALSE(try_claim(run));
    advance(10s);
    EXPECT_TRUE(claim(run).cancel);
}

BELAY_CASE(Cancel, OutcomeCarriesTheRecord) {
    const RunRef run = start_running("a");
    cancel("a", "enough");
    const auto record = info(run).cancel;
    advance(2s);
    Outcome outcome = canceled(Cleanup::failed);
    outcome.cleanup_detail = "refund failed";
    apply(ending(turn_of(claim(run)), outcome));
    const InstanceInfo after = info(run);
    EXPECT_EQ(after.status, Status::canceled);
    ASSERT_TRUE(after.outcome);
    EXPECT_EQ(after.outcome->cancel, *record);
    EXPECT_EQ(after.outcome->cleanup, Cleanup::failed);
    EXPECT_EQ(after.outcome->cleanup_detail, "refund failed");
    EXPECT_EQ(after.ended_at, now());
}

BELAY_CASE(Cancel, SelfCancelKeepsTheRecordItIsGiven) {
    const RunRef run = start_running("a");
    Outcome outcome = canceled();
    outcome.cancel.source = CancelSource::self;
    outcome.cancel.reason = "nothing to do";
    end(run, outcome);
    EXPECT_EQ(status(run), Status::canceled);
    EXPECT_EQ(outcome_of(run).cancel.source, CancelSource::self);
    EXPECT_EQ(outcome_of(run).cancel.reason, "nothing to do");
}

BELAY_CASE(Cancel, MessagesAcceptedBeforeHaveSmallerNumbers) {
    const RunRef run = start_with_activities("a", 1);
    raise("a", "before");
    complete(claim_activity());
    cancel("a");
    raise("a", "after");
    const ClaimedInstance item = claim(run);
    ASSERT_TRUE(item.cancel);
    ASSERT_EQ(item.messages.size(), 3U) << "the charge that happened is not lost";
    EXPECT_LT(item.messages[0].id, item.cancel->sequence);
    EXPECT_LT(item.messages[1].id, item.cancel->sequence);
    EXPECT_EQ(item.messages[1].content.kind, MessageKind::activity_completed);
    EXPECT_GE(item.messages[2].id, item.cancel->sequence);
}

BELAY_CASE(Cancel, TimersOfACancelingRunStillFire) {
    const RunRef run = start_running("a");
    Turn turn = next_turn(run);
    NewTimer timer;
    timer.command = 1;
    timer.due_at = now() + 5s;
    timer.message = op::timer_fired(1, 1);
    turn.timers = {timer};
    apply(turn);
    cancel("a");
    take_turn(run);
    advance(5s);
    EXPECT_EQ(inbox(run).size(), 1U) << "cleanup may wait";
}

BELAY_CASE(Cancel, CancelingRunCanScheduleShieldedWork) {
    const RunRef run = start_running("a");
    cancel("a");
    Turn turn = turn_of(claim(run));
    NewActivity refund = activity(1, "Refund");
    refund.shielded = true;
    turn.activities = {refund};
    apply(turn);
    const ClaimedActivity work = claim_activity();
    EXPECT_EQ(work.name, "Refund");
    complete(work);
    EXPECT_EQ(claim(run).messages.size(), 1U);
}

BELAY_CASE(Cancel, CanceledRunEndsAsCanceledOnly) {
    const RunRef run = start_running("a");
    cancel("a");
    const ClaimedInstance item = claim(run);
    EXPECT_TRUE(refused(commit(ending(turn_of(item), completed())), Errc::invalid_argument));
    EXPECT_TRUE(refused(commit(ending(turn_of(item), failed())), Errc::invalid_argument));
    EXPECT_EQ(status(run), Status::canceling);
    EXPECT_TRUE(applied(commit(ending(turn_of(item), canceled()))));
}

BELAY_CASE(Cancel, RunThatNobodyCanceledCannotSayThatSomebodyDid) {
    const RunRef run = start_running("a");
    Outcome outcome = canceled();
    outcome.cancel.source = CancelSource::user;
    EXPECT_TRUE(refused(commit(ending(next_turn(run), outcome)), Errc::invalid_argument));
    EXPECT_EQ(status(run), Status::running);
}

BELAY_CASE(Cancel, RunEndsOnlyInATerminalState) {
    const RunRef run = start_running("a");
    for (const Status wrong :
         {Status::pending, Status::running, Status::canceling, Status::continued_as_new}) {
        Outcome outcome = completed();
        outcome.status = wrong;
        EXPECT_TRUE(refused(commit(ending(next_turn(run), outcome)), Errc::invalid_argument));
    }
    EXPECT_EQ(status(run), Status::running);
}

}  // namespace
}  // namespace belay::conformance
