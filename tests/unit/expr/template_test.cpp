// Texts with expressions in them.
#include "expr/template.hpp"

#include "evaluated.hpp"

namespace belay::expr {
namespace {

std::string filled(std::string_view text, std::string_view names = "{}") {
    const auto parsed = Template::parse(text, Place{3, 5});
    if (!parsed) return to_string(parsed.error());
    const auto value = parsed->run(variables(names));
    return value ? *to_json(*value) : to_string(value.error());
}

TEST(Template, OneExpressionKeepsItsType) {
    EXPECT_EQ(filled("${{ 1 + 1 }}"), "2");
    EXPECT_EQ(filled("${{ [1, {'a': {}}] }}"), "[1,{\"a\":{}}]");
    EXPECT_EQ(filled("${{ {'a': {'b': 1}}}}"), "{\"a\":{\"b\":1}}");
    EXPECT_EQ(filled(" ${{ 1 }}"), "\" 1\"");
}

TEST(Template, SeveralPartsMakeAText) {
    EXPECT_EQ(filled("${{ host }}.dump", R"({"host": "db1"})"), "\"db1.dump\"");
    EXPECT_EQ(filled("a${{ 1 }}b${{ [true, null] }}c"), "\"a1b[true,null]c\"");
    EXPECT_EQ(filled("plain }} $ {{ text"), "\"plain }} $ {{ text\"");
    EXPECT_EQ(filled("$${{ not }} one"), "\"${{ not }} one\"");
    EXPECT_EQ(filled("${{ 'a }} b' }}"), "\"a }} b\"");
    EXPECT_EQ(filled(""), "\"\"");
}

TEST(Template, TellsWhetherItIsPlain) {
    EXPECT_TRUE(Template::parse("a $${{ b }}")->is_plain());
    EXPECT_FALSE(Template::parse("a ${{ 1 }}")->is_plain());
    EXPECT_TRUE(Template::parse("${{ 1 }}")->is_one_expression());
    EXPECT_FALSE(Template::parse("${{ 1 }}${{ 2 }}")->is_one_expression());
}

TEST(Template, PlacesCountTheColumnsBeforeEachLine) {
    const Origin block(Place{7, 5}, 4);
    EXPECT_EQ(to_string(Template::parse("a\nb ${{ 1 + }}", block).error()),
              "line 8, column 15: expected a value, found the end");
    const Origin folded = Origin::fixed_at(Place{7, 5});
    EXPECT_EQ(to_string(Template::parse("a\nb ${{ 1 + }}", folded).error()),
              "line 7, column 5: expected a value, found the end");
}

TEST(Template, IsMadeOfAnExpressionOrAConstant) {
    const Template sum = Template::of(*Program::parse("1 + 2"));
    EXPECT_TRUE(sum.is_one_expression());
    EXPECT_EQ(sum.run({})->integer(), 3);
    EXPECT_EQ(Program::constant(Value("x")).run({})->text(), "x");
}

TEST(Template, ProblemsHaveTheirPlaceInTheWholeText) {
    EXPECT_EQ(filled("\u00e4\u00f6 ${{ 1 / 0 }}"), "line 3, column 14: division by zero");
    EXPECT_EQ(filled("a\nb ${{ x }}"), "line 4, column 7: unknown name \"x\"");
    EXPECT_EQ(filled("a ${{ 1"), "line 3, column 7: ${{ does not end: }} is missing");
    EXPECT_EQ(filled("${{ 1 + }}"), "line 3, column 13: expected a value, found the end");
    EXPECT_EQ(filled("x${{ 0.0 / 0.0 }}"),
              "line 3, column 6: JSON cannot hold an infinite number or NaN");
}

TEST(Template, IsCheckedBeforeItRuns) {
    std::vector<Problem> problems;
    const auto text = Template::parse("${{ a }} and ${{ b }}");
    ASSERT_TRUE(text);
    EXPECT_TRUE(text->check({}, problems).is(Kind::text));
    ASSERT_EQ(problems.size(), 2U);
    EXPECT_EQ(to_string(problems[1]), "line 1, column 18: unknown name \"b\"");
}

TEST(Template, ManyBracesTakeNoLongTime) {
    std::string braces = "${{ '";
    for (int i = 0; i < 30000; ++i) braces += "}}";
    EXPECT_FALSE(Template::parse(braces));
}

}  // namespace
}  // namespace belay::expr
