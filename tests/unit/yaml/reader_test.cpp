// YAML and JSON, read with places and within limits.
#include "yaml/reader.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace belay::yaml {
namespace {

/// Writes a tree as one line: kinds and values.
std::string shown(const Value& node) {
    switch (node.kind) {
        case Kind::null: return "null";
        case Kind::boolean: return node.truth ? "true" : "false";
        case Kind::integer: return std::to_string(node.integer);
        case Kind::real: return "real " + std::to_string(node.real);
        case Kind::text: return "'" + node.text + "'";
        default: break;
    }
    std::string text;
    for (std::size_t i = 0; i < node.items.size(); ++i) {
        if (i > 0) text += ", ";
        if (node.kind == Kind::map) text += node.keys[i].name + ": ";
        text += shown(node.items[i]);
    }
    return node.kind == Kind::map ? "{" + text + "}" : "[" + text + "]";
}

std::string at(Place place) {
    return std::to_string(place.line) + ":" + std::to_string(place.column);
}

/// Returns the tree, or the mistake with its place.
std::string read_text(std::string_view text) {
    const auto node = read(text);
    return node ? shown(*node) : at(node.error().place) + " " + node.error().message;
}

TEST(Yaml, ScalarsHaveTheTypesOfTheCoreSchema) {
    EXPECT_EQ(read_text("[no, yes, on, off, No, y]"), "['no', 'yes', 'on', 'off', 'No', 'y']");
    EXPECT_EQ(read_text("[true, False, TRUE]"), "[true, false, true]");
    EXPECT_EQ(read_text("[null, ~, Null, NULL]"), "[null, null, null, null]");
    EXPECT_EQ(read_text("a:\nb:"), "{a: null, b: null}");
    EXPECT_EQ(read_text("[0, -12, +7, 0x1F, 0o17, 010]"), "[0, -12, 7, 31, 15, 10]");
    EXPECT_EQ(read_text("[1.5, 1e3, -.5, 1., .inf]"),
              "[real 1.500000, real 1000.000000, real -0.500000, real 1.000000, real inf]");
    EXPECT_EQ(read_text("[1_000, 1.2.3, 0x, 0o8, '1', \"true\", 12:30, 2026-11-19, +, -, .]"),
              "['1_000', '1.2.3', '0x', '0o8', '1', 'true', '12:30', '2026-11-19', '+', '-', '.']");
    EXPECT_EQ(read_text("[-9223372036854775808, 9223372036854775807]"),
              "[-9223372036854775808, 9223372036854775807]");
}

TEST(Yaml, TagsSetATypeOrAreRefused) {
    EXPECT_EQ(read_text("[!!str 12, !!float 1, !!int 3]"), "['12', real 1.000000, 3]");
    EXPECT_EQ(read_text("a: !!int x"), "1:4 \"x\" is not an integer");
    EXPECT_EQ(read_text("a: !secret x"), "1:4 unknown tag !secret");
    EXPECT_EQ(read_text("a: !env [x]"), "1:4 unknown tag !env");
}

TEST(Yaml, TextsMayHaveManyForms) {
    EXPECT_EQ(read_text("a: |\n  one\n  two\nb: >\n  three\n  four\n"),
              "{a: 'one\ntwo\n', b: 'three four\n'}");
    EXPECT_EQ(read_text("a: 'it''s'\nb: \"x\\ty\\u00e4\""), "{a: 'it's', b: 'x\ty\u00e4'}");
}

TEST(Yaml, JsonIsReadToo) {
    EXPECT_EQ(read_text(R"({"a": [1, 2.5, null], "b": {"c": "d\n"}})"),
              "{a: [1, real 2.500000, null], b: {c: 'd\n'}}");
}

TEST(Yaml, EveryValueAndKeyHasItsPlace) {
    const auto node =
        read("# first\nname: x\nsteps:\n  - id: \u00e4\u00f6\n    run: [a, \u00e4, b]\n");
    ASSERT_TRUE(node);
    EXPECT_EQ(at(node->keys[0].place), "2:1");
    EXPECT_EQ(at(node->find("name")->place), "2:7");
    const Value& step = node->find("steps")->items[0];
    EXPECT_EQ(at(step.place), "4:5");
    EXPECT_EQ(at(step.keys[1].place), "5:5");
    EXPECT_EQ(at(step.find("run")->items[2].place), "5:17");
    EXPECT_TRUE(step.find("id")->plain);
    EXPECT_EQ(node->find("nothing"), nullptr);
}

TEST(Yaml, OnlyATextThatStandsAsItIsIsPlain) {
    const auto node = read("[a b, 'c', \"d\"]");
    ASSERT_TRUE(node);
    EXPECT_TRUE(node->items[0].plain);
    EXPECT_FALSE(node->items[1].plain);
    EXPECT_FALSE(node->items[2].plain);
    EXPECT_FALSE(read("a: one\n  two")->find("a")->plain);
}

TEST(Yaml, MistakesAreNamedWithTheirPlace) {
    EXPECT_EQ(read_text("a: 1\nb: 2\na: 3"), "3:1 the key \"a\" is there twice");
    EXPECT_EQ(read_text("{a: 1, a: 2}"), "1:8 the key \"a\" is there twice");
    EXPECT_EQ(read_text("[a]: 1"), "1:1 a key must be a text, not a list");
    EXPECT_EQ(read_text("? {a: 1}\n: 2"), "1:3 a key must be a text, not a map");
    EXPECT_EQ(read_text("~: 1"), "1:1 a key must be a text, not nothing");
    EXPECT_EQ(read_text("a: 99999999999999999999"),
              "1:4 the number 99999999999999999999 does not fit into 64 bits: quote it to keep it");
    EXPECT_EQ(read_text("a: 1\n---\nb: 2"), "3:1 there is a second document: write one in a file");
    EXPECT_EQ(read_text(""), "1:1 the document is empty");
    EXPECT_EQ(read_text("# nothing"), "1:1 the document is empty");
    EXPECT_EQ(read_text("a: \xff"), "1:4 the text is not valid UTF-8");
    EXPECT_TRUE(read_text("a: [1, 2").starts_with("1:")) << read_text("a: [1, 2");
    EXPECT_TRUE(read_text("a: b: c").starts_with("1:")) << read_text("a: b: c");
    EXPECT_TRUE(read_text("a: *b").starts_with("1:")) << read_text("a: *b");
}

TEST(Yaml, AliasesStandForTheirValue) {
    EXPECT_EQ(read_text("a: &x {b: 1}\nc: *x"), "{a: {b: 1}, c: {b: 1}}");
    EXPECT_EQ(at(read("a: &x {b: 1}\nc: *x")->find("c")->place), "2:4");
    EXPECT_EQ(read_text("a: &x [*x]"), "1:8 an alias cannot stand inside of what it stands for");
}

TEST(Yaml, AliasesOfLongTextsAreRefused) {
    std::string bomb = "a: &x " + std::string(kMostText / 4, 'x') + "\nb: [";
    EXPECT_TRUE(read(bomb + "*x, *x, *x, *x]"));
    EXPECT_TRUE(read_text(bomb + "*x, *x, *x, *x, *x]")
                    .ends_with("the aliases stand for more than 4194304 bytes"));
}

TEST(Yaml, AliasBombsAndDeepNestingAreRefused) {
    std::string bomb = "a0: &a0 [x]\n";
    for (int i = 1; i < 12; ++i) {
        const std::string before = "*a" + std::to_string(i - 1);
        const std::string name = "a" + std::to_string(i);
        bomb += name + ": &" + name + " [";
        for (int j = 0; j < 10; ++j) bomb += before + " , ";
        bomb += "x]\n";
    }
    EXPECT_TRUE(read_text(bomb).ends_with("the document has more than 200000 values"));
    EXPECT_EQ(read_text(std::string(100, '[') + std::string(100, ']')),
              "1:65 the document is nested more than 64 deep");
    EXPECT_FALSE(read(std::string(100'000, '[')));
    EXPECT_EQ(read_text(std::string(kMostText + 1, ' ')),
              "1:1 the text is longer than 4194304 bytes");
}

TEST(Yaml, ATextThatWasCutIsRefused) {
    const std::string quoted = "the text has no closing quote";
    for (const char quote : {'"', '\''}) {
        const std::string begin = "a: 1\nb: " + std::string(1, quote) + "abc";
        EXPECT_FALSE(read(begin)) << begin;
        EXPECT_EQ(read_text(begin + "\n"), "2:4 " + quoted);
        EXPECT_EQ(read_text(begin + "\n\n"), "2:4 " + quoted);
        EXPECT_TRUE(read(begin + quote));
        EXPECT_TRUE(read(begin + quote + "\n"));
    }
    EXPECT_EQ(read_text("a: &x !!str \"abc\n"), "1:4 " + quoted);
    EXPECT_EQ(read_text("a: \"abc\\\"\n"), "1:4 " + quoted);
    EXPECT_EQ(read_text("a: 'abc''\n"), "1:4 " + quoted);
    EXPECT_EQ(read_text("a: 'it''s'\nb: \"a\\\\\"\nc: '\"'\n"), "{a: 'it's', b: 'a\\', c: '\"'}");
}

TEST(Yaml, AJsonTextThatWasCutTellsWhatIsMissing) {
    EXPECT_EQ(read_text("{\"a\": [1, 2"), "1:12 the document ends within a list: its ] is missing");
    EXPECT_EQ(read_text("{\"a\": 1,\n"), "2:1 the document ends within a map: its } is missing");
    EXPECT_EQ(read_text("{\"a\": \"b"), "1:9 the document ends within a text in quotes");
}

TEST(Yaml, SurrogatePairsOfJsonAreOneCharacter) {
    const std::string text =
        "{\"a\": \"x\\ud83d\\ude00\\\\ud83d\", \"b\\uD83D\\uDE00\": 1, \"c\": 1,\n \"c\": 2}";
    std::vector<Mistake> twice;
    const auto node = read(text, twice);
    ASSERT_TRUE(node) << node.error().message;
    EXPECT_EQ(shown(*node), "{a: 'x\U0001F600\\ud83d', b\U0001F600: 1, c: 1}");
    // Places are those of the text as it is.
    EXPECT_EQ(at(node->keys[1].place), "1:31");
    EXPECT_EQ(at(node->items[1].place), "1:48");
    ASSERT_EQ(twice.size(), 1U);
    EXPECT_EQ(at(twice[0].place), "2:2");
    EXPECT_EQ(twice[0].advice, "It is in line 1, too");
    // A pair in single quotes of YAML is plain text.
    EXPECT_EQ(read_text("{a: '\\ud83d\\ude00'}"), "{a: '\\ud83d\\ude00'}");
    const auto half = read("{\"a\": \"\\ud83d\"}");
    ASSERT_FALSE(half);
    EXPECT_EQ(half.error().advice, "A surrogate needs its other half behind it");
}

TEST(Yaml, AByteOrderMarkHasNoPlace) {
    const auto node = read(
        "\xEF\xBB\xBF"
        "a: 1");
    ASSERT_TRUE(node);
    EXPECT_EQ(at(node->find("a")->place), "1:4");
}

TEST(Yaml, KeysThatAreThereTwiceDoNotEndReading) {
    std::vector<Mistake> twice;
    const auto node = read("a: 1\na: [2]\nb: {c: 1, c: {d: 2}}\ne: 3", twice);
    ASSERT_TRUE(node);
    EXPECT_EQ(shown(*node), "{a: 1, b: {c: 1}, e: 3}");
    ASSERT_EQ(twice.size(), 2U);
    EXPECT_EQ(at(twice[1].place), "3:11");
}

}  // namespace
}  // namespace belay::yaml
