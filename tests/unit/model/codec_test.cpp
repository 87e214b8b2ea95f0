// Values as payloads, and several arguments in one.
#include "unit/model/decode_problem.hpp"
#include <belay/codec.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>

namespace belay {
namespace {

using codec_tests::problem_of;
using ::testing::HasSubstr;

template <class T>
void expect_round_trip(const T& value, PayloadCodec codec, const std::string& bytes) {
    const Payload payload = Codec<T>::encode(value);
    EXPECT_EQ(payload.codec, codec);
    EXPECT_EQ(payload.bytes, bytes);
    EXPECT_EQ(Codec<T>::decode(payload), value);
}

TEST(Codec, BuiltInTypesGoBothWays) {
    expect_round_trip(std::string("text"), PayloadCodec::text, "text");
    expect_round_trip(true, PayloadCodec::boolean, "true");
    expect_round_trip(false, PayloadCodec::boolean, "false");
    expect_round_trip(0, PayloadCodec::integer, "0");
    expect_round_trip(
        std::numeric_limits<std::int64_t>::min(), PayloadCodec::integer, "-9223372036854775808");
    expect_round_trip(
        std::numeric_limits<std::uint64_t>::max(), PayloadCodec::integer, "18446744073709551615");
    expect_round_trip(static_cast<signed char>(-5), PayloadCodec::integer, "-5");
    expect_round_trip(0.1, PayloadCodec::real, "0.1");
    expect_round_trip(0.1F, PayloadCodec::real, "0.1");
    expect_round_trip(std::vector<std::byte>{std::byte{0}, std::byte{255}},
                      PayloadCodec::bytes,
                      std::string("\0\xff", 2));
    expect_round_trip(std::vector<std::byte>(), PayloadCodec::bytes, "");
    expect_round_trip(Payload(PayloadCodec::json, "{}"), PayloadCodec::json, "{}");
}

TEST(Codec, NumbersKeepTheirValueToTheLastBit) {
    for (const double value : {0.0,
                               -0.0,
                               1.0 / 3,
                               std::numeric_limits<double>::max(),
                               std::numeric_limits<double>::denorm_min(),
                               std::numeric_limits<double>::infinity()}) {
        const double back = Codec<double>::decode(Codec<double>::encode(value));
        EXPECT_EQ(back, value);
        EXPECT_EQ(std::signbit(back), std::signbit(value));
    }
    EXPECT_TRUE(std::isnan(Codec<double>::decode(Codec<double>::encode(std::nan("")))));
}

TEST(Codec, AnotherTypeIsAnErrorThatNamesBoth) {
    EXPECT_EQ(problem_of<int>(Payload::text("1")),
              "expected an integer, got a payload with codec 2");
    EXPECT_THAT(problem_of<std::string>(Codec<int>::encode(1)), HasSubstr("expected text"));
    EXPECT_THAT(problem_of<bool>(Codec<int>::encode(1)), HasSubstr("expected a boolean"));
    EXPECT_THAT(problem_of<double>(Codec<int>::encode(1)), HasSubstr("expected a number"));
    EXPECT_THAT(problem_of<std::vector<std::byte>>(Payload()), HasSubstr("expected bytes"));
}

TEST(Codec, BytesThatAreNoNumberAreAnError) {
    for (const char* bytes : {"", "x", "1x", " 1", "+1", "1.5", "--1"}) {
        EXPECT_THAT(problem_of<int>(Payload(PayloadCodec::integer, bytes)),
                    HasSubstr("is not an integer of this size"))
            << bytes;
    }
    EXPECT_THAT(problem_of<std::int8_t>(Codec<int>::encode(128)), HasSubstr("of this size"));
    EXPECT_THAT(problem_of<unsigned>(Codec<int>::encode(-1)), HasSubstr("of this size"));
    EXPECT_THAT(problem_of<double>(Payload(PayloadCodec::real, "1,5")),
                HasSubstr("is not a number"));
    EXPECT_THAT(problem_of<bool>(Payload(PayloadCodec::boolean, "TRUE")),
                HasSubstr("not a boolean"));
}

TEST(Arguments, NoneIsNoValueAndOneIsItself) {
    EXPECT_EQ(detail::encode_arguments(), Payload());
    EXPECT_EQ(detail::encode_arguments(7), Codec<int>::encode(7));
    EXPECT_EQ(detail::decode_arguments<>(Payload()), std::tuple<>());
    EXPECT_EQ(detail::decode_arguments<int>(Codec<int>::encode(7)), std::tuple<int>(7));
}

TEST(Arguments, SeveralGoBothWays) {
    const Payload joined = detail::encode_arguments(7, std::string("x"), true, 0.5);
    EXPECT_EQ(joined.codec, PayloadCodec::arguments);
    EXPECT_EQ((detail::decode_arguments<int, std::string, bool, double>(joined)),
              (std::tuple<int, std::string, bool, double>(7, "x", true, 0.5)));
}

TEST(Arguments, EqualValuesGiveEqualBytes) {
    EXPECT_EQ(detail::encode_arguments(1, std::string("a")),
              detail::encode_arguments(1, std::string("a")));
    EXPECT_NE(detail::encode_arguments(1, std::string("a")),
              detail::encode_arguments(std::string("1"), std::string("a")));
    EXPECT_NE(detail::encode_arguments(std::string("ab"), std::string("c")),
              detail::encode_arguments(std::string("a"), std::string("bc")));
}

template <class... Params>
std::string problem_of_arguments(const Payload& payload) {
    try {
        (void)detail::decode_arguments<Params...>(payload);
    } catch (const DecodeError& problem) {
        return problem.what();
    }
    return "none";
}

TEST(Arguments, AWrongNumberIsAnErrorThatNamesBoth) {
    const Payload three = detail::encode_arguments(1, 2, 3);
    EXPECT_EQ((problem_of_arguments<int, int>(three)), "expected 2 arguments, got 3");
    EXPECT_THAT(problem_of_arguments<int>(three), HasSubstr("expected an integer"));
    EXPECT_THAT(problem_of_arguments<>(three), HasSubstr("expected no argument"));
    EXPECT_THAT((problem_of_arguments<int, int>(Payload())),
                HasSubstr("expected several arguments"));
}

TEST(Arguments, CutOffAtAnyByteIsAnError) {
    const Payload whole = detail::encode_arguments(7, std::string("text"));
    for (std::size_t size = 0; size < whole.bytes.size(); ++size) {
        const Payload cut(PayloadCodec::arguments, whole.bytes.substr(0, size));
        EXPECT_NE((problem_of_arguments<int, std::string>(cut)), "none") << size;
    }
    const Payload more(PayloadCodec::arguments, whole.bytes + "x");
    EXPECT_EQ((problem_of_arguments<int, std::string>(more)),
              "the stored arguments cannot be read");
}

}  // namespace
}  // namespace belay
