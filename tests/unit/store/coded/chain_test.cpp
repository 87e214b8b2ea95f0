// Effects of a chain of coders on payloads, history rows and texts.
#include "store/coded/chain.hpp"

#include "keys.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <stdexcept>

namespace belay::coded_tests {
namespace {

using coded::Chain;
using ::testing::HasSubstr;
using Numbers = std::initializer_list<std::uint16_t>;

std::string long_text() {
    std::string text;
    for (int i = 0; i < 500; ++i) text += "line " + std::to_string(i) + "\n";
    return text;
}

Payload encoded(const Chain& chain, Payload payload) {
    EXPECT_TRUE(chain.encode(payload).ok());
    return payload;
}

Errc error_of(const Chain& chain, Payload payload) {
    const Result<void> done = chain.decode(payload);
    return done.ok() ? Errc() : done.error().code();
}

TEST(CoderChain, PayloadsComeBackAsTheyWere) {
    const Chain chain(packing(ring_of("a")));
    for (const std::string& bytes : {std::string("x"), std::string(1, '\0'), long_text()}) {
        for (const PayloadCodec codec :
             {PayloadCodec::text, PayloadCodec::failure, static_cast<PayloadCodec>(4242)}) {
            for (const std::uint16_t flags : Numbers{0, 1, 6, 0x8001, 0xffff}) {
                Payload plain(codec, bytes);
                plain.flags = flags;
                Payload there = encoded(chain, plain);
                EXPECT_EQ(there.codec, codec);
                EXPECT_NE(there.flags & CoderFlags::kEncrypted, 0);
                EXPECT_EQ(there.bytes.find("line"), std::string::npos);
                ASSERT_TRUE(chain.decode(there).ok());
                EXPECT_EQ(there, plain);
            }
        }
    }
}

TEST(CoderChain, TheSameValueIsNeverTheSameCiphertext) {
    const Chain chain(encrypting(ring_of("a")));
    EXPECT_NE(encoded(chain, Payload::text("x")).bytes, encoded(chain, Payload::text("x")).bytes);
}

TEST(CoderChain, NoValueAndAnEmptyOneStayAsTheyAre) {
    const Chain chain(packing(ring_of("a")));
    EXPECT_EQ(encoded(chain, Payload()), Payload());
    EXPECT_EQ(encoded(chain, Payload::text("")), Payload::text(""));
    HistoryRow none;
    ASSERT_TRUE(chain.encode(none).ok());
    EXPECT_EQ(none.format, 1);
    EXPECT_TRUE(none.bytes.empty());
}

TEST(CoderChain, BytesWrittenBeforeItWasThereAreRead) {
    const Chain chain(packing(ring_of("a")));
    Payload payload = Payload::text("plain");
    ASSERT_TRUE(chain.decode(payload).ok());
    EXPECT_EQ(payload, Payload::text("plain"));
    HistoryRow row{.format = 1, .count = 2, .bytes = "events"};
    ASSERT_TRUE(chain.decode(row).ok());
    EXPECT_EQ(row.bytes, "events");
    std::string text = "a detail";
    ASSERT_TRUE(chain.decode(text).ok());
    EXPECT_EQ(text, "a detail");
}

TEST(CoderChain, HistoryComesBackWithItsFormat) {
    for (const CoderChain& coders : {packing(ring_of("a")), CoderChain()}) {
        const Chain chain(coders);
        for (const std::uint16_t format : Numbers{1, 7, 0x8000, 0xffff}) {
            HistoryRow row{.format = format, .count = 3, .bytes = long_text()};
            ASSERT_TRUE(chain.encode(row).ok());
            EXPECT_EQ(row.count, 3U);
            // Without coders only what looks as if there were some.
            EXPECT_EQ(row.bytes == long_text(), coders.coders().empty() && format < 0x8000);
            ASSERT_TRUE(chain.decode(row).ok());
            EXPECT_EQ(row.format, format);
            EXPECT_EQ(row.bytes, long_text());
        }
    }
}

TEST(CoderChain, TextsStayTexts) {
    for (const CoderChain& coders : {packing(ring_of("a")), CoderChain()}) {
        const Chain chain(coders);
        for (const std::string& plain : {std::string(),
                                         std::string("code and history differ"),
                                         std::string("belay:coded:"),
                                         std::string("belay:coded:AAAA"),
                                         long_text()}) {
            std::string text = plain;
            ASSERT_TRUE(chain.encode(text).ok());
            EXPECT_EQ(text == plain, plain.empty() || (coders.coders().empty() && plain[0] != 'b'));
            for (const char c : text) EXPECT_TRUE(c == '\n' || (c >= ' ' && c <= '~'));
            ASSERT_TRUE(chain.decode(text).ok());
            EXPECT_EQ(text, plain);
        }
    }
}

TEST(CoderChain, ACiphertextUnderAnotherLabelIsRefused) {
    const Chain chain(packing(ring_of("a")));
    const Payload there = encoded(chain, Payload::text(long_text()));
    Payload other = there;
    other.codec = PayloadCodec::bytes;
    EXPECT_EQ(error_of(chain, other), Errc::corrupt);
    other = there;
    other.flags = CoderFlags::kEncrypted;  // Not compressed, it says.
    EXPECT_EQ(error_of(chain, other), Errc::corrupt);
    other = there;
    other.flags = static_cast<std::uint16_t>(other.flags | CoderFlags::kKept);
    EXPECT_EQ(error_of(chain, other), Errc::corrupt);

    HistoryRow row{.count = 3, .bytes = "events"};
    ASSERT_TRUE(chain.encode(row).ok());
    Payload from_history(PayloadCodec::none, row.bytes);
    from_history.flags = row.format & 0x7fff;
    EXPECT_EQ(error_of(chain, from_history), Errc::corrupt);
    row.count = 4;
    EXPECT_EQ(chain.decode(row).error().code(), Errc::corrupt);
}

TEST(CoderChain, DamageIsNoticedWhereverItIs) {
    for (const CoderChain& coders : {packing(ring_of("a")), CoderChain().then(compression())}) {
        const Chain chain(coders);
        const Payload there = encoded(chain, Payload::text(long_text()));
        for (std::size_t i = 0; i < there.bytes.size(); ++i) {
            Payload damaged = there;
            damaged.bytes[i] = static_cast<char>(damaged.bytes[i] ^ 0x10);
            const Payload before = damaged;
            // zstd without its checksum may well give other text, but never more than it says.
            const Result<void> done = chain.decode(damaged);
            EXPECT_TRUE(!done.ok() || coders.coders().size() == 1) << i;
            EXPECT_TRUE(done.ok() || damaged == before) << "what fails stays as it was";
            Payload cut = there;
            cut.bytes.resize(i);
            EXPECT_NE(error_of(chain, cut), Errc()) << i;
        }
    }
}

TEST(CoderChain, AMissingCoderIsNamed) {
    const Chain plain{CoderChain()};
    Payload there = encoded(Chain(packing(ring_of("a"))), Payload::text(long_text()));
    const Result<void> done = plain.decode(there);
    ASSERT_FALSE(done.ok());
    EXPECT_EQ(done.error().code(), Errc::unreadable);
    EXPECT_THAT(done.error().message(), HasSubstr("encrypted with key 1"));
    EXPECT_THAT(done.error().message(), HasSubstr("open the store with the coders"));

    there = encoded(Chain(CoderChain().then(compression())), Payload::text(long_text()));
    EXPECT_THAT(plain.decode(there).error().message(),
                HasSubstr("it is compressed (flags 0x0002)"));
    there = encoded(Chain(CoderChain().then(std::make_shared<Shifting>())), Payload::text("x"));
    EXPECT_THAT(plain.decode(there).error().message(), HasSubstr("flags 0x0100"));
    EXPECT_EQ(error_of(plain, there), Errc::unreadable);
}

TEST(CoderChain, CodersOfUsersStandInLine) {
    const auto inner = std::make_shared<Shifting>(CoderFlags::kFirstUserFlag);
    const auto outer = std::make_shared<Shifting>(CoderFlags::kLastUserFlag);
    const Chain chain(CoderChain().then(inner).then(encryption(ring_of("a"))).then(outer));
    Payload payload = encoded(chain, Payload::text("abc"));
    EXPECT_EQ(payload.flags, 0x4104);
    EXPECT_FALSE(encrypted_with(payload)) << "another coder came last";
    ASSERT_TRUE(chain.decode(payload).ok());
    EXPECT_EQ(payload, Payload::text("abc"));
    // A chain in a chain: the flags of the outer one are kept by the inner.
    const Chain below(encrypting(ring_of("b")));
    payload = encoded(below, encoded(chain, Payload::text("abc")));
    ASSERT_TRUE(below.decode(payload).ok());
    ASSERT_TRUE(chain.decode(payload).ok());
    EXPECT_EQ(payload, Payload::text("abc"));
}

/// Throws what it was given.
template <class Thrown>
class Throwing final : public PayloadCoder {
public:
    explicit Throwing(Thrown thrown) : thrown_(std::move(thrown)) {}
    [[nodiscard]] std::uint16_t flag() const noexcept override { return 0x0200; }
    [[nodiscard]] Result<std::optional<std::string>> encode(std::string_view /*bytes*/,
                                                            const CodedAs& /*as*/) const override {
        throw thrown_;
    }
    [[nodiscard]] Result<std::string> decode(std::string_view /*bytes*/,
                                             const CodedAs& /*as*/) const override {
        throw thrown_;
    }

private:
    Thrown thrown_;
};

template <class Thrown>
void expect_errors_of(Thrown thrown, const std::string& message) {
    const Chain chain(CoderChain()
                          .then(std::make_shared<Shifting>())
                          .then(std::make_shared<Throwing<Thrown>>(std::move(thrown))));
    Payload payload = Payload::text("abc");
    const Result<void> encoding = chain.encode(payload);
    ASSERT_FALSE(encoding.ok());
    EXPECT_EQ(encoding.error().code(), Errc::unavailable);
    EXPECT_TRUE(encoding.error().retryable());
    EXPECT_EQ(encoding.error().message(), message);
    EXPECT_EQ(payload, Payload::text("abc")) << "what fails stays as it was";

    payload.flags = 0x0200;
    const Payload before = payload;
    const Result<void> decoding = chain.decode(payload);
    ASSERT_FALSE(decoding.ok());
    EXPECT_EQ(decoding.error().code(), Errc::unreadable);
    EXPECT_EQ(decoding.error().message(), message);
    EXPECT_EQ(payload, before);
}

TEST(CoderChain, AnExceptionOfACoderIsAnErrorThatNamesIt) {
    expect_errors_of(std::runtime_error("no network"),
                     "the coder with flag 0x0200 has failed: no network");
    expect_errors_of(7,
                     "the coder with flag 0x0200 has failed: something that is not a "
                     "std::exception was thrown");
}

/// Answers with the error it was given.
class Refusing final : public PayloadCoder {
public:
    explicit Refusing(Errc code) : code_(code) {}
    [[nodiscard]] std::uint16_t flag() const noexcept override { return 0x0200; }
    [[nodiscard]] Result<std::optional<std::string>> encode(std::string_view /*bytes*/,
                                                            const CodedAs& /*as*/) const override {
        return Error(code_, "no key");
    }
    [[nodiscard]] Result<std::string> decode(std::string_view /*bytes*/,
                                             const CodedAs& /*as*/) const override {
        return Error(code_, "no key");
    }

private:
    Errc code_;
};

TEST(CoderChain, NoCoderSpeaksForTheStore) {
    const auto encoding_with = [](Errc code) {
        Payload payload = Payload::text("abc");
        return Chain(CoderChain().then(std::make_shared<Refusing>(code))).encode(payload);
    };
    for (const Errc own : {Errc::unavailable, Errc::unreadable, Errc::limit_exceeded}) {
        const Result<void> encoding = encoding_with(own);
        ASSERT_FALSE(encoding.ok());
        EXPECT_EQ(encoding.error().code(), own);
        EXPECT_EQ(encoding.error().message(), "no key");
    }
    for (const Errc foreign : {Errc::not_found, Errc::lease_lost, Errc::outcome_unknown}) {
        const Result<void> encoding = encoding_with(foreign);
        ASSERT_FALSE(encoding.ok());
        EXPECT_EQ(encoding.error().code(), Errc::unreadable);
        EXPECT_EQ(encoding.error().message(),
                  "the coder with flag 0x0200 has failed: " + std::string(to_string(foreign)) +
                      ": no key");
    }
}

TEST(CoderChain, AFlagIsOneFreeBit) {
    for (const std::uint16_t flag : Numbers{0, 0x0001, 0x0008, 0x0300, 0x8000}) {
        CoderChain chain;
        EXPECT_THROW(chain.then(std::make_shared<Shifting>(flag)), std::invalid_argument) << flag;
    }
    CoderChain chain;
    chain.then(std::make_shared<Shifting>());
    EXPECT_THROW(chain.then(std::make_shared<Shifting>()), std::invalid_argument);
}

}  // namespace
}  // namespace belay::coded_tests
