// JSON as payloads, and types by way of it.
#include "unit/model/decode_problem.hpp"
#include <belay/json.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace belay::json_codec_tests {

struct Item {
    std::string article;
    int pieces = 0;
    bool operator==(const Item&) const = default;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Item, article, pieces)

struct Order {
    std::string customer;
    std::vector<Item> items;
    bool operator==(const Order&) const = default;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Order, customer, items)

/// Its functions throw an exception that is not of nlohmann-json.
struct Strict {};
inline void to_json(nlohmann::json&, const Strict&) { throw std::logic_error("not this one"); }
inline void from_json(const nlohmann::json&, Strict&) { throw std::logic_error("nor back"); }

}  // namespace belay::json_codec_tests

template <>
struct belay::Codec<belay::json_codec_tests::Order>
    : belay::JsonCodec<belay::json_codec_tests::Order> {};
template <>
struct belay::Codec<belay::json_codec_tests::Strict>
    : belay::JsonCodec<belay::json_codec_tests::Strict> {};

namespace belay::json_codec_tests {
namespace {

using codec_tests::problem_of;
using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

static_assert(Encodable<json> && Encodable<Order> && Encodable<std::vector<Order>>);
static_assert(!Encodable<Item>, "only what says so");

std::string refused(const json& value) {
    try {
        (void)Codec<json>::encode(value);
    } catch (const std::invalid_argument& problem) {
        return problem.what();
    }
    return "none";
}

Payload text(std::string bytes) { return Payload(PayloadCodec::json, std::move(bytes)); }

TEST(JsonCodec, AnyJsonGoesBothWays) {
    for (const char* const written : {"null",
                                      "true",
                                      "7",
                                      "-7",
                                      "0.1",
                                      "18446744073709551615",
                                      R"("\u00e4 \"x\"")",
                                      "[]",
                                      "{}",
                                      R"({"a":[1,{"b":null}],"c":"d"})"}) {
        const json value = json::parse(written);
        EXPECT_EQ(Codec<json>::decode(Codec<json>::encode(value)), value) << written;
    }
    EXPECT_EQ(Codec<json>::encode(json::parse(R"({ "b": 1, "a": [ 2.5 ] })")),
              text(R"({"a":[2.5],"b":1})"))
        << "equal values give equal bytes";
}

TEST(JsonCodec, ATypeThatSaysSoGoesBothWays) {
    const Order order{"ann", {{"pen", 2}, {"ink", 1}}};
    const Payload payload = Codec<Order>::encode(order);
    EXPECT_EQ(payload,
              text(R"({"customer":"ann","items":[{"article":"pen","pieces":2},)"
                   R"({"article":"ink","pieces":1}]})"));
    EXPECT_EQ(Codec<Order>::decode(payload), order);
    const std::vector<Order> two{order, Order()};
    EXPECT_EQ(Codec<std::vector<Order>>::decode(Codec<std::vector<Order>>::encode(two)), two);
}

TEST(JsonCodec, InvalidJsonIsAnErrorWithItsPlace) {
    EXPECT_EQ(problem_of<json>(Payload::text("{}")), "expected JSON, got a payload with codec 2");
    EXPECT_THAT(problem_of<json>(text("[1,\n x]")),
                AllOf(HasSubstr("this is no JSON: "),
                      HasSubstr("line 2, column 2"),
                      Not(HasSubstr("json.exception"))));
    for (const char* const bytes : {"", "[", "{} {}", "\"\xff\"", "nul", "1."}) {
        EXPECT_THAT(problem_of<json>(text(bytes)), HasSubstr("this is no JSON: ")) << bytes;
    }
}

TEST(JsonCodec, AMismatchedTypeIsAnErrorThatNamesBoth) {
    EXPECT_THAT(
        problem_of<Order>(text(R"({"customer":"ann"})")),
        AllOf(HasSubstr("this JSON is no belay::json_codec_tests::Order: "), HasSubstr("items")));
    EXPECT_THAT(problem_of<Order>(text(R"({"customer":7,"items":[]})")),
                HasSubstr("type must be string, but is number"));
    EXPECT_THAT(problem_of<Order>(text("[]")), HasSubstr("this JSON is no"));
}

TEST(JsonCodec, ValuesOutsideJsonAreRefused) {
    EXPECT_THAT(refused(json(std::numeric_limits<double>::infinity())), HasSubstr("not finite"));
    json deep = json::array();
    deep.push_back(std::numeric_limits<double>::quiet_NaN());
    EXPECT_THAT(refused(deep), HasSubstr("not finite"));
    EXPECT_THAT(refused(json("\xff")),
                AllOf(HasSubstr("belay: this cannot be stored as JSON: "), HasSubstr("UTF-8")));
    EXPECT_THAT(refused(json::binary({1, 2})), HasSubstr("a value that JSON has not"));
    EXPECT_THROW((void)Codec<Order>::encode(Order{"\xff", {}}), std::invalid_argument);
}

TEST(JsonCodec, ExcessiveDepthIsRefusedBothWays) {
    const auto nested = [](int levels) {
        const auto count = static_cast<std::size_t>(levels);
        return std::string(count, '[') + std::string(count, ']');
    };
    const json deepest = Codec<json>::decode(text(nested(500)));
    EXPECT_EQ(Codec<json>::encode(deepest), text(nested(500)));
    EXPECT_EQ(problem_of<json>(text(nested(501))), "this JSON is more than 500 levels deep");
    EXPECT_EQ(problem_of<json>(text(std::string(1'000'000, '['))),
              "this JSON is more than 500 levels deep");
    json deeper = json::array();
    deeper.push_back(deepest);
    EXPECT_THAT(refused(deeper), HasSubstr("more than 500 levels deep"));
    EXPECT_EQ(Codec<json>::decode(text("\"" + std::string(1000, '[') + "\\\"[\"")),
              json(std::string(1000, '[') + "\"["))
        << "text is not looked into";
}

TEST(JsonCodec, AnExceptionOfATypeStaysItsOwn) {
    EXPECT_THROW((void)Codec<Strict>::encode(Strict()), std::logic_error);
    EXPECT_THROW((void)Codec<Strict>::decode(text("{}")), std::logic_error);
}

}  // namespace
}  // namespace belay::json_codec_tests
