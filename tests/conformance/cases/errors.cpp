// Wrong tokens, unknown ids, impossible requests: each is a typed refusal and changes nothing.
#include "conformance/case.hpp"

BELAY_CONFORMANCE_AREA(errors)

namespace belay::conformance {
namespace {

BELAY_CASE(Errors, TurnWithATokenThatHoldsNothing) {
    const RunRef run = start("a");
    Turn turn = next_turn(run);
    turn.lock = fresh_token();
    EXPECT_TRUE(refused(commit(turn), Errc::lease_lost));
    EXPECT_EQ(status(run), Status::pending);
}

BELAY_CASE(Errors, TurnWithTheEmptyTokenOfNobodysLock) {
    const RunRef run = start("a");
    Turn turn = next_turn(run);
    turn.lock = LeaseToken();
    EXPECT_TRUE(refused(commit(turn), Errc::lease_lost));
}

BELAY_CASE(Errors, TurnOfAnUnknownRun) {
    Turn turn;
    turn.run = fresh_run("a");
    turn.history = events(1);
    EXPECT_TRUE(refused(commit(turn), Errc::not_found));
    turn.lock = fresh_token();
    EXPECT_TRUE(refused(commit(turn), Errc::not_found));
}

BELAY_CASE(Errors, UnclaimedTurnOfAnEndedRun) {
    const RunRef run = start_running("a");
    Turn turn = next_turn(run);
    end(run);
    EXPECT_TRUE(refused(commit(turn), Errc::already_ended));
}

BELAY_CASE(Errors, AckOfAnUnknownActivity) {
    const RunRef run = start_running("a");
    AckActivity ack;
    ack.activity = ActivityRef{run, 1, 5};
    ack.token = fresh_token();
    ack.completion = event("result");
    EXPECT_TRUE(refused(commit(ack), Errc::lease_lost));
    ack.activity.run = fresh_run("b");
    EXPECT_TRUE(refused(commit(ack), Errc::lease_lost));
    EXPECT_EQ(info(run).ready_messages, 0U);
    EXPECT_TRUE(dead_letters().empty());
}

BELAY_CASE(Errors, AckOfAnotherExecutionsActivity) {
    start_with_activities("a", 1);
    ClaimedActivity item = claim_activity();
    item.activity.execution = 2;
    EXPECT_TRUE(refused(try_complete(item), Errc::lease_lost));
    item.activity.execution = 1;
    EXPECT_TRUE(applied(try_complete(item)));
}

BELAY_CASE(Errors, ExchangedTokensOfARunAndItsActivity) {
    const RunRef run = start_with_activities("a", 1);
    ClaimedActivity work = claim_activity();
    raise("a", "go");
    ClaimedInstance item = claim(run);
    std::swap(work.token, item.token);
    EXPECT_TRUE(refused(try_complete(work), Errc::lease_lost));
    EXPECT_TRUE(refused(commit(turn_of(item)), Errc::lease_lost));
}

BELAY_CASE(Errors, LockOperationsOnAnUnknownRun) {
    ClaimedInstance nobody;
    nobody.run = fresh_run("a");
    nobody.token = fresh_token();
    for (const Answer& answer : {commit(op::renew_orchestration_item_lock(nobody, kLease)),
                                 commit(op::abandon_orchestration_item(nobody))}) {
        EXPECT_EQ(answer.verdict, Verdict::refused) << describe(answer);
        ASSERT_TRUE(answer.error);
        EXPECT_FALSE(answer.error->retryable());
    }
}

BELAY_CASE(Errors, RefusalsSayWhyInWords) {
    const Answer answer = commit(op::cancel(named("no such order"), "enough", kDeadline));
    ASSERT_TRUE(refused(answer, Errc::not_found));
    EXPECT_FALSE(answer.error->message().empty());
    EXPECT_FALSE(answer.error->outcome_unknown());
}

BELAY_CASE(Errors, AppliedAnswersCarryNoError) {
    start("a");
    const Answer answer = cancel("a");
    EXPECT_FALSE(answer.error);
    EXPECT_TRUE(answer.done());
}

BELAY_CASE(Errors, ReadsOfUnknownRunsAreEmpty) {
    const RunRef nobody = fresh_run("a");
    EXPECT_FALSE(find(nobody));
    EXPECT_TRUE(history(nobody).empty());
    EXPECT_TRUE(read(ListExecutions{nobody}).empty());
    EXPECT_TRUE(activities(nobody).empty());
    EXPECT_TRUE(stopping(nobody).empty());
}

BELAY_CASE(Errors, ClaimOfAnUnknownRunIsEmpty) {
    start("a");
    EXPECT_FALSE(try_claim(fresh_run("b")));
}

BELAY_CASE(Errors, EmptyBatchIsAnsweredEmpty) {
    EXPECT_TRUE(commit_batch({}).empty());
}

BELAY_CASE(Errors, LockThatExpiresDuringTheTurnAndIsTakenIsLost) {
    const RunRef run = start_running("a");
    raise("a", "go");
    const ClaimedInstance slow = claim(run);
    advance(kLease + 1s);
    const ClaimedInstance quick = claim(run);
    apply(turn_of(quick));
    const Answer late = commit(turn_of(slow));
    EXPECT_TRUE(refused(late, Errc::lease_lost));
    EXPECT_EQ(info(run).position, 2U);
}

BELAY_CASE(Errors, UnsubscribedListenerHearsNothing) {
    class Counting final : public StoreListener {
    public:
        void instances_ready() override { ++heard; }
        void activities_ready() override { ++heard; }
        void leases_stopped(const std::vector<LeaseToken>&) override { ++heard; }
        void instance_ended(RunRef) override { ++heard; }
        std::atomic<int> heard{0};
    };
    Counting listener;
    store().subscribe(listener);
    start_with_activities("a", 1);
    store().unsubscribe(listener);
    const int before = listener.heard;
    claim_activity();
    cancel("a");
    start("b");
    EXPECT_EQ(listener.heard, before);
}

}  // namespace
}  // namespace belay::conformance
