// The work of a dead holder is taken back at once.
#include "conformance/case.hpp"

BELAY_CONFORMANCE_AREA(takeover)

namespace belay::conformance {
namespace {

constexpr Millis kBackoff{1'000};
constexpr std::uint64_t kDead = 77;
constexpr std::uint64_t kOther = 78;

ReleaseHolder release(std::uint64_t holder = kDead, std::uint32_t limit = 1000) {
    return ReleaseHolder{holder, kBackoff, limit};
}

ClaimActivities activities_by(std::uint64_t holder, std::uint64_t serial, std::uint32_t max = 100) {
    ClaimActivities request =
        op::claim_activity(LeaseToken{holder, serial}, "w" + std::to_string(holder), kLease);
    request.max = max;
    return request;
}

ClaimInstances runs_by(std::uint64_t holder, std::uint64_t serial, std::uint32_t max = 100) {
    ClaimInstances request =
        op::claim_instance(LeaseToken{holder, serial}, "w" + std::to_string(holder), kLease);
    request.max = max;
    return request;
}

BELAY_CASE(Takeover, ItsActivitiesCanBeClaimedAtOnce) {
    start_with_activities("a", 2);
    const auto lost = claim_activities(activities_by(kDead, 1));
    ASSERT_EQ(lost.size(), 2U);
    EXPECT_FALSE(try_claim_activity());
    const Answer answer = apply(release());
    EXPECT_EQ(answer.swept, 2U);
    EXPECT_TRUE(answer.changed);
    const auto again = claim_activities(activities_by(kOther, 1));
    ASSERT_EQ(commands_of(again), (std::vector<CommandNo>{1, 2})) << "in their old places";
    EXPECT_EQ(again[0].attempt, 2U) << "the attempt that was lost counts";
    EXPECT_TRUE(refused(try_complete(lost[0]), Errc::lease_lost));
    EXPECT_TRUE(refused(try_renew(lost[0]), Errc::lease_lost));
    complete(again[0]);
}

BELAY_CASE(Takeover, ItsRunsCanBeClaimedAtOnce) {
    const RunRef run = start("a");
    const auto lost = claim_instances(runs_by(kDead, 1));
    ASSERT_EQ(lost.size(), 1U);
    EXPECT_FALSE(try_claim(run));
    EXPECT_EQ(apply(release()).swept, 1U);
    EXPECT_FALSE(info(run).locked);
    const ClaimedInstance again = claim(run);
    EXPECT_EQ(again.attempts, 2U);
    EXPECT_TRUE(refused(commit(turn_of(lost[0])), Errc::lease_lost));
    EXPECT_TRUE(applied(commit(turn_of(again))));
}

BELAY_CASE(Takeover, BeforeAnybodyClaimsItsCommitsAreRefusedAlready) {
    const RunRef run = start_with_activities("a", 1);
    const auto lost = claim_activities(activities_by(kDead, 1));
    raise("a", "go");
    const auto turn = claim_instances(runs_by(kDead, 10));
    ASSERT_EQ(lost.size(), 1U);
    ASSERT_EQ(turn.size(), 1U);
    apply(release());
    EXPECT_TRUE(refused(try_complete(lost[0]), Errc::lease_lost));
    EXPECT_TRUE(refused(commit(turn_of(turn[0])), Errc::lease_lost));
    EXPECT_EQ(info(run).attempts, 1U);
}

BELAY_CASE(Takeover, OthersKeepTheirs) {
    const RunRef run = start_with_activities("a", 2);
    const auto lost = claim_activities(activities_by(kDead, 1, 1));
    const auto kept = claim_activities(activities_by(kOther, 1, 1));
    ASSERT_EQ(lost.size(), 1U);
    ASSERT_EQ(kept.size(), 1U);
    raise("a", "go");
    ASSERT_EQ(claim_instances(runs_by(kOther, 10)).size(), 1U);
    EXPECT_EQ(apply(release()).swept, 1U);
    EXPECT_EQ(commands_of(claim_activities()), std::vector<CommandNo>{1});
    EXPECT_FALSE(try_claim(run));
    EXPECT_TRUE(applied(try_renew(kept[0])));
    complete(kept[0]);
}

BELAY_CASE(Takeover, AnotherDeathUnderAnActivityIsWaitedFor) {
    start_with_activities("a", 1);
    for (std::uint64_t attempt = 1; attempt <= 4; ++attempt) {
        ASSERT_EQ(claim_activities(activities_by(kDead, attempt)).size(), 1U);
        apply(release());
        if (attempt == 1) continue;
        const Millis wait = kBackoff * (1 << (attempt - 2));
        EXPECT_EQ(claim_with_hint(activities_by(kOther, attempt)).ready_in, wait);
        advance(wait - 1ms);
        EXPECT_FALSE(try_claim_activity()) << "attempt " << attempt;
        advance(1ms);
    }
    EXPECT_EQ(claim_activity().attempt, 5U);
}

BELAY_CASE(Takeover, AnotherDeathUnderARunIsWaitedFor) {
    const RunRef run = start("a");
    for (std::uint64_t attempt = 1; attempt <= 4; ++attempt) {
        ASSERT_EQ(claim_instances(runs_by(kDead, attempt)).size(), 1U);
        apply(release());
        if (attempt == 1) continue;
        const Millis wait = kBackoff * (1 << (attempt - 2));
        advance(wait - 1ms);
        EXPECT_FALSE(try_claim(run)) << "attempt " << attempt;
        advance(1ms);
    }
    EXPECT_EQ(claim(run).attempts, 5U);
}

BELAY_CASE(Takeover, NobodyWaitsLongerThanTheLeaseWouldHaveLasted) {
    start_with_activities("a", 1);
    const RunRef run = start("b");
    for (std::uint64_t attempt = 1; attempt <= 9; ++attempt) {
        ASSERT_EQ(claim_activities(activities_by(kDead, attempt)).size(), 1U);
        ASSERT_EQ(claim_instances(runs_by(kDead, attempt + 50)).size(), 1U);
        advance(kLease / 2);
        apply(release());
        advance(kLease / 2);
    }
    EXPECT_EQ(claim_activity().attempt, 10U);
    EXPECT_EQ(claim(run).attempts, 10U);
}

BELAY_CASE(Takeover, ATurnThatEndedTakesTheCountAway) {
    const RunRef run = start("a");
    ASSERT_EQ(claim_instances(runs_by(kDead, 1)).size(), 1U);
    apply(release());
    take_turn(run);
    raise("a", "go");
    ASSERT_EQ(claim_instances(runs_by(kDead, 2)).size(), 1U);
    apply(release());
    EXPECT_TRUE(try_claim(run)) << "it is the first attempt at this turn";
}

BELAY_CASE(Takeover, ACancelDoesNotWait) {
    const RunRef run = start_running("a");
    raise("a", "go");
    for (std::uint64_t attempt = 1; attempt <= 2; ++attempt) {
        ASSERT_EQ(claim_instances(runs_by(kDead, attempt)).size(), 1U);
        if (attempt == 2) cancel("a");
        apply(release());
    }
    const ClaimedInstance item = claim(run);
    EXPECT_TRUE(item.cancel.has_value());
}

BELAY_CASE(Takeover, AHandlerToldToStopHasEnded) {
    const RunRef run = start_with_activities("a", 2);
    const auto lost = claim_activities(activities_by(kDead, 1, 1));
    const auto kept = claim_activities(activities_by(kOther, 1, 1));
    ASSERT_EQ(lost.size(), 1U);
    ASSERT_EQ(kept.size(), 1U);
    cancel("a");
    end(run, canceled());
    EXPECT_EQ(stopping(run).size(), 2U);
    EXPECT_EQ(apply(release()).swept, 1U);
    ASSERT_EQ(stopping(run).size(), 1U);
    EXPECT_FALSE(info(run).settled);
    apply(release(kOther));
    EXPECT_TRUE(stopping(run).empty());
    EXPECT_TRUE(info(run).settled);
    EXPECT_TRUE(refused(try_drop(lost[0]), Errc::lease_lost));
}

BELAY_CASE(Takeover, ItsSessionsAreFree) {
    const RunRef run = start("a");
    NewActivity first = activity(1);
    first.session = "s";
    NewActivity second = activity(2);
    second.session = "s";
    schedule(run, {first, second});
    ASSERT_EQ(claim_activities(activities_by(kDead, 1, 1)).size(), 1U);
    EXPECT_TRUE(claim_activities(activities_by(kOther, 1)).empty());
    EXPECT_TRUE(apply(release()).changed);
    EXPECT_TRUE(read(ListLeases{}).sessions.empty());
    EXPECT_EQ(commands_of(claim_activities(activities_by(kOther, 10))),
              (std::vector<CommandNo>{1, 2}));
}

BELAY_CASE(Takeover, AnIdleSessionOfItIsFreeToo) {
    const RunRef run = start("a");
    NewActivity wanted = activity(1);
    wanted.session = "s";
    schedule(run, {wanted});
    const auto done = claim_activities(activities_by(kDead, 1));
    ASSERT_EQ(done.size(), 1U);
    complete(done[0]);
    EXPECT_EQ(read(ListLeases{}).sessions.size(), 1U);
    const Answer answer = apply(release());
    EXPECT_EQ(answer.swept, 0U);
    EXPECT_TRUE(answer.changed);
    EXPECT_TRUE(read(ListLeases{}).sessions.empty());
}

BELAY_CASE(Takeover, ItsRoomInAQueueIsFree) {
    SetQueueLimits limits;
    limits.limits = QueueLimits{.running = 1};
    apply(limits);
    const RunRef gone = start_with_activities("a", 1);
    start_with_activities("b", 1);
    ASSERT_EQ(claim_activities(activities_by(kDead, 1)).size(), 1U);
    // The handler of a deleted run takes up room as long as it may be running.
    apply(op::force_delete(named("a")));
    EXPECT_FALSE(find(gone));
    EXPECT_FALSE(try_claim_activity());
    apply(release());
    EXPECT_TRUE(try_claim_activity());
}

BELAY_CASE(Takeover, AnExpiredLeaseIsLeftAsItIs) {
    start_with_activities("a", 1);
    const RunRef run = start("b");
    const auto late = claim_activities(activities_by(kDead, 1));
    const auto turn = claim_instances(runs_by(kDead, 10));
    ASSERT_EQ(late.size(), 1U);
    ASSERT_EQ(turn.size(), 1U);
    advance(kLease);
    EXPECT_EQ(apply(release()).swept, 0U);
    EXPECT_TRUE(try_claim_activity());
    EXPECT_TRUE(try_claim(run));
}

BELAY_CASE(Takeover, ALimitIsKeptAndTheRestFollows) {
    start_with_activities("a", 3);
    start("b");
    start("c");
    ASSERT_EQ(claim_activities(activities_by(kDead, 1)).size(), 3U);
    ASSERT_EQ(claim_instances(runs_by(kDead, 10)).size(), 2U);
    for (const std::uint64_t swept : {2U, 2U, 1U}) {
        EXPECT_EQ(apply(release(kDead, 2)).swept, swept);
    }
    EXPECT_EQ(claim_activities().size(), 3U);
    EXPECT_EQ(claim_instances(10).size(), 2U);
}

BELAY_CASE(Takeover, RepeatedItFindsNothing) {
    start_with_activities("a", 1);
    ASSERT_EQ(claim_activities(activities_by(kDead, 1)).size(), 1U);
    apply(release());
    const auto again = claim_activities(activities_by(kOther, 1));
    ASSERT_EQ(again.size(), 1U);
    const Answer second = commit(release());
    EXPECT_TRUE(applied(second));
    EXPECT_EQ(second.swept, 0U);
    EXPECT_FALSE(second.changed);
    complete(again[0]);
}

BELAY_CASE(Takeover, ItIsATransitionOfItsOwn) {
    const RunRef run = start_running("a");
    EXPECT_TRUE(refused(commit(fuse(next_turn(run), release())), Errc::invalid_argument));
    EXPECT_TRUE(refused(commit(fuse(release(), next_turn(run))), Errc::invalid_argument));
}

BELAY_CASE(Takeover, NobodyIsDeadAsLongAsTheStoreIsThere) {
    start_with_activities("a", 1);
    ASSERT_EQ(claim_activities(activities_by(kDead, 1)).size(), 1U);
    EXPECT_TRUE(read(ReadDeadHolders{}).dead.empty());
    advance(kLease * 2);
    EXPECT_TRUE(read(ReadDeadHolders{}).dead.empty());
}

}  // namespace
}  // namespace belay::conformance
