// Cancellation is the deletion of the row, in the commit that decides it.
#include "conformance/case.hpp"

#include <algorithm>

BELAY_CONFORMANCE_AREA(cancel_activities)

namespace belay::conformance {
namespace {

NewActivity shielded(CommandNo command) {
    NewActivity made = activity(command, "Refund");
    made.shielded = true;
    return made;
}

std::vector<CommandNo> commands_left(const std::vector<ActivityInfo>& rows) {
    std::vector<CommandNo> commands;
    for (const ActivityInfo& row : rows) commands.push_back(row.activity.command);
    std::ranges::sort(commands);
    return commands;
}

BELAY_CASE(CancelActivities, CancelDeletesUnclaimedRows) {
    const RunRef run = start_with_activities("a", 3);
    const Answer answer = cancel("a");
    EXPECT_TRUE(answer.stopped.empty()) << "nobody was working on them";
    EXPECT_TRUE(activities(run).empty());
    EXPECT_TRUE(stopping(run).empty());
    EXPECT_FALSE(try_claim_activity());
}

BELAY_CASE(CancelActivities, CancelStopsLeasedRows) {
    const RunRef run = start_with_activities("a", 3);
    const auto items = claim_activities(2);
    ASSERT_EQ(items.size(), 2U);
    Answer answer = cancel("a");
    std::ranges::sort(answer.stopped);
    EXPECT_EQ(answer.stopped, (std::vector<LeaseToken>{items[0].token, items[1].token}));
    EXPECT_TRUE(activities(run).empty());
    EXPECT_EQ(stopping(run).size(), 2U);
}

BELAY_CASE(CancelActivities, ShieldedRowsSurviveACancel) {
    const RunRef run = start("a");
    schedule(run, {activity(1), shielded(2), shielded(3)});
    const auto items = claim_activities(2);
    ASSERT_EQ(items.size(), 2U);
    const Answer answer = cancel("a");
    EXPECT_EQ(answer.stopped, std::vector<LeaseToken>{items[0].token});
    EXPECT_EQ(commands_left(activities(run)), (std::vector<CommandNo>{2, 3}));
    EXPECT_TRUE(applied(try_renew(items[1])));
    EXPECT_TRUE(applied(try_complete(items[1])));
    EXPECT_EQ(claim_activity().activity.command, 3U);
}

BELAY_CASE(CancelActivities, ShieldIsShownToReaders) {
    const RunRef run = start("a");
    schedule(run, {activity(1), shielded(2)});
    for (const ActivityInfo& row : activities(run)) {
        EXPECT_EQ(row.shielded, row.activity.command == 2U);
    }
}

BELAY_CASE(CancelActivities, CanceledHolderCanDoNothingButEnd) {
    const RunRef run = start_with_activities("a", 1);
    const ClaimedActivity item = claim_activity();
    cancel("a");
    EXPECT_TRUE(refused(try_complete(item), Errc::canceled));
    EXPECT_TRUE(refused(try_renew(item), Errc::canceled));
    EXPECT_TRUE(refused(commit(op::abandon_activity(item)), Errc::canceled));
    EXPECT_EQ(stopping(run).size(), 1U) << "the handler has not ended yet";
    EXPECT_EQ(info(run).ready_messages, 0U);
    EXPECT_TRUE(applied(try_drop(item)));
    EXPECT_TRUE(stopping(run).empty());
}

BELAY_CASE(CancelActivities, CompletionBeforeTheCancelWins) {
    const RunRef run = start_with_activities("a", 1);
    const ClaimedActivity item = claim_activity();
    complete(item);
    const Answer answer = cancel("a");
    EXPECT_TRUE(answer.stopped.empty());
    EXPECT_EQ(inbox(run).size(), 1U);
}

BELAY_CASE(CancelActivities, TurnStopsTheLeasedRowsItCancels) {
    const RunRef run = start_with_activities("a", 3);
    const auto items = claim_activities();
    ASSERT_EQ(items.size(), 3U);
    Turn turn = next_turn(run);
    turn.canceled_activities = {2};
    const Answer answer = apply(turn);
    EXPECT_EQ(answer.stopped, std::vector<LeaseToken>{items[1].token});
    EXPECT_EQ(commands_left(activities(run)), (std::vector<CommandNo>{1, 3}));
    ASSERT_EQ(stopping(run).size(), 1U);
    EXPECT_EQ(stopping(run)[0].activity.command, 2U);
    EXPECT_TRUE(applied(try_complete(items[0])));
    EXPECT_TRUE(refused(try_complete(items[1]), Errc::canceled));
    EXPECT_TRUE(applied(try_complete(items[2])));
}

BELAY_CASE(CancelActivities, TurnCancelsShieldedRowsItNames) {
    const RunRef run = start("a");
    schedule(run, {shielded(1)});
    Turn turn = next_turn(run);
    turn.canceled_activities = {1};
    apply(turn);
    EXPECT_TRUE(activities(run).empty());
}

BELAY_CASE(CancelActivities, CancelingWhatIsNotThereIsHarmless) {
    const RunRef run = start_with_activities("a", 2);
    complete(claim_activity());
    Turn turn = next_turn(run);
    turn.canceled_activities = {1, 7, 7};
    EXPECT_TRUE(applied(commit(turn)));
    EXPECT_EQ(commands_left(activities(run)), std::vector<CommandNo>{2});
    Turn again = next_turn(run);
    again.canceled_activities = {1, 2, 2};
    EXPECT_TRUE(applied(commit(again)));
    EXPECT_TRUE(activities(run).empty());
}

BELAY_CASE(CancelActivities, CancelOfOneRunLeavesTheOthers) {
    start_with_activities("a", 2);
    const RunRef other = start_with_activities("b", 2);
    const auto items = claim_activities();
    ASSERT_EQ(items.size(), 4U);
    cancel("a");
    EXPECT_EQ(activities(other).size(), 2U);
    EXPECT_TRUE(stopping(other).empty());
    EXPECT_TRUE(applied(try_complete(items[3])));
}

BELAY_CASE(CancelActivities, TurnCancelsOnlyInItsOwnExecution) {
    const RunRef run = start_with_activities("a", 1);
    apply(continuing(next_turn(run)));
    schedule(run, {activity(1)});
    const ClaimedActivity item = claim_activity();
    EXPECT_EQ(item.activity.execution, 2U);
    Turn turn = next_turn(run);
    turn.canceled_activities = {1};
    EXPECT_EQ(apply(turn).stopped, std::vector<LeaseToken>{item.token});
}

BELAY_CASE(CancelActivities, EveryEndOfARunDeletesItsRows) {
    for (const Outcome& outcome : {completed(), failed(), canceled()}) {
        const std::string id = "a" + std::to_string(static_cast<int>(outcome.status));
        const RunRef run = start(id);
        schedule(run, {activity(1), shielded(2), activity(3)});
        const auto items = claim_activities(2);
        ASSERT_EQ(items.size(), 2U);
        Answer answer = apply(ending(next_turn(run), outcome));
        std::ranges::sort(answer.stopped);
        EXPECT_EQ(answer.stopped, (std::vector<LeaseToken>{items[0].token, items[1].token}));
        EXPECT_TRUE(activities(run).empty());
        EXPECT_EQ(stopping(run).size(), 2U);
        EXPECT_FALSE(try_claim_activity());
        EXPECT_TRUE(refused(try_complete(items[0]), Errc::canceled));
    }
}

BELAY_CASE(CancelActivities, ContinueAsNewDeletesTheOldExecutionsRows) {
    const RunRef run = start("a");
    schedule(run, {activity(1), shielded(2)});
    const ClaimedActivity item = claim_activity();
    const Answer answer = apply(continuing(next_turn(run)));
    EXPECT_EQ(answer.stopped, std::vector<LeaseToken>{item.token});
    EXPECT_TRUE(activities(run).empty());
    EXPECT_TRUE(refused(try_complete(item), Errc::canceled));
    EXPECT_TRUE(inbox(run).empty());
}

BELAY_CASE(CancelActivities, StoppedTokensNoLongerHold) {
    start_with_activities("a", 1);
    const ClaimedActivity item = claim_activity();
    CheckLeases request;
    request.leases.emplace_back(item.activity, item.token);
    EXPECT_EQ(read(request).size(), 1U);
    cancel("a");
    EXPECT_TRUE(read(request).empty());
}

BELAY_CASE(CancelActivities, RenewalBatchTellsTheCanceledFromTheRest) {
    const RunRef run = start_with_activities("a", 3);
    const auto items = claim_activities();
    ASSERT_EQ(items.size(), 3U);
    Turn turn = next_turn(run);
    turn.canceled_activities = {2};
    apply(turn);
    std::vector<Change> batch;
    for (const ClaimedActivity& item : items) {
        batch.push_back(fuse(op::renew_activity(item, kLease)));
    }
    const auto answers = commit_batch(std::move(batch));
    EXPECT_TRUE(applied(answers[0]));
    EXPECT_TRUE(refused(answers[1], Errc::canceled));
    EXPECT_TRUE(applied(answers[2]));
}

BELAY_CASE(CancelActivities, TakenOverHolderIsNotTold) {
    start_with_activities("a", 1);
    const ClaimedActivity first = claim_activity();
    advance(kLease);
    const ClaimedActivity second = claim_activity();
    const Answer answer = cancel("a");
    EXPECT_EQ(answer.stopped, std::vector<LeaseToken>{second.token});
    EXPECT_TRUE(refused(try_complete(first), Errc::lease_lost));
    EXPECT_TRUE(refused(try_complete(second), Errc::canceled));
}

}  // namespace
}  // namespace belay::conformance
