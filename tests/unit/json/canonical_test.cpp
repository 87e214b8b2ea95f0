// The canonical form of JSON (RFC 8785), and where it departs from it.
#include "json/canonical.hpp"

#include <gtest/gtest.h>

namespace belay::json {
namespace {

TEST(Canonical, TheExampleOfTheStandard) {
    EXPECT_EQ(canonical(R"({
        "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
        "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
        "literals": [null, true, false]
      })"),
              "{\"literals\":[null,true,false],\"numbers\":[333333333.3333333,1e+30,4.5,0.002,"
              "1e-27],\"string\":\"\u20ac$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}");
}

TEST(Canonical, NamesAreInTheOrderOfTheirUtf16CodeUnits) {
    EXPECT_EQ(
        canonical("{\"\u20ac\":1,\"\\r\":2,\"\ufb33\":3,\"1\":4,\"\U0001F600\":5,\"\\u0080\":6,"
                  "\"\u00f6\":7}"),
        "{\"\\r\":2,\"1\":4,\"\u0080\":6,\"\u00f6\":7,\"\u20ac\":1,\"\U0001F600\":5,"
        "\"\ufb33\":3}");
    EXPECT_EQ(canonical(R"({"ab":1,"a":2,"":3})"), R"({"":3,"a":2,"ab":1})");
}

TEST(Canonical, NumbersAreAsEcmaScriptPrintsThem) {
    const std::pair<const char*, const char*> cases[] = {
        {"0", "0"},
        {"-0", "0"},
        {"-0.0", "0"},
        {"1.0", "1"},
        {"-1.50", "-1.5"},
        {"1e2", "100"},
        {"123e-2", "1.23"},
        {"1e20", "100000000000000000000"},
        {"1e21", "1e+21"},
        {"1.5E+22", "1.5e+22"},
        {"0.000001", "0.000001"},
        {"0.0000001", "1e-7"},
        {"1.25e-7", "1.25e-7"},
        {"4.9406564584124654e-324", "5e-324"},
        {"1.7976931348623157e308", "1.7976931348623157e+308"},
        {"9007199254740992.0", "9007199254740992"},
        {"100000000000000000000", "100000000000000000000"},
        {"1000000000000000000000", "1e+21"},
    };
    for (const auto& [text, expected] : cases) EXPECT_EQ(canonical(text), expected) << text;
}

TEST(Canonical, WholeNumbersThatNoDoubleHoldsStayDifferent) {
    for (const char* number : {"9007199254740993",
                               "-9007199254740993",
                               "9223372036854775807",
                               "18446744073709551615",
                               "123456789012345678901234567890"}) {
        EXPECT_EQ(canonical(number), number);
    }
    EXPECT_EQ(canonical("1e400"), "1e400") << "too large for a double";
}

TEST(Canonical, SpacesDoNotCount) {
    EXPECT_EQ(canonical(" [ 1 , [ ] , { } , [ \"a b\" ] ] \n"), R"([1,[],{},["a b"]])");
    EXPECT_EQ(canonical("\t\"x\" "), "\"x\"");
}

TEST(Canonical, TextThatIsNoJsonHasNoSuchForm) {
    for (const char* bad : {"", "{", "[1,]", R"({"a":1,"a":2})", R"("\ud83d")", "nul", "01"}) {
        EXPECT_EQ(canonical(bad), std::nullopt) << bad;
    }
}

}  // namespace
}  // namespace belay::json
