// Flows built in C++: the definitions that they become.
#include "flow/definition/bundle.hpp"
#include "flow/definition/reader.hpp"
#include <belay/flow.hpp>
#include <belay/task.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace belay::flow {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

inline constexpr Activity<std::int64_t(std::string)> Count{"CountWords"};
inline constexpr Activity<std::int64_t(std::int64_t, double)> Scale{"Scale"};
inline constexpr Activity<void(std::int64_t)> Show{"Show"};
inline constexpr Activity<void(std::optional<std::string>)> Greet{"Greet"};

/// Reads the definition that a flow has become.
template <class R, class... Params>
flow::Definition read(const belay::Flow<R(Params...)>& made) {
    auto definition = read_definition(made.json());
    if (!definition) throw std::runtime_error(to_string(definition.error().front()));
    return *std::move(definition);
}

TEST(FlowBuilder, PassingAnOutputMakesAnEdge) {
    belay::Flow<std::int64_t(std::string)> made("f", "text");
    auto words = made.step(Count, made.param<0>());
    auto scaled = made.step(Scale, words, 2);
    made.output(scaled);
    const flow::Definition definition = read(made);
    ASSERT_EQ(definition.steps.size(), 2U);
    EXPECT_EQ(definition.steps[0].id, "count_words");
    EXPECT_TRUE(definition.steps[0].needs.empty());
    EXPECT_EQ(definition.steps[1].needs, std::vector<std::size_t>{0});
    EXPECT_EQ(to_string(definition.steps[1].args->types[1]), "number");
    EXPECT_EQ(to_string(*definition.output_type), "integer");
    EXPECT_TRUE(made.check().ok()) << made.check().error().describe();
}

TEST(FlowBuilder, ConditionsAndDefaultsAreExpressions) {
    belay::Flow<std::int64_t(std::string)> made("f", "text");
    auto first = made.step("first", Count, made.param<0>());
    auto second = made.step("second", Scale, first, 1.5).when(first > 3 && !(first == 9));
    made.output(second.output_or(0) + first);
    ASSERT_TRUE(made.check().ok()) << made.check().error().describe();
    EXPECT_THAT(made.json(),
                HasSubstr(R"((steps.first.output > 3) && (!(steps.first.output == 9)))"));
    EXPECT_THAT(made.json(), HasSubstr("steps.second.?output.orValue(0) + steps.first.output"));
}

TEST(FlowBuilder, TextsOfTheProgramAreNoExpressions) {
    belay::Flow<void()> made("f");
    made.step(Count, "${{ params.x }} $${{ \"quoted\" }}");
    made.approval("ask", "costs $${{ 3 }}?");
    ASSERT_TRUE(made.check().ok()) << made.check().error().describe();
    const flow::Definition definition = read(made);
    const auto value = definition.steps[0].args->values[0].run({});
    ASSERT_TRUE(value);
    EXPECT_EQ(value->text(), "${{ params.x }} $${{ \"quoted\" }}");
}

TEST(FlowBuilder, FieldsOfStepsAreThoseOfFiles) {
    belay::Flow<void(std::string)> made("f", "text");
    auto step = made.step("count", Count, made.param<0>())
                    .retry(FlowRetry(5).delay(2s).factor(1.5))
                    .timeout(90s)
                    .queue("fast")
                    .session("s")
                    .limit_key(made.param<0>())
                    .priority(7)
                    .may_fail()
                    .on_cancel(Show, 3)
                    .description("counts");
    made.wait<std::int64_t>("paid", "payment").timeout(1h).on_timeout(FlowTimeout::skip);
    made.sleep("pause", 10min).after(step);
    made.timeout(2h).expires(1h).label("team", "data").concurrency(made.param<0>());
    made.when(made.param<0>() != "");
    const flow::Definition definition = read(made);
    const Step& count = definition.steps[0];
    EXPECT_EQ(count.retry.attempts, 5U);
    EXPECT_EQ(count.retry.delay, 2s);
    EXPECT_EQ(count.timeout, 90s);
    EXPECT_EQ(count.queue, "fast");
    EXPECT_EQ(count.priority, 7);
    EXPECT_TRUE(count.limit_key);
    EXPECT_TRUE(count.may_fail);
    EXPECT_EQ(std::get<Call>(count.on_cancel->action).activity, "Show");
    EXPECT_EQ(std::get<Wait>(definition.steps[1].action).on_timeout, OnTimeout::skip);
    EXPECT_EQ(definition.steps[2].after, std::vector<std::size_t>{0});
    EXPECT_EQ(definition.expires, 1h);
    EXPECT_TRUE(definition.condition);
    EXPECT_TRUE(definition.concurrency);
    EXPECT_EQ(definition.labels.at("team"), "data");
}

TEST(FlowBuilder, AProgramNamesTheSignalThatStopsIt) {
    belay::Flow<void()> made("f");
    made.program("serve", {"serve"}).stop_signal("INT");
    made.script("wait", "sleep 1");
    const flow::Definition definition = read(made);
    EXPECT_EQ(definition.steps[0].stop_signal, SIGINT);
    EXPECT_EQ(definition.steps[1].stop_signal, SIGTERM);
    made.script("odd", "true").stop_signal("ODD");
    EXPECT_FALSE(made.check().ok());
}

TEST(FlowBuilder, AnOptionalParamMayBeMissing) {
    belay::Flow<void(std::optional<std::string>)> made("f", "name");
    made.step(Greet, made.param<0>());
    const flow::Definition definition = read(made);
    EXPECT_FALSE(definition.params[0].required);
    EXPECT_EQ(definition.params[0].type, ParamType::string);
}

TEST(FlowBuilder, AllMistakesAreTold) {
    belay::Flow<void()> made("f");
    auto one = made.step("same", Count, "a");
    made.step("same", Count, "b").needs(one);
    made.step("Bad", Count, "c");
    const auto checked = made.check();
    ASSERT_FALSE(checked.ok());
    EXPECT_EQ(checked.error().code(), Errc::invalid_argument);
    EXPECT_THAT(checked.error().message(), HasSubstr("same"));
    EXPECT_THAT(checked.error().message(), HasSubstr("Bad"));
}

TEST(FlowBuilder, AFlowWithAResultNeedsAnOutput) {
    belay::Flow<std::int64_t()> made("f");
    made.step(Count, "a");
    EXPECT_THAT(made.check().error().message(), HasSubstr("call output()"));
}

TEST(FlowBuilder, AValueOfAnotherFlowIsRefused) {
    belay::Flow<void(std::string)> other("other", "text");
    belay::Flow<void(std::string)> made("f", "text");
    EXPECT_THROW(made.step(Count, other.param<0>()), std::invalid_argument);
    EXPECT_THROW((void)(made.param<0>() + other.param<0>()), std::invalid_argument);
}

TEST(FlowBuilder, ASubFlowIsAPartOfTheBundle) {
    belay::Flow<std::int64_t(std::string)> inner("inner", "text");
    inner.output(inner.step(Count, inner.param<0>()));
    belay::Flow<std::int64_t()> outer("outer");
    outer.output(outer.step(inner, "two words"));
    EXPECT_TRUE(outer.check().ok()) << outer.check().error().describe();
    belay::Flow<std::int64_t()> wrong("inner");
    wrong.output(wrong.step(inner, "two words"));
    EXPECT_THAT(wrong.check().error().message(), HasSubstr("two different flows"));
}

}  // namespace
}  // namespace belay::flow
