// Processes that have different activities, as in a rolling upgrade, on one queue.
#include "store/forwarding_store.hpp"
#include "world.hpp"

namespace belay::runtime_tests::activity_names {
namespace {

using namespace std::chrono_literals;

Orchestration<std::string> another_step(OrchestrationContext ctx, std::string input) {
    co_await ctx.call(Undo, input);
    co_return input;
}

/// Counts how often activities are asked for.
class AskedStore final : public ForwardingStore {
public:
    using ForwardingStore::claim;
    using ForwardingStore::ForwardingStore;

    void claim(ClaimActivities request, Done<ClaimActivities::Answer> done) override {
        ++asked;
        inner().claim(std::move(request), std::move(done));
    }

    int asked = 0;
};

class ActivityNames : public World {
protected:
    /// They use the store below, which is gone before those of the base.
    ~ActivityNames() override { processes.clear(); }

    /// Has the orchestration, and of the activities `Undo` only.
    Registry old_code(Code code) {
        Registry registry;
        registry.add(Main, code);
        registry.add(Undo, [this](const std::string& what) { undone.push_back(what); });
        return registry;
    }
    /// Nothing but the store's hints wakes it.
    static RuntimeOptions without_polling() {
        Policy policy;
        policy.poll_interval = 24h;
        policy.sweep_interval = 24h;
        policy.retention_interval = 24h;
        return RuntimeOptions().policy(policy);
    }
    Process& counted(Registry registry) {
        processes.push_back(
            std::make_unique<Process>(asked, clock, std::move(registry), without_polling()));
        return *processes.back();
    }

    AskedStore asked{store};
};

TEST_F(ActivityNames, AnActivityIsLeftToWhoHasIt) {
    Process& without = process(old_code(one_step));
    const auto run = start();
    settle();
    ASSERT_EQ(queue().size(), 1U);
    Process& with = process(activities_only());
    settle();
    ASSERT_EQ(with.executor.count(), 1U) << "at once";
    EXPECT_EQ(queue().at(0).unregistered, 0U);
    EXPECT_EQ(queue().at(0).attempt, 1U);
    EXPECT_EQ(without.runtime->counts().unregistered, 0U);
    with.executor.finish(0);
    settle();
    EXPECT_EQ(status(run), Status::completed);
}

TEST_F(ActivityNames, BesideOneThatHasItNothingIsEverMarked) {
    Process& without = process(old_code(one_step));
    Process& with = process(activities_only());
    for (std::size_t i = 0; i < 20; ++i) {
        start("i" + std::to_string(i));
        pass(1s);
        ASSERT_EQ(with.executor.count(), i + 1);
        with.executor.finish(i);
        settle();
    }
    EXPECT_TRUE(queue().empty());
    EXPECT_EQ(without.executor.count(), 0U);
    EXPECT_EQ(without.runtime->counts().unregistered + with.runtime->counts().unregistered, 0U);
}

TEST_F(ActivityNames, AnUnknownActivityKeepsNothingElseWaiting) {
    Process& p = process(old_code(one_step), RuntimeOptions().activity_slots(1));
    for (int i = 0; i < 50; ++i) start("unknown" + std::to_string(i));
    settle();
    ASSERT_EQ(queue().size(), 50U);
    crash(p);
    Process& back = process(old_code(another_step), RuntimeOptions().activity_slots(1));
    start("known");
    settle();
    EXPECT_EQ(back.executor.count(), 1U);
}

TEST_F(ActivityNames, AWorkerSleepsUntilItsPatienceIsOver) {
    Process& p = counted(old_code(one_step));
    start();
    settle();
    EXPECT_EQ(p.runtime->next_due(), clock.monotonic() + Policy().code_patience);
    const int before = asked.asked;
    pass(Policy().code_patience - 1ms);
    EXPECT_EQ(asked.asked, before) << "there was nothing to look for";
    pass(1ms);
    EXPECT_EQ(queue().at(0).unregistered, 1U);
    EXPECT_EQ(asked.asked, before + 1) << "and it hears nothing of what it has marked itself";
    EXPECT_EQ(p.runtime->next_due(), clock.monotonic() + Policy().code_patience);
}

TEST_F(ActivityNames, ABusyWorkerFindsItsWorkWhereItWas) {
    process(old_code(one_step));
    Process& with = process(activities_only(), RuntimeOptions().activity_slots(1));
    for (int i = 0; i < 5; ++i) start("i" + std::to_string(i));
    settle();
    for (std::size_t i = 0; i < 5; ++i) {
        ASSERT_EQ(with.executor.count(), i + 1) << "it never waits while there is work";
        for (int k = 0; k < 24; ++k) pass(5s);
        with.executor.finish(i);
        settle();
    }
    EXPECT_TRUE(queue().empty());
}

TEST_F(ActivityNames, NewsOfWhatItCannotTakeIsLookedAtOnce) {
    counted(old_code(one_step));
    settle();
    for (int i = 0; i < 10; ++i) {
        const int before = asked.asked;
        start("i" + std::to_string(i));
        settle();
        EXPECT_LE(asked.asked, before + 3);
    }
    EXPECT_EQ(queue().size(), 10U);
}

}  // namespace
}  // namespace belay::runtime_tests::activity_names
