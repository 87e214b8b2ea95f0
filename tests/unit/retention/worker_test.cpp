// Removals that a worker makes by itself, on a clock that stands still.
#include "support/warnings.hpp"
#include "unit/runtime/world.hpp"

namespace belay::runtime_tests::retention {
namespace {

using namespace std::chrono_literals;

Orchestration<std::string> at_once(OrchestrationContext, std::string input) { co_return input; }
Orchestration<std::string> waits(OrchestrationContext ctx, std::string) {
    co_return co_await ctx.wait<std::string>("go");
}

class WorkerRetention : public World {
protected:
    static RuntimeOptions keeping(const RetentionPolicy& policy) {
        return RuntimeOptions().retention(policy);
    }
    static RetentionPolicy at_most(std::uint32_t count) {
        return RetentionPolicy().add(RetentionRule().max_count(count));
    }
    /// Long enough for every process to have looked once.
    void pass_a_round() { pass(Policy().retention_interval); }
    void end_some(int count, const std::string& prefix = "i") {
        for (int i = 0; i < count; ++i) {
            start(prefix + std::to_string(i));
            settle();
            clock.advance(1ms);
        }
    }
    std::size_t left(int count, const std::string& prefix = "i") {
        std::size_t there = 0;
        for (int i = 0; i < count; ++i) {
            if (client.inspect({"default", prefix + std::to_string(i)}).ok()) ++there;
        }
        return there;
    }
    [[nodiscard]] std::size_t deletions() const {
        std::size_t count = 0;
        for (const Transition& one : store.sent()) {
            if (std::holds_alternative<Delete>(one.parts.front())) ++count;
        }
        return count;
    }
};

TEST_F(WorkerRetention, IsOffByDefault) {
    process(registry_with(at_once));
    end_some(5);
    for (int i = 0; i < 100; ++i) pass_a_round();
    EXPECT_EQ(left(5), 5U);
    EXPECT_EQ(deletions(), 0U);
}

TEST_F(WorkerRetention, AppliesWhatItHasInCode) {
    process(registry_with(at_once), keeping(at_most(2)));
    end_some(5);
    pass_a_round();
    EXPECT_EQ(left(5), 2U);
    pass_a_round();
    EXPECT_EQ(deletions(), 3U) << "and no more";
}

TEST_F(WorkerRetention, AppliesAgeAsTimePasses) {
    process(registry_with(at_once), keeping(RetentionPolicy().add(RetentionRule().max_age(10min))));
    end_some(2);
    pass(9min);
    EXPECT_EQ(left(2), 2U);
    pass(2min);
    pass_a_round();
    EXPECT_EQ(left(2), 0U);
}

TEST_F(WorkerRetention, RulesSetAtRunTimeGoBeforeTheCode) {
    process(registry_with(at_once), keeping(at_most(0)));
    end_some(4);
    ASSERT_TRUE(client.set_retention("default", at_most(3)).ok());
    pass_a_round();
    EXPECT_EQ(left(4), 3U);
    ASSERT_TRUE(client.set_retention("default", RetentionPolicy()).ok());
    pass_a_round();
    EXPECT_EQ(left(4), 3U) << "all is kept";
    ASSERT_TRUE(client.clear_retention("default").ok());
    pass_a_round();
    EXPECT_EQ(left(4), 0U) << "back to the code";
}

TEST_F(WorkerRetention, ALowerOneReachesWhatEndedBefore) {
    process(registry_with(at_once));
    end_some(4);
    pass_a_round();
    ASSERT_TRUE(client.set_retention("default", at_most(1)).ok());
    pass_a_round();
    EXPECT_EQ(left(4), 1U);
}

TEST_F(WorkerRetention, EveryNamespaceHasItsOwn) {
    process(registry_with(at_once),
            RuntimeOptions().retention(at_most(0)).retention(at_most(1), "eu"));
    for (const char* id : {"a", "b"}) {
        for (const char* space : {"default", "eu", "us"}) {
            ASSERT_TRUE(
                client.start(Main, StartOptions().id(id).space(space), std::string("x")).ok());
        }
        settle();
        clock.advance(1ms);
    }
    ASSERT_TRUE(client.set_retention("us", at_most(1)).ok());
    pass_a_round();
    EXPECT_FALSE(client.inspect({"default", "b"}).ok());
    EXPECT_FALSE(client.inspect({"eu", "a"}).ok());
    EXPECT_TRUE(client.inspect({"eu", "b"}).ok());
    EXPECT_FALSE(client.inspect({"us", "a"}).ok());
    EXPECT_TRUE(client.inspect({"us", "b"}).ok());
}

TEST_F(WorkerRetention, LeavesWhatRunsAlone) {
    process(registry_with(waits), keeping(at_most(0)));
    const auto run = start();
    settle();
    pass_a_round();
    EXPECT_EQ(status(run), Status::running);
}

TEST_F(WorkerRetention, TwoWorkersDoItOnceTogether) {
    Policy policy;
    policy.bulk_batch = 2;
    const auto options = keeping(at_most(0)).policy(policy);
    process(registry_with(at_once), options);
    process(registry_with(at_once), options);
    end_some(20);
    pass_a_round();
    pass_a_round();
    EXPECT_EQ(left(20), 0U);
    EXPECT_LE(deletions(), 22U) << "at most one batch that the other was faster with";
}

TEST_F(WorkerRetention, GoesOnAfterErrors) {
    process(registry_with(at_once), keeping(at_most(0)));
    end_some(3);
    store.fail_commit_of<Delete>(Fault::not_applied);
    store.fail_commit_of<Delete>(Fault::applied_but_unknown);
    pass_a_round();
    for (int i = 0; i < 10; ++i) pass(1s);
    EXPECT_EQ(store.planned(), 0U);
    EXPECT_EQ(left(3), 0U);
}

TEST_F(WorkerRetention, AnUnansweredRemovalIsRecognised) {
    process(registry_with(at_once), keeping(at_most(0)));
    const int count = static_cast<int>(2 * Policy().bulk_batch);
    end_some(count);
    store.fail_commit_of<Delete>(Fault::applied_but_unknown);
    pass_a_round();
    for (int i = 0; i < 10; ++i) pass(1s);
    EXPECT_EQ(left(count), 0U) << "in one round: nobody else was at it";
    EXPECT_EQ(deletions(), 3 * Policy().bulk_batch);
}

TEST_F(WorkerRetention, ARunProtectedBetweenTwoCommitsStays) {
    Policy policy;
    policy.bulk_batch = 2;
    process(registry_with(at_once), keeping(at_most(0)).policy(policy));
    end_some(10);
    store.hold_commit_of<Delete>();
    pass_a_round();
    ASSERT_EQ(left(10), 10U) << "its first commit is under way";
    ASSERT_TRUE(client.set_retention("default", RetentionPolicy()).ok());
    store.release();
    settle();
    EXPECT_EQ(left(10), 8U) << "what was sent goes, and nothing more";
    pass_a_round();
    EXPECT_EQ(left(10), 8U);
}

TEST_F(WorkerRetention, APassGoesOnByThePolicyThatWasSetMeanwhile) {
    Policy policy;
    policy.bulk_batch = 2;
    process(registry_with(at_once), keeping(at_most(0)).policy(policy));
    end_some(10);
    store.hold_commit_of<Delete>();
    pass_a_round();
    ASSERT_TRUE(client.set_retention("default", at_most(5)).ok());
    store.release();
    settle();
    EXPECT_EQ(left(10), 5U);
    ASSERT_TRUE(client.clear_retention("default").ok());
    store.hold_commit_of<Delete>();
    pass_a_round();
    ASSERT_TRUE(client
                    .set_retention("default",
                                   at_most(0).add(RetentionRule().definition(Main.name().data())))
                    .ok());
    store.release();
    settle();
    EXPECT_EQ(left(10), 3U) << "a rule of its own protects it now";
}

TEST_F(WorkerRetention, ASourceIsReadEveryRoundAndGoesBeforeTheCode) {
    RetentionPolicies read{{"default", at_most(3)}};
    std::optional<Error> wrong;
    std::vector<std::string> said;
    const auto source = [&]() -> Result<RetentionPolicies> {
        if (wrong) return *wrong;
        return read;
    };
    process(registry_with(at_once),
            keeping(at_most(0))
                .retention_source(source)
                .events(support::warnings([&](const std::string& line) { said.push_back(line); })));
    end_some(5);
    pass_a_round();
    EXPECT_EQ(left(5), 3U);
    wrong = Error(Errc::unavailable, "'belay.toml' cannot be read");
    pass_a_round();
    EXPECT_EQ(left(5), 3U) << "the one that was read last counts, and not the code";
    ASSERT_EQ(said.size(), 1U);
    EXPECT_NE(said[0].find("'belay.toml' cannot be read"), std::string::npos) << said[0];
    wrong.reset();
    read["default"] = at_most(1);
    pass_a_round();
    EXPECT_EQ(left(5), 1U);
    said.clear();
    read.clear();
    pass_a_round();
    EXPECT_EQ(left(5), 0U) << "it says nothing of this namespace: back to the code";
    ASSERT_EQ(said.size(), 1U);
    EXPECT_NE(said[0].find("has no policy any more"), std::string::npos) << said[0];
}

TEST_F(WorkerRetention, ASourceThatThrowsIsOneThatCannotBeRead) {
    bool broken = false;
    std::vector<std::string> said;
    const auto source = [&]() -> Result<RetentionPolicies> {
        if (broken) throw std::runtime_error("no such bucket");
        return RetentionPolicies{{"default", at_most(3)}};
    };
    process(registry_with(at_once),
            keeping(at_most(0))
                .retention_source(source)
                .events(support::warnings([&](const std::string& line) { said.push_back(line); })));
    broken = true;
    end_some(5);
    pass_a_round();
    EXPECT_EQ(left(5), 3U) << "the one that was read last counts";
    ASSERT_EQ(said.size(), 1U);
    EXPECT_NE(said[0].find("no such bucket"), std::string::npos) << said[0];
}

class WithoutText : public std::exception {
public:
    [[nodiscard]] const char* what() const noexcept override { return nullptr; }
};

TEST_F(WorkerRetention, SoIsOneThatThrowsSomethingWithoutAText) {
    bool broken = false;
    const auto source = [&]() -> Result<RetentionPolicies> {
        if (broken) throw WithoutText();
        return RetentionPolicies{{"default", at_most(3)}};
    };
    process(registry_with(at_once), keeping(at_most(0)).retention_source(source));
    broken = true;
    end_some(5);
    pass_a_round();
    EXPECT_EQ(left(5), 3U) << "the worker goes on with what was read last";
}

TEST_F(WorkerRetention, ALogThatThrowsLosesItsLineAndNothingElse) {
    bool broken = false;
    int lines = 0;
    const auto source = [&]() -> Result<RetentionPolicies> {
        if (broken) throw 7;
        return RetentionPolicies{{"default", at_most(3)}};
    };
    process(registry_with(at_once),
            keeping(at_most(0))
                .retention_source(source)
                .events(support::warnings([&](const std::string&) {
                    ++lines;
                    throw std::runtime_error("the disk is full");
                })));
    broken = true;
    end_some(5);
    pass_a_round();
    EXPECT_EQ(lines, 1);
    EXPECT_EQ(left(5), 3U) << "the round went on";
}

TEST_F(WorkerRetention, ASourceThatCannotBeReadIsRefusedAtTheStart) {
    const auto broken = []() -> Result<RetentionPolicies> {
        return Error(Errc::invalid_argument, "'belay.toml', line 3: no age");
    };
    try {
        process(registry_with(at_once), RuntimeOptions().retention_source(broken));
        ADD_FAILURE() << "it started";
    } catch (const std::invalid_argument& problem) {
        EXPECT_STREQ(problem.what(), "retention: 'belay.toml', line 3: no age");
    }
    const auto twice = [] {
        return Result<RetentionPolicies>(
            RetentionPolicies{{"eu", RetentionPolicy().add(RetentionRule()).add(RetentionRule())}});
    };
    EXPECT_THROW(process(registry_with(at_once), RuntimeOptions().retention_source(twice)),
                 std::invalid_argument);
}

TEST_F(WorkerRetention, GivesUpForNowWhenTheStoreStaysBusy) {
    std::vector<std::string> said;
    process(registry_with(at_once),
            keeping(at_most(0)).events(support::warnings([&](const std::string& line) {
                said.push_back(line);
            })));
    end_some(3);
    for (int i = 0; i < 5; ++i) store.fail_commit_of<Delete>(Fault::not_applied);
    pass_a_round();
    for (int i = 0; i < 10; ++i) pass(1s);
    EXPECT_EQ(store.planned(), 0U);
    EXPECT_EQ(left(3), 3U) << "until the next time";
    ASSERT_EQ(said.size(), 1U);
    pass_a_round();
    EXPECT_EQ(left(3), 0U);
}

TEST_F(WorkerRetention, BeginsNothingOnceItShutsDown) {
    Process& one = process(registry_with(at_once), keeping(at_most(0)));
    end_some(3);
    one.runtime->shut_down();
    pass_a_round();
    EXPECT_EQ(left(3), 3U);
}

TEST_F(WorkerRetention, APolicyThatMakesNoSenseIsRefusedAtTheStart) {
    const auto twice = RetentionPolicy().add(RetentionRule()).add(RetentionRule());
    EXPECT_THROW(process(registry_with(at_once), keeping(twice)), std::invalid_argument);
    Policy policy;
    policy.retention_interval = 0ms;
    EXPECT_THROW(process(registry_with(at_once), RuntimeOptions().policy(policy)),
                 std::invalid_argument);
}

}  // namespace
}  // namespace belay::runtime_tests::retention
