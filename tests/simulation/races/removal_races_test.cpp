// Deletion and pruning in the worst moment, each forced into being.
#include "simulation/races/stage.hpp"
#include <belay/store/operations.hpp>

#include <gtest/gtest.h>

#include <optional>
#include <utility>

namespace belay::sim::removal_tests {
namespace {

/// Continues as new three times, each time after an event.
constexpr const char* kChain = "(g(e 0 0)(n 0 0))";

InstanceName named(const std::string& id) { return InstanceName{kSpace, id}; }

template <class T>
Done<T> into(std::optional<Result<T>>& place) {
    return [&place](Result<T> result) { place.emplace(std::move(result)); };
}

class Removal : public ::testing::Test {
protected:
    void resume(const std::string& id, const std::string& text) {
        stage.client().raise(
            named(id), kEvents[0], Payload::text(text), {}, [](const Result<InstanceBrief>&) {});
        stage.run();
    }
    std::size_t executions(const std::string& id) { return stage.instance(id)->executions.size(); }
    std::vector<std::string> tree(const std::string& id) {
        std::vector<std::string> ids;
        const auto found = stage.true_store().read(ListTree{named(id)});
        for (const InstanceBrief& one : *found) ids.push_back(one.name.id);
        return ids;
    }

    Stage stage{1};
};

TEST_F(Removal, AChildStartedBetweenReadingATreeAndItsDeletionIsNoOrphan) {
    stage.boot(0);
    stage.plan_handlers(hangs());
    stage.start("order", "(g(e 0 0)(c 0 0 0(g(a 0 0))))");
    stage.run();
    const std::vector<std::string> known = tree("order");
    ASSERT_EQ(known.size(), 1U);
    std::optional<Result<DeleteInstanceResult>> result;
    stage.hold_back("DeleteInstances");
    stage.client().delete_instances_atomic(kSpace, known, true, {}, into(result));
    resume("order", "m1");  // And it starts a child.
    ASSERT_EQ(tree("order").size(), 2U) << stage.history_text("order");
    stage.release();
    stage.run();

    ASSERT_TRUE(result.has_value());
    ASSERT_FALSE(result->ok());
    EXPECT_EQ(result->error().code(), Errc::has_children);
    EXPECT_EQ(tree("order").size(), 2U) << "nothing of it is gone";
    EXPECT_EQ(stage.problems(), "");
}

TEST_F(Removal, AChildStartedBeforeADeletionByNameGoesWithIt) {
    stage.boot(0);
    stage.plan_handlers(hangs());
    stage.start("order", "(g(e 0 0)(c 0 0 0(g(a 0 0))))");
    stage.run();
    std::optional<Result<DeleteInstanceResult>> result;
    stage.hold_back("Delete order");
    stage.client().delete_instance(named("order"), true, {}, into(result));
    resume("order", "m1");
    ASSERT_EQ(tree("order").size(), 2U);
    stage.release();
    stage.run();

    ASSERT_TRUE(result && result->ok());
    EXPECT_EQ((*result)->instances, 2U);
    EXPECT_TRUE(stage.observer().runs().empty());
    EXPECT_EQ(stage.process(0).counts().stops_requested, 1U) << "the child's activity";
    EXPECT_EQ(stage.problems(), "");
}

TEST_F(Removal, AnActivityThatCompletesAfterTheDeletionBringsNothingBack) {
    stage.boot(0);
    stage.hold_back("AckActivity");
    stage.start("order", kOneActivity);
    stage.run();
    ASSERT_EQ(stage.calls("AckActivity").size(), 1U);
    ASSERT_TRUE(stage.commit(op::force_delete(named("order"))).done());
    stage.start("order", "(g(e 0 0))");
    stage.run();
    stage.release();
    stage.pass(Stage::kLease);

    EXPECT_EQ(stage.process(0).counts().completions_refused, 1U);
    EXPECT_EQ(stage.status("order"), Status::running) << "the namesake got nothing";
    EXPECT_TRUE(stage.instance("order")->inbox.empty());
    EXPECT_EQ(stage.problems(), "");
}

TEST_F(Removal, ContinueAsNewBetweenSelectionAndPruningKeepsTheNewExecution) {
    stage.boot(0);
    stage.start("order", kChain);
    stage.run();
    resume("order", "m1");
    ASSERT_EQ(executions("order"), 2U);
    std::optional<Result<PruneResult>> result;
    stage.hold_back("Prune order");
    stage.client().prune_executions_bulk(
        InstanceFilter().space(kSpace), PruneOptions().include_running(), into(result));
    stage.run();
    ASSERT_EQ(stage.calls("Prune order").size(), 1U) << "it is chosen";
    resume("order", "m2");
    ASSERT_EQ(executions("order"), 3U);
    stage.release();
    stage.run();

    ASSERT_TRUE(result && result->ok());
    EXPECT_EQ((*result)->executions, 2U);
    EXPECT_EQ(executions("order"), 1U);
    EXPECT_EQ(stage.instance("order")->execution, 3U);
    resume("order", "m3");
    EXPECT_EQ(stage.instance("order")->execution, 4U) << "it goes on";
    EXPECT_EQ(stage.problems(), "");
}

TEST_F(Removal, ATurnAcrossAPruningIsNotRefused) {
    stage.boot(0);
    stage.start("order", kChain);
    stage.run();
    resume("order", "m1");
    stage.hold_back("execution 2");
    resume("order", "m2");
    ASSERT_EQ(stage.calls("execution 2").size(), 1U);
    EXPECT_EQ(stage.commit(op::prune_executions(named("order"), 1)).deleted.executions, 1U);
    stage.release();
    stage.run();

    EXPECT_EQ(stage.instance("order")->execution, 3U);
    EXPECT_EQ(stage.process(0).counts().turns_refused, 0U);
    EXPECT_EQ(stage.problems(), "");
}

TEST_F(Removal, ANamesakeMadeBetweenSelectionAndDeletionIsSpared) {
    stage.boot(0);
    stage.start("order", kOneActivity);
    stage.pass(Millis(50));
    ASSERT_EQ(stage.status("order"), Status::completed);
    std::optional<Result<DeleteInstanceResult>> result;
    stage.hold_back("Delete order as");
    stage.client().delete_instance_bulk(InstanceFilter().space(kSpace), into(result));
    stage.run();
    ASSERT_EQ(stage.calls("Delete order as").size(), 1U);
    ASSERT_TRUE(stage.commit(op::force_delete(named("order"))).done());
    stage.start("order", kOneActivity);
    stage.pass(Millis(50));
    const RunRef namesake = stage.instance("order")->ref;
    stage.release();
    stage.run();

    ASSERT_TRUE(result && result->ok());
    EXPECT_EQ((*result)->instances, 0U);
    ASSERT_NE(stage.instance("order"), nullptr);
    EXPECT_EQ(stage.instance("order")->ref, namesake);
    EXPECT_EQ(stage.problems(), "");
}

TEST_F(Removal, DeletionsWhoseOutcomeIsUnknownAreSentAgainAndCountedOnce) {
    stage.boot(0);
    for (const char* id : {"a", "b", "c"}) stage.start(id, kOneActivity);
    stage.pass(Millis(50));
    std::optional<Result<DeleteInstanceResult>> result;
    stage.hold_answers_to("Delete a as");
    stage.client().delete_instance_bulk(InstanceFilter().space(kSpace), into(result));
    stage.run();
    ASSERT_EQ(stage.calls("Delete a as").size(), 1U);
    EXPECT_TRUE(stage.observer().runs().empty()) << "it was applied";
    stage.calls("Delete a as").front()->plan.answer_with = Errc::outcome_unknown;
    stage.start("a", "(g(e 0 0))");
    stage.release();
    stage.run();

    ASSERT_TRUE(result && result->ok());
    EXPECT_EQ((*result)->instances, 3U);
    EXPECT_EQ(stage.status("a"), Status::running) << "the namesake is not deleted a second time";
    EXPECT_EQ(stage.problems(), "");
}

TEST_F(Removal, AStartSentAgainAfterABulkDeletionBringsNothingBack) {
    stage.boot(0);
    stage.hold_answers_to("Start order");
    stage.start("order", kOneActivity);
    stage.pass(Millis(50));
    ASSERT_EQ(stage.status("order"), Status::completed);
    std::optional<Result<DeleteInstanceResult>> result;
    stage.client().delete_instance_bulk(InstanceFilter().space(kSpace), into(result));
    stage.run();
    ASSERT_TRUE(result && result->ok());
    ASSERT_EQ((*result)->instances, 1U);
    stage.calls("Start order").front()->plan.answer_with = Errc::outcome_unknown;
    stage.release();
    stage.run();

    EXPECT_EQ(stage.instance("order"), nullptr);
    EXPECT_EQ(stage.problems(), "");
}

}  // namespace
}  // namespace belay::sim::removal_tests
