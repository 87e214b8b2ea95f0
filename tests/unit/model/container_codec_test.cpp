// Containers as payloads.
#include "unit/model/decode_problem.hpp"
#include <belay/codec.hpp>
#include <belay/detail/signature.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string_view>
#include <unordered_map>

namespace belay::container_codec_tests {
namespace {

using codec_tests::problem_of;
using ::testing::HasSubstr;

template <class T>
void expect_round_trip(const T& value) {
    const Payload payload = Codec<T>::encode(value);
    EXPECT_EQ(payload.codec, PayloadCodec::arguments);
    EXPECT_EQ(Codec<T>::decode(payload), value);
    EXPECT_EQ(Codec<T>::encode(value), payload) << "equal values give equal bytes";
}

TEST(ContainerCodec, GoesBothWays) {
    expect_round_trip(std::vector<int>{});
    expect_round_trip(std::vector<int>{1, -2, 3});
    expect_round_trip(std::vector<std::string>{"", "a", std::string("\0b", 2)});
    expect_round_trip(std::vector<bool>{true, false, true});
    expect_round_trip(std::array<std::string, 2>{"a", "b"});
    expect_round_trip(std::array<int, 0>{});
    expect_round_trip(std::array<std::array<int, 1>, 2>{{{1}, {2}}});
    expect_round_trip(std::pair<int, std::string>(7, "seven"));
    expect_round_trip(std::tuple<>());
    expect_round_trip(std::tuple<int, bool, double>(7, true, 0.5));
    expect_round_trip(std::tuple<std::tuple<int>>(std::tuple<int>(7)));
    expect_round_trip(std::optional<int>());
    expect_round_trip(std::optional<int>(0));
    expect_round_trip(std::map<std::string, int>{{"", 0}, {"b", 2}, {"a", 1}});
    expect_round_trip(std::map<std::int64_t, std::string>{{-1, "x"}, {1, "y"}});
}

TEST(ContainerCodec, ContainersLieInContainers) {
    expect_round_trip(std::vector<std::vector<int>>{{}, {1}, {2, 3}});
    expect_round_trip(std::map<std::string, std::vector<std::optional<int>>>{
        {"a", {std::nullopt, 1}}, {"b", {}}});
    expect_round_trip(std::vector<std::vector<std::byte>>{{std::byte{0}}, {}});
    expect_round_trip(std::vector<Payload>{Payload(), Payload::text("x")});
}

TEST(ContainerCodec, NoValueIsToldFromEveryValue) {
    using Twice = std::optional<std::optional<int>>;
    expect_round_trip(Twice());
    expect_round_trip(Twice(std::in_place));
    expect_round_trip(Twice(std::in_place, 7));
    expect_round_trip(std::optional<Payload>());
    expect_round_trip(std::optional<Payload>(Payload()));
}

TEST(ContainerCodec, BytesAreStillBytes) {
    const std::vector<std::byte> bytes{std::byte{1}, std::byte{2}};
    EXPECT_EQ(Codec<std::vector<std::byte>>::encode(bytes),
              Payload(PayloadCodec::bytes, "\x01\x02"));
}

TEST(ContainerCodec, AnUnstorableTypeCannotBeAnElement) {
    static_assert(!Encodable<std::vector<std::string_view>>);
    static_assert(!Encodable<std::vector<int*>>);
    static_assert(!Encodable<std::optional<const char*>>);
    static_assert(!Encodable<std::map<std::string, std::string_view>>);
    static_assert(!Encodable<std::pair<int, std::string_view>>);
    static_assert(!Encodable<std::tuple<int, char>>);
    static_assert(!Encodable<std::unordered_map<std::string, int>>, "equal ones, other bytes");
}

TEST(ContainerCodec, ErrorsSayWhatAndWhere) {
    using Strings = std::vector<std::string>;
    EXPECT_EQ(problem_of<Strings>(Payload::text("a")),
              "expected a list, got a payload with codec 2");
    EXPECT_EQ(problem_of<std::vector<int>>(Codec<Strings>::encode({"a"})),
              "element 0: expected an integer, got a payload with codec 2");
    EXPECT_EQ((problem_of<std::vector<std::vector<int>>>(
                  Codec<std::vector<Strings>>::encode({{}, {"a"}}))),
              "element 1: element 0: expected an integer, got a payload with codec 2");
    EXPECT_EQ((problem_of<std::array<int, 3>>(Codec<std::vector<int>>::encode({1, 2}))),
              "expected an array of 3, got 2");
    EXPECT_EQ((problem_of<std::pair<int, int>>(Codec<std::vector<int>>::encode({1}))),
              "expected a pair of 2, got 1");
    EXPECT_EQ((problem_of<std::tuple<int, int>>(Codec<std::vector<int>>::encode({1, 2, 3}))),
              "expected a tuple of 2, got 3");
    EXPECT_EQ(problem_of<std::optional<int>>(Codec<std::vector<int>>::encode({1, 2})),
              "expected an optional value, got 2 values");
    EXPECT_EQ((problem_of<std::map<std::string, int>>(Codec<Strings>::encode({"a"}))),
              "the last key of the map has no value");
    EXPECT_EQ((problem_of<std::map<std::string, int>>(Codec<Strings>::encode({"a", "b"}))),
              "key 'a': expected an integer, got a payload with codec 2");
    EXPECT_EQ((problem_of<std::map<int, int>>(Codec<std::vector<int>>::encode({1, 2, 1, 3}))),
              "the map has the key '1' twice");
}

TEST(ContainerCodec, CutOffAtAnyByteIsAnError) {
    using Names = std::vector<std::string>;
    const Payload whole = Codec<Names>::encode({"text", "more"});
    for (std::size_t size = 0; size < whole.bytes.size(); ++size) {
        const Payload cut(PayloadCodec::arguments, whole.bytes.substr(0, size));
        EXPECT_EQ(problem_of<Names>(cut), "the stored bytes are not a list") << size;
    }
    EXPECT_EQ(problem_of<Names>(Payload(PayloadCodec::arguments, whole.bytes + "x")),
              "the stored bytes are not a list");
}

TEST(ContainerCodec, AFlaggedPayloadIsNotTakenForOne) {
    Payload coded = Codec<std::vector<int>>::encode({1});
    coded.flags = 4;
    EXPECT_THAT(problem_of<std::vector<int>>(coded), HasSubstr("compressed or encrypted"));
}

TEST(ContainerCodec, AnOptionalParameterTakesWhatItsValueWouldTake) {
    using detail::fits;
    static_assert(fits<int, std::optional<std::int64_t>>());
    static_assert(fits<const char(&)[2], std::optional<std::string>>());
    static_assert(fits<std::nullopt_t, std::optional<int>>());
    static_assert(!fits<const char*, std::optional<bool>>());
    static_assert(!fits<double, std::optional<int>>());
    static_assert(!fits<std::pair<double, const char*>, std::pair<int, bool>>());
    EXPECT_EQ(detail::as_parameter<std::optional<std::int64_t>>(7), std::optional<std::int64_t>(7));
    EXPECT_EQ(detail::as_parameter<std::optional<int>>(std::nullopt), std::nullopt);
    EXPECT_THROW((void)detail::as_parameter<std::optional<std::int8_t>>(300), std::out_of_range);
}

}  // namespace
}  // namespace belay::container_codec_tests
