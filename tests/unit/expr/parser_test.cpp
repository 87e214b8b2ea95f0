// The grammar.
#include "evaluated.hpp"

namespace belay::expr {
namespace {

TEST(Parser, TextsHaveAllFormsOfQuotesAndEscapes) {
    expect_all(std::vector<Case>{
        {R"("a'b")", R"("a'b")"},
        {R"('a"b')", R"("a\"b")"},
        {R"('''a
b''')",
         R"("a\nb")"},
        {R"("""say "x" """)", R"("say \"x\" ")"},
        {R"(r'\n')", R"("\\n")"},
        {R"('\x41\u00e4\U0001F600\101\n\`\?')", "\"A\u00e4\U0001F600A\\n`?\""},
        {R"(b'\xff\101')", "\"/0E=\""},
        {R"(br'\x')", "\"XHg=\""},
        {R"('\q')", R"(unknown escape \q)"},
        {R"('\ud800')", "the escape is no character of Unicode"},
        {R"(b'\u0041')", R"(unknown escape \u)"},
        {"'abc", "the text does not end: ' is missing"},
        {"'a\nb'", "the text does not end: ' is missing"},
    });
}

TEST(Parser, NumbersMustFitAndEnd) {
    expect_all(std::vector<Case>{
        {"9223372036854775808", "the number is out of range"},
        {"-9223372036854775809", "the number is out of range"},
        {"18446744073709551616u", "the number 18446744073709551616 is out of range"},
        {"1e999", "the number 1e999 is out of range"},
        {"12ab", "a number must not be followed by a letter"},
        {"0x", "the number 0x is out of range"},
        {"1.e", "int has no element with a key of type string"},
    });
}

TEST(Parser, OperatorsBindAsInC) {
    expect_all(std::vector<Case>{
        {"1 + 2 == 3 && 2 * 3 < 7 || false", "true"},
        {"true ? (false ? 1 : 2) : 3", "2"},
        {"false ? 1 : false ? 2 : 3", "3"},
        {"!!true", "true"},
        {"--1", "1"},
        {"- 1", "-1"},
        {"2 - -1", "3"},
        {"1 - 2 - 3", "-4"},
        {"-[1][0]", "-1"},
    });
}

TEST(Parser, FieldsMayHaveAnyName) {
    const std::string_view names = R"({"step": {"if": 1, "a-b": {"c": 2}, "in": 3}})";
    EXPECT_EQ(evaluated("step.if + step.in", names), "4");
    EXPECT_EQ(evaluated("step.`a-b`.c", names), "2");
    EXPECT_EQ(evaluated("step['a-b'].c", names), "2");
    EXPECT_EQ(evaluated("step.`a-b", names),
              "line 1, column 6: the quoted name does not end: ` is missing");
}

TEST(Parser, MistakesAreNamedWithTheirPlace) {
    EXPECT_EQ(evaluated(""), "line 1, column 1: expected a value, found the end");
    EXPECT_EQ(evaluated("1 +"), "line 1, column 4: expected a value, found the end");
    EXPECT_EQ(evaluated("(1"), "line 1, column 3: expected ), found the end");
    EXPECT_EQ(evaluated("1 2"), "line 1, column 3: expected the end or an operator, found a value");
    EXPECT_EQ(evaluated("a ? b"), "line 1, column 6: expected :, found the end");
    EXPECT_EQ(evaluated("for"), "line 1, column 1: \"for\" is a reserved word");
    EXPECT_EQ(evaluated("1 # 2"), "line 1, column 3: unexpected character #");
    EXPECT_EQ(evaluated("1 &  2"), "line 1, column 3: unexpected character &");
    EXPECT_EQ(evaluated("nope(1)"), "line 1, column 1: unknown function nope()");
    EXPECT_EQ(evaluated("'a'.nope()"), "line 1, column 5: unknown method .nope()");
    EXPECT_EQ(evaluated("Message{a: 1}"),
              "line 1, column 8: messages are not supported: write a map");
    EXPECT_EQ(evaluated("[1].map(1, 2)"),
              "line 1, column 9: the first argument of .map() must be a name");
    EXPECT_EQ(evaluated("[1].all(x)"), "line 1, column 5: .all() takes a name and an expression");
    EXPECT_EQ(evaluated("has(1)"), "line 1, column 1: has() takes one field: has(a.b)");
}

TEST(Parser, CommentsAndSpaceMeanNothing) {
    EXPECT_EQ(evaluated("1 // one\n + // and\n\t2\r\n"), "3");
}

TEST(Parser, LiteralsMayEndWithAComma) {
    expect_all(std::vector<Case>{
        {"[1, 2,]", "[1,2]"},
        {"{'a': 1,}", "{\"a\":1}"},
        {"[,]", "expected a value, found \",\""},
    });
}

}  // namespace
}  // namespace belay::expr
