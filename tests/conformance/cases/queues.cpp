// The worker queue: order, priorities, and who serves which queue.
#include "conformance/case.hpp"

#include <algorithm>

BELAY_CONFORMANCE_AREA(queues)

namespace belay::conformance {
namespace {

NewActivity in_queue(CommandNo command, std::string queue) {
    NewActivity made = activity(command);
    made.queue = std::move(queue);
    return made;
}

NewActivity of_priority(CommandNo command, std::int32_t priority) {
    NewActivity made = activity(command);
    made.priority = priority;
    return made;
}

/// Three activities in the default queue and in two named ones: commands 1, 2, 3.
std::vector<NewActivity> one_in_each_queue() {
    return {in_queue(1, ""), in_queue(2, "gpu"), in_queue(3, "mail")};
}

BELAY_CASE(Queues, OldestFirstWithinOneTurn) {
    start_with_activities("a", 5);
    EXPECT_EQ(commands_of(claim_activities()), (std::vector<CommandNo>{1, 2, 3, 4, 5}));
}

BELAY_CASE(Queues, OldestFirstOverTurnsAndRuns) {
    const RunRef a = start_running("a");
    const RunRef b = start_running("b");
    schedule(b, {activity(1)});
    advance(1s);
    schedule(a, {activity(2)});
    advance(1s);
    schedule(b, {activity(3)});
    EXPECT_EQ(commands_of(claim_activities()), (std::vector<CommandNo>{1, 2, 3}));
}

BELAY_CASE(Queues, LargerPriorityFirst) {
    schedule(start("a"),
             {of_priority(1, 0), of_priority(2, 5), of_priority(3, -1), of_priority(4, 5)});
    EXPECT_EQ(commands_of(claim_activities()), (std::vector<CommandNo>{2, 4, 1, 3}));
}

BELAY_CASE(Queues, PriorityIsKeptWhenGivenBack) {
    schedule(start("a"), {of_priority(1, 0), of_priority(2, 5)});
    const ClaimedActivity urgent = claim_activity();
    ASSERT_EQ(urgent.activity.command, 2U);
    apply(op::abandon_activity(urgent));
    EXPECT_EQ(claim_activity().activity.command, 2U);
}

BELAY_CASE(Queues, DefaultClaimServesOnlyTheDefaultQueue) {
    schedule(start("a"), one_in_each_queue());
    EXPECT_EQ(commands_of(claim_activities()), std::vector<CommandNo>{1});
}

BELAY_CASE(Queues, NamedClaimServesOnlyThatQueue) {
    schedule(start("a"), one_in_each_queue());
    ClaimActivities request = op::claim_activity(fresh_token(), "worker", kLease);
    request.max = 10;
    request.queues = {"gpu"};
    EXPECT_EQ(commands_of(claim_activities(request)), std::vector<CommandNo>{2});
    request.first_token = fresh_token();
    EXPECT_TRUE(claim_activities(request).empty());
}

BELAY_CASE(Queues, DefaultAndNamedQueuesTogether) {
    schedule(start("a"), one_in_each_queue());
    ClaimActivities request = op::claim_activity(fresh_token(), "worker", kLease);
    request.max = 10;
    request.queues = {"", "mail"};
    EXPECT_EQ(commands_of(claim_activities(request)), (std::vector<CommandNo>{1, 3}));
}

BELAY_CASE(Queues, SeveralNamedQueuesAreServedInOneOrder) {
    schedule(start("a"), {in_queue(1, "mail"), in_queue(2, "gpu"), in_queue(3, "mail")});
    ClaimActivities request = op::claim_activity(fresh_token(), "worker", kLease);
    request.max = 10;
    request.queues = {"gpu", "mail"};
    EXPECT_EQ(commands_of(claim_activities(request)), (std::vector<CommandNo>{1, 2, 3}));
}

BELAY_CASE(Queues, PriorityCountsAcrossQueues) {
    NewActivity urgent = in_queue(2, "mail");
    urgent.priority = 9;
    schedule(start("a"), {in_queue(1, "gpu"), urgent});
    ClaimActivities request = op::claim_activity(fresh_token(), "worker", kLease);
    request.max = 10;
    request.queues = {"gpu", "mail"};
    EXPECT_EQ(commands_of(claim_activities(request)), (std::vector<CommandNo>{2, 1}));
}

BELAY_CASE(Queues, NoQueueGetsNothing) {
    schedule(start("a"), one_in_each_queue());
    ClaimActivities request = op::claim_activity(fresh_token(), "worker", kLease);
    request.max = 10;
    request.queues.clear();
    EXPECT_TRUE(claim_activities(request).empty());
}

BELAY_CASE(Queues, AnyQueueGetsEverything) {
    schedule(start("a"), one_in_each_queue());
    ClaimActivities request = op::claim_activity(fresh_token(), "worker", kLease);
    request.max = 10;
    request.queues.clear();
    request.any_queue = true;
    EXPECT_EQ(commands_of(claim_activities(request)), (std::vector<CommandNo>{1, 2, 3}));
}

BELAY_CASE(Queues, UnknownQueueGetsNothing) {
    schedule(start("a"), one_in_each_queue());
    ClaimActivities request = op::claim_activity(fresh_token(), "worker", kLease);
    request.queues = {"gp", "gpu2", "GPU"};
    EXPECT_TRUE(claim_activities(request).empty());
}

BELAY_CASE(Queues, QueueIsKeptWhenGivenBack) {
    schedule(start("a"), {in_queue(1, "gpu")});
    ClaimActivities request = op::claim_activity(fresh_token(), "worker", kLease);
    request.queues = {"gpu"};
    const auto items = claim_activities(request);
    ASSERT_EQ(items.size(), 1U);
    EXPECT_EQ(items[0].queue, "gpu");
    apply(op::abandon_activity(items[0]));
    EXPECT_FALSE(try_claim_activity()) << "it did not move to the default queue";
    request.first_token = fresh_token();
    EXPECT_EQ(claim_activities(request).size(), 1U);
}

BELAY_CASE(Queues, QueueIsShownToReaders) {
    const RunRef run = start("a");
    schedule(run, {in_queue(1, "gpu")});
    const auto rows = activities(run);
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows[0].queue, "gpu");
    EXPECT_EQ(rows[0].name, "Charge");
}

BELAY_CASE(Queues, ClaimOfAShardLeavesTheOthers) {
    const std::string here = "a";
    std::string there = "b";
    while (shard_of(there) == shard_of(here)) there += "b";
    schedule(start(here), {activity(1)});
    schedule(start(there), {activity(2)});
    ClaimActivities request = op::claim_activity(fresh_token(), "worker", kLease);
    request.max = 10;
    request.shards = {shard_of(there)};
    EXPECT_EQ(commands_of(claim_activities(request)), std::vector<CommandNo>{2});
}

BELAY_CASE(Queues, ClaimOfSeveralShardsKeepsTheOrderOfTheQueue) {
    const std::string here = "a";
    std::string there = "b";
    while (shard_of(there) == shard_of(here)) there += "b";
    schedule(start(here), {activity(1)});
    advance(1s);
    schedule(start(there), {activity(2)});
    advance(1s);
    schedule(start(here + "/c"), {activity(3)});
    ClaimActivities request = op::claim_activity(fresh_token(), "worker", kLease);
    request.max = 10;
    request.shards = {shard_of(there), shard_of(here)};
    EXPECT_EQ(commands_of(claim_activities(request)), (std::vector<CommandNo>{1, 2, 3}));
}

BELAY_CASE(Queues, ActivitiesOfOneRunAreListedApart) {
    const RunRef a = start_with_activities("a", 2);
    const RunRef b = start_with_activities("b", 3);
    EXPECT_EQ(activities(a).size(), 2U);
    EXPECT_EQ(activities(b).size(), 3U);
    EXPECT_EQ(activities().size(), 5U);
}

}  // namespace
}  // namespace belay::conformance
