// JSON and base64, written and read.
#include "json/base64.hpp"
#include "json/value.hpp"
#include "json/writer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace belay::json {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Value parsed(std::string_view text) {
    const Result<Value> value = parse(text);
    EXPECT_TRUE(value.ok()) << (value ? "" : value.error().message());
    return value ? *value : Value();
}

std::string problem(std::string_view text) {
    const Result<Value> value = parse(text);
    return value ? "none" : value.error().message();
}

TEST(Base64, IsReadAgain) {
    std::string bytes;
    for (int i = 0; i < 300; ++i) {
        EXPECT_EQ(decode_base64(base64(bytes)), bytes) << i;
        bytes += static_cast<char>(i * 7);
    }
    EXPECT_EQ(base64("ab"), "YWI=");
    for (const char* bad : {"Y", "YWI", "YWI=YWI=", "Y===", "YW*=", "YWJ=", "YR=="}) {
        EXPECT_EQ(decode_base64(bad), std::nullopt) << bad;
    }
}

TEST(Json, ValuesOfEveryKind) {
    const Value value =
        parsed(R"( {"a": [1, -2.5e3, true, false, null], "b": {"c": "d"}, "": {}} )");
    ASSERT_EQ(value.kind, Kind::object);
    EXPECT_THAT(value.names, ElementsAre("a", "b", ""));
    const std::vector<Value>& items = value.items[0].items;
    ASSERT_EQ(items.size(), 5U);
    EXPECT_EQ(items[0].kind, Kind::number);
    EXPECT_EQ(items[1].text, "-2.5e3");
    EXPECT_TRUE(items[2].truth);
    EXPECT_EQ(items[3].kind, Kind::boolean);
    EXPECT_FALSE(items[3].truth);
    EXPECT_EQ(items[4].kind, Kind::null);
    EXPECT_EQ(value.items[1].items[0].text, "d");
    EXPECT_TRUE(value.items[2].items.empty());
}

TEST(Json, EscapesOfStrings) {
    EXPECT_EQ(parsed(R"("\"\\\/\b\f\n\r\t")").text, "\"\\/\b\f\n\r\t");
    EXPECT_EQ(parsed(R"("a\u0041\u00e9\u20AC\ud83d\ude00z")").text, "aA\u00e9\u20ac\U0001F600z");
    EXPECT_EQ(parsed(R"("\u0000")").text, std::string(1, '\0'));
    for (const char* half : {R"("\ud83d")", R"("\ud83dx")", R"("\ude00")", R"("\ud83d\u0041")"}) {
        EXPECT_THAT(problem(half), HasSubstr("surrogate")) << half;
    }
}

TEST(Json, AWrittenValueIsReadBack) {
    std::string all;
    for (int c = 0; c < 128; ++c) all += static_cast<char>(c);
    all += "\u0085\u00e9\u20ac\U0001F600";
    Writer out;
    out.open_object().field("text", all).key("list").open_array();
    out.number(1).text("x").null().boolean(true).close_array().close_object();
    const Value value = parsed(out.str());
    EXPECT_EQ(value.items[0].text, all);
    EXPECT_EQ(value.items[1].items.size(), 4U);
}

TEST(Json, ProblemsHaveAPlace) {
    EXPECT_EQ(problem("{\n  \"a\": 1,\n  \"b\": x\n}"),
              "line 3, column 8: this is no JSON, or nested too deep");
    EXPECT_THAT(problem("{\"a\": 1"), HasSubstr("line 1, column 8: the text ends"));
    EXPECT_THAT(problem(""), HasSubstr("the text ends"));
    EXPECT_THAT(problem("1 2"), HasSubstr("line 1, column 3"));
    EXPECT_THAT(problem("{\"a\":1,\n\"a\":2}"),
                HasSubstr("line 2, column 7: the object that ends"));
    EXPECT_THAT(problem("{\"a\":1,\"\\u0061\":2}"), HasSubstr("'a' twice"));
    EXPECT_NE(problem(std::string(100'000, '[')), "none");
    EXPECT_NE(problem("\"\xff\""), "none");
    EXPECT_NE(problem("\"a\nb\""), "none");
}

TEST(Json, IsBrokenIntoLinesAsDeepAsIsSaid) {
    Writer out(2);
    out.open_object().field("a", 1).key("b").open_array().open_object().field("c", 2);
    out.field("d", 3).close_object().open_array().close_array().close_array();
    out.key("e").open_object().close_object().close_object();
    EXPECT_EQ(out.str(),
              "{\n  \"a\": 1,\n  \"b\": [\n    {\"c\":2,\"d\":3},\n    []\n  ],\n  \"e\": {}\n}");
}

}  // namespace
}  // namespace belay::json
