#include "model/encoding.hpp"
#include <belay/store/operations.hpp>

#include <gtest/gtest.h>

namespace belay {
namespace {

const RunRef kRun{Shard{3}, RunKey{7}};
const LeaseToken kToken{11, 12};
const ActivityRef kActivity{kRun, 2, 5};

ClaimedInstance claimed_instance() {
    ClaimedInstance item;
    item.run = kRun;
    item.execution = 2;
    item.position = 9;
    item.token = kToken;
    item.messages = {Message{4, {}, {}}, Message{6, {}, {}}};
    return item;
}

ClaimedActivity claimed_activity() {
    ClaimedActivity item;
    item.activity = kActivity;
    item.token = kToken;
    return item;
}

TEST(Operations, TransitionKeepsItsPartsInOrder) {
    const Transition made =
        op::transition(CommitId{1, 2}, Deliver(), op::force_delete({"space", "id"}));
    EXPECT_EQ(made.commit, (CommitId{1, 2}));
    ASSERT_EQ(made.parts.size(), 2U);
    EXPECT_TRUE(std::holds_alternative<Deliver>(made.parts[0]));
    EXPECT_TRUE(std::get<Delete>(made.parts[1]).force);
}

TEST(Operations, AckingATurnCarriesTheClaimOver) {
    const Turn turn = op::turn(claimed_instance(), HistoryRow{1, 2, "ab"});
    EXPECT_EQ(turn.run, kRun);
    EXPECT_EQ(turn.execution, 2U);
    EXPECT_EQ(turn.position, 9U);
    EXPECT_EQ(turn.lock, kToken);
    EXPECT_FALSE(turn.cancel_seen);
    EXPECT_EQ(turn.consumed, (std::vector<MessageNo>{4, 6}));
    EXPECT_EQ(turn.history.count, 2U);
    EXPECT_TRUE(std::holds_alternative<GoesOn>(turn.after));
}

TEST(Operations, AckingATurnHasSeenTheCancelOfItsClaim) {
    ClaimedInstance item = claimed_instance();
    item.cancel = CancelRecord();
    EXPECT_TRUE(op::turn(item, HistoryRow()).cancel_seen);
}

TEST(Operations, GivingBackAndRenewingNameTheClaim) {
    const AbandonTurn abandon = op::abandon_turn(claimed_instance(), Millis(5), CountAttempt::no);
    EXPECT_EQ(abandon.run, kRun);
    EXPECT_EQ(abandon.token, kToken);
    EXPECT_EQ(abandon.delay, Millis(5));
    EXPECT_EQ(abandon.count, CountAttempt::no);
    EXPECT_EQ(abandon.reason, AbandonReason::released);

    const RenewTurn renew = op::renew_turn(claimed_instance(), Millis(8));
    EXPECT_EQ(renew.token, kToken);
    EXPECT_EQ(renew.extend, Millis(8));

    const AbandonActivity activity = op::abandon_activity(claimed_activity());
    EXPECT_EQ(activity.activity, kActivity);
    EXPECT_EQ(activity.token, kToken);
    EXPECT_EQ(activity.count, CountAttempt::yes);
    EXPECT_EQ(op::renew_activity(claimed_activity(), Millis(8)).extend, Millis(8));
}

TEST(Operations, FetchingAsksForOne) {
    const ClaimInstances instances = op::claim_instance(kToken, "worker", Millis(10));
    EXPECT_EQ(instances.first_token, kToken);
    EXPECT_EQ(instances.worker, "worker");
    EXPECT_EQ(instances.lease, Millis(10));
    EXPECT_EQ(instances.max, 1U);

    const ClaimActivities activities = op::claim_activity(kToken, "worker", Millis(10));
    EXPECT_EQ(activities.first_token, kToken);
    EXPECT_EQ(activities.max, 1U);
    EXPECT_EQ(activities.queues, std::vector<std::string>{""});
}

TEST(Operations, CompletionsAnswerTheirCommand) {
    const NewMessage completed = op::activity_completed(kActivity, Payload::text("done"));
    EXPECT_EQ(completed.kind, MessageKind::activity_completed);
    EXPECT_EQ(completed.execution, 2U);
    EXPECT_EQ(completed.command, 5U);
    EXPECT_EQ(completed.payload, Payload::text("done"));

    Failure failure;
    failure.message = "no";
    const NewMessage failed = op::activity_failed(kActivity, failure);
    EXPECT_EQ(failed.kind, MessageKind::activity_failed);
    EXPECT_EQ(model::failure_of(failed.payload).value(), failure);

    const NewMessage fired = op::timer_fired(2, 8);
    EXPECT_EQ(fired.kind, MessageKind::timer_fired);
    EXPECT_EQ(fired.command, 8U);
}

TEST(Operations, TerminatingIsACancelWithoutCleanup) {
    const Finish finish = op::terminate({"space", "id"}, "ann", "stuck");
    EXPECT_EQ(std::get<InstanceName>(finish.target).id, "id");
    EXPECT_EQ(finish.outcome.status, Status::canceled);
    EXPECT_EQ(finish.outcome.cleanup, Cleanup::terminated);
    EXPECT_EQ(finish.outcome.cancel.by, "ann");
    EXPECT_EQ(finish.outcome.cancel.reason, "stuck");
}

TEST(Operations, SendingNamesAnEventOrAQueue) {
    const Send raised = op::raise({"space", "id"}, "paid", Payload::text("x"));
    EXPECT_EQ(raised.message.kind, MessageKind::event_raised);
    EXPECT_EQ(raised.message.name, "paid");
    EXPECT_EQ(raised.message.execution, 0U);
    EXPECT_EQ(op::enqueue({"s", "i"}, "jobs", Payload()).message.kind, MessageKind::queue_message);
}

TEST(Operations, AChildTellsItsParentHowItEnded) {
    const ParentLink link{kRun, 2, 5};
    Outcome outcome;
    outcome.output = Payload::text("out");
    NewMessage message = op::child_ended(link, outcome);
    EXPECT_EQ(message.kind, MessageKind::child_completed);
    EXPECT_EQ(message.execution, 2U);
    EXPECT_EQ(message.command, 5U);
    EXPECT_EQ(message.payload, Payload::text("out"));

    outcome.status = Status::failed;
    outcome.failure.message = "bad";
    message = op::child_ended(link, outcome);
    EXPECT_EQ(message.kind, MessageKind::child_failed);
    EXPECT_EQ(model::failure_of(message.payload).value(), outcome.failure);

    outcome.status = Status::canceled;
    outcome.cancel.reason = "enough";
    message = op::child_ended(link, outcome);
    EXPECT_EQ(message.kind, MessageKind::child_canceled);
    EXPECT_EQ(model::cancel_of(message.payload).value(), outcome.cancel);

    outcome.status = Status::skipped;
    EXPECT_EQ(op::child_ended(link, outcome).kind, MessageKind::child_completed);
}

}  // namespace
}  // namespace belay
