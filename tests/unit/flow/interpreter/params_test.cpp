// The params of a run, and the forms of its input.
#include "flows.hpp"

namespace belay::flow::test {
namespace {

Param of(ParamType type) { return Param{.name = "p", .place = {}, .type = type}; }

TEST(FlowParams, ARunWithWrongParamsFails) {
    Flow made("f");
    made.raw().params.push_back(of(ParamType::integer));
    FlowWorld flow(made.set("a", "${{ params.p }}"));
    EXPECT_EQ(flow.result(), "f: param \"p\" is missing");
    FlowWorld right(made);
    EXPECT_EQ(right.result(R"({"p":3})"), R"({"a":3})");
}

TEST(FlowParams, TheInputOfEveryEntryCanBeReadAgain) {
    RunInput input;
    input.entry = EntryPoint::items;
    input.params = expr::parse_json(R"({"a":1})").or_throw();
    ItemsInput items;
    items.step = "m";
    items.from = 1'000;
    items.items = {expr::Value("x")};
    items.may_fail.reset();
    items.keeps_results = false;
    items.list = "finally";
    items.steps = expr::parse_json("{}").or_throw();
    items.more = expr::parse_json(R"({"outcome":{"status":"completed"}})").or_throw();
    items.run = "big-1";
    items.created = from_unix_ms(7);
    input.items = items;
    const RunInput read = decode_input(encode_input(input));
    EXPECT_EQ(encode_input(read), encode_input(input));
    EXPECT_EQ(read.items->from, 1'000U);
    EXPECT_EQ(read.items->run, "big-1");
    EXPECT_EQ(read.items->created, from_unix_ms(7));
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
