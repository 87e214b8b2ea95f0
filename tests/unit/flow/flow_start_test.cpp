// The terms of a definition, in the starts of its runs.
#include "unit/flow/bundles.hpp"
#include <belay/ended.hpp>

namespace belay::flow::test {
namespace {

using FlowStartTest = BundleWorld;

constexpr const char* kOneAtATime = R"(
belay: 1
name: deploy
params:
  target: {type: string, default: staging}
concurrency: {key: "'to-' + params.target"}
steps: [{id: ok, wait: {event: go}}]
)";

std::string with_busy(const std::string& when_busy) {
    std::string text = kOneAtATime;
    const std::string field = "params.target\"";
    text.insert(text.find(field) + field.size(), ", when_busy: " + when_busy);
    return text;
}

expr::Value target(const char* name) {
    Fields fields;
    fields.emplace_back("target", expr::Value(name));
    return params_of(std::move(fields));
}

TEST_F(FlowStartTest, TheKeyOfConcurrencyIsAnExpressionOfTheParams) {
    const Bundle bundle = bundle_of(kOneAtATime);
    ASSERT_TRUE(start(bundle, target("prod"), "a").ok());
    ASSERT_TRUE(start(bundle, expr::Value(), "b").ok());
    EXPECT_EQ(info("a").concurrency_key, "to-prod");
    EXPECT_EQ(info("b").concurrency_key, "to-staging");
}

TEST_F(FlowStartTest, ARunWithABusyKeyWaitsInLineByDefault) {
    const Bundle bundle = bundle_of(kOneAtATime);
    ASSERT_TRUE(start(bundle, target("prod"), "a").ok());
    ASSERT_TRUE(start(bundle, target("prod"), "b").ok());
    world.run_until_idle();
    EXPECT_TRUE(info("b").in_line);
    world.raise(InstanceName{"default", "a"}, "go");
    world.run_until_idle();
    EXPECT_EQ(status("a"), Status::completed);
    EXPECT_FALSE(info("b").in_line);
}

TEST_F(FlowStartTest, ARunWithABusyKeyIsRefusedIfTheDefinitionSaysSo) {
    const Bundle bundle = bundle_of(with_busy("refuse"));
    ASSERT_TRUE(start(bundle, target("prod"), "a").ok());
    const auto second = start(bundle, target("prod"), "b");
    ASSERT_FALSE(second.ok());
    EXPECT_EQ(second.error().code(), Errc::concurrency_busy);
    EXPECT_TRUE(start(bundle, target("test"), "c").ok());
}

TEST_F(FlowStartTest, ARunWithABusyKeyReplacesTheOtherOneIfTheDefinitionSaysSo) {
    const Bundle bundle = bundle_of(with_busy("replace"));
    ASSERT_TRUE(start(bundle, target("prod"), "a").ok());
    world.run_until_idle();
    ASSERT_TRUE(start(bundle, target("prod"), "b").ok());
    world.run_until_idle();
    EXPECT_EQ(status("a"), Status::canceled);
    EXPECT_EQ(status("b"), Status::running);
}

TEST_F(FlowStartTest, AKeyThatIsNullIsNoKey) {
    const Bundle bundle = bundle_of(R"(
belay: 1
name: deploy
params: {target: {type: any, required: false}}
concurrency: {key: params.target, when_busy: refuse}
steps: [{id: ok, wait: {event: go}}]
)");
    ASSERT_TRUE(start(bundle, expr::Value(), "a").ok());
    ASSERT_TRUE(start(bundle, expr::Value(), "b").ok());
    EXPECT_FALSE(info("a").concurrency_key);
    EXPECT_FALSE(start(bundle, target(""), "c").ok());
}

TEST_F(FlowStartTest, ARunThatHasNotBegunWhenItExpiresIsCanceledByPolicy) {
    const Bundle bundle = bundle_of(R"(
belay: 1
name: deploy
expires: 10m
concurrency: {key: "1"}
steps: [{id: ok, wait: {event: go}}]
)");
    ASSERT_TRUE(start(bundle, expr::Value(), "a").ok());
    ASSERT_TRUE(start(bundle, expr::Value(), "b").ok());
    world.advance(std::chrono::minutes(11));
    EXPECT_EQ(status("a"), Status::running);
    ASSERT_EQ(status("b"), Status::canceled);
    EXPECT_EQ(info("b").outcome->cancel.source, CancelSource::policy);
}

TEST_F(FlowStartTest, ARunThatIsOneTooManyForTheRateWaits) {
    const Bundle bundle = bundle_of(R"(
belay: 1
name: import
rate: {starts: 1, per: 10m}
steps: [{id: ok, wait: {event: go}}]
)");
    ASSERT_TRUE(start(bundle, expr::Value(), "a").ok());
    ASSERT_TRUE(start(bundle, expr::Value(), "b").ok());
    world.run_until_idle();
    EXPECT_EQ(status("a"), Status::running);
    EXPECT_EQ(status("b"), Status::pending);
    world.advance(std::chrono::minutes(11));
    EXPECT_EQ(status("b"), Status::running);
}

TEST_F(FlowStartTest, ARunThatIsOneTooManyForTheRateIsDroppedIfTheDefinitionSaysSo) {
    const Bundle bundle = bundle_of(R"(
belay: 1
name: import
rate: {starts: 1, per: 10m, when_over: drop}
steps: [{id: ok, wait: {event: go}}]
)");
    ASSERT_TRUE(start(bundle, expr::Value(), "a").ok());
    ASSERT_TRUE(start(bundle, expr::Value(), "b").ok());
    EXPECT_EQ(status("b"), Status::canceled);
    EXPECT_EQ(info("b").outcome->cancel.source, CancelSource::policy);
}

TEST_F(FlowStartTest, ThePriorityIsAddedToThatOfEachStep) {
    const Bundle bundle = bundle_of(R"(
belay: 1
name: deploy
priority: 7
steps: [{id: ok, set: 1}]
)");
    ASSERT_TRUE(start(bundle, expr::Value(), "a").ok());
    EXPECT_EQ(info("a").priority, 7);
}

TEST_F(FlowStartTest, ParamsThatTheDefinitionRefusesStartNothing) {
    const auto started = start(bundle_of(kOneAtATime), params_of({{"tarket", integer_of(1)}}), "a");
    ASSERT_FALSE(started.ok());
    EXPECT_NE(started.error().message().find("tarket"), std::string::npos);
}

}  // namespace
}  // namespace belay::flow::test
