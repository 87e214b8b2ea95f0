// The params of a run, and the forms of its input.
#include "flow/interpreter/params.hpp"

#include "flows.hpp"

namespace belay::flow::test {
namespace {

std::string checked(const Param& param, std::string_view json) {
    const auto value = checked_params({param}, expr::parse_json(json).or_throw(), "params");
    return value ? expr::to_json(*value).or_throw() : value.error();
}

Param of(ParamType type) { return Param{.name = "p", .place = {}, .type = type}; }

TEST(FlowParams, AMissingOneTakesItsDefault) {
    Param param = of(ParamType::integer);
    EXPECT_EQ(checked(param, "{}"), "params.p is missing: give a value");
    param.default_value = expr::Value(std::int64_t{7});
    EXPECT_EQ(checked(param, "{}"), R"({"p":7})");
    param.default_value.reset();
    param.required = false;
    EXPECT_EQ(checked(param, "{}"), R"({"p":null})");
}

TEST(FlowParams, AValueHasTheDeclaredType) {
    EXPECT_EQ(checked(of(ParamType::integer), R"({"p":"x"})"),
              "params.p must be of the type integer");
    EXPECT_EQ(checked(of(ParamType::string), R"({"p":"x"})"), R"({"p":"x"})");
    Param list = of(ParamType::list);
    list.of = ParamType::string;
    EXPECT_EQ(checked(list, R"({"p":["a",1]})"), "params.p must have elements of the type string");
}

TEST(FlowParams, ChoicesPatternsAndRangesAreChecked) {
    Param param = of(ParamType::string);
    param.pattern = "^s3://";
    EXPECT_EQ(checked(param, R"({"p":"x"})"), "params.p must match the pattern ^s3://");
    param = of(ParamType::integer);
    param.min = 1;
    param.max = 5;
    EXPECT_EQ(checked(param, R"({"p":0})"), "params.p must be at least 1");
    EXPECT_EQ(checked(param, R"({"p":6})"), "params.p must be at most 5");
    param.choices = {expr::Value(std::int64_t{2})};
    EXPECT_EQ(checked(param, R"({"p":3})"),
              "params.p must be one of the values that its definition lists");
}

TEST(FlowParams, AnUnknownOneIsRefused) {
    EXPECT_EQ(checked(of(ParamType::any), R"({"p":1,"q":2})"),
              "params.q is not known: remove it, or declare it");
}

TEST(FlowParams, ARunWithWrongParamsFails) {
    Flow made("f");
    made.raw().params.push_back(of(ParamType::integer));
    FlowWorld flow(made.set("a", "${{ params.p }}"));
    EXPECT_EQ(flow.result(), "f: params.p is missing: give a value");
    FlowWorld right(made);
    EXPECT_EQ(right.result(R"({"p":3})"), R"({"a":3})");
}

TEST(FlowParams, TheInputOfEveryEntryCanBeReadAgain) {
    RunInput input;
    input.entry = Entry::items;
    input.params = expr::parse_json(R"({"a":1})").or_throw();
    ItemsInput items;
    items.step = "m";
    items.from = 1'000;
    items.items = {expr::Value("x")};
    items.may_fail.reset();
    items.keeps_results = false;
    items.steps = expr::parse_json("{}").or_throw();
    input.items = items;
    const RunInput read = decode_input(encode_input(input));
    EXPECT_EQ(encode_input(read), encode_input(input));
    EXPECT_EQ(read.items->from, 1'000U);
    EXPECT_FALSE(read.items->may_fail.has_value());
}

TEST(FlowParams, AnInputThatIsNoObjectFailsTheRun) {
    FlowWorld flow(Flow("f").set("a", "1"));
    EXPECT_NE(flow.result("[1]").find("must be an object"), std::string::npos);
}

TEST(FlowParams, AnUnknownEntryIsRefused) {
    FlowWorld flow(Flow("f").set("a", "1"));
    EXPECT_NE(flow.result(R"({"$flow":{"entry":"x"}})").find("must be steps, on_fail or items"),
              std::string::npos);
}

}  // namespace
}  // namespace belay::flow::test
