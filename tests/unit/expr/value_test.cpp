// Values, and their form in JSON.
#include "evaluated.hpp"

namespace belay::expr {
namespace {

std::string round_trip(std::string_view json) {
    const auto value = parse_json(json);
    return value ? *to_json(*value) : value.error().message();
}

TEST(ExprValue, JsonIsReadAndWrittenExactly) {
    for (const char* json : {"null",
                             "true",
                             "-9223372036854775808",
                             "9223372036854775807",
                             "18446744073709551615",
                             "1.5",
                             "1.0",
                             "\"a\\n\u00e4\"",
                             "[1,[],{}]",
                             "{\"b\":1,\"a\":{\"c\":[null]}}"}) {
        EXPECT_EQ(round_trip(json), json);
    }
    EXPECT_EQ(round_trip("1e2"), "100.0");
    EXPECT_EQ(round_trip("100000000000000000000"), "1e+20");
    EXPECT_EQ(parse_json("1.0")->kind(), Kind::real);
    EXPECT_EQ(parse_json("1")->kind(), Kind::integer);
    EXPECT_EQ(parse_json("18446744073709551615")->kind(), Kind::unsigned_integer);
}

TEST(ExprValue, BadJsonIsRefusedWithItsPlace) {
    EXPECT_NE(round_trip("{\"a\":1,}").find("line 1"), std::string::npos);
    EXPECT_NE(round_trip("{\"a\":1,\"a\":2}").find("a"), std::string::npos);
}

TEST(ExprValue, MapsFindEqualKeys) {
    const auto map = Map::make({{Value(std::int64_t{1}), Value("one")}, {Value("b"), Value(true)}});
    ASSERT_TRUE(map);
    EXPECT_EQ(map->find(Value(std::uint64_t{1}))->text(), "one");
    EXPECT_EQ(map->find(Value(1.0))->text(), "one");
    EXPECT_EQ(map->find(Value(1.5)), nullptr);
    EXPECT_EQ(map->find("1"), nullptr);
    EXPECT_TRUE(map->find("b")->boolean());
    Value twice;
    EXPECT_FALSE(Map::make({{Value("x"), Value()}, {Value("x"), Value()}}, &twice));
    EXPECT_EQ(twice.text(), "x");
}

TEST(ExprValue, ValuesOfDifferentKindsAreNotEqual) {
    EXPECT_FALSE(equal(Value(), Value(false)));
    EXPECT_FALSE(equal(Value("1"), Value(std::int64_t{1})));
    EXPECT_FALSE(equal(Value::bytes("a"), Value("a")));
    EXPECT_TRUE(equal(Value::some(Value(1.0)), Value::some(Value(std::int64_t{1}))));
    EXPECT_FALSE(equal(Value::none(), Value::some(Value())));
}

}  // namespace
}  // namespace belay::expr
