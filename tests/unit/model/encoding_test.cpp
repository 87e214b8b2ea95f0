#include "model/encoding.hpp"

#include "unit/model/generator.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace belay::model {
namespace {

constexpr std::uint64_t kNumbers[] = {0,
                                      1,
                                      127,
                                      128,
                                      16'383,
                                      16'384,
                                      std::numeric_limits<std::uint32_t>::max(),
                                      std::numeric_limits<std::uint64_t>::max() - 1,
                                      std::numeric_limits<std::uint64_t>::max()};

TEST(Encoding, NumbersGoBothWays) {
    for (const std::uint64_t number : kNumbers) {
        Writer out;
        out.number(number);
        const std::string bytes = out.take();
        Reader in(bytes);
        EXPECT_EQ(in.number(), number);
        EXPECT_TRUE(in.ok());
        EXPECT_TRUE(in.at_end());
    }
}

TEST(Encoding, SignedNumbersGoBothWays) {
    for (const std::int64_t number : {std::int64_t{0},
                                      std::int64_t{-1},
                                      std::int64_t{1},
                                      std::int64_t{-64},
                                      std::numeric_limits<std::int64_t>::min(),
                                      std::numeric_limits<std::int64_t>::max()}) {
        Writer out;
        out.signed_number(number);
        const std::string bytes = out.take();
        Reader in(bytes);
        EXPECT_EQ(in.signed_number(), number);
        EXPECT_TRUE(in.ok() && in.at_end());
    }
}

TEST(Encoding, SmallNumbersAreSmall) {
    Writer out;
    out.number(127);
    out.signed_number(-64);
    EXPECT_EQ(out.take().size(), 2U);
}

TEST(Encoding, AWriterIsEmptyAfterItWasTakenFrom) {
    Writer out;
    out.text("x");
    EXPECT_EQ(out.take().size(), 2U);
    EXPECT_EQ(out.take(), "");
}

TEST(Encoding, NumbersOfMoreThan64BitsAreRefused) {
    Reader wide("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x02");
    EXPECT_EQ(wide.number(), 0U);
    EXPECT_FALSE(wide.ok());
    Reader longer("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01");
    EXPECT_EQ(longer.number(), 0U);
    EXPECT_FALSE(longer.ok());
}

TEST(Encoding, ATextThatClaimsToBeLongerThanTheBytesIsRefused) {
    Reader in("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01hello");
    EXPECT_EQ(in.text(), "");
    EXPECT_FALSE(in.ok());
}

TEST(Encoding, AfterAFailureEverythingIsEmpty) {
    Reader in(
        "\x05"
        "ab");
    EXPECT_EQ(in.text(), "");
    EXPECT_FALSE(in.ok());
    EXPECT_TRUE(in.at_end());
    EXPECT_EQ(in.number(), 0U);
    EXPECT_EQ(in.text(), "");
    EXPECT_EQ(in.payload(), Payload());
    EXPECT_FALSE(in.ok());
}

TEST(Encoding, PayloadsGoBothWays) {
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
        Generator generator(seed);
        const Payload payload = generator.payload();
        Writer out;
        out.payload(payload);
        const std::string bytes = out.take();
        Reader in(bytes);
        EXPECT_EQ(in.payload(), payload);
        EXPECT_TRUE(in.ok() && in.at_end());
    }
}

TEST(Encoding, APayloadCodecBeyond16BitsIsRefused) {
    Writer out;
    out.number(65'536 + 2);
    out.number(0);
    out.text("x");
    const std::string bytes = out.take();
    Reader in(bytes);
    (void)in.payload();
    EXPECT_FALSE(in.ok());
}

TEST(Encoding, FailuresAndCancelsGoBothWaysAsPayloads) {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        Generator generator(seed);
        const Failure failure = generator.failure();
        const Result<Failure> read = failure_of(to_payload(failure));
        ASSERT_TRUE(read.ok());
        EXPECT_EQ(*read, failure);
        const CancelRecord cancel = generator.cancel();
        const Result<CancelRecord> back = cancel_of(to_payload(cancel));
        ASSERT_TRUE(back.ok());
        EXPECT_EQ(*back, cancel);
    }
}

TEST(Encoding, FailuresAndCancelsThatAreNoneAreRefused) {
    Generator generator(1);
    Payload failure = to_payload(generator.failure());
    EXPECT_FALSE(cancel_of(failure).ok());
    EXPECT_EQ(failure_of(Payload::text(failure.bytes)).error().code(), Errc::corrupt);
    failure.bytes += "x";
    EXPECT_FALSE(failure_of(failure).ok()) << "bytes too many";
    for (std::size_t size = 0; size + 1 < failure.bytes.size(); ++size) {
        EXPECT_FALSE(
            failure_of(Payload(PayloadCodec::failure, failure.bytes.substr(0, size))).ok());
    }
    const Payload cancel = to_payload(generator.cancel());
    for (std::size_t size = 0; size < cancel.bytes.size(); ++size) {
        EXPECT_FALSE(cancel_of(Payload(PayloadCodec::cancel, cancel.bytes.substr(0, size))).ok());
    }
}

TEST(Encoding, UnknownEnumValuesAreRefused) {
    for (const std::uint64_t kind : {0U, 9U, 255U}) {
        Writer out;
        out.number(kind);
        out.text("m");
        out.text("w");
        out.number(1);
        out.text("d");
        EXPECT_FALSE(failure_of(Payload(PayloadCodec::failure, out.take())).ok());
    }
}

}  // namespace
}  // namespace belay::model
