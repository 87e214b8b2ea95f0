// Mistakes that are found before anything is evaluated.
#include "expr/checker.hpp"

#include "evaluated.hpp"

namespace belay::expr {
namespace {

/// Types of the variables of these tests.
Type::Fields names() {
    return {
        {"params",
         Type::object({{"hosts", Type::list(Type(Kind::text))},
                       {"keep", Type(Kind::integer)},
                       {"ratio", Type(Kind::real)}})},
        {"steps", Type::object({{"list", Type::object({{"output", Type()}})}})},
        {"maybe", Type::optional(Type(Kind::integer))},
    };
}

/// Returns the problems, one line each, or the type if there are none.
std::string checked(std::string_view source) {
    const auto program = Program::parse(source);
    if (!program) return to_string(program.error());
    std::vector<Problem> problems;
    const Type type = program->check(names(), problems);
    if (problems.empty()) return to_string(type);
    std::string all;
    for (const Problem& problem : problems) all += to_string(problem) + "\n";
    return all;
}

TEST(ExprChecker, KnowsTheTypeOfAResult) {
    const std::vector<Case> cases = {
        {"params.keep + 1", "int"},
        {"params.hosts", "list(string)"},
        {"params.hosts[0]", "string"},
        {"params.hosts.map(h, h.size())", "list(int)"},
        {"params.hosts.filter(h, h != '')", "list(string)"},
        {"params.hosts.all(h, h.contains('a'))", "bool"},
        {"[[1], [2]].flatten()", "list(int)"},
        {"params.hosts.first()", "optional(string)"},
        {"params.hosts.first().orValue('x')", "string"},
        {"maybe.optMap(m, m + 1)", "optional(int)"},
        {"true ? 1 : 2", "int"},
        {"true ? 1 : 'a'", "any"},
        {"steps.list.output", "any"},
        {"steps.list.output.size() > 3", "bool"},
        {"{'a': 1}.a", "int"},
        {"timestamp(0) - timestamp(1)", "duration"},
        {"cel.bind(x, 1, x + 1)", "int"},
        {"[1, 'a']", "list"},
        {"type(1)", "type"},
    };
    for (const auto& [source, type] : cases) EXPECT_EQ(checked(source), type) << source;
}

TEST(ExprChecker, NamesUnknownThingsWithAdvice) {
    EXPECT_EQ(checked("parms.keep"),
              "line 1, column 1: unknown name \"parms\". Did you mean \"params\"?\n");
    EXPECT_EQ(checked("params.kep"),
              "line 1, column 8: unknown field \"kep\". Did you mean \"keep\"?\n");
    EXPECT_EQ(checked("steps['lists'].output"),
              "line 1, column 7: unknown field \"lists\". Did you mean \"list\"?\n");
    EXPECT_EQ(checked("xyzzy"), "line 1, column 1: unknown name \"xyzzy\"\n");
    EXPECT_EQ(checked("params.?zone.hasValue()"), "bool");
    EXPECT_EQ(checked("has(params.zone)"), "bool");
}

TEST(ExprChecker, FindsWrongTypes) {
    const std::vector<Case> cases = {
        {"params.keep + 'a'", "line 1, column 13: `+` does not take (int, string)\n"},
        {"params.hosts.size() && true", "line 1, column 14: expected a bool, found int\n"},
        {"params.keep ? 1 : 2", "line 1, column 8: expected a bool, found int\n"},
        {"params.keep.map(x, x)", "line 1, column 8: expected a list or a map, found int\n"},
        {"params.hosts.map(h, h + 1)", "line 1, column 23: `+` does not take (string, int)\n"},
        {"params.hosts['a']",
         "line 1, column 14: the position in a list must be an int, not string\n"},
        {"params.keep[0]", "line 1, column 12: int has no elements\n"},
        {"params.keep.x", "line 1, column 13: int has no fields, and no \"x\"\n"},
        {"'a'.charAt('b')", "line 1, column 5: charAt does not take (string, string)\n"},
        {"params.ratio < 'x'", "line 1, column 14: `<` does not take (double, string)\n"},
        {"params.keep.optMap(x, x)", "line 1, column 8: expected an optional, found int\n"},
    };
    for (const auto& [source, problem] : cases) EXPECT_EQ(checked(source), problem) << source;
}

TEST(ExprChecker, NamesOfTypesAreValues) {
    EXPECT_EQ(checked("int"), "type");
    EXPECT_EQ(checked("type(params.keep) == int"), "bool");
}

TEST(ExprChecker, EvaluatesWhatNamesNoVariable) {
    const std::vector<Case> cases = {
        {"params.keep + 1 / 0", "line 1, column 17: division by zero\n"},
        {"[params.keep, [1, 'a'].sort().size()]",
         "line 1, column 24: sort() takes values of one kind that have an order\n"},
        {"[1].map(x, x / 0)", "line 1, column 14: division by zero\n"},
        {"params.hosts.all(h, 1 / 0 > 1)", "bool"},
        {"params.keep > 1 || 1 / 0 > 1", "bool"},
        {"params.keep > 1 ? 1 / 0 : 2", "int"},
        {"true || 1 / 0 > 1", "bool"},
        {"cel.bind(x, params.keep, x + 1 / 0)", "line 1, column 32: division by zero\n"},
    };
    for (const auto& [source, found] : cases) EXPECT_EQ(checked(source), found) << source;
}

TEST(ExprChecker, FindsAllMistakesAtOnce) {
    EXPECT_EQ(checked("a + b + params.c"),
              "line 1, column 1: unknown name \"a\"\n"
              "line 1, column 5: unknown name \"b\"\n"
              "line 1, column 16: unknown field \"c\"\n");
}

}  // namespace
}  // namespace belay::expr
