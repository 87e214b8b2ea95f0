// Lists, maps, optionals and the macros on them.
#include "evaluated.hpp"

namespace belay::expr {
namespace {

TEST(Collections, ElementsAreFoundByPositionAndKey) {
    expect_all(std::vector<Case>{
        {"[10, 20][1]", "20"},
        {"[10, 20][1u]", "20"},
        {"[10, 20][2]", "the list has no element 2: it has 2"},
        {"[10, 20][-1]", "the list has no element -1: it has 2"},
        {"[1]['a']", "list has no element with a key of type string"},
        {"{'a': {'b': 2}}.a.b", "2"},
        {"{1: 'x'}[1.0]", "\"x\""},
        {"{1: 'x'}[1u]", "\"x\""},
        {"{'a': 1}.b", "no such key: b"},
        {"{'a': 1, 'a': 2}", "the map has a key twice"},
        {"{1: 1, 1u: 2}", "the map has a key twice"},
        {"{1.5: 1}", "double cannot be the key of a map"},
        {"(1).a", "int has no element with a key of type string"},
        {"{true: 1, 2: 3}", "{\"true\":1,\"2\":3}"},
        {"{'b': 1, 'a': 2}", "{\"b\":1,\"a\":2}"},
    });
}

TEST(Collections, HasAsksForAField) {
    expect_all(std::vector<Case>{
        {"has({'a': null}.a)", "true"},
        {"has({'a': 1}.b)", "false"},
        {"has({'a': 1}.b.c)", "no such key: b"},
        {"has({'a': 1}.?b.c)", "false"},
    });
}

TEST(Collections, MacrosWalkOverListsAndKeysOfMaps) {
    expect_all(std::vector<Case>{
        {"[1, 2, 3].map(x, x * x)", "[1,4,9]"},
        {"[1, 2, 3].map(x, x > 1, x * 10)", "[20,30]"},
        {"[1, 2, 3].filter(x, x != 2)", "[1,3]"},
        {"{'a': 1, 'b': 2}.map(k, k + '!')", "[\"a!\",\"b!\"]"},
        {"{'a': 1}.all(k, k == 'a')", "true"},
        {"[1, 2, 2].exists_one(x, x == 1)", "true"},
        {"[1, 2, 2].existsOne(x, x == 2)", "false"},
        {"[[1, 2], [3]].map(x, x.map(y, y + x.size()))", "[[3,4],[4]]"},
        {"[1].map(x, [2].map(x, x))", "[[2]]"},
        {"cel.bind(x, 2, x * x)", "4"},
        {"[].all(x, x)", "true"},
        {"[].exists(x, x)", "false"},
        {"'abc'.all(x, true)", "expected a list or a map, found string"},
        {"['b', 'a'].sortBy(x, x)", "[\"a\",\"b\"]"},
        {"[{'n': 2}, {'n': 1}].sortBy(x, x.n)", "[{\"n\":1},{\"n\":2}]"},
        {"[1, 'a'].sortBy(x, x)", "sortBy() takes keys of one kind that have an order"},
    });
}

TEST(Collections, ListsHaveFunctions) {
    expect_all(std::vector<Case>{
        {"[1] + ['a']", "[1,\"a\"]"},
        {"size([1, 2]) + [].size()", "2"},
        {"{'a': 1}.size()", "1"},
        {"[[1, [2]], [3], 4].flatten()", "[1,[2],3,4]"},
        {"[[1, [2, [3]]]].flatten(2)", "[1,2,[3]]"},
        {"[1, 2, 3, 4].slice(1, 3)", "[2,3]"},
        {"[1].slice(0, 2)", "slice(0, 2) is out of the range of a list of 1"},
        {"[3, 1, 2].sort()", "[1,2,3]"},
        {"['b', 1].sort()", "sort() takes values of one kind that have an order"},
        {"[1, 1.0, 2, 1].distinct()", "[1,2]"},
        {"[1, 2].reverse()", "[2,1]"},
        {"lists.range(3)", "[0,1,2]"},
        {"[1, 2].first().value() + [1, 2].last().value()", "3"},
        {"[].first().hasValue()", "false"},
        {"{'a': 1, 'b': 2}.keys() + {'a': 3}.values()", "[\"a\",\"b\",3]"},
        {"math.greatest([1, 5, 3]) + math.least(4, 2)", "7"},
        {"math.greatest(1, 2.5)", "2.5"},
        {"math.greatest([])", "the list is empty"},
        {"math.ceil(1.2) + math.floor(-1.2)", "0.0"},
        {"math.abs(-3) + math.sign(-9)", "2"},
    });
}

TEST(Collections, OptionalsStandForValuesThatMayBeMissing) {
    expect_all(std::vector<Case>{
        {"{'a': 1}.?a.orValue(0)", "1"},
        {"{'a': 1}.?b.orValue(0)", "0"},
        {"{'a': {'b': 2}}.?a.b.orValue(0)", "2"},
        {"{}.?a.b.c.orValue('none')", "\"none\""},
        {"[1][?5].hasValue()", "false"},
        {"[1][?0].value()", "1"},
        {"optional.of(1).optMap(x, x + 1).value()", "2"},
        {"optional.none().optMap(x, x + 1).hasValue()", "false"},
        {"optional.of(1).optFlatMap(x, optional.none()).hasValue()", "false"},
        {"optional.none().or(optional.of(3)).value()", "3"},
        {"optional.none().value()", "the optional holds no value"},
        {"optional.ofNonZeroValue('').hasValue()", "false"},
        {"[1, ?optional.none(), ?optional.of(2)]", "[1,2]"},
        {"[?optional.of(1)]", "[1]"},
        {"{?'a': optional.none(), 'b': 1}", "{\"b\":1}"},
        {"[?1]", "an element behind a question mark must be an optional"},
        {"optional.of(1) == optional.of(1.0)", "true"},
    });
}

TEST(Collections, VariablesOfMacrosHideOthers) {
    EXPECT_EQ(evaluated("[1].map(x, x) + [x]", R"({"x": 7})"), "[1,7]");
    EXPECT_EQ(evaluated("y", R"({"x": 7})"), "line 1, column 1: unknown name \"y\"");
}

}  // namespace
}  // namespace belay::expr
