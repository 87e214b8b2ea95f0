// The stored form: bytes that were made without this code, from its comments alone. Every later
// release must read them.
#include "keys.hpp"
#include "store/coded/chain.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace belay::coded_tests {
namespace {

std::string from_hex(std::string_view digits) {
    std::string bytes;
    for (std::size_t i = 0; i < digits.size(); i += 2) {
        bytes += static_cast<char>(std::stoi(std::string(digits.substr(i, 2)), nullptr, 16));
    }
    return bytes;
}

/// Key 0x0a0b0c0d is the bytes 0 to 31.
coded::Chain reading() {
    std::string key;
    for (std::size_t i = 0; i < KeyRing::kKeyBytes; ++i) key += static_cast<char>(i);
    KeyRing keys;
    EXPECT_TRUE(keys.add(0x0a0b0c0d, key).ok());
    return coded::Chain(packing(keys));
}

constexpr std::string_view kHeader =
    "010d0c0b0aa46fafe6677b9f6f"                         // Version, id and check.
    "6465666768696a6b6c6d6e6f707172737475767778797a7b";  // The nonce.

TEST(StoredForm, APayloadThatIsEncrypted) {
    Payload payload = Payload::text(
        from_hex(std::string(kHeader) + "fbdc167de2b135a4ef41e26e484c8f6f86715b4a5a248006"));
    payload.flags = 4;
    EXPECT_EQ(encrypted_with(payload), 0x0a0b0c0dU);
    const Result<void> done = reading().decode(payload);
    ASSERT_TRUE(done.ok()) << done.error().describe();
    EXPECT_EQ(payload, Payload::text("a secret"));
}

TEST(StoredForm, APayloadThatIsCompressed) {
    Payload payload = Payload::text(from_hex("28b52ffd203b5d0000287a737464200100c359b4"));
    payload.flags = 2;
    const Result<void> done = reading().decode(payload);
    ASSERT_TRUE(done.ok()) << done.error().describe();
    EXPECT_EQ(payload.flags, 0);
    EXPECT_EQ(payload.bytes.size(), 59U);
    EXPECT_TRUE(payload.bytes.starts_with("zstd zstd "));
}

TEST(StoredForm, HistoryThatIsEncrypted) {
    HistoryRow row{.format = 0x8005,
                   .count = 3,
                   .bytes = from_hex(std::string(kHeader) +
                                     "98fc006ee4ad24a3cd6910c05b5c8323a5170716ecc7d382")};
    const Result<void> done = reading().decode(row);
    ASSERT_TRUE(done.ok()) << done.error().describe();
    EXPECT_EQ(row.format, 2);
    EXPECT_EQ(row.bytes, "events");
}

TEST(StoredForm, ATextThatIsEncrypted) {
    std::string text =
        "belay:coded:"
        "BQABDQwLCqRvr+Zne59vZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXp7mvwScPip36xfvJZIB6IeewbBDgHs";
    const Result<void> done = reading().decode(text);
    ASSERT_TRUE(done.ok()) << done.error().describe();
    EXPECT_EQ(text, "why");
}

}  // namespace
}  // namespace belay::coded_tests
