// Expressions that would take too much.
#include "expr/limits.hpp"

#include "evaluated.hpp"

namespace belay::expr {
namespace {

std::string repeated(std::string_view text, int times) {
    std::string all;
    for (int i = 0; i < times; ++i) all += text;
    return all;
}

TEST(ExprLimits, DeepExpressionsAreRefusedInEveryForm) {
    const std::string deep = "the expression is nested too deeply";
    for (const auto& source : {repeated("(", 5000) + "1" + repeated(")", 5000),
                               repeated("[", 5000) + repeated("]", 5000),
                               repeated("!", 5000) + "true",
                               repeated("-", 5000) + "a",
                               repeated("true ? 1 : ", 5000) + "1",
                               "a" + repeated(".b", 5000),
                               "1" + repeated(" + 1", 5000)}) {
        EXPECT_TRUE(evaluated(source).ends_with(deep)) << source.substr(0, 20);
    }
    EXPECT_EQ(evaluated(repeated("(", 100) + "1" + repeated(")", 100)), "1");
    EXPECT_EQ(evaluated("true" + repeated(" && true", 3000)), "true");
}

TEST(ExprLimits, LongExpressionsAreRefused) {
    EXPECT_TRUE(evaluated("'" + std::string(kMostSource, 'x') + "'")
                    .ends_with("the expression is longer than 65536 bytes"));
    EXPECT_TRUE(evaluated("[" + repeated("1,", 20000) + "]")
                    .ends_with("the expression has too many parts"));
}

/// Evaluates with little work and memory. True if a limit ends it.
bool reaches_a_limit(const std::string& source) {
    const auto program = Program::parse(source);
    if (!program) return false;
    const auto value = program->run(Map(), 100'000, 1024 * 1024);
    return !value && value.error().limit;
}

TEST(ExprLimits, WorkIsBoundedAlsoWhereAProblemWouldBeIgnored) {
    const std::string much =
        "lists.range(1000).all(a, lists.range(1000).all(b, "
        "lists.range(1000).all(c, true)))";
    EXPECT_TRUE(reaches_a_limit(much));
    EXPECT_TRUE(reaches_a_limit(much + " || true"));
    EXPECT_TRUE(reaches_a_limit("[1].exists(x, " + much + ") || true"));
    EXPECT_TRUE(reaches_a_limit("lists.range(1000).map(x, lists.range(1000)) == 1"));
}

TEST(ExprLimits, MemoryIsBounded) {
    std::string doubled = "'0123456789abcdef'";
    for (int i = 0; i < 30; ++i) doubled = "cel.bind(x, " + doubled + ", x + x)";
    EXPECT_TRUE(reaches_a_limit(doubled));
    EXPECT_TRUE(reaches_a_limit("lists.range(100000000)"));
    const std::string thousand = "lists.range(1000).map(x, 'yyyy').join()";
    EXPECT_TRUE(reaches_a_limit(thousand + ".replace('y', " + thousand + ")"));
    EXPECT_TRUE(reaches_a_limit("'%s%s'.format([1, lists.range(9000).map(x, " + thousand + ")])"));
    EXPECT_FALSE(reaches_a_limit(thousand));
}

TEST(ExprLimits, ASmallerBudgetEndsSooner) {
    const auto program = Program::parse("lists.range(100).map(x, x)");
    ASSERT_TRUE(program);
    EXPECT_TRUE(program->run(Map()));
    const auto cut = program->run(Map(), 50);
    ASSERT_FALSE(cut);
    EXPECT_TRUE(cut.error().limit);
}

}  // namespace
}  // namespace belay::expr
