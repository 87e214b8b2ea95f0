// Which key writes, which ones read, and how they change.
#include "store/coded/key_ring.hpp"

#include "keys.hpp"
#include "store/coded/chain.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <memory>
#include <new>
#include <stdexcept>
#include <thread>

namespace belay::coded_tests {
namespace {

using coded::Chain;
using ::testing::HasSubstr;

Payload written_with(const KeyRing& keys, const std::string& text = "secret") {
    Payload payload = Payload::text(text);
    EXPECT_TRUE(Chain(encrypting(keys)).encode(payload).ok());
    return payload;
}

Result<void> read_with(const KeyRing& keys, Payload payload) {
    return Chain(encrypting(keys)).decode(payload);
}

TEST(KeyRing, OneKeyWritesAndAllOfThemRead) {
    KeyRing keys = ring_of("ab");
    EXPECT_EQ(keys.writing(), 1U) << "the first one";
    const Payload first = written_with(keys);
    EXPECT_EQ(encrypted_with(first), 1U);
    ASSERT_TRUE(keys.write_with(2).ok());
    const Payload second = written_with(keys);
    EXPECT_EQ(encrypted_with(second), 2U);
    EXPECT_TRUE(read_with(keys, first).ok());
    EXPECT_TRUE(read_with(keys, second).ok());
    EXPECT_EQ(keys.ids(), (std::vector<KeyId>{1, 2}));
    EXPECT_FALSE(encrypted_with(Payload::text("plain")));
}

TEST(KeyRing, RotationEndsWithTheOldKeyDropped) {
    KeyRing keys = ring_of("a");
    const Payload old = written_with(keys);
    const KeyRing copy = keys;  // The same ring.
    ASSERT_TRUE(keys.add(9, key_of('z')).ok());
    ASSERT_TRUE(keys.write_with(9).ok());
    EXPECT_EQ(copy.writing(), 9U);
    ASSERT_TRUE(keys.drop(1).ok());
    EXPECT_TRUE(read_with(copy, written_with(keys)).ok());
    const Result<void> done = read_with(copy, old);
    ASSERT_FALSE(done.ok());
    EXPECT_EQ(done.error().code(), Errc::unreadable);
    EXPECT_THAT(done.error().message(), HasSubstr("encrypted with key 1, which is not in"));
    EXPECT_THAT(done.error().message(), HasSubstr("add the key"));
    ASSERT_TRUE(keys.add(1, key_of('a')).ok());
    EXPECT_TRUE(read_with(copy, old).ok());
}

TEST(KeyRing, DecryptionReadsAndWritesPlain) {
    KeyRing keys = ring_of("ab");
    const Payload first = written_with(keys);
    ASSERT_TRUE(keys.write_with(2).ok());
    const Payload second = written_with(keys);

    const Chain reading(CoderChain().then(compression()).then(decryption(keys)));
    for (Payload there : {first, second}) {
        ASSERT_TRUE(reading.decode(there).ok());
        EXPECT_EQ(there, Payload::text("secret"));
    }
    Payload plain = Payload::text("secret");
    ASSERT_TRUE(reading.encode(plain).ok());
    EXPECT_EQ(plain, Payload::text("secret")) << "nothing new is encrypted";

    // A ring without any key reads nothing, and says which one is missing.
    Payload unread = first;
    const Result<void> done = Chain(CoderChain().then(decryption(KeyRing()))).decode(unread);
    ASSERT_FALSE(done.ok());
    EXPECT_EQ(done.error().code(), Errc::unreadable);
    EXPECT_THAT(done.error().message(), HasSubstr("encrypted with key 1, which is not in"));
}

TEST(KeyRing, AnotherKeyUnderTheSameIdIsNotTakenForDamage) {
    const Result<void> done = read_with(ring_of("b"), written_with(ring_of("a")));
    ASSERT_FALSE(done.ok());
    EXPECT_EQ(done.error().code(), Errc::unreadable);
    EXPECT_THAT(done.error().message(), HasSubstr("a key 1 that is not the one"));
}

TEST(KeyRing, RefusesWhatIsNoKey) {
    KeyRing keys = ring_of("a");
    const auto code = [](const Result<void>& result) {
        return result.ok() ? Errc() : result.error().code();
    };
    EXPECT_EQ(code(keys.add(2, "too short")), Errc::invalid_argument);
    EXPECT_EQ(code(keys.add(1, key_of('b'))), Errc::invalid_argument) << "the id is taken";
    EXPECT_TRUE(keys.add(1, key_of('a')).ok()) << "by the same key";
    EXPECT_EQ(code(keys.write_with(2)), Errc::not_found);
    EXPECT_EQ(code(keys.drop(2)), Errc::not_found);
    EXPECT_EQ(code(keys.drop(1)), Errc::invalid_argument) << "it writes";
    EXPECT_THROW((void)encryption(KeyRing()), std::invalid_argument);
}

TEST(KeyRing, CopiesOfAKeyAreOverwritten) {
    alignas(coded::Key) unsigned char memory[sizeof(coded::Key)];
    auto* const key = new (memory) coded::Key;
    key->secret.fill(0xAB);
    std::destroy_at(key);
    EXPECT_EQ(std::count(std::begin(memory), std::end(memory), 0xAB), 0);
}

TEST(KeyRing, IsRotatedWhileOthersReadAndWrite) {
    KeyRing keys = ring_of("ab");
    std::atomic<bool> over = false;
    std::thread rotating([&] {
        for (KeyId id = 3; id < 200; ++id) {
            (void)keys.add(id, key_of(static_cast<char>(id)));
            (void)keys.write_with(id);
            (void)keys.drop(id - 2);
        }
        over = true;
    });
    while (!over) {
        // The key may be two further by now, and then it is gone; damaged it never is.
        const Result<void> done = read_with(keys, written_with(keys));
        EXPECT_TRUE(done.ok() || done.error().code() == Errc::unreadable);
    }
    rotating.join();
    EXPECT_TRUE(read_with(keys, written_with(keys)).ok());
}

}  // namespace
}  // namespace belay::coded_tests
