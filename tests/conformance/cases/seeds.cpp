// The provider cases that the cancellation design names, under its names.
#include "conformance/case.hpp"

#include <algorithm>

BELAY_CONFORMANCE_AREA(seeds)

namespace belay::conformance {
namespace {

BELAY_CASE(Seed1, test_ack_orchestration_item_deletes_cancelled_activities) {
    const RunRef run = start("a");
    Turn first = turn_of(claim(run));
    first.activities = {activity(1), activity(2), activity(3), activity(4)};
    apply(first);
    ASSERT_EQ(activities(run).size(), 4U);

    raise("a", "go");
    Turn second = turn_of(claim(run));
    second.canceled_activities = {2, 4};
    apply(second);

    std::vector<CommandNo> left;
    for (const ActivityInfo& row : activities(run)) left.push_back(row.activity.command);
    std::ranges::sort(left);
    EXPECT_EQ(left, (std::vector<CommandNo>{1, 3}));
    EXPECT_EQ(commands_of(claim_activities()), (std::vector<CommandNo>{1, 3}));
}

BELAY_CASE(Seed1, test_cancellation_of_locked_activity_causes_renewal_failure) {
    const RunRef run = start_with_activities("a", 1);
    const ClaimedActivity locked = claim_activity();
    ASSERT_TRUE(applied(try_renew(locked)));

    raise("a", "go");
    Turn turn = turn_of(claim(run));
    turn.canceled_activities = {1};
    apply(turn);

    EXPECT_TRUE(refused(try_renew(locked), Errc::canceled));
    EXPECT_TRUE(activities(run).empty());
}

BELAY_CASE(Seed1, test_cancellation_of_unlocked_activity_removes_from_queue) {
    const RunRef run = start_with_activities("a", 1);

    raise("a", "go");
    Turn turn = turn_of(claim(run));
    turn.canceled_activities = {1};
    apply(turn);

    EXPECT_FALSE(try_claim_activity());
    EXPECT_TRUE(activities(run).empty());
}

BELAY_CASE(Seed1, test_ack_work_item_fails_on_cancelled_row) {
    const RunRef run = start_with_activities("a", 1);
    const ClaimedActivity locked = claim_activity();

    raise("a", "go");
    Turn turn = turn_of(claim(run));
    turn.canceled_activities = {1};
    apply(turn);

    // Permanent: `refused` also checks that it is not retryable.
    EXPECT_TRUE(refused(try_complete(locked), Errc::canceled));
    EXPECT_EQ(info(run).ready_messages, 0U) << "a refused completion must not be enqueued";
}

BELAY_CASE(Seed1, test_ack_work_item_succeeds_if_row_exists) {
    const RunRef run = start_with_activities("a", 1);
    const ClaimedActivity locked = claim_activity();

    EXPECT_TRUE(applied(try_complete(locked)));

    const auto messages = inbox(run);
    ASSERT_EQ(messages.size(), 1U);
    EXPECT_EQ(messages[0].content.kind, MessageKind::activity_completed);
    EXPECT_EQ(messages[0].content.command, 1U);
    EXPECT_EQ(messages[0].content.payload, Payload::text("result"));
    EXPECT_TRUE(activities(run).empty());
}

BELAY_CASE(Seed1, test_mass_cancellation_deletes_all_activities) {
    const RunRef run = start_with_activities("a", 50);
    ASSERT_EQ(activities(run).size(), 50U);

    raise("a", "go");
    Turn turn = turn_of(claim(run));
    for (CommandNo command = 1; command <= 50; ++command) {
        turn.canceled_activities.push_back(command);
    }
    apply(turn);

    EXPECT_TRUE(activities(run).empty());
    EXPECT_FALSE(try_claim_activity());
}

BELAY_CASE(Seed2, ack_work_item_none_deletes_without_enqueue) {
    const RunRef run = start_with_activities("a", 1);
    const ClaimedActivity locked = claim_activity();

    EXPECT_TRUE(applied(try_drop(locked)));

    EXPECT_TRUE(activities(run).empty());
    EXPECT_EQ(info(run).ready_messages, 0U);
    EXPECT_FALSE(try_claim(run)) << "nothing was enqueued, so there is no turn to take";
}

BELAY_CASE(Seed2, ack_work_item_some_deletes_and_enqueues) {
    const RunRef run = start_with_activities("a", 2);
    const auto locked = claim_activities();
    ASSERT_EQ(locked.size(), 2U);

    EXPECT_TRUE(applied(try_complete(locked[0])));
    EXPECT_EQ(info(run).ready_messages, 1U) << "exactly one message for one completion";

    Failure failure;
    failure.message = "card declined";
    EXPECT_TRUE(applied(
        commit(op::ack_activity(locked[1], op::activity_failed(locked[1].activity, failure)))));
    EXPECT_TRUE(activities(run).empty());
    const auto messages = inbox(run);
    ASSERT_EQ(messages.size(), 2U);
    EXPECT_EQ(messages[0].content.kind, MessageKind::activity_completed);
    EXPECT_EQ(messages[1].content.kind, MessageKind::activity_failed);
}

}  // namespace
}  // namespace belay::conformance
