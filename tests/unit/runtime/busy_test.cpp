// An executor that has no room, and a store that is behind.
#include "world.hpp"

namespace belay::runtime_tests::busy {
namespace {

using namespace std::chrono_literals;

using Busy = World;

TEST_F(Busy, AnActivityWithoutRoomForLongIsGivenBackForOthers) {
    Process& p = process(registry_with(one_step));
    p.executor.crowded = true;
    start();
    settle();
    ASSERT_EQ(p.executor.count(), 1U);
    const Millis patience = Policy().activity_lease / 6;
    pass(patience - 1ms);
    EXPECT_FALSE(p.executor.at(0).withdrawn);
    pass(1ms);
    EXPECT_TRUE(p.executor.at(0).withdrawn);
    ASSERT_EQ(p.executor.count(), 2U) << "nobody else is there: it is claimed again, at once";
    EXPECT_EQ(p.executor.at(1).task->details().attempt, 1U) << "nothing of it ran before";
}

TEST_F(Busy, BegunAndStoppingActivitiesAreNotTakenBack) {
    Process& p = process(registry_with(one_step));
    const auto run = start();
    settle();
    pass(Policy().activity_lease - Policy().renewal_buffer);
    ASSERT_EQ(p.executor.count(), 1U);
    EXPECT_FALSE(p.executor.at(0).withdrawn);
    EXPECT_EQ(p.runtime->counts().renewals, 1U);

    const auto canceled = start("i2");
    settle();
    p.executor.crowded = true;
    ASSERT_TRUE(client.cancel(canceled).ok());
    settle();
    pass(Policy().activity_lease / 6);
    EXPECT_FALSE(p.executor.at(1).withdrawn) << "its end is waited for";
    p.executor.finish(0);
    p.executor.finish(1);
    settle();
    EXPECT_EQ(status(run), Status::completed);
    EXPECT_EQ(stopping(), 0U);
}

TEST_F(Busy, BatchesAreAsLargeAndAsManyAsTheStoreSays) {
    StoreTraits traits;
    traits.commits_at_once = 1;
    traits.batch_worth_sending = 3;
    traits.batch_full = 3;
    store.say(traits);
    Process& p = process(registry_with(one_step), RuntimeOptions().share_commits(false).queues({}));
    settle();
    for (int i = 0; i < 5; ++i) start("i" + std::to_string(i));
    store.hold_commits();
    const std::size_t before = store.batches().size();
    settle();
    ASSERT_EQ(store.batches().size(), before + 1) << "the second waits for the first";
    EXPECT_EQ(store.batches().back(), 3U);
    store.release_commits();
    settle();
    ASSERT_GT(store.batches().size(), before + 1);
    EXPECT_EQ(store.batches()[before + 1], 2U);
    EXPECT_EQ(p.runtime->counts().turns_committed, 5U);
}

/// A process whose store has all that it takes at a time: one commit that it is busy with, and one
/// that waits for it.
class BusyStore : public Busy {
protected:
    void keep_busy(Process& p) {
        start("busy1");
        start("busy2");
        settle();
        store.hold_commits();
        for (const std::string id : {"busy1", "busy2"}) {
            p.executor.finish(begun_of(p, id).front());
            settle();
        }
    }
    static std::vector<std::size_t> begun_of(Process& p, const std::string& id) {
        std::vector<std::size_t> found;
        for (std::size_t i = 0; i < p.executor.count(); ++i) {
            if (p.executor.at(i).task->details().instance.id == id) found.push_back(i);
        }
        return found;
    }
};

TEST_F(BusyStore, RunsThatEndMeanwhileShareATurn) {
    Process& p = process(registry_with(three_steps));
    const auto run = start("i1");
    keep_busy(p);
    const std::size_t sent = store.sent().size();
    for (const std::size_t i : begun_of(p, "i1")) {
        p.executor.finish(i);
        settle();
    }
    EXPECT_EQ(store.sent().size(), sent) << "it would only have to wait";
    store.release_commits();
    settle();
    EXPECT_EQ(status(run), Status::completed);
    ASSERT_EQ(store.sent().size(), sent + 1);
    EXPECT_EQ(store.sent().back().parts.size(), 4U) << "three ends and one turn";
}

TEST_F(BusyStore, AnActivityWithRoomIsLeasedToTheSender) {
    Process& p = process(registry_with(one_step));
    keep_busy(p);
    p.executor.has_room = 0;
    const auto before = p.runtime->counts().handed_over;
    bool answered = false;
    Transition transition;
    transition.commit = CommitId{7, 7};
    Start part;
    part.instance.run = RunRef{Shard{1}, RunKey{std::uint64_t{1} << 62U}};
    part.instance.name = InstanceName{"default", "late"};
    part.instance.definition = "Main";
    part.instance.version = "1";
    part.instance.input = detail::encode_arguments<std::string>(std::string("x"));
    transition.parts.emplace_back(part);
    p.runtime->store().commit(
        {transition}, [&](const Result<std::vector<Answer>>& result) { answered = result.ok(); });
    settle();
    EXPECT_FALSE(answered);
    p.executor.has_room = 1;
    store.release_commits();
    settle();
    EXPECT_TRUE(answered);
    EXPECT_EQ(p.runtime->counts().handed_over, before + 1U);
}

}  // namespace
}  // namespace belay::runtime_tests::busy
