// Trees that are deep, or under a long id: their children answer, are canceled and are deleted.
#include "world.hpp"
#include <belay/management.hpp>

#include <set>

namespace belay::runtime_tests::deep_trees {
namespace {

using namespace std::chrono_literals;

/// Calls itself until this many levels are below it. The last one waits if it is told to.
Orchestration<std::string> descends(OrchestrationContext ctx, std::string input) {
    const int left = std::stoi(input);
    const bool waits = input.ends_with("wait");
    if (left == 0 && !waits) co_return "bottom";
    if (left == 0) co_return co_await ctx.wait<std::string>("go");
    const std::string further = std::to_string(left - 1) + (waits ? "wait" : "");
    co_return "^" + co_await ctx.call(Main, further);
}

class DeepTrees : public World, public ::testing::WithParamInterface<std::pair<std::size_t, int>> {
protected:
    const std::string root = std::string(GetParam().first, 'r');
    const int levels = GetParam().second;
    const InstanceName name{"default", root};

    std::vector<std::string> tree() {
        const auto found = client.get_instance_tree(name);
        EXPECT_TRUE(found.ok());
        return found.ok() ? found->all_ids : std::vector<std::string>();
    }
    std::set<Status> statuses() {
        std::set<Status> seen;
        for (const std::string& id : tree()) seen.insert(status({"default", id}));
        return seen;
    }
};

INSTANTIATE_TEST_SUITE_P(AShortId, DeepTrees, ::testing::Values(std::pair(1, 1000)));
INSTANTIATE_TEST_SUITE_P(
    ALongId, DeepTrees, ::testing::Values(std::pair(212, 3), std::pair(254, 3), std::pair(255, 3)));

TEST_P(DeepTrees, EveryChildAnswersItsParentAndGoesWithItsRoot) {
    process(registry_with(descends));
    start(root, std::to_string(levels));
    settle();
    ASSERT_EQ(status(name), Status::completed);
    EXPECT_EQ(info(name).outcome->output.bytes,
              std::string(static_cast<std::size_t>(levels), '^') + "bottom");

    const std::vector<std::string> ids = tree();
    EXPECT_EQ(ids.size(), static_cast<std::size_t>(levels) + 1);
    const InstanceName bottom{"default", ids.front()};
    EXPECT_EQ(client.get_parent_id(bottom).value(), ids[1]);
    EXPECT_EQ(info(bottom).run.shard, shard_of(root));
    EXPECT_EQ(client.describe(bottom)->root_id, root);

    const auto counts = client.delete_instance(name);
    ASSERT_TRUE(counts.ok());
    EXPECT_EQ(counts->instances, ids.size());
    EXPECT_EQ(client.inspect(bottom).error().code(), Errc::not_found);
}

TEST_P(DeepTrees, ACancelReachesTheBottom) {
    process(registry_with(descends));
    start(root, std::to_string(levels) + "wait");
    settle();
    ASSERT_EQ(tree().size(), static_cast<std::size_t>(levels) + 1);
    ASSERT_EQ(statuses(), std::set{Status::running});
    ASSERT_TRUE(client.cancel(name).ok());
    settle();
    EXPECT_EQ(statuses(), std::set{Status::canceled});
}

TEST_P(DeepTrees, AProcessThatWasNotThereFindsTheSameChildren) {
    Process& first = process(registry_with(descends));
    start(root, std::to_string(levels) + "wait");
    settle();
    crash(first);
    process(registry_with(descends));
    ASSERT_TRUE(
        client.raise(InstanceName{"default", tree().front()}, "go", Payload::text("up")).ok());
    pass(Policy().turn_lease);
    EXPECT_EQ(statuses(), std::set{Status::completed});
    EXPECT_TRUE(info(name).outcome->output.bytes.ends_with("^up"));
}

using TreeDepth = World;

TEST_F(TreeDepth, IsALimitThatNamesTheRun) {
    process(registry_with(descends));
    const auto run = start("r", "1001");
    settle();
    ASSERT_EQ(status(run), Status::failed);
    const std::vector<std::string> ids = client.get_instance_tree(run)->all_ids;
    EXPECT_EQ(ids.size(), 1001U);
    const Failure failure = info({"default", ids.front()}).outcome->failure;
    EXPECT_EQ(failure.kind, FailureKind::limit);
    EXPECT_EQ(failure.message,
              "a child of '" + ids.front() +
                  "' would be at level 1001 below its root; at most 1000 are allowed "
                  "(Limits::tree_depth)");
}

}  // namespace
}  // namespace belay::runtime_tests::deep_trees
