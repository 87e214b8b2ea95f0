// Limits of a queue: at once, and within a time.
#include "conformance/case.hpp"

BELAY_CONFORMANCE_AREA(queue_limits)

namespace belay::conformance {
namespace {

SetQueueLimits limit(QueueLimits limits, std::string queue = "") {
    SetQueueLimits part;
    part.queue = std::move(queue);
    part.limits = limits;
    return part;
}

NewActivity keyed(CommandNo command, std::string key, std::string queue = "") {
    NewActivity wanted = activity(command);
    wanted.fairness_key = std::move(key);
    wanted.queue = std::move(queue);
    return wanted;
}

ClaimActivities everything(LeaseToken token) {
    ClaimActivities request = op::claim_activity(token, "worker", kLease);
    request.max = 1000;
    request.any_queue = true;
    return request;
}

BELAY_CASE(QueueLimits, NoMoreRunAtOnceThanMay) {
    apply(limit({.running = 2}));
    start_with_activities("a", 3);
    const auto answer = claim_with_hint(everything(fresh_token()));
    ASSERT_EQ(answer.claimed.size(), 2U);
    EXPECT_EQ(answer.ready_in, kLease);
    EXPECT_TRUE(claim_activities(everything(fresh_token())).empty());
    complete(answer.claimed[0]);
    EXPECT_EQ(claim_activities(everything(fresh_token())).size(), 1U);
}

BELAY_CASE(QueueLimits, ALostLeaseMakesRoom) {
    apply(limit({.running = 1}));
    start_with_activities("a", 2);
    const ClaimedActivity first = claim_activity();
    advance(kLease - 1ms);
    EXPECT_TRUE(applied(try_renew(first)));
    advance(kLease - 1ms);
    EXPECT_FALSE(try_claim_activity());
    advance(1ms);
    EXPECT_EQ(claim_activity().attempt, 2U);
    EXPECT_FALSE(try_claim_activity());
}

BELAY_CASE(QueueLimits, ARenewedActivityCountsEvenIfItsLeaseWasOverOnce) {
    apply(limit({.running = 2}));
    start_with_activities("a", 1);
    const ClaimedActivity late = claim_activity();
    advance(kLease);
    // One that begins now finds the lease over, and what it took up is forgotten.
    NewActivity urgent = activity(1);
    urgent.priority = 1;
    const RunRef other = start("b");
    schedule(other, {urgent});
    EXPECT_EQ(claim_activity().activity.run, other);
    set_back(1ms);
    EXPECT_TRUE(applied(try_renew(late)));
    start_with_activities("c", 1);
    EXPECT_FALSE(try_claim_activity());
    complete(late);
    EXPECT_TRUE(try_claim_activity());
}

BELAY_CASE(QueueLimits, CanceledAfterItsLeaseExpiredItCountsAgain) {
    apply(limit({.running = 2}));
    start_with_activities("a", 1);
    const ClaimedActivity late = claim_activity();
    advance(kLease);
    // One that begins now finds the lease over, and what it took up is forgotten.
    NewActivity urgent = activity(1);
    urgent.priority = 1;
    const RunRef other = start("b");
    schedule(other, {urgent});
    EXPECT_EQ(claim_activity().activity.run, other);
    cancel("a");
    start_with_activities("c", 1);
    EXPECT_FALSE(try_claim_activity()) << "the handler may still run";
    apply(op::ack_activity(late, std::nullopt));
    EXPECT_TRUE(try_claim_activity());
}

BELAY_CASE(QueueLimits, GivenBackItMakesRoom) {
    apply(limit({.running = 1}));
    start_with_activities("a", 1);
    for (const CountAttempt count : {CountAttempt::no, CountAttempt::yes}) {
        apply(op::abandon_activity(claim_activity(), Millis(0), count));
    }
    EXPECT_TRUE(try_claim_activity());
}

BELAY_CASE(QueueLimits, InterruptedWorkCountsAsBegun) {
    apply(limit({.started = StartRate{1, 10s}}));
    start_with_activities("a", 1);
    AbandonActivity back = op::abandon_activity(claim_activity(), Millis(0), CountAttempt::no);
    apply(back);
    const ClaimedActivity untouched = claim_activity();
    back = op::abandon_activity(untouched, Millis(0), CountAttempt::no);
    back.reason = AbandonReason::interrupted;
    apply(back);
    EXPECT_FALSE(try_claim_activity());
    advance(10s);
    EXPECT_EQ(claim_activity().attempt, 1U);
}

BELAY_CASE(QueueLimits, OneThatIsStoppingStillRuns) {
    apply(limit({.running = 1}));
    start_with_activities("a", 1);
    start_with_activities("b", 1);
    const ClaimedActivity first = claim_activity();
    cancel("a");
    EXPECT_FALSE(try_claim_activity());
    EXPECT_TRUE(applied(try_drop(first)));
    EXPECT_TRUE(try_claim_activity());
}

BELAY_CASE(QueueLimits, OneWhoseRunIsGoneCountsForItsGraceOnly) {
    apply(limit({.running = 1}));
    for (const char* id : {"a", "b", "c"}) start_with_activities(id, 1);
    EXPECT_EQ(claim_activity().activity.run, find("a")->run);
    apply(op::force_delete(named("a")));
    EXPECT_FALSE(try_claim_activity())
        << "its handler may not have ended yet, and nobody will hear";
    advance(StopTerms().grace);
    EXPECT_EQ(claim_activity().activity.run, find("b")->run);
    cancel("b");
    apply(op::force_delete(named("b")));
    EXPECT_FALSE(try_claim_activity());
    advance(StopTerms().grace);
    EXPECT_TRUE(try_claim_activity());
}

BELAY_CASE(QueueLimits, EachKeyHasItsOwnRoom) {
    apply(limit({.running_per_key = 1}));
    const RunRef run = start("a");
    schedule(run, {keyed(1, "x"), keyed(2, "x"), keyed(3, "y"), activity(4), activity(5)});
    const auto first = claim_activities(everything(fresh_token()));
    EXPECT_EQ(commands_of(first), (std::vector<CommandNo>{1, 3, 4, 5}))
        << "a full key keeps no other waiting, and those without one have no limit";
    complete(first[0]);
    EXPECT_EQ(commands_of(claim_activities(everything(fresh_token()))), std::vector<CommandNo>{2});
}

BELAY_CASE(QueueLimits, OtherQueuesDoNotMind) {
    apply(limit({.running = 1}, "slow"));
    const RunRef run = start("a");
    schedule(run, {keyed(1, "", "slow"), keyed(2, "", "slow"), activity(3), activity(4)});
    EXPECT_EQ(commands_of(claim_activities(everything(fresh_token()))),
              (std::vector<CommandNo>{1, 3, 4}));
}

BELAY_CASE(QueueLimits, NoMoreBeginWithinATimeThanMay) {
    apply(limit({.started = StartRate{2, 10s}}));
    start_with_activities("a", 5);
    const auto first = claim_activities(everything(fresh_token()));
    ASSERT_EQ(first.size(), 2U);
    complete(first[0]);
    advance(4s);
    complete(first[1]);
    const auto none = claim_with_hint(everything(fresh_token()));
    EXPECT_TRUE(none.claimed.empty()) << "that they have ended does not matter";
    EXPECT_EQ(none.ready_in, 6s);
    advance(6s - 1ms);
    EXPECT_TRUE(claim_activities(everything(fresh_token())).empty());
    advance(1ms);
    EXPECT_EQ(claim_activities(everything(fresh_token())).size(), 2U);
}

BELAY_CASE(QueueLimits, AnActivityGivenBackUntouchedDoesNotCountAsBegun) {
    apply(limit({.started = StartRate{1, 10s}}));
    start_with_activities("a", 1);
    apply(op::abandon_activity(claim_activity(), Millis(0), CountAttempt::no));
    EXPECT_TRUE(try_claim_activity());
}

BELAY_CASE(QueueLimits, EachKeyHasItsOwnRate) {
    apply(limit({.started_per_key = StartRate{1, 10s}}));
    const RunRef run = start("a");
    schedule(run, {keyed(1, "x"), keyed(2, "x"), keyed(3, "y"), activity(4)});
    const auto first = claim_with_hint(everything(fresh_token()));
    EXPECT_EQ(commands_of(first.claimed), (std::vector<CommandNo>{1, 3, 4}));
    EXPECT_EQ(first.ready_in, 10s);
    advance(10s);
    EXPECT_EQ(commands_of(claim_activities(everything(fresh_token()))), std::vector<CommandNo>{2});
}

BELAY_CASE(QueueLimits, HandOversKeepToThem) {
    apply(limit({.running = 1}));
    const RunRef run = start("a");
    Turn turn = next_turn(run);
    turn.activities = {activity(1), activity(2)};
    for (NewActivity& one : turn.activities) {
        one.hand_over = NewActivity::HandOver{fresh_token(), kLease, "worker"};
    }
    EXPECT_EQ(apply(turn).leased, std::vector<CommandNo>{1});
    EXPECT_FALSE(try_claim_activity());
}

BELAY_CASE(QueueLimits, ActivitiesRunningWhenTheyAreSetCount) {
    start_with_activities("a", 3);
    const ClaimedActivity first = claim_activity();
    apply(limit({.running = 2}));
    EXPECT_EQ(claim_activities(everything(fresh_token())).size(), 1U);
    complete(first);
    EXPECT_EQ(claim_activities(everything(fresh_token())).size(), 1U);
}

BELAY_CASE(QueueLimits, ActivitiesStoppingWhenTheyAreSetCount) {
    const RunRef run = start("a");
    schedule(run, {keyed(1, "x")});
    const RunRef other = start("b");
    schedule(other, {keyed(1, "x"), keyed(2, "y")});
    const ClaimedActivity first = claim_activity();
    cancel("a");
    apply(limit({.running = 2, .running_per_key = 1}));
    const auto second = claim_activities(everything(fresh_token()));
    EXPECT_EQ(commands_of(second), std::vector<CommandNo>{2}) << "its key is full";
    EXPECT_TRUE(applied(try_drop(first)));
    EXPECT_EQ(commands_of(claim_activities(everything(fresh_token()))), std::vector<CommandNo>{1});
}

BELAY_CASE(QueueLimits, ActivitiesLeasedAgainWhenTheyAreSetCount) {
    start_with_activities("a", 1);
    const ClaimedActivity late = claim_activity();
    advance(kLease);
    // One that is claimed now finds the lease of the other over, and it in line.
    NewActivity urgent = activity(1);
    urgent.priority = 1;
    const RunRef other = start("b");
    schedule(other, {urgent});
    EXPECT_EQ(claim_activity().activity.run, other);
    set_back(1ms);
    apply(limit({.running = 2}));
    start_with_activities("c", 1);
    EXPECT_FALSE(try_claim_activity());
    complete(late);
    EXPECT_TRUE(try_claim_activity());
}

BELAY_CASE(QueueLimits, NoneStopTheQueue) {
    apply(limit({.running = 0}));
    start_with_activities("a", 1);
    const auto answer = claim_with_hint(everything(fresh_token()));
    EXPECT_TRUE(answer.claimed.empty());
    EXPECT_EQ(answer.ready_in, std::nullopt);
    SetQueueLimits clear;
    apply(clear);
    EXPECT_TRUE(try_claim_activity());
}

BELAY_CASE(QueueLimits, TheyAreShown) {
    const belay::QueueLimits limits{.running = 3,
                                    .running_per_key = 2,
                                    .started = StartRate{10, 1s},
                                    .started_per_key = StartRate{5, 2s}};
    SetQueueLimits part = limit(limits, "gpu");
    part.by = "ops";
    apply(part);
    apply(limit({.running = 1}));
    const auto shown = read(CountQueues{}).limits;
    ASSERT_EQ(shown.size(), 2U);
    EXPECT_EQ(shown[0].queue, "");
    EXPECT_EQ(shown[1].queue, "gpu");
    EXPECT_EQ(shown[1].limits, limits);
    EXPECT_EQ(shown[1].by, "ops");
    EXPECT_EQ(shown[1].set_at, now());
    part.limits.reset();
    apply(part);
    EXPECT_EQ(read(CountQueues{}).limits.size(), 1U);
}

BELAY_CASE(QueueLimits, NonsenseIsRefused) {
    EXPECT_TRUE(refused(commit(limit({})), Errc::invalid_argument));
    EXPECT_TRUE(refused(commit(limit({.started = StartRate{1, 0ms}})), Errc::invalid_argument));
    EXPECT_TRUE(refused(commit(limit({.running = 1}, "a\nb")), Errc::invalid_argument));
    EXPECT_TRUE(read(CountQueues{}).limits.empty());
}

BELAY_CASE(QueueLimits, ARepeatedRequestChangesNothing) {
    SetQueueLimits part = limit({.running = 1}, "q");
    part.space = "default";
    part.request_id = "r1";
    EXPECT_FALSE(apply(part).instance.has_value());
    SetQueueLimits other = limit({.running = 5}, "q");
    apply(other);
    const Answer again = commit(part);
    EXPECT_TRUE(already_applied(again));
    EXPECT_FALSE(again.instance.has_value());
    EXPECT_EQ(read(CountQueues{}).limits.at(0).limits.running, 5U);
}

}  // namespace
}  // namespace belay::conformance
