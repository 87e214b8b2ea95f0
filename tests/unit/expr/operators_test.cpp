// Operators: arithmetic, comparison, logic.
#include "evaluated.hpp"

namespace belay::expr {
namespace {

TEST(Operators, IntegersStayExactAndNeverWrapAround) {
    expect_all(std::vector<Case>{
        {"1 + 2 * 3 - 4", "3"},
        {"(1 + 2) * 3", "9"},
        {"7 / 2", "3"},
        {"-7 / 2", "-3"},
        {"-7 % 2", "-1"},
        {"9223372036854775807", "9223372036854775807"},
        {"-9223372036854775808", "-9223372036854775808"},
        {"9223372036854775807 + 1", "integer overflow"},
        {"-9223372036854775808 - 1", "integer overflow"},
        {"9223372036854775807 * 2", "integer overflow"},
        {"-9223372036854775808 / -1", "integer overflow"},
        {"-(-9223372036854775808)", "integer overflow"},
        {"1 / 0", "division by zero"},
        {"1 % 0", "division by zero"},
        {"0x10 + 0xF", "31"},
        {"18446744073709551615u", "18446744073709551615"},
        {"1u - 2u", "integer overflow"},
        {"1 + 1u", "`+` does not take (int, uint)"},
        {"-1u", "`-` does not take (uint)"},
    });
}

TEST(Operators, RealNumbersFollowIeee) {
    expect_all(std::vector<Case>{
        {"1.5 + 2.25", "3.75"},
        {"1.0", "1.0"},
        {"1e3", "1000.0"},
        {".5", "0.5"},
        {"1.0 / 0.0", "JSON cannot hold an infinite number or NaN"},
        {"1.0 / 0.0 > 1e300", "true"},
        {"1 + 1.0", "`+` does not take (int, double)"},
    });
}

TEST(Operators, NumbersOfDifferentTypesAreComparedByValue) {
    expect_all(std::vector<Case>{
        {"1 == 1.0 && 1u == 1 && 1.0 == 1u", "true"},
        {"9007199254740993 == 9007199254740992.0", "false"},
        {"9007199254740993 > 9007199254740992.0", "true"},
        {"-1 < 1u", "true"},
        {"18446744073709551615u > 1e19", "true"},
        {"18446744073709551615u < 1e20", "true"},
        {"-9223372036854775808 >= -9223372036854775808.0", "true"},
        {"-1.5 < -1", "true"},
        {"double('NaN') == double('NaN')", "false"},
        {"0.0 / 0.0 == 0.0 / 0.0", "false"},
        {"0.0 / 0.0 < 1", "false"},
    });
}

TEST(Operators, OtherTypesAreComparedWithTheirOwn) {
    expect_all(std::vector<Case>{
        {"'abc' < 'abd'", "true"},
        {"b'a' < b'b'", "true"},
        {"false < true", "true"},
        {"'1' == 1", "false"},
        {"null == null", "true"},
        {"[1, [2.0]] == [1.0, [2]]", "true"},
        {"{'a': 1, 'b': 2} == {'b': 2, 'a': 1u}", "true"},
        {"{'a': 1} == {'a': 1, 'b': 2}", "false"},
        {"type(1) == int && type('') == string && type(b'') == bytes", "true"},
        {"type(1u) == uint && type(1.0) == double && type(true) == bool", "true"},
        {"type([]) == list && type({}) == map && type(null) == null_type", "true"},
        {"type(int) == type && int != uint", "true"},
        {"[1, 'a'].map(int, type(int) == string)", "[false,true]"},
        {"type(1) == type(2) && type(1) != type(2u)", "true"},
        {"'a' < 1", "`<` does not take (string, int)"},
        {"[1] < [2]", "`<` does not take (list, list)"},
    });
}

TEST(Operators, LogicIgnoresProblemsThatDoNotMatter) {
    expect_all(std::vector<Case>{
        {"true || 1 / 0 > 0", "true"},
        {"1 / 0 > 0 || true", "true"},
        {"1 / 0 > 0 && false", "false"},
        {"false && 1 / 0 > 0", "false"},
        {"1 / 0 > 0 || false", "division by zero"},
        {"true && 'x'", "expected a bool, found string"},
        {"false && 'x'", "false"},
        {"!true || !false", "true"},
        {"true ? 1 : 1 / 0", "1"},
        {"1 ? 2 : 3", "expected a bool, found int"},
        {"[0, 1].exists(x, 1 / x == 1)", "true"},
        {"[0, 2].all(x, 1 / x == 1)", "false"},
        {"[0, 1].all(x, 1 / x == 1)", "division by zero"},
    });
}

TEST(Operators, MembershipLooksForEqualValues) {
    expect_all(std::vector<Case>{
        {"2.0 in [1, 2]", "true"},
        {"'b' in {'a': 1}", "false"},
        {"1 in {1: 'x'}", "true"},
        {"'a' in 'abc'", "`in` does not take (string, string)"},
    });
}

TEST(Operators, AProblemTellsItsPlace) {
    EXPECT_EQ(evaluated("1 +\n  2 / 0"), "line 2, column 5: division by zero");
    EXPECT_EQ(evaluated("'\xc3\xa4\xc3\xb6' + 1"),
              "line 1, column 6: `+` does not take (string, int)");
}

}  // namespace
}  // namespace belay::expr
