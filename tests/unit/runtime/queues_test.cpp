// Which queues a process serves: only from those does it claim activities, or keep its own.
#include "world.hpp"

namespace belay::runtime_tests::queues {
namespace {

Orchestration<std::string> on_a_queue(OrchestrationContext ctx, std::string queue) {
    co_return co_await ctx.call(Work, queue).queue(queue);
}

class Queues : public World {
protected:
    Process& serving(std::vector<std::string> names) {
        return process(registry_with(on_a_queue), RuntimeOptions().queues(std::move(names)));
    }
};

TEST_F(Queues, AnActivityWaitsForAProcessThatServesItsQueue) {
    Process& plain = serving({""});
    const auto run = start("i1", "gpu");
    settle();
    EXPECT_EQ(plain.executor.count(), 0U) << "its turn was taken here, and it is not kept here";
    ASSERT_EQ(queue().size(), 1U);
    EXPECT_EQ(queue()[0].queue, "gpu");
    EXPECT_FALSE(queue()[0].leased);

    Process& gpu = serving({"gpu"});
    settle();
    ASSERT_EQ(gpu.executor.count(), 1U);
    gpu.executor.finish(0);
    settle();
    EXPECT_EQ(status(run), Status::completed);
    EXPECT_EQ(plain.executor.count(), 0U);
}

TEST_F(Queues, AnActivityServedHereIsLeasedToTheSender) {
    Process& gpu = serving({"gpu", "tape"});
    start("i1", "gpu");
    start("i2", "tape");
    start("i3", "");
    settle();
    EXPECT_EQ(gpu.executor.count(), 2U);
    EXPECT_EQ(gpu.runtime->counts().handed_over, 2U);
    ASSERT_EQ(queue().size(), 3U);
}

TEST_F(Queues, OneThatServesThemAllTakesFromAll) {
    Process& all = process(registry_with(on_a_queue), RuntimeOptions().any_queue(true));
    start("i1", "gpu");
    start("i2", "");
    settle();
    EXPECT_EQ(all.executor.count(), 2U);
}

TEST_F(Queues, OneThatServesNoneRunsOrchestrationsOnly) {
    Process& none = serving({});
    const auto run = start("i1", "");
    settle();
    EXPECT_EQ(status(run), Status::running);
    EXPECT_EQ(none.executor.count(), 0U);
}

}  // namespace
}  // namespace belay::runtime_tests::queues
