#include "keys.hpp"
#include "store/coded/chain.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace belay::coded_tests {
namespace {

using coded::Chain;

Chain compressing(const Limits& limits = Limits()) {
    return Chain(CoderChain().then(compression()).limits(limits));
}

TEST(Compression, MakesLongTextShorter) {
    const Chain chain = compressing();
    Payload payload = Payload::text(std::string(100'000, 'x'));
    ASSERT_TRUE(chain.encode(payload).ok());
    EXPECT_EQ(payload.flags, CoderFlags::kCompressed);
    EXPECT_LT(payload.bytes.size(), 200U);
    ASSERT_TRUE(chain.decode(payload).ok());
    EXPECT_EQ(payload, Payload::text(std::string(100'000, 'x')));
}

TEST(Compression, LeavesAloneWhatIsShortOrWouldNotShrink) {
    const Chain chain = compressing();
    Payload few = Payload::text(std::string(CompressionOptions().at_least - 1, 'x'));
    const Payload before = few;
    ASSERT_TRUE(chain.encode(few).ok());
    EXPECT_EQ(few, before);

    // Ciphertext does not shrink.
    Payload noise = Payload::text(std::string(5'000, 'x'));
    ASSERT_TRUE(Chain(encrypting(ring_of("a"))).encode(noise).ok());
    noise.flags = 0;
    const Payload same = noise;
    ASSERT_TRUE(chain.encode(noise).ok());
    EXPECT_EQ(noise, same);
}

TEST(Compression, APayloadOfAStatedExcessiveLengthIsNotDecompressed) {
    Limits large;
    large.payload_bytes = 64 * 1024 * 1024;
    Payload bomb = Payload::text(std::string(large.payload_bytes, 'x'));
    ASSERT_TRUE(compressing(large).encode(bomb).ok());
    ASSERT_LT(bomb.bytes.size(), 10'000U);
    const Result<void> done = compressing().decode(bomb);
    ASSERT_FALSE(done.ok());
    EXPECT_EQ(done.error().code(), Errc::unreadable) << "those with other limits may read it";
    EXPECT_THAT(done.error().message(), ::testing::HasSubstr("67108864 bytes"));
    EXPECT_THAT(done.error().message(), ::testing::HasSubstr("CoderChain::limits"));
}

TEST(Compression, APayloadLongerThanTheLimitIsKeptAsItIs) {
    Limits small;
    small.payload_bytes = 1'000;
    small.compressed_row_bytes = 2'000;
    const Chain chain = compressing(small);
    Payload payload = Payload::text(std::string(1'003, 'x'));
    ASSERT_TRUE(chain.encode(payload).ok());
    EXPECT_EQ(payload.flags, 0) << "or it could not be read again";
    payload = Payload::text(std::string(1'000, 'x'));
    payload.flags = 5;
    ASSERT_TRUE(chain.encode(payload).ok());
    EXPECT_NE(payload.flags & CoderFlags::kCompressed, 0);
    EXPECT_TRUE(chain.decode(payload).ok());
    HistoryRow row{.count = 1, .bytes = std::string(2'000, 'x')};
    ASSERT_TRUE(chain.encode(row).ok());
    EXPECT_LT(row.bytes.size(), 100U) << "history has a limit of its own";
    EXPECT_TRUE(chain.decode(row).ok());
    row.bytes += "xxx";
    ASSERT_TRUE(chain.encode(row).ok());
    EXPECT_EQ(row.format, 1);
}

}  // namespace
}  // namespace belay::coded_tests
