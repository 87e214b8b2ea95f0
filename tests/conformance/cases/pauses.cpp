// Queues and definitions that an operator has paused.
#include "conformance/case.hpp"

BELAY_CONFORMANCE_AREA(pauses)

namespace belay::conformance {
namespace {

SetPause pause(PauseKind kind, std::string name, bool on = true) {
    SetPause part;
    part.kind = kind;
    part.paused = std::move(name);
    part.on = on;
    part.by = "ann";
    part.reason = "the bank is down";
    return part;
}

SetPause resume(PauseKind kind, std::string name) { return pause(kind, std::move(name), false); }

NewActivity placed_in(CommandNo command, std::string queue) {
    NewActivity made = activity(command);
    made.queue = std::move(queue);
    return made;
}

ClaimActivities from_any_queue(LeaseToken token) {
    ClaimActivities request = op::claim_activity(token, "worker", kLease);
    request.any_queue = true;
    request.max = 10;
    return request;
}

BELAY_CASE(Paused, NothingOfAPausedQueueBegins) {
    const RunRef run = start("a");
    schedule(run, {placed_in(1, "bank"), placed_in(2, "mail")});
    EXPECT_TRUE(apply(pause(PauseKind::queue, "bank")).changed);
    EXPECT_EQ(commands_of(claim_activities(from_any_queue(fresh_token()))),
              std::vector<CommandNo>{2});
    ClaimActivities request = from_any_queue(fresh_token());
    request.any_queue = false;
    request.queues = {"bank"};
    EXPECT_TRUE(claim_activities(request).empty());
    EXPECT_EQ(activities(run).size(), 2U);

    EXPECT_TRUE(apply(resume(PauseKind::queue, "bank")).changed);
    EXPECT_EQ(commands_of(claim_activities(from_any_queue(fresh_token()))),
              std::vector<CommandNo>{1});
}

BELAY_CASE(Paused, DefaultQueueIsPausedByItsEmptyName) {
    start_with_activities("a", 1);
    apply(pause(PauseKind::queue, ""));
    EXPECT_FALSE(try_claim_activity());
    apply(resume(PauseKind::queue, ""));
    EXPECT_TRUE(try_claim_activity());
}

BELAY_CASE(Paused, ActivitiesThatRunGoOn) {
    start_with_activities("a", 1);
    const ClaimedActivity item = claim_activity();
    apply(pause(PauseKind::queue, ""));
    EXPECT_TRUE(applied(try_renew(item)));
    EXPECT_TRUE(applied(try_complete(item)));
}

BELAY_CASE(Paused, LostActivityOfAPausedQueueIsNotTakenOver) {
    start_with_activities("a", 1);
    claim_activity();
    apply(pause(PauseKind::queue, ""));
    advance(kLease);
    EXPECT_FALSE(try_claim_activity());
    apply(resume(PauseKind::queue, ""));
    EXPECT_EQ(claim_activity().attempt, 2U);
}

BELAY_CASE(Paused, NothingIsHandedOverInAPausedQueue) {
    const RunRef run = start("a");
    apply(pause(PauseKind::queue, ""));
    Turn turn = next_turn(run);
    turn.activities = {activity(1)};
    NewActivity::HandOver over;
    over.token = fresh_token();
    over.lease = kLease;
    over.worker = "same process";
    turn.activities[0].hand_over = over;
    EXPECT_TRUE(apply(turn).leased.empty());
    EXPECT_EQ(activities(run).size(), 1U);
}

BELAY_CASE(Paused, RunsOfAPausedDefinitionTakeNoTurns) {
    const RunRef run = start("a");
    NewInstance other = instance("b");
    other.definition = "Another";
    const RunRef free = apply(op::start(other)).instance->run;
    apply(pause(PauseKind::definition, "Order"));
    EXPECT_FALSE(try_claim(run));
    const auto claimed = claim_instances(10);
    ASSERT_EQ(claimed.size(), 1U);
    EXPECT_EQ(claimed[0].run, free);
    raise("a", "go");
    const RunRef later = start("c");
    EXPECT_FALSE(try_claim()) << "it is started all the same, and waits";
    apply(resume(PauseKind::definition, "Order"));
    EXPECT_EQ(claim_instances(10).size(), 2U);
    EXPECT_EQ(status(later), Status::pending);
}

BELAY_CASE(Paused, CanceledRunOfAPausedDefinitionCleansUp) {
    const RunRef run = start_running("a");
    apply(pause(PauseKind::definition, "Order"));
    cancel("a");
    const ClaimedInstance item = claim(run);
    EXPECT_TRUE(applied(commit(ending(turn_of(item), canceled()))));
}

BELAY_CASE(Paused, TurnThatWasClaimedBeforeGoesOn) {
    const RunRef run = start("a");
    const ClaimedInstance item = claim(run);
    apply(pause(PauseKind::definition, "Order"));
    EXPECT_TRUE(applied(commit(turn_of(item))));
    raise("a", "go");
    EXPECT_FALSE(try_claim(run));
}

BELAY_CASE(Paused, TurnWithoutAClaimIsRefused) {
    const RunRef run = start_running("a");
    const Turn turn = next_turn(run);
    apply(pause(PauseKind::definition, "Order"));
    EXPECT_TRUE(refused(commit(turn), Errc::still_running));
    Start part = op::start(instance("b"));
    Turn first;
    first.run = part.instance.run;
    first.history = events(1);
    EXPECT_TRUE(refused(commit(fuse(part, first)), Errc::still_running));
    cancel("a");
    EXPECT_TRUE(applied(commit(next_turn(run))));
}

BELAY_CASE(Paused, RunOfAPausedDefinitionIsStartedWithoutItsLock) {
    apply(pause(PauseKind::definition, "Order"));
    Start part = op::start(instance("a"));
    part.lock = StartLock{fresh_token(), "worker", kLease};
    const RunRef run = apply(part).instance->run;
    EXPECT_FALSE(info(run).locked);
    apply(resume(PauseKind::definition, "Order"));
    EXPECT_EQ(claim(run).attempts, 1U);
}

BELAY_CASE(Paused, RunThatIsNotBegunInTimeExpires) {
    Start part = op::start(instance("a"));
    part.expires = 10s;
    const RunRef run = apply(part).instance->run;
    apply(pause(PauseKind::definition, "Order"));
    advance(10s);
    EXPECT_FALSE(try_claim());
    EXPECT_EQ(status(run), Status::canceled);
}

BELAY_CASE(Paused, FirstPauseStaysAsItIs) {
    EXPECT_TRUE(apply(pause(PauseKind::definition, "Order")).changed);
    const Timestamp since = now();
    advance(1s);
    SetPause again = pause(PauseKind::definition, "Order");
    again.by = "bob";
    EXPECT_FALSE(apply(again).changed);
    apply(pause(PauseKind::queue, "Order"));
    const auto pauses = read(CountQueues()).pauses;
    ASSERT_EQ(pauses.size(), 2U);
    EXPECT_EQ(pauses[0], (Pause{PauseKind::queue, "Order", now(), "ann", "the bank is down"}));
    EXPECT_EQ(pauses[1], (Pause{PauseKind::definition, "Order", since, "ann", "the bank is down"}));

    EXPECT_TRUE(apply(resume(PauseKind::definition, "Order")).changed);
    EXPECT_FALSE(apply(resume(PauseKind::definition, "Order")).changed);
    EXPECT_EQ(read(CountQueues()).pauses.size(), 1U);
}

BELAY_CASE(Paused, RepeatedRequestIsAnsweredAsTheFirst) {
    SetPause part = pause(PauseKind::queue, "bank");
    part.request_id = "once";
    part.space = "space";
    EXPECT_TRUE(apply(part).changed);
    apply(resume(PauseKind::queue, "bank"));
    const Answer again = commit(part);
    EXPECT_TRUE(already_applied(again));
    EXPECT_TRUE(again.changed);
    EXPECT_TRUE(read(CountQueues()).pauses.empty()) << "the repeat pauses nothing";
    part.paused = "mail";
    EXPECT_TRUE(refused(commit(part), Errc::request_id_reused));
}

BELAY_CASE(Paused, InvalidNameIsRefused) {
    EXPECT_TRUE(refused(commit(pause(PauseKind::definition, "")), Errc::invalid_argument));
    EXPECT_TRUE(refused(commit(pause(PauseKind::queue, "a\nb")), Errc::invalid_argument));
    EXPECT_TRUE(refused(commit(pause(static_cast<PauseKind>(9), "bank")), Errc::invalid_argument));
}

}  // namespace
}  // namespace belay::conformance
