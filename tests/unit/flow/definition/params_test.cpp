// Params: their definitions, and the values that runs are given.
#include "flow/definition/params.hpp"

#include "definitions.hpp"
#include "expr/value_json.hpp"

#include <vector>

namespace belay::flow {
namespace {

std::string with_param(const std::string& param) {
    return "{belay: 1, name: x, steps: [{id: a, set: 1}], params: {\nn: {" + param + "}}}";
}

Definition with_params() {
    return read_good(R"({belay: 1, name: x, steps: [{id: a, set: 1}], params: {
        hosts: {type: list, of: string, default: [a]}, keep: {type: integer, min: 1, max: 9},
        mode: {type: string, enum: [fast, slow], default: fast},
        target: {type: string, pattern: "^s3://", required: false},
        ratio: {type: number, default: 1}, dry: {type: boolean, default: false},
        more: {type: map, of: number, required: false}, any: {type: any, required: false}}})");
}

/// Returns the params as JSON, or the problems.
std::string checked(std::string_view given) {
    const auto params = check_params(with_params(), *expr::parse_json(given));
    return params ? *expr::to_json(expr::Value(*params)) : shown(params.error());
}

TEST(FlowParams, TheirDefinitionsAreChecked) {
    const std::vector<std::pair<std::string, std::string>> cases = {
        {"default: 1", "line 2, column 4: a param needs the field \"type\"\n"},
        {"type: int",
         "line 2, column 11: \"type\" must be string, integer, number, boolean, list, map or any, "
         "not \"int\"\n"},
        {"type: integer, default: x",
         "line 2, column 29: the default must be an integer, not a text\n"},
        {"type: integer, enum: [1, 2], default: 3",
         "line 2, column 43: the default must be one of 1, 2\n"},
        {"type: integer, max: 2, default: 3", "line 2, column 37: the default must be at most 2\n"},
        {"type: string, pattern: '^a', default: b",
         "line 2, column 43: the default must match ^a\n"},
        {"type: string, enum: [1]",
         "line 2, column 26: a value of \"enum\" must be a text, not an integer\n"},
        {"type: string, enum: []", "line 2, column 25: \"enum\" has no values\n"},
        {"type: string, pattern: '('",
         "line 2, column 28: the pattern is wrong: missing ): (. Patterns have the syntax of "
         "RE2\n"},
        {"type: integer, pattern: a", "line 2, column 20: only a string has a \"pattern\"\n"},
        {"type: string, of: string",
         "line 2, column 19: only a list or a map has \"of\", the type of its elements\n"},
        {"type: string, min: 1",
         "line 2, column 19: only an integer or a number has \"min\", not string\n"},
        {"type: integer, min: 3, max: 2", "line 2, column 33: \"max\" is less than \"min\"\n"},
        {"type: list, of: string, default: [a, 1]",
         "line 2, column 38: the default element 1 must be a text, not an integer\n"},
        {"type: integer, required: true, default: 1",
         "line 2, column 36: a param with a default is not required. Remove \"required\" or "
         "\"default\"\n"},
        {"type: integer, min: 9007199254740993", "line 2, column 25: \"min\" is too large\n"},
    };
    for (const auto& [param, problems] : cases) {
        EXPECT_EQ(problems_of(with_param(param)), problems) << param;
    }
}

TEST(FlowParams, AParamHasANameThatExpressionsCanUse) {
    EXPECT_EQ(problems_of(with_lines("params: {Keep: {type: any}}\nsteps: [{id: a, set: 1}]")),
              "line 2, column 10: the name of a param must be small letters, digits and _, not "
              "\"Keep\". It begins with a letter and has at most 63 characters\n");
}

TEST(FlowParams, DefaultsAreFilledIn) {
    EXPECT_EQ(checked(R"({"keep": 7})"),
              R"({"hosts":["a"],"keep":7,"mode":"fast","target":null,"ratio":1.0,"dry":false,)"
              R"("more":null,"any":null})");
}

TEST(FlowParams, AnIntegerStandsForANumber) {
    EXPECT_NE(checked(R"({"keep": 7, "ratio": 2, "more": {"a": 1}})").find(R"("ratio":2.0)"),
              std::string::npos);
    EXPECT_NE(checked(R"({"keep": 7, "more": {"a": 1}})").find(R"({"a":1.0})"), std::string::npos);
}

TEST(FlowParams, AllMistakesAreListed) {
    EXPECT_EQ(checked("null"), "param \"keep\" is missing\n");
    EXPECT_EQ(checked("[]"), "the params must be a map of names and values\n");
    EXPECT_EQ(checked(R"({"kep": 1})"),
              "unknown param \"kep\". Did you mean \"keep\"?\nparam \"keep\" is missing\n");
    EXPECT_EQ(
        checked(R"({"keep": 1.5, "hosts": ["a", 1], "mode": "x", "target": "y", "dry": "true"})"),
        "param \"hosts\" element 1 must be a text, not an integer\n"
        "param \"keep\" must be an integer, not a number with a fraction\n"
        "param \"mode\" must be one of \"fast\", \"slow\"\n"
        "param \"target\" must match ^s3://\n"
        "param \"dry\" must be true or false, not a text\n");
    EXPECT_EQ(checked(R"({"keep": 18446744073709551615, "more": {"a": "b"}})"),
              "param \"keep\" is too large: an integer has 64 bits\n"
              "param \"more\" the value of \"a\" must be a number, not a text\n");
    EXPECT_EQ(checked(R"({"keep": null})"), "param \"keep\" must be an integer, not null\n");
}

TEST(FlowParams, ARangeIsExactForLargeIntegers) {
    const Definition flow = read_good(with_param("type: integer, max: 9007199254740992"));
    EXPECT_TRUE(check_params(flow, *expr::parse_json(R"({"n": 9007199254740992})")));
    EXPECT_FALSE(check_params(flow, *expr::parse_json(R"({"n": 9007199254740993})")));
}

using Texts = std::vector<std::pair<std::string, std::string>>;

std::string from_texts(const Texts& texts) {
    const auto params = params_from_texts(with_params(), texts);
    return params ? *expr::to_json(*params) : shown(params.error());
}

TEST(FlowParams, TextsAreReadByTheirTypes) {
    EXPECT_EQ(from_texts({{"keep", "3"},
                          {"hosts", R"(["a", "b"])"},
                          {"mode", "7"},
                          {"dry", "true"},
                          {"ratio", "1e2"},
                          {"any", "x"},
                          {"other", "1"}}),
              R"({"keep":3,"hosts":["a","b"],"mode":"7","dry":true,"ratio":100.0,"any":"x",)"
              R"("other":"1"})");
    EXPECT_EQ(from_texts({{"any", R"({"a": [1]})"}}), R"({"any":{"a":[1]}})");
}

TEST(FlowParams, TextsThatDoNotFitAreListed) {
    EXPECT_EQ(from_texts({{"keep", "3x"},
                          {"hosts", "a,b"},
                          {"dry", "yes"},
                          {"ratio", "inf"},
                          {"more", "a"},
                          {"mode", "x"},
                          {"mode", "y"}}),
              "param \"keep\" must be an integer, not \"3x\"\n"
              "param \"hosts\" must be a list as JSON: [\"a\", \"b\"]\n"
              "param \"dry\" must be true or false, not \"yes\"\n"
              "param \"ratio\" must be a number, not \"inf\"\n"
              "param \"more\" must be a map as JSON: {\"a\": 1}\n"
              "param \"mode\" is given twice\n");
}

}  // namespace
}  // namespace belay::flow
