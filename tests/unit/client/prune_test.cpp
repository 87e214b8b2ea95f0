// Pruning through the client: of one chain, of many.
#include "management_fixture.hpp"

namespace belay::management_tests {
namespace {

class PruneTest : public Management {
protected:
    PruneResult prune(const std::string& id, const PruneOptions& options) {
        const auto result = client.prune_executions(named(id), options);
        EXPECT_TRUE(result.ok()) << result.error().describe();
        return result ? *result : PruneResult();
    }
    PruneResult prune_many(const InstanceFilter& filter, const PruneOptions& options) {
        const auto result = client.prune_executions_bulk(filter, options);
        EXPECT_TRUE(result.ok()) << result.error().describe();
        return result ? *result : PruneResult();
    }
};

BELAY_ON_EVERY_STORE(PruneTest);

// ---- Under the names of the deletion design ----------------------------------------------------

TEST_P(PruneTest, test_prune_bulk) {
    for (const char* id : {"a", "b", "c"}) end(chain(id, 5));
    ended("single");
    const RunRef eternal = chain("eternal", 5);
    const PruneResult result = prune_many(InstanceFilter(), PruneOptions().keep_last(2));
    EXPECT_EQ(result.instances, 3U) << "those that have ended and have old executions";
    EXPECT_EQ(result.executions, 9U);
    EXPECT_EQ(result.events, 9U);
    EXPECT_EQ(executions_of(eternal), 5U) << "what is running is passed over";
    EXPECT_EQ(prune_many(InstanceFilter().ids({"a", "eternal"}), PruneOptions().keep_last(1)),
              (PruneResult{1, 1, 1}));
}

TEST_P(PruneTest, test_prune_bulk_includes_running_instances) {
    const RunRef eternal = chain("eternal", 5);
    end(chain("done", 2));
    const PruneResult result =
        prune_many(InstanceFilter(), PruneOptions().keep_last(1).include_running());
    EXPECT_EQ(result, (PruneResult{2, 5, 5}));
    EXPECT_EQ(executions_of(eternal), 1U);
    EXPECT_TRUE(commit(next_turn(eternal)).done()) << "it goes on";
}

TEST_P(PruneTest, test_prune_30_day_execution_retention) {
    const RunRef run = chain("a", 41, 24h);  // Execution n ended 41 - n days ago.
    const Timestamp thirty_days_ago = clock.wall() - 30 * 24h;
    EXPECT_EQ(prune("a", PruneOptions().completed_before(thirty_days_ago)),
              (PruneResult{1, 10, 10}));
    EXPECT_EQ(executions_of(run), 31U);
}

// ---- More --------------------------------------------------------------------------------------

TEST_P(PruneTest, OneChainInAsManyCommitsAsItTakes) {
    const RunRef run = chain("a", 10);
    const std::size_t before = store.sent().size();
    EXPECT_EQ(prune("a", PruneOptions().keep_last(3)), (PruneResult{1, 7, 7}));
    EXPECT_EQ(executions_of(run), 3U);
    EXPECT_EQ(store.sent().size() - before, 4U) << "two executions each";
    EXPECT_EQ(prune("a", PruneOptions().keep_last(3)), (PruneResult{1, 0, 0}));
}

TEST_P(PruneTest, NothingSetMeansAllButTheCurrentOne) {
    const RunRef run = chain("a", 4);
    EXPECT_EQ(prune("a", PruneOptions()).executions, 3U);
    EXPECT_EQ(executions_of(run), 1U);
}

TEST_P(PruneTest, AnUnknownInstanceIsNotFound) {
    EXPECT_EQ(client.prune_executions(named("nobody"), PruneOptions()).error().code(),
              Errc::not_found);
    EXPECT_EQ(client.prune_executions(named("a\nb"), PruneOptions()).error().code(),
              Errc::invalid_argument);
}

TEST_P(PruneTest, AnUnknownOutcomeIsCountedOnce) {
    for (const Fault fault : {Fault::applied_but_unknown, Fault::not_applied_but_unknown}) {
        const RunRef run = chain("a", 6);
        store.fail_commit_of<Prune>(fault);
        EXPECT_EQ(prune("a", PruneOptions().keep_last(1)), (PruneResult{1, 5, 5}));
        EXPECT_EQ(executions_of(run), 1U);
        ASSERT_TRUE(client.delete_instance(named("a"), true).ok());
    }
}

TEST_P(PruneTest, TheRestIsNotThatOfANamesake) {
    chain("a", 6);
    std::optional<Result<PruneResult>> result;
    store.hold_commit_of<Prune>(1);
    client.prune_executions(
        named("a"), PruneOptions(), [&](Result<PruneResult> one) { result = std::move(one); });
    ASSERT_FALSE(result.has_value()) << "its second commit is held";
    ASSERT_TRUE(client.delete_instance(named("a"), true).ok());
    const RunRef namesake = chain("a", 6);
    store.release();
    ASSERT_TRUE(result.has_value());
    ASSERT_FALSE(result->ok());
    EXPECT_EQ(result->error().code(), Errc::not_found);
    EXPECT_EQ(executions_of(namesake), 6U);
}

TEST_P(PruneTest, ManyInPagesAndLongChainsInParts) {
    std::vector<RunRef> runs;
    for (int i = 0; i < 5; ++i) runs.push_back(chain("a" + std::to_string(i), 6));
    const PruneOptions options = PruneOptions().keep_last(1).include_running();
    EXPECT_EQ(prune_many(InstanceFilter(), options), (PruneResult{5, 25, 25}));
    for (const RunRef run : runs) EXPECT_EQ(executions_of(run), 1U);
}

TEST_P(PruneTest, TheLimitIsOfThoseThatLostSomething) {
    for (int i = 0; i < 3; ++i) end(chain("short" + std::to_string(i), 2));
    for (int i = 0; i < 3; ++i) end(chain("long" + std::to_string(i), 6));
    const PruneOptions options = PruneOptions().keep_last(4);
    EXPECT_EQ(prune_many(InstanceFilter().limit(2), options).executions, 4U)
        << "chains that have nothing old do not stand in the way";
    EXPECT_EQ(prune_many(InstanceFilter().limit(2), options).executions, 2U);
    EXPECT_EQ(prune_many(InstanceFilter().limit(2), options).executions, 0U);
}

TEST_P(PruneTest, AnInstanceWithNothingOldIsNotWrittenTo) {
    for (int i = 0; i < 3; ++i) chain("a" + std::to_string(i), 4, 1h);
    const std::size_t before = store.sent().size();
    const auto options = PruneOptions().include_running();
    EXPECT_EQ(prune_many(InstanceFilter(), PruneOptions(options).keep_last(4)), PruneResult());
    EXPECT_EQ(
        prune_many(InstanceFilter(), PruneOptions(options).completed_before(clock.wall() - 24h)),
        PruneResult());
    EXPECT_EQ(store.sent().size(), before);
}

TEST_P(PruneTest, ByDefinitionAndState) {
    const RunRef running = chain("running", 3);
    end(chain("done", 3));
    const auto options = PruneOptions().include_running();
    EXPECT_EQ(prune_many(InstanceFilter().definition("other"), options), PruneResult());
    EXPECT_EQ(prune_many(InstanceFilter().statuses({Status::running, Status::pending}), options),
              (PruneResult{1, 2, 2}));
    EXPECT_EQ(executions_of(running), 1U);
}

TEST_P(PruneTest, BothFiltersMustBeTrue) {
    const RunRef old = chain("old", 3);
    end(old);
    clock.advance(1h);
    const Timestamp cutoff = clock.wall();
    const RunRef young = chain("young", 3);
    end(young);
    const auto filter = InstanceFilter().completed_before(cutoff);
    EXPECT_EQ(prune_many(filter, PruneOptions().keep_last(2)), (PruneResult{1, 1, 1}));
    const auto named_too = InstanceFilter().completed_before(cutoff).ids({"young"});
    EXPECT_EQ(prune_many(named_too, PruneOptions()), PruneResult());
    EXPECT_EQ(executions_of(young), 3U);
}

TEST_P(PruneTest, AnIdThatIsNamedTwiceIsPrunedOnce) {
    end(chain("a", 3));
    EXPECT_EQ(prune_many(InstanceFilter().ids({"a", "a", "nobody"}), PruneOptions()),
              (PruneResult{1, 2, 2}));
}

TEST_P(PruneTest, ChildrenArePrunedToo) {
    const RunRef parent = running("p");
    const RunRef below = child(parent, 1, "p/c");
    continue_as_new(below);
    continue_as_new(below);
    EXPECT_EQ(prune_many(InstanceFilter(), PruneOptions().include_running()),
              (PruneResult{1, 2, 2}));
}

TEST_P(PruneTest, APreviewSaysWhatPruningDoes) {
    end(chain("a", 5));
    end(chain("b", 2));
    const RunRef eternal = chain("eternal", 4);
    ended("single");
    for (const PruneOptions& options : {PruneOptions().keep_last(2),
                                        PruneOptions().keep_last(1).include_running(),
                                        PruneOptions().completed_before(clock.wall())}) {
        const auto seen = client.preview_prune_bulk(InstanceFilter(), options);
        ASSERT_TRUE(seen.ok()) << seen.error().describe();
        EXPECT_EQ(executions_of(eternal), 4U) << "nothing is written";
        const PruneResult pruned = prune_many(InstanceFilter(), options);
        EXPECT_EQ(seen->executions, pruned.executions);
        EXPECT_EQ(seen->ids.size(), pruned.instances);
        if (options.includes_running()) break;
    }
}

TEST_P(PruneTest, APreviewStopsAtTheLimit) {
    for (const char* id : {"a", "b", "c"}) end(chain(id, 3));
    const auto seen =
        client.preview_prune_bulk(InstanceFilter().limit(2), PruneOptions().keep_last(1));
    ASSERT_TRUE(seen.ok()) << seen.error().describe();
    EXPECT_EQ(seen->ids, (Ids{"a", "b"}));
    EXPECT_EQ(seen->executions, 4U);
}

}  // namespace
}  // namespace belay::management_tests
