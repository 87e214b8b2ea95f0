// Which rule of a retention decides.
#include <belay/retention/rules.hpp>

#include <gtest/gtest.h>

namespace belay {
namespace {

using namespace std::chrono_literals;

std::optional<std::uint32_t> count_of(const RetentionPolicy& policy,
                                      std::string_view definition,
                                      Status outcome) {
    return policy.instances_of(definition, outcome).max_count;
}

TEST(RetentionPolicyTest, KeepsAllUnlessSomethingIsSaid) {
    RetentionPolicy policy;
    EXPECT_TRUE(policy.keeps_all());
    EXPECT_TRUE(policy.instances_of("order", Status::failed).keeps_all());
    EXPECT_TRUE(policy.executions_of("order").keeps_all());
    policy.add(RetentionRule().definition("order")).add(ExecutionRule());
    EXPECT_TRUE(policy.keeps_all()) << "rules without bounds";
    policy.add(ExecutionRule().definition("meter").max_count(3));
    EXPECT_FALSE(policy.keeps_all());
}

TEST(RetentionPolicyTest, TheMostSpecificRuleDecides) {
    // In an order in which neither the first nor the last is always right.
    const auto policy =
        RetentionPolicy()
            .add(RetentionRule().outcome(Status::failed).max_count(3))
            .add(RetentionRule().definition("order").outcome(Status::failed).max_count(1))
            .add(RetentionRule().max_count(4))
            .add(RetentionRule().definition("order").max_count(2));
    EXPECT_EQ(count_of(policy, "order", Status::failed), 1U);
    EXPECT_EQ(count_of(policy, "order", Status::completed), 2U) << "a name is more than an outcome";
    EXPECT_EQ(count_of(policy, "bill", Status::failed), 3U);
    EXPECT_EQ(count_of(policy, "bill", Status::canceled), 4U);
}

TEST(RetentionPolicyTest, ItDecidesAlone) {
    const auto policy = RetentionPolicy()
                            .add(RetentionRule().max_age(1h))
                            .add(RetentionRule().definition("order").max_count(5))
                            .add(RetentionRule().definition("audit"));
    const RetentionBounds order = policy.instances_of("order", Status::completed);
    EXPECT_EQ(order.max_count, 5U);
    EXPECT_FALSE(order.max_age) << "nothing is taken from the rule for all";
    EXPECT_TRUE(policy.instances_of("audit", Status::completed).keeps_all()) << "an exception";
    EXPECT_EQ(policy.instances_of("bill", Status::completed).max_age, 1h);
}

TEST(RetentionPolicyTest, SoDoesThatOfExecutions) {
    const auto policy = RetentionPolicy()
                            .add(ExecutionRule().definition("meter").max_count(3))
                            .add(ExecutionRule().max_age(1h))
                            .add(ExecutionRule().definition("audit"));
    EXPECT_EQ(policy.executions_of("meter").max_count, 3U);
    EXPECT_FALSE(policy.executions_of("meter").max_age);
    EXPECT_EQ(policy.executions_of("other").max_age, 1h);
    EXPECT_TRUE(policy.executions_of("audit").keeps_all());
    EXPECT_TRUE(policy.instances_of("meter", Status::completed).keeps_all());
}

TEST(CheckRetention, TakesWhatMakesSense) {
    EXPECT_TRUE(check_retention(RetentionPolicy()).ok());
    const auto policy = RetentionPolicy()
                            .add(RetentionRule().definition("a"))
                            .add(RetentionRule().definition("a").outcome(Status::failed))
                            .add(RetentionRule().outcome(Status::failed).max_age(0ms))
                            .add(RetentionRule().max_count(0))
                            .add(ExecutionRule().definition("a"))
                            .add(ExecutionRule());
    EXPECT_TRUE(check_retention(policy).ok());
}

TEST(CheckRetention, SaysWhatDoesNot) {
    const auto problem = [](const RetentionPolicy& policy) {
        const Result<void> fine = check_retention(policy);
        return fine ? std::string() : fine.error().describe();
    };
    const auto order = RetentionRule().definition("order").outcome(Status::failed);
    EXPECT_EQ(problem(RetentionPolicy().add(order).add(order)),
              "invalid_argument: the rule for 'order' that failed is there twice");
    EXPECT_EQ(problem(RetentionPolicy().add(ExecutionRule()).add(ExecutionRule().max_count(1))),
              "invalid_argument: the rule for all's executions is there twice");
    EXPECT_EQ(problem(RetentionPolicy().add(RetentionRule().max_age(-1ms))),
              "invalid_argument: the rule for all has a negative age");
    EXPECT_EQ(problem(RetentionPolicy().add(RetentionRule().outcome(Status::pending))),
              "invalid_argument: no run ends as pending");
    EXPECT_NE(problem(RetentionPolicy().add(RetentionRule().definition(""))), "");
    Limits few;
    few.retention_rules = 1;
    const auto two = RetentionPolicy().add(RetentionRule()).add(ExecutionRule());
    EXPECT_EQ(check_retention(two, few).error().code(), Errc::limit_exceeded);
}

}  // namespace
}  // namespace belay
