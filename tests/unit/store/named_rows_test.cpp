#include "store/rules/named_rows.hpp"

#include <belay/store/operations.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <span>

namespace belay::store {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const RunRef kRun{Shard{3}, RunKey{7}};
const RunRef kChild{Shard{3}, RunKey{8}};
const LeaseToken kToken{11, 12};
const InstanceName kName{"space", "order"};

template <class... Parts>
NamedRows named_by(Parts... parts) {
    const Transition transition = op::transition(CommitId{1, 2}, std::move(parts)...);
    return rows_named_by(std::span(&transition, 1));
}

NewInstance instance() {
    NewInstance made;
    made.run = kRun;
    made.name = kName;
    made.owner = "shop";
    made.definition = "Order";
    return made;
}

TEST(NamedRows, AStartNamesItsRunItsIdItsParentAndItsKey) {
    Start start;
    start.instance = instance();
    start.instance.parent = ParentLink{RunRef{Shard{1}, RunKey{2}}, 1, 4};
    start.key = IdempotencyKey{"key-1", KeyScope::forever, {}};
    start.request_id = "request-1";
    const NamedRows rows = named_by(start);
    EXPECT_THAT(rows.runs, ElementsAre(RunRef{Shard{1}, RunKey{2}}, kRun));
    EXPECT_THAT(rows.names, ElementsAre(kName));
    EXPECT_THAT(rows.keys, ElementsAre(KeyId{"space", "shop", "Order", "key-1"}));
    EXPECT_THAT(rows.requests, ElementsAre(RequestKey{"space", "request-1"}));
    EXPECT_THAT(rows.activities, IsEmpty());
}

TEST(NamedRows, ATurnNamesAllThatItConsumesSchedulesAndCancels) {
    Turn turn;
    turn.run = kRun;
    turn.execution = 2;
    turn.consumed = {5, 4};
    turn.activities.resize(1);
    turn.activities[0].command = 9;
    turn.activities[0].queue = "gpu";
    turn.activities[0].hand_over = NewActivity::HandOver{kToken, Millis(1), "worker"};
    turn.canceled_activities = {3};
    turn.timers.resize(1);
    turn.timers[0].command = 10;
    turn.canceled_timers = {6};
    turn.children.resize(1);
    turn.children[0].instance.run = kChild;
    turn.children[0].instance.name = InstanceName{"space", "order/1"};
    const NamedRows rows = named_by(turn);
    using Timer = std::pair<ExecutionNo, CommandNo>;
    EXPECT_THAT(rows.runs, ElementsAre(kRun, kChild));
    EXPECT_THAT(rows.names, ElementsAre(InstanceName{"space", "order/1"}));
    EXPECT_THAT(rows.messages, ElementsAre(std::pair(kRun, 4U), std::pair(kRun, 5U)));
    EXPECT_THAT(rows.activities, ElementsAre(ActivityRef{kRun, 2, 3}, ActivityRef{kRun, 2, 9}));
    EXPECT_THAT(rows.timers,
                ElementsAre(std::pair(kRun, Timer{2, 3}),
                            std::pair(kRun, Timer{2, 6}),
                            std::pair(kRun, Timer{2, 9}),
                            std::pair(kRun, Timer{2, 10})))
        << "an activity that must start in time has a timer";
    EXPECT_THAT(rows.queues, ElementsAre("gpu"));
    EXPECT_THAT(rows.tokens, ElementsAre(kToken));
    EXPECT_THAT(rows.holders, ElementsAre(kToken.holder));
}

TEST(NamedRows, ALeaseNamesItsActivityAndTheRecordOfOneThatStops) {
    const ActivityRef activity{kRun, 2, 5};
    const auto expect_lease = [&](const NamedRows& rows) {
        EXPECT_THAT(rows.runs, ElementsAre(kRun));
        EXPECT_THAT(rows.activities, ElementsAre(activity));
        EXPECT_EQ(rows.timers.size(), 1U);
        EXPECT_THAT(rows.stopping, ElementsAre(StoppingKey{activity, kToken}));
        EXPECT_THAT(rows.tokens, ElementsAre(kToken));
    };
    AckActivity ack;
    ack.activity = activity;
    ack.token = kToken;
    expect_lease(named_by(ack));
    AbandonActivity abandon;
    abandon.activity = activity;
    abandon.token = kToken;
    expect_lease(named_by(abandon));
    RenewActivity renew;
    renew.activity = activity;
    renew.token = kToken;
    expect_lease(named_by(renew));
}

TEST(NamedRows, ARequestForARunNamesItsIdOrItsKey) {
    Cancel cancel;
    cancel.name = kName;
    Delete by_key;
    by_key.name = kName;
    by_key.run = kRun;
    Finish locked;
    locked.target = std::pair(kChild, kToken);
    const NamedRows rows = named_by(cancel, by_key, locked);
    EXPECT_THAT(rows.names, ElementsAre(kName));
    EXPECT_THAT(rows.runs, ElementsAre(kRun, kChild));
    EXPECT_THAT(named_by(Deliver{kRun, {}}).runs, ElementsAre(kRun));
}

TEST(NamedRows, HousekeepingNamesLettersQueuesHoldersAndNamespaces) {
    Redrive redrive;
    redrive.letter = 4;
    redrive.to = kName;
    SetQueueLimits limits;
    limits.queue = "gpu";
    ReleaseSessions release;
    release.holder = 9;
    SetRetention retention;
    retention.space = "space";
    const NamedRows rows = named_by(redrive, limits, release, retention);
    EXPECT_THAT(rows.letters, ElementsAre(4U));
    EXPECT_THAT(rows.names, ElementsAre(kName));
    EXPECT_THAT(rows.queues, ElementsAre("gpu"));
    EXPECT_THAT(rows.holders, ElementsAre(9U));
    EXPECT_THAT(rows.retentions, ElementsAre("space"));
}

TEST(NamedRows, TheRowsOfABatchAreSortedAndThereOnce) {
    std::vector<Transition> batch;
    for (const RunRef run : {kChild, kRun, kChild}) {
        batch.push_back(op::transition(CommitId{1, 2}, Deliver{run, {}}));
    }
    EXPECT_THAT(rows_named_by(batch).runs, ElementsAre(kRun, kChild));
}

}  // namespace
}  // namespace belay::store
