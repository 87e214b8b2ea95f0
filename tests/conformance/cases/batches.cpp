// Many transitions in one commit, and many effects in one transition.
#include "conformance/case.hpp"

#include <algorithm>

BELAY_CONFORMANCE_AREA(batches)

namespace belay::conformance {
namespace {

BELAY_CASE(Batches, ThousandStartsAreAnsweredOneByOne) {
    std::vector<Change> batch;
    std::vector<RunRef> runs;
    for (int i = 0; i < 1000; ++i) {
        NewInstance made = instance("a" + std::to_string(i));
        runs.push_back(made.run);
        batch.push_back(fuse(op::start(std::move(made))));
    }
    const auto answers = commit_batch(std::move(batch));
    for (std::size_t i = 0; i < answers.size(); ++i) {
        ASSERT_TRUE(applied(answers[i]));
        ASSERT_TRUE(answers[i].instance);
        EXPECT_EQ(answers[i].instance->run, runs[i]) << "answers come in the order asked";
    }
    EXPECT_EQ(claim_instances(2000).size(), 1000U);
}

BELAY_CASE(Batches, RefusedOneDoesNotDisturbTheOthers) {
    std::vector<RunRef> runs;
    for (int i = 0; i < 100; ++i) runs.push_back(start_running("a" + std::to_string(i)));
    std::vector<Change> batch;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        Turn turn = next_turn(runs[i]);
        turn.activities = {activity(1)};
        if (i == 50) turn.position = 9;
        batch.push_back(fuse(std::move(turn)));
    }
    const auto answers = commit_batch(std::move(batch));
    for (std::size_t i = 0; i < runs.size(); ++i) {
        if (i == 50) {
            EXPECT_TRUE(refused(answers[i], Errc::position_moved));
            EXPECT_EQ(info(runs[i]).position, 1U);
        } else {
            EXPECT_TRUE(applied(answers[i]));
            EXPECT_EQ(info(runs[i]).position, 2U);
        }
    }
    EXPECT_EQ(activities().size(), 99U);
}

BELAY_CASE(Batches, LaterTransitionsSeeTheEarlierOnes) {
    const NewInstance made = instance("a");
    Turn turn;
    turn.run = made.run;
    turn.history = events(1);
    const auto answers = commit_batch({fuse(op::start(made)),
                                       fuse(turn),
                                       fuse(op::raise(named("a"), "go", Payload())),
                                       fuse(op::cancel(named("a"), "enough", kDeadline)),
                                       fuse(op::start(instance("a")))});
    for (std::size_t i = 0; i < 4; ++i) EXPECT_TRUE(applied(answers[i])) << i;
    EXPECT_TRUE(refused(answers[4], Errc::id_in_use));
    EXPECT_EQ(answers[4].instance->status, Status::canceling);
    EXPECT_EQ(info(made.run).ready_messages, 1U);
}

BELAY_CASE(Batches, CompletionAndCancelInOneBatchAreDecidedByTheirOrder) {
    const RunRef first = start_with_activities("a", 1);
    const RunRef second = start_with_activities("b", 1);
    const auto items = claim_activities();
    ASSERT_EQ(items.size(), 2U);
    const auto ack = [](const ClaimedActivity& item) {
        return op::ack_activity(item, op::activity_completed(item.activity, Payload()));
    };
    const auto answers = commit_batch({fuse(ack(items[0])),
                                       fuse(op::cancel(named("a"), "enough", kDeadline)),
                                       fuse(op::cancel(named("b"), "enough", kDeadline)),
                                       fuse(ack(items[1]))});
    EXPECT_TRUE(applied(answers[0]));
    EXPECT_TRUE(answers[1].stopped.empty());
    EXPECT_EQ(answers[2].stopped, std::vector<LeaseToken>{items[1].token});
    EXPECT_TRUE(refused(answers[3], Errc::canceled));
    EXPECT_EQ(info(first).ready_messages, 1U);
    EXPECT_EQ(info(second).ready_messages, 0U);
}

BELAY_CASE(Batches, TwoTurnsOfOneRunInOneBatch) {
    const RunRef run = start_running("a");
    Turn first = next_turn(run);
    Turn second = first;
    Turn third = first;
    third.position = 2;
    const auto answers = commit_batch({fuse(first), fuse(second), fuse(third)});
    EXPECT_TRUE(applied(answers[0]));
    EXPECT_TRUE(refused(answers[1], Errc::position_moved));
    EXPECT_TRUE(applied(answers[2]));
    EXPECT_EQ(info(run).position, 3U);
}

BELAY_CASE(Batches, FanOutOfTenThousandInOneTurn) {
    const RunRef run = start_with_activities("a", 10'000);
    EXPECT_EQ(activities(run).size(), 10'000U);
    const auto items = claim_activities(20'000);
    ASSERT_EQ(items.size(), 10'000U);
    EXPECT_EQ(items.front().activity.command, 1U);
    EXPECT_EQ(items.back().activity.command, 10'000U);
}

BELAY_CASE(Batches, FanInOfTenThousand) {
    const RunRef run = start_with_activities("a", 10'000);
    const auto items = claim_activities(10'000);
    std::vector<Change> batch;
    batch.reserve(items.size());
    for (const ClaimedActivity& item : items) {
        batch.push_back(
            fuse(op::ack_activity(item, op::activity_completed(item.activity, Payload()))));
    }
    for (const Answer& answer : commit_batch(std::move(batch))) ASSERT_TRUE(applied(answer));
    EXPECT_EQ(info(run).ready_messages, 10'000U);

    std::size_t received = 0;
    for (int turn = 0; turn < 10; ++turn) {
        const ClaimedInstance item = claim(run);
        EXPECT_EQ(item.messages.size(), 1000U) << "a turn is given a batch at a time";
        received += item.messages.size();
        apply(turn_of(item));
    }
    EXPECT_EQ(received, 10'000U);
    EXPECT_FALSE(try_claim(run));
}

BELAY_CASE(Batches, MassCancellationByCancelOfTenThousandActivities) {
    const RunRef run = start_with_activities("a", 10'000);
    const auto items = claim_activities(5000);
    ASSERT_EQ(items.size(), 5000U);
    const std::uint64_t before = store().counts().commits;
    const Answer answer = cancel("a");
    EXPECT_LE(store().counts().commits, before + 1) << "one commit, of a store that counts";
    EXPECT_EQ(answer.stopped.size(), 5000U);
    EXPECT_TRUE(activities(run).empty());
    EXPECT_EQ(stopping(run).size(), 5000U);
    EXPECT_FALSE(try_claim_activity());
}

BELAY_CASE(Batches, MassCancellationByATurnOfTenThousandActivities) {
    const RunRef run = start_with_activities("a", 10'000);
    Turn turn = next_turn(run);
    for (CommandNo command = 1; command <= 10'000; ++command) {
        turn.canceled_activities.push_back(command);
    }
    apply(turn);
    EXPECT_TRUE(activities(run).empty());
    EXPECT_FALSE(try_claim_activity());
}

BELAY_CASE(Batches, MassCancellationOfTenThousandRuns) {
    constexpr std::size_t kRuns = 10'000;
    constexpr std::size_t kLeased = 5'000;
    std::vector<Change> starts;
    std::vector<Change> cancels;
    for (std::size_t i = 0; i < kRuns; ++i) {
        NewInstance made = instance("a" + std::to_string(i));
        Turn first;
        first.run = made.run;
        first.history = events(1);
        first.activities = {activity(1)};
        starts.push_back(fuse(op::start(std::move(made)), std::move(first)));
        cancels.push_back(fuse(op::cancel(named("a" + std::to_string(i)), "enough", kDeadline)));
    }
    for (const Answer& answer : commit_batch(starts)) ASSERT_TRUE(applied(answer));
    const auto items = claim_activities(kLeased);
    ASSERT_EQ(items.size(), kLeased);

    const std::uint64_t before = store().counts().commits;
    std::vector<LeaseToken> stopped;
    for (const Answer& answer : commit_batch(cancels)) {
        ASSERT_TRUE(applied(answer));
        EXPECT_TRUE(answer.changed);
        EXPECT_EQ(answer.instance->status, Status::canceling);
        stopped.insert(stopped.end(), answer.stopped.begin(), answer.stopped.end());
    }
    EXPECT_LE(store().counts().commits, before + 1) << "one commit, of a store that counts";
    std::ranges::sort(stopped);
    ASSERT_EQ(stopped.size(), kLeased);
    EXPECT_EQ(stopped.front(), items.front().token);
    EXPECT_EQ(stopped.back(), items.back().token);
    EXPECT_TRUE(activities().empty());
    EXPECT_EQ(count_stopping(), kLeased);
    EXPECT_FALSE(try_claim_activity());
}

BELAY_CASE(Batches, MassCancellationOfFiftyLeasedRefusesEveryCompletion) {
    const RunRef run = start_with_activities("a", 50);
    const auto items = claim_activities();
    ASSERT_EQ(items.size(), 50U);
    Answer answer = cancel("a");
    std::ranges::sort(answer.stopped);
    ASSERT_EQ(answer.stopped.size(), 50U);
    for (std::size_t i = 0; i < items.size(); ++i) {
        EXPECT_EQ(answer.stopped[i], items[i].token);
        EXPECT_TRUE(refused(try_renew(items[i]), Errc::canceled));
        EXPECT_TRUE(refused(try_complete(items[i]), Errc::canceled));
    }
    EXPECT_EQ(info(run).ready_messages, 0U);
    std::vector<Change> drops;
    for (const ClaimedActivity& item : items) {
        drops.push_back(fuse(op::ack_activity(item, std::nullopt)));
    }
    for (const Answer& dropped : commit_batch(std::move(drops))) EXPECT_TRUE(applied(dropped));
    EXPECT_TRUE(stopping(run).empty());
}

BELAY_CASE(Batches, DeletionOfALargeTree) {
    const RunRef parent = start_running("p");
    for (CommandNo wave = 0; wave < 10; ++wave) {
        Turn turn = next_turn(parent);
        for (CommandNo i = 1; i <= 100; ++i) {
            NewChild child;
            child.instance = instance("p/" + std::to_string(wave * 100 + i));
            child.instance.parent = ParentLink{parent, 1, wave * 100 + i};
            turn.children.push_back(std::move(child));
        }
        apply(turn);
    }
    EXPECT_EQ(apply(op::force_delete(named("p"))).deleted.instances, 1001U);
    EXPECT_FALSE(try_claim());
}

BELAY_CASE(Batches, DeepTreeIsCanceledAndDeleted) {
    const RunRef root = start_running("p");
    std::string id = "p";
    RunRef parent = root;
    std::vector<RunRef> line;
    for (int depth = 0; depth < 60; ++depth) {
        id += "/c";
        parent = start_child(parent, 1, id);
        apply(next_turn(parent));
        line.push_back(parent);
    }
    end(root);
    for (const RunRef run : line) {
        EXPECT_EQ(status(run), Status::canceling);
        end(run, canceled());
    }
    EXPECT_TRUE(info(root).settled);
    EXPECT_EQ(apply(op::force_delete(named("p"))).deleted.instances, 61U);
}

}  // namespace
}  // namespace belay::conformance
