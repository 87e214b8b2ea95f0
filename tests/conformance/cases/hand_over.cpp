// Activities handed over already leased, in the commit that schedules them.
#include "conformance/case.hpp"

#include <memory>

BELAY_CONFORMANCE_AREA(hand_over)

namespace belay::conformance {
namespace {

NewActivity handed(CommandNo command, LeaseToken token) {
    NewActivity made = activity(command);
    NewActivity::HandOver over;
    over.token = token;
    over.lease = kLease;
    over.worker = "same process";
    made.hand_over = over;
    return made;
}

AckActivity ack(RunRef run, CommandNo command, LeaseToken token) {
    AckActivity part;
    part.activity = ActivityRef{run, 1, command};
    part.token = token;
    part.completion = op::activity_completed(part.activity, Payload::text("result"));
    return part;
}

BELAY_CASE(HandOver, RowIsBornLeased) {
    const RunRef run = start("a");
    const LeaseToken token = fresh_token();
    Turn turn = next_turn(run);
    turn.activities = {handed(1, token)};
    const Answer answer = apply(turn);
    EXPECT_EQ(answer.leased, std::vector<CommandNo>{1});
    EXPECT_FALSE(try_claim_activity());
    const auto rows = activities(run);
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_TRUE(rows[0].leased);
    EXPECT_EQ(rows[0].token, token);
    EXPECT_EQ(rows[0].worker, "same process");
    EXPECT_EQ(rows[0].leased_until, now() + kLease);
    EXPECT_EQ(rows[0].attempt, 1U) << "it counts as the first attempt";
}

BELAY_CASE(HandOver, HolderCompletes) {
    const RunRef run = start("a");
    const LeaseToken token = fresh_token();
    Turn turn = next_turn(run);
    turn.activities = {handed(1, token)};
    apply(turn);
    EXPECT_TRUE(applied(commit(ack(run, 1, token))));
    EXPECT_EQ(inbox(run).size(), 1U);
}

BELAY_CASE(HandOver, LeaseExpiresLikeAnyOther) {
    const RunRef run = start("a");
    const LeaseToken token = fresh_token();
    Turn turn = next_turn(run);
    turn.activities = {handed(1, token)};
    apply(turn);
    advance(kLease);
    EXPECT_EQ(claim_activity().attempt, 2U);
    EXPECT_TRUE(refused(commit(ack(run, 1, token)), Errc::lease_lost));
}

BELAY_CASE(HandOver, CancelStopsIt) {
    const RunRef run = start("a");
    const LeaseToken token = fresh_token();
    Turn turn = next_turn(run);
    turn.activities = {handed(1, token)};
    apply(turn);
    EXPECT_EQ(cancel("a").stopped, std::vector<LeaseToken>{token});
}

/// The id of another run of the shard of `id`. A store need not look further than that.
std::string neighbour_of(const std::string& id) { return id + "/neighbour"; }

BELAY_CASE(HandOver, DoesNotJumpTheQueue) {
    start_with_activities(neighbour_of("a"), 1);
    const RunRef run = start("a");
    const LeaseToken token = fresh_token();
    Turn turn = next_turn(run);
    turn.activities = {handed(7, token)};
    const Answer answer = apply(turn);
    EXPECT_TRUE(answer.leased.empty());
    EXPECT_TRUE(refused(commit(ack(run, 7, token)), Errc::lease_lost));
    const auto items = claim_activities();
    EXPECT_EQ(commands_of(items), (std::vector<CommandNo>{1, 7}));
    EXPECT_EQ(items[1].attempt, 1U);
}

/// To somebody who has these names only.
NewActivity handed_by_name(CommandNo command, LeaseToken token, std::vector<std::string> names) {
    NewActivity made = handed(command, token);
    made.hand_over->names = std::make_shared<const std::vector<std::string>>(std::move(names));
    return made;
}

BELAY_CASE(HandOver, WorkWithoutCodeAtItsHolderIsNotInTheWay) {
    schedule(start(neighbour_of("a")), {activity(1, "Pack")});
    Turn turn = next_turn(start("a"));
    turn.activities = {handed_by_name(7, fresh_token(), {"Charge", "Ship"})};
    EXPECT_EQ(apply(turn).leased, std::vector<CommandNo>{7});
}

BELAY_CASE(HandOver, DoesNotTakeTheRoomThatOthersWaitFor) {
    SetQueueLimits part;
    part.limits = QueueLimits{.running = 1};
    apply(part);
    schedule(start(neighbour_of("a")), {activity(1, "Pack")});
    Turn turn = next_turn(start("a"));
    turn.activities = {handed_by_name(7, fresh_token(), {"Charge"})};
    EXPECT_TRUE(apply(turn).leased.empty()) << "somebody else has that name";
}

BELAY_CASE(HandOver, DoesNotJumpAnotherNameThatItsHolderHas) {
    schedule(start(neighbour_of("a")), {activity(1, "Pack"), activity(2, "Ship")});
    Turn turn = next_turn(start("a"));
    turn.activities = {handed_by_name(7, fresh_token(), {"Ship", "Charge"})};
    EXPECT_TRUE(apply(turn).leased.empty());
}

BELAY_CASE(HandOver, AFullKeyIsNotInTheWay) {
    SetQueueLimits part;
    part.limits.emplace().running_per_key = 1;
    apply(part);
    const RunRef run = start(neighbour_of("a"));
    std::vector<NewActivity> wanted{activity(1), activity(2)};
    for (NewActivity& one : wanted) one.fairness_key = "full";
    schedule(run, wanted);
    const ClaimedActivity held = claim_activity();
    Turn turn = next_turn(start("a"));
    turn.activities = {handed_by_name(7, fresh_token(), {"Charge"})};
    EXPECT_EQ(apply(turn).leased, std::vector<CommandNo>{7});
    complete(held);
    turn = next_turn(start(neighbour_of("a") + "/too"));
    turn.activities = {handed_by_name(8, fresh_token(), {"Charge"})};
    EXPECT_TRUE(apply(turn).leased.empty()) << "the key is free again";
}

BELAY_CASE(HandOver, DoesNotJumpAnExpiredLease) {
    start_with_activities(neighbour_of("a"), 1);
    claim_activity();
    advance(kLease);
    Turn turn = next_turn(start("a"));
    turn.activities = {handed(7, fresh_token())};
    EXPECT_TRUE(apply(turn).leased.empty());
}

BELAY_CASE(HandOver, LeasedWorkIsNotInTheWay) {
    start_with_activities(neighbour_of("a"), 1);
    claim_activity();
    Turn turn = next_turn(start("a"));
    turn.activities = {handed(1, fresh_token())};
    EXPECT_EQ(apply(turn).leased, std::vector<CommandNo>{1});
}

BELAY_CASE(HandOver, DelayedWorkIsNotInTheWay) {
    NewActivity late = activity(1);
    late.delay = 1h;
    schedule(start(neighbour_of("a")), {late});
    Turn turn = next_turn(start("a"));
    turn.activities = {handed(1, fresh_token())};
    EXPECT_EQ(apply(turn).leased, std::vector<CommandNo>{1});
}

BELAY_CASE(HandOver, OtherQueuesAreNotInTheWay) {
    start_with_activities(neighbour_of("a"), 1);
    Turn turn = next_turn(start("a"));
    NewActivity wanted = handed(1, fresh_token());
    wanted.queue = "gpu";
    turn.activities = {wanted};
    EXPECT_EQ(apply(turn).leased, std::vector<CommandNo>{1});
}

BELAY_CASE(HandOver, SeveralInOneTurn) {
    const RunRef run = start("a");
    const LeaseToken first = fresh_token();
    Turn turn = next_turn(run);
    turn.activities = {handed(1, first), handed(2, token_after(first, 1)), activity(3)};
    EXPECT_EQ(apply(turn).leased, (std::vector<CommandNo>{1, 2}));
    EXPECT_EQ(commands_of(claim_activities()), std::vector<CommandNo>{3});
    EXPECT_TRUE(applied(commit(ack(run, 2, token_after(first, 1)))));
    EXPECT_TRUE(applied(commit(ack(run, 1, first))));
}

BELAY_CASE(HandOver, RefusedTurnHandsNothingOver) {
    const RunRef run = start_running("a");
    const LeaseToken token = fresh_token();
    Turn turn = next_turn(run);
    turn.activities = {handed(1, token)};
    turn.position = 9;
    const Answer answer = commit(turn);
    EXPECT_TRUE(refused(answer, Errc::position_moved));
    EXPECT_TRUE(answer.leased.empty());
    EXPECT_TRUE(activities(run).empty());
}

BELAY_CASE(HandOver, CanceledInTheSameTurnNetsToNothing) {
    const RunRef run = start("a");
    const LeaseToken token = fresh_token();
    Turn turn = next_turn(run);
    turn.activities = {handed(1, token)};
    turn.canceled_activities = {1};
    const Answer answer = apply(turn);
    EXPECT_TRUE(answer.leased.empty()) << "nobody may start what is already canceled";
    EXPECT_TRUE(activities(run).empty());
    EXPECT_TRUE(stopping(run).empty()) << "no handler was ever started";
}

BELAY_CASE(HandOver, WithTheStartAndItsFirstTurn) {
    NewInstance made = instance("a");
    Turn turn;
    turn.run = made.run;
    turn.history = events(2);
    const LeaseToken token = fresh_token();
    turn.activities = {handed(1, token)};
    const Answer answer = apply(fuse(op::start(made), turn));
    EXPECT_EQ(answer.leased, std::vector<CommandNo>{1});
    EXPECT_TRUE(applied(commit(ack(made.run, 1, token))));
    EXPECT_TRUE(try_claim(made.run));
}

}  // namespace
}  // namespace belay::conformance
