// Retention through the client: what goes, what stays, and what it would be.
#include "unit/client/management_fixture.hpp"

#include <functional>

namespace belay::management_tests {
namespace {

class RetentionTest : public Management {
protected:
    /// An instance of its own definition that ended in this way, a second after the one before.
    RunRef ended_as(const std::string& id,
                    const std::string& definition,
                    Status status = Status::completed) {
        clock.advance(1s);
        NewInstance instance = made(id);
        instance.definition = definition;
        EXPECT_TRUE(commit(op::start(instance)).done());
        end(instance.run, status);
        return instance.run;
    }
    RetentionResult apply(const RetentionPolicy& policy, std::uint32_t limit = 1000) {
        const auto result = client.apply_retention(RetentionRequest().policy(policy).limit(limit));
        EXPECT_TRUE(result.ok()) << result.error().describe();
        return result ? *result : RetentionResult();
    }
    RetentionPreview preview(const RetentionRequest& request) {
        const std::size_t sent = store.sent().size();
        const auto result = client.preview_retention(request);
        EXPECT_EQ(store.sent().size(), sent) << "nothing is written";
        EXPECT_TRUE(result.ok()) << result.error().describe();
        return result ? *result : RetentionPreview();
    }
    [[nodiscard]] Ids left(const Ids& ids) {
        Ids there;
        for (const std::string& id : ids) {
            if (is_there(id)) there.push_back(id);
        }
        return there;
    }
};

BELAY_ON_EVERY_STORE(RetentionTest);

// ---- Removed runs ------------------------------------------------------------------------------

TEST_P(RetentionTest, NothingGoesUnlessSomebodySaysSo) {
    ended("a");
    const auto result = client.apply_retention(RetentionRequest());
    ASSERT_TRUE(result.ok());
    EXPECT_EQ(*result, RetentionResult());
    EXPECT_TRUE(is_there("a"));
}

TEST_P(RetentionTest, AgeIsToTheMillisecond) {
    ended("a");
    clock.advance(1h);
    const auto policy = RetentionPolicy().add(RetentionRule().max_age(1h));
    EXPECT_EQ(apply(policy).roots, 0U) << "not longer ago than that";
    clock.advance(1ms);
    EXPECT_EQ(apply(policy).roots, 1U);
    EXPECT_FALSE(is_there("a"));
}

TEST_P(RetentionTest, CountsEachDefinitionAndOutcomeByItself) {
    for (const char* n : {"1", "2", "3"}) {
        for (const char* definition : {"order", "bill"}) {
            ended_as(std::string(definition) + n, definition);
            ended_as(std::string(definition) + "-failed" + n, definition, Status::failed);
        }
    }
    const RetentionResult result = apply(RetentionPolicy().add(RetentionRule().max_count(2)));
    EXPECT_EQ(result.roots, 4U);
    EXPECT_EQ(left({"order1", "order-failed1", "bill1", "bill-failed1"}), Ids());
    EXPECT_EQ(left({"order2", "order-failed2", "bill3", "bill-failed3"}).size(), 4U);
}

TEST_P(RetentionTest, EachByItsOwnRule) {
    for (const char* id : {"o1", "o2"}) ended_as(id, "order");
    for (const char* id : {"f1", "f2"}) ended_as(id, "order", Status::failed);
    for (const char* id : {"a1", "a2"}) ended_as(id, "audit");
    for (const char* id : {"b1", "b2"}) ended_as(id, "bill", Status::canceled);
    const auto policy =
        RetentionPolicy()
            .add(RetentionRule().definition("order").outcome(Status::failed).max_count(5))
            .add(RetentionRule().definition("order").max_count(1))
            .add(RetentionRule().definition("audit"))
            .add(RetentionRule().max_count(0));
    EXPECT_EQ(apply(policy).roots, 3U);
    EXPECT_EQ(left({"o1", "o2", "f1", "f2", "a1", "a2", "b1", "b2"}),
              (Ids{"o2", "f1", "f2", "a1", "a2"}));
}

TEST_P(RetentionTest, ALowerOneReachesWhatEndedBefore) {
    ended("a");
    clock.advance(48h);
    EXPECT_EQ(apply(RetentionPolicy().add(RetentionRule().max_age(72h))).roots, 0U);
    EXPECT_EQ(apply(RetentionPolicy().add(RetentionRule().max_age(24h))).roots, 1U);
}

TEST_P(RetentionTest, OldExecutionsOfRunningChainsGo) {
    const RunRef run = chain("meter", 10, 1h);  // Execution n ended 10 - n hours ago.
    EXPECT_EQ(apply(RetentionPolicy().add(ExecutionRule().max_count(8))).executions, 2U);
    EXPECT_EQ(executions_of(run), 8U);
    const auto both = ExecutionRule().max_count(7).max_age(4h - 1ms);
    const RetentionResult result = apply(RetentionPolicy().add(both));
    EXPECT_EQ(result.executions, 4U) << "one by the count, three more by their age";
    EXPECT_EQ(result.chains, 1U);
    EXPECT_EQ(result.roots, 0U);
    EXPECT_EQ(executions_of(run), 4U);
    EXPECT_TRUE(commit(next_turn(run)).done()) << "it goes on";
    const auto others = ExecutionRule().definition("other").max_count(1);
    EXPECT_EQ(apply(RetentionPolicy().add(others)).executions, 0U);
    EXPECT_EQ(apply(RetentionPolicy().add(ExecutionRule().max_count(0))).executions, 3U);
    EXPECT_EQ(executions_of(run), 1U) << "never the current one";
}

TEST_P(RetentionTest, TreesGoAsAWhole) {
    const RunRef parent = running("p");
    end(child(parent, 1, "p/c"));
    end(parent);
    const RetentionResult result = apply(RetentionPolicy().add(RetentionRule().max_count(0)));
    EXPECT_EQ(result.roots, 1U);
    EXPECT_EQ(result.instances, 2U);
    EXPECT_FALSE(is_there("p") || is_there("p/c"));
}

TEST_P(RetentionTest, RunsThatLostTheirIdGoByTheirAge) {
    std::vector<RunRef> runs{ended("nightly")};
    for (int day = 0; day < 3; ++day) {
        clock.advance(24h);
        Start again = op::start(made("nightly"));
        again.on_conflict = IdConflict::replace;
        ASSERT_TRUE(commit(again).done());
        end(again.instance.run);
        runs.push_back(again.instance.run);
    }
    const auto is_kept = [&](RunRef run) {
        bool kept = false;
        inner->read(ReadInstance{InstanceName(), run},
                    [&](Result<ReadInstance::Answer> found) { kept = found->has_value(); });
        return kept;
    };
    EXPECT_EQ(apply(RetentionPolicy().add(RetentionRule().max_age(40h))).roots, 2U);
    EXPECT_FALSE(is_kept(runs[0]) || is_kept(runs[1]));
    EXPECT_TRUE(is_kept(runs[2]) && is_kept(runs[3]));
    EXPECT_EQ(apply(RetentionPolicy().add(RetentionRule().max_count(1))).roots, 1U);
    EXPECT_FALSE(is_kept(runs[2]));
    EXPECT_TRUE(is_kept(runs[3])) << "it is the last one that has the id";
}

TEST_P(RetentionTest, ThePreviewedRunsGoThoughOthersEndMeanwhile) {
    for (const char* id : {"a", "b", "c"}) ended(id);
    const auto replace = [&] {
        Start again = op::start(made("n"));
        again.on_conflict = IdConflict::replace;
        ASSERT_TRUE(commit(again).done());
    };
    const RunRef replaced = running("n");
    const RunRef meter = chain("meter", 4);
    const auto policy =
        RetentionPolicy().add(RetentionRule().max_count(2)).add(ExecutionRule().max_count(1));
    const RetentionPreview seen = preview(RetentionRequest().policy(policy));
    ASSERT_EQ(seen.instances.size(), 1U);
    EXPECT_EQ(seen.instances[0].ids, Ids{"a"});
    ASSERT_EQ(seen.executions.size(), 1U);
    EXPECT_EQ(seen.executions[0].executions, 3U);

    clock.advance(11h);
    for (const char* id : {"d", "e", "f"}) ended(id);
    end(replaced);
    replace();
    continue_as_new(meter);
    RetentionRequest request;
    request.policy(policy).as_of(seen.as_of);
    EXPECT_EQ(preview(request).instances.at(0).ids, Ids{"a"});
    EXPECT_EQ(preview(request).as_of, seen.as_of);
    const auto result = client.apply_retention(request);
    ASSERT_TRUE(result.ok());
    EXPECT_EQ(result->roots, 1U);
    EXPECT_EQ(result->chains, 1U);
    EXPECT_EQ(left({"a", "b", "c", "d", "e", "f"}), (Ids{"b", "c", "d", "e", "f"}));
    EXPECT_EQ(executions_of(meter), 2U) << "the one that ended meanwhile stays";
    EXPECT_TRUE(preview(request).instances.empty());
    EXPECT_EQ(apply(policy).roots, 4U) << "b, c and d, and the run that lost its name";
}

TEST_P(RetentionTest, AgesCountUntilTheTimeThatIsSaid) {
    ended("a");
    const Timestamp then = clock.wall();
    clock.advance(11h);
    RetentionRequest request;
    request.policy(RetentionPolicy().add(RetentionRule().max_age(10h)));
    EXPECT_EQ(preview(request).instances.size(), 1U);
    EXPECT_TRUE(preview(request.as_of(then)).instances.empty());
    EXPECT_EQ(client.apply_retention(request)->roots, 0U);
    EXPECT_EQ(client.apply_retention(request.as_of(then + 10h + 1ms))->roots, 1U);
}

TEST_P(RetentionTest, AsOfTheLastOfAllTimesEverythingCounts) {
    ended("a");
    chain("meter", 2);
    const auto policy =
        RetentionPolicy().add(RetentionRule().max_count(0)).add(ExecutionRule().max_count(1));
    const auto result =
        client.apply_retention(RetentionRequest().policy(policy).as_of(Timestamp::max()));
    ASSERT_TRUE(result.ok());
    EXPECT_EQ(result->roots, 1U);
    EXPECT_EQ(result->executions, 2U) << "one of the chain";
}

// ---- Protected runs ----------------------------------------------------------------------------

TEST_P(RetentionTest, ARunWithRunningDescendantsStaysAndStandsInNobodysWay) {
    for (const char* id : {"p1", "p2", "p3"}) {
        const RunRef parent = running(id);
        const RunRef below = child(parent, 1, std::string(id) + "/c");
        ASSERT_TRUE(commit(next_turn(below)).done());
        end(parent);
    }
    clock.advance(1s);
    ended("later");
    running("running");
    const auto policy = RetentionPolicy().add(RetentionRule().max_count(0));
    EXPECT_EQ(apply(policy, 1).roots, 1U);
    EXPECT_EQ(left({"p1", "p1/c", "p2", "p3", "later", "running"}),
              (Ids{"p1", "p1/c", "p2", "p3", "running"}));
}

TEST_P(RetentionTest, ChildrenStayWithTheirRoot) {
    const RunRef parent = running("p");
    end(child(parent, 1, "p/c"));
    EXPECT_EQ(apply(RetentionPolicy().add(RetentionRule().max_count(0))).roots, 0U);
    EXPECT_TRUE(is_there("p/c"));
}

TEST_P(RetentionTest, ANamesakeOfWhatWasChosenIsSpared) {
    ended("a");
    std::optional<Result<RetentionResult>> result;
    store.hold_commit_of<Delete>();
    client.apply_retention(
        RetentionRequest().policy(RetentionPolicy().add(RetentionRule().max_count(0))),
        [&](Result<RetentionResult> one) { result = std::move(one); });
    ASSERT_FALSE(result.has_value()) << "it has been chosen, and not yet deleted";
    ASSERT_TRUE(client.delete_instance(named("a")).ok());
    ended("a");
    store.release();
    ASSERT_TRUE(result && result->ok());
    EXPECT_EQ((*result)->roots, 0U);
    EXPECT_TRUE(is_there("a"));
}

TEST_P(RetentionTest, ANeededRunIsNotEvenAskedFor) {
    // The root has ended; its child goes on and may start others.
    const RunRef parent = running("p");
    const RunRef middle = child(parent, 1, "p/c");
    ASSERT_TRUE(commit(next_turn(middle)).done());
    end(parent);
    const auto policy = RetentionPolicy().add(RetentionRule().max_count(0));
    const std::size_t sent = store.sent().size();
    EXPECT_EQ(apply(policy), RetentionResult());
    EXPECT_EQ(store.sent().size(), sent);
    end(child(middle, 1, "p/c/g"));
    end(middle);
    EXPECT_EQ(apply(policy).instances, 3U) << "once all of it has ended";
}

TEST_P(RetentionTest, AnInstanceThatIsStartedAgainInBetweenIsSpared) {
    ended("a");
    std::optional<Result<RetentionResult>> result;
    store.hold_commit_of<Delete>();
    client.apply_retention(
        RetentionRequest().policy(RetentionPolicy().add(RetentionRule().max_count(0))),
        [&](Result<RetentionResult> one) { result = std::move(one); });
    ASSERT_FALSE(result.has_value());
    Start again = op::start(made("a"));
    again.on_conflict = IdConflict::replace;
    ASSERT_TRUE(commit(again).done());
    child(again.instance.run, 1, "a/c");
    store.release();
    ASSERT_TRUE(result && result->ok());
    EXPECT_EQ((*result)->roots, 1U) << "what was chosen goes, without its name";
    EXPECT_EQ(left({"a", "a/c"}).size(), 2U);
}

// ---- In steps ----------------------------------------------------------------------------------

TEST_P(RetentionTest, TheLimitIsOfThoseThatWereChangedAndTheSameCallGoesOn) {
    for (int i = 0; i < 5; ++i) ended("a" + std::to_string(i));
    for (int i = 0; i < 2; ++i) chain("c" + std::to_string(i), 6);
    const auto policy =
        RetentionPolicy().add(RetentionRule().max_count(0)).add(ExecutionRule().max_count(1));
    RetentionResult result = apply(policy, 3);
    EXPECT_EQ(result.roots, 3U);
    EXPECT_TRUE(result.more);
    EXPECT_EQ(left({"a0", "a1", "a2", "a3", "a4"}), (Ids{"a3", "a4"})) << "longest ended first";
    result = apply(policy, 3);
    EXPECT_EQ(result.roots, 2U);
    EXPECT_EQ(result.chains, 1U);
    result = apply(policy, 3);
    EXPECT_EQ(result.chains, 1U);
    EXPECT_FALSE(result.more);
    EXPECT_EQ(apply(policy), RetentionResult());
}

TEST_P(RetentionTest, ManyPagesMissNothing) {
    constexpr int kMany = 100;  // More than three pages of 32.
    for (int i = 0; i < kMany; ++i) ended("a" + std::to_string(i));
    for (int i = 0; i < kMany; ++i) chain("c" + std::to_string(i), 2);
    const auto policy =
        RetentionPolicy().add(RetentionRule().max_count(1)).add(ExecutionRule().max_count(1));
    const RetentionPreview seen = preview(RetentionRequest().policy(policy));
    ASSERT_EQ(seen.instances.size(), 1U);
    EXPECT_EQ(seen.instances[0].roots, 99U);
    ASSERT_EQ(seen.executions.size(), 1U);
    EXPECT_EQ(seen.executions[0].chains, 100U);
    const RetentionResult result = apply(policy);
    EXPECT_EQ(result.roots, 99U);
    EXPECT_EQ(result.chains, 100U);
    EXPECT_TRUE(is_there("a99"));
}

TEST_P(RetentionTest, CommitsAreSmall) {
    for (int i = 0; i < 6; ++i) ended("a" + std::to_string(i));
    const std::uint64_t before = inner->counts().commits;
    EXPECT_EQ(apply(RetentionPolicy().add(RetentionRule().max_count(0))).roots, 6U);
    if (std::string(GetParam()) == "sqlite") {
        EXPECT_EQ(inner->counts().commits - before, 3U) << "two instances each";
    }
}

TEST_P(RetentionTest, LargeOnesHaveACommitOfTheirOwn) {
    Policy policy;
    policy.bulk_rows = 10;
    Client own(store, clock, system_random(), Limits(), policy);
    for (const char* id : {"p1", "p2"}) {
        const RunRef parent = running(id);
        for (CommandNo i = 1; i <= 4; ++i) {
            end(child(parent, i, std::string(id) + "/" + std::to_string(i)));
        }
        end(parent);
    }
    for (const char* id : {"a", "b"}) ended(id);
    const std::uint64_t before = inner->counts().commits;
    const auto result = own.apply_retention(
        RetentionRequest().policy(RetentionPolicy().add(RetentionRule().max_count(0))));
    ASSERT_TRUE(result.ok());
    EXPECT_EQ(result->roots, 4U);
    if (std::string(GetParam()) == "sqlite") {
        EXPECT_EQ(inner->counts().commits - before, 3U);
    }
}

TEST_P(RetentionTest, ABusyStoreIsAskedAgain) {
    for (const char* id : {"a", "b", "c"}) ended(id);
    for (int i = 0; i < 3; ++i) store.fail_commit_of<Delete>(Fault::not_applied);
    EXPECT_EQ(apply(RetentionPolicy().add(RetentionRule().max_count(0))).roots, 3U);
    ended("d");
    for (int i = 0; i < 20; ++i) store.fail_commit_of<Delete>(Fault::not_applied);
    const auto failed = client.apply_retention(
        RetentionRequest().policy(RetentionPolicy().add(RetentionRule().max_count(0))));
    ASSERT_FALSE(failed.ok());
    EXPECT_EQ(failed.error().code(), Errc::busy);
}

TEST_P(RetentionTest, AnUnknownOutcomeDoesNoHarm) {
    for (const Fault fault : {Fault::applied_but_unknown, Fault::not_applied_but_unknown}) {
        for (const char* id : {"a", "b", "c"}) ended(id);
        store.fail_commit_of<Delete>(fault);
        EXPECT_EQ(apply(RetentionPolicy().add(RetentionRule().max_count(0))).roots, 3U);
        EXPECT_EQ(left({"a", "b", "c"}), Ids());
    }
}

TEST_P(RetentionTest, ItGoesOnWhenTheClientIsGone) {
    for (const char* id : {"a", "b", "c"}) ended(id);
    std::optional<Result<RetentionResult>> result;
    store.hold_commit_of<Delete>();
    {
        Client own(store, clock, system_random(), Limits(), small_pages());
        own.apply_retention(
            RetentionRequest().policy(RetentionPolicy().add(RetentionRule().max_count(0))),
            [&](Result<RetentionResult> one) { result = std::move(one); });
    }
    store.release();
    ASSERT_TRUE(result && result->ok());
    EXPECT_EQ((*result)->roots, 3U);
}

// ---- Set at run time ---------------------------------------------------------------------------

TEST_P(RetentionTest, TheSetRulesAreApplied) {
    for (const char* id : {"a", "b", "c"}) ended_as(id, "order");
    const auto policy = RetentionPolicy().add(RetentionRule().max_count(1));
    ASSERT_TRUE(client.set_retention("default", policy, "ops").ok());
    const auto stored = client.retention("default");
    ASSERT_TRUE(stored.ok() && stored->has_value());
    EXPECT_EQ((*stored)->policy, policy);
    EXPECT_EQ((*stored)->set_by, "ops");
    EXPECT_EQ(client.apply_retention(RetentionRequest())->roots, 2U);
    ASSERT_TRUE(client.clear_retention("default").ok());
    EXPECT_FALSE(client.retention("default")->has_value());
    EXPECT_EQ(client.apply_retention(RetentionRequest())->roots, 0U);
}

TEST_P(RetentionTest, ASettingThatIsSentAgainIsDoneOnce) {
    for (const Fault fault : {Fault::applied_but_unknown, Fault::not_applied_but_unknown}) {
        store.fail_commit_of<SetRetention>(fault);
        EXPECT_TRUE(client.set_retention("default", RetentionPolicy()).ok());
        EXPECT_EQ(store.planned(), 0U);
    }
    const auto other = RetentionPolicy().add(RetentionRule().max_count(1));
    ASSERT_TRUE(client.set_retention("default", RetentionPolicy(), "", "r1").ok());
    EXPECT_TRUE(client.set_retention("default", RetentionPolicy(), "", "r1").ok());
    EXPECT_EQ(client.set_retention("default", other, "", "r1").error().code(),
              Errc::request_id_reused);
}

TEST_P(RetentionTest, NonsenseIsRefused) {
    const auto twice = RetentionPolicy().add(RetentionRule()).add(RetentionRule());
    EXPECT_EQ(client.set_retention("default", twice).error().code(), Errc::invalid_argument);
    EXPECT_EQ(client.set_retention("", RetentionPolicy()).error().code(), Errc::invalid_argument);
    EXPECT_EQ(client.clear_retention("a\nb").error().code(), Errc::invalid_argument);
    EXPECT_EQ(client.retention("").error().code(), Errc::invalid_argument);
    EXPECT_EQ(client.apply_retention(RetentionRequest().policy(twice)).error().code(),
              Errc::invalid_argument);
    EXPECT_EQ(client.preview_retention(RetentionRequest().space("")).error().code(),
              Errc::invalid_argument);
}

// ---- Previews ----------------------------------------------------------------------------------

TEST_P(RetentionTest, APreviewSaysWhatWouldGo) {
    for (int i = 0; i < 5; ++i) ended_as("o" + std::to_string(i), "order");
    for (int i = 0; i < 3; ++i) ended_as("f" + std::to_string(i), "order", Status::failed);
    ended_as("b", "bill");
    const auto policy =
        RetentionPolicy().add(RetentionRule().max_count(1)).add(RetentionRule().definition("bill"));
    const RetentionPreview seen = preview(RetentionRequest().policy(policy).examples(2));
    EXPECT_EQ(seen.as_of, clock.wall());
    ASSERT_EQ(seen.instances.size(), 2U);
    EXPECT_EQ(seen.instances[0].definition, "order");
    EXPECT_EQ(seen.instances[0].outcome, Status::completed);
    EXPECT_EQ(seen.instances[0].roots, 4U);
    EXPECT_EQ(seen.instances[0].ids, (Ids{"o0", "o1"}));
    EXPECT_EQ(seen.instances[1].outcome, Status::failed);
    EXPECT_EQ(seen.instances[1].roots, 2U);
    EXPECT_TRUE(seen.executions.empty());
    EXPECT_EQ(apply(policy).roots, 6U) << "as it said";
    EXPECT_TRUE(preview(RetentionRequest().policy(policy)).instances.empty());
}

TEST_P(RetentionTest, APreviewTellsWhatIsStillNeededFromWhatGoes) {
    const RunRef parent = running("p");
    const RunRef below = child(parent, 1, "p/c");
    ASSERT_TRUE(commit(next_turn(below)).done());
    end(parent);
    ended("a");
    const auto policy = RetentionPolicy().add(RetentionRule().max_count(0));
    const RetentionPreview seen = preview(RetentionRequest().policy(policy));
    ASSERT_EQ(seen.instances.size(), 1U);
    EXPECT_EQ(seen.instances[0].roots, 1U);
    EXPECT_EQ(seen.instances[0].still_needed, 1U);
    EXPECT_EQ(seen.instances[0].ids, Ids{"a"});
}

TEST_P(RetentionTest, APreviewCountsExecutions) {
    chain("meter", 10, 1h);
    end(chain("goes", 4));
    const auto policy = RetentionPolicy()
                            .add(RetentionRule().max_count(0))
                            .add(ExecutionRule().max_count(7).max_age(4h - 1ms));
    const RetentionPreview seen = preview(RetentionRequest().policy(policy));
    ASSERT_EQ(seen.executions.size(), 1U);
    EXPECT_EQ(seen.executions[0].definition, "Task");
    EXPECT_EQ(seen.executions[0].chains, 1U) << "what goes as a whole is not named twice";
    EXPECT_EQ(seen.executions[0].executions, 6U);
    EXPECT_EQ(seen.executions[0].ids, Ids{"meter"});
    EXPECT_EQ(apply(policy).executions, 6U + 4U);
}

}  // namespace
}  // namespace belay::management_tests
