// A run set aside for a person.
#include "conformance/case.hpp"

BELAY_CONFORMANCE_AREA(hold)

namespace belay::conformance {
namespace {

Hold hold_of(const ClaimedInstance& item, std::string detail = "expected Charge, found Refund") {
    Hold part;
    part.run = item.run;
    part.token = item.token;
    part.detail = std::move(detail);
    return part;
}

Release release_of(std::string id) {
    Release part;
    part.name = named(std::move(id));
    return part;
}

BELAY_CASE(Hold, HeldRunIsNotClaimed) {
    const RunRef run = start("a");
    apply(hold_of(claim(run)));
    EXPECT_FALSE(try_claim(run));
    raise("a", "go");
    advance(24h);
    EXPECT_FALSE(try_claim());
}

BELAY_CASE(Hold, IsAnAttributeAndShown) {
    const RunRef run = start_running("a");
    raise("a", "go");
    apply(hold_of(claim(run)));
    const InstanceInfo shown = info(run);
    EXPECT_EQ(shown.status, Status::running);
    EXPECT_TRUE(shown.held);
    EXPECT_EQ(shown.held_detail, "expected Charge, found Refund");
    EXPECT_FALSE(shown.locked);
    const auto list = held();
    ASSERT_EQ(list.size(), 1U);
    EXPECT_EQ(list[0].instance.run, run);
    EXPECT_EQ(list[0].instance.name, named("a"));
}

BELAY_CASE(Hold, SaysHowItFailsUntilItIsReleasedOrEnds) {
    const RunRef run = start_running("a");
    raise("a", "go");
    EXPECT_FALSE(info(run).held_kind);
    apply(hold_of(claim(run)));
    EXPECT_EQ(info(run).held_kind, FailureKind::nondeterminism);
    apply(release_of("a"));
    EXPECT_FALSE(info(run).held_kind);
    belay::Hold late = hold_of(claim(run), "it took too long");
    late.kind = FailureKind::timeout;
    apply(late);
    EXPECT_EQ(info(run).held_kind, FailureKind::timeout);
    apply(op::terminate(named("a"), "operator", "stuck"));
    EXPECT_FALSE(info(run).held_kind);
}

BELAY_CASE(Hold, ListIsLimited) {
    for (const char* id : {"a", "b", "c"}) apply(hold_of(claim(start(id))));
    ListInstances request;
    request.space = named("a").space;
    request.held_only = true;
    request.max = 2;
    EXPECT_EQ(read(request).size(), 2U);
    EXPECT_EQ(held().size(), 3U);
}

BELAY_CASE(Hold, NeedsTheLock) {
    const RunRef run = start("a");
    const ClaimedInstance lost = claim(run);
    advance(kLease);
    const ClaimedInstance item = claim(run);
    EXPECT_TRUE(refused(commit(hold_of(lost)), Errc::lease_lost));
    EXPECT_FALSE(info(run).held);
    EXPECT_TRUE(applied(commit(turn_of(item))));
}

BELAY_CASE(Hold, TurnOfAHeldRunIsRefused) {
    const RunRef run = start("a");
    const ClaimedInstance item = claim(run);
    apply(hold_of(item));
    EXPECT_TRUE(refused(commit(turn_of(item)), Errc::lease_lost));
}

BELAY_CASE(Hold, ReleasedRunGoesOnWithWhatItHad) {
    const RunRef run = start_running("a");
    raise("a", "before");
    apply(hold_of(claim(run)));
    raise("a", "while held");
    apply(release_of("a"));
    EXPECT_FALSE(info(run).held);
    EXPECT_TRUE(info(run).held_detail.empty());
    EXPECT_TRUE(held().empty());
    EXPECT_EQ(names_of(claim(run).messages), (std::vector<std::string>{"before", "while held"}));
}

BELAY_CASE(Hold, ReleasedPendingRunTakesItsFirstTurn) {
    const RunRef run = start("a");
    apply(hold_of(claim(run)));
    apply(release_of("a"));
    take_turn(run);
    EXPECT_EQ(status(run), Status::running);
}

BELAY_CASE(Hold, AttemptsAreCountedAnewWhenItIsReleased) {
    const RunRef run = start("a");
    for (int i = 0; i < 3; ++i) {
        const ClaimedInstance item = claim(run);
        EXPECT_EQ(item.attempts, 1U);
        apply(hold_of(item));
        apply(release_of("a"));
    }
    EXPECT_EQ(info(run).attempts, 0U);
}

BELAY_CASE(Hold, AReleaseForgetsTheMissingCode) {
    const RunRef run = start("a");
    AbandonTurn back = op::abandon_turn(claim(run), 0ms, CountAttempt::no);
    back.reason = AbandonReason::unregistered;
    apply(back);
    apply(hold_of(claim(run)));
    EXPECT_EQ(info(run).unregistered, 1U);
    EXPECT_TRUE(info(run).code_missing_since);
    apply(release_of("a"));
    EXPECT_EQ(info(run).unregistered, 0U) << "who released it says that there is code now";
    EXPECT_FALSE(info(run).code_missing_since);
    EXPECT_EQ(claim(run).unregistered, 0U);
}

BELAY_CASE(Hold, AReleasedRunIsNotPutOffAnyMore) {
    const RunRef run = start("a");
    ClaimInstances request = op::claim_instance(fresh_token(), "worker", kLease);
    request.code.emplace();
    request.patience = 0ms;
    EXPECT_TRUE(claim_instances(request).empty());
    ASSERT_EQ(info(run).unregistered, 1U) << "it was put off for want of the code";
    advance(24h);
    apply(hold_of(claim(run)));
    apply(release_of("a"));
    EXPECT_FALSE(info(run).code_missing_since);

    apply(op::abandon_turn(claim(run), 1h, CountAttempt::no));
    request.first_token = fresh_token();
    request.code->push_back(ClaimInstances::Code{"Order", {}});
    EXPECT_TRUE(claim_instances(request).empty())
        << "nobody who comes with the code need bring it back";
}

BELAY_CASE(Hold, ReleaseOfARunThatIsNotHeldIsRefused) {
    const RunRef run = start("a");
    EXPECT_TRUE(refused(commit(release_of("a")), Errc::not_held));
    apply(hold_of(claim(run)));
    apply(release_of("a"));
    EXPECT_TRUE(refused(commit(release_of("a")), Errc::not_held));
}

BELAY_CASE(Hold, ReleaseOfAnUnknownRunIsRefused) {
    EXPECT_TRUE(refused(commit(release_of("a")), Errc::not_found));
}

BELAY_CASE(Hold, ActivitiesOfAHeldRunGoOn) {
    const RunRef run = start_with_activities("a", 1);
    raise("a", "go");
    apply(hold_of(claim(run)));
    complete(claim_activity());
    apply(release_of("a"));
    EXPECT_EQ(claim(run).messages.size(), 2U);
}

BELAY_CASE(Hold, RunWithARecordedCancelEndsInsteadOfBeingHeld) {
    const RunRef run = start_running("a");
    raise("a", "go");
    const ClaimedInstance item = claim(run);
    cancel("a");
    apply(hold_of(item));
    EXPECT_EQ(status(run), Status::canceled) << "a cancel waits for nobody";
    EXPECT_EQ(outcome_of(run).cleanup, Cleanup::failed);
    EXPECT_EQ(outcome_of(run).cleanup_detail, "expected Charge, found Refund");
    EXPECT_TRUE(held().empty());
}

BELAY_CASE(Hold, HeldRunCanBeTerminated) {
    const RunRef run = start("a");
    apply(hold_of(claim(run)));
    apply(op::terminate(named("a"), "operator", "broken"));
    EXPECT_EQ(status(run), Status::canceled);
    EXPECT_TRUE(held().empty());
}

BELAY_CASE(Hold, UnclaimedTurnOfAHeldRunIsRefused) {
    const RunRef run = start("a");
    apply(hold_of(claim(run)));
    EXPECT_TRUE(refused(commit(next_turn(run)), Errc::lease_lost));
    EXPECT_EQ(info(run).position, 0U);
}

// ---- Failed by a person ------------------------------------------------------------------------

belay::Finish fail_held(std::string id) {
    belay::Finish part;
    part.target = named(std::move(id));
    part.outcome = failed("nobody can repair it");
    part.held_only = true;
    return part;
}

BELAY_CASE(Hold, AHeldRunCanBeFailed) {
    const RunRef parent = start_running("p");
    const RunRef run = start_child(parent, 1, "p/c");
    apply(hold_of(claim(run)));
    const Answer answer = apply(fail_held("p/c"));
    EXPECT_TRUE(answer.changed);
    EXPECT_EQ(answer.instance->status, Status::failed);
    EXPECT_EQ(outcome_of(run), failed("nobody can repair it"));
    EXPECT_TRUE(held().empty());
    const auto messages = inbox(parent);
    ASSERT_EQ(messages.size(), 1U) << "its parent is told";
    EXPECT_EQ(messages[0].content.kind, MessageKind::child_failed);
}

BELAY_CASE(Hold, OnlyWhatIsHeldIsFailedAsHeld) {
    const RunRef run = start("a");
    EXPECT_TRUE(refused(commit(fail_held("a")), Errc::not_held));
    EXPECT_TRUE(refused(commit(fail_held("nobody")), Errc::not_found));
    apply(hold_of(claim(run)));
    apply(release_of("a"));
    EXPECT_TRUE(refused(commit(fail_held("a")), Errc::not_held)) << "somebody was faster";
    EXPECT_EQ(status(run), Status::pending);
    end(run);
    EXPECT_TRUE(refused(commit(fail_held("a")), Errc::not_held));
}

BELAY_CASE(Hold, FailingIsRecognisedByItsRequest) {
    apply(hold_of(claim(start("a"))));
    belay::Finish part = fail_held("a");
    part.request_id = "r-1";
    apply(part);
    EXPECT_TRUE(already_applied(commit(part)));
}

}  // namespace
}  // namespace belay::conformance
