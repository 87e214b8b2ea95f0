// Workers with threads on a SQLite file whose payloads are compressed and encrypted.
#include "support/temporary_directory.hpp"
#include <belay/client.hpp>
#include <belay/finding.hpp>
#include <belay/registry.hpp>
#include <belay/store/coded.hpp>
#include <belay/store/sqlite.hpp>
#include <belay/worker.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

namespace belay::worker_coded_tests {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

inline constexpr Activity<std::string(std::string)> Grow{"Grow"};
inline constexpr Definition<std::string(std::string)> Growing{"Growing"};

/// No test waits that long unless something is wrong.
constexpr Millis kForever = 120s;

/// Its payloads become long enough to be compressed.
Orchestration<std::string> growing(OrchestrationContext ctx, std::string text) {
    for (int i = 0; i < 8; ++i) text = co_await ctx.call(Grow, text);
    (void)co_await ctx.wait<std::string>("go");
    co_return co_await ctx.call(Grow, text);
}

std::string key(char letter) { return std::string(KeyRing::kKeyBytes, letter); }

KeyRing first_key() {
    KeyRing keys;
    EXPECT_TRUE(keys.add(1, key('a')).ok());
    return keys;
}

CoderChain chain_of(const KeyRing& keys) {
    return CoderChain().then(compression()).then(encryption(keys));
}

class WorkerCoded : public ::testing::Test {
protected:
    WorkerCoded() {
        registry.add(Growing, growing);
        registry.add(Grow, [](const std::string& text) { return text + text; });
    }
    static InstanceName named(int i) { return {"default", "run-" + std::to_string(i)}; }

    Registry registry;
    KeyRing keys = first_key();
    support::TemporaryDirectory directory;
    std::unique_ptr<Store> file =
        make_sqlite_store(directory.file("belay.db"),
                          SqliteOptions().synchronous(Synchronous::normal).preallocate(false))
            .value();
    std::unique_ptr<Store> store = make_coded_store(*file, chain_of(keys));
};

TEST_F(WorkerCoded, KeysAreRotatedWhileRunsAreUnderWay) {
    constexpr int kRuns = 12;
    Worker worker(*store, registry);
    Client client(worker.store());
    for (int i = 0; i < kRuns; ++i) {
        const auto started =
            client.start(Growing, StartOptions().id(named(i).id), std::string("secret "));
        ASSERT_TRUE(started.ok()) << started.error().describe();
    }
    ASSERT_TRUE(keys.add(2, key('b')).ok());
    ASSERT_TRUE(keys.write_with(2).ok());
    for (int i = 0; i < kRuns; ++i) {
        const auto sent = client.raise(named(i), "go", Payload::text(""));
        ASSERT_TRUE(sent.ok()) << sent.error().describe();
    }
    std::string expected = "secret ";
    for (int i = 0; i < 9; ++i) expected += expected;
    for (int i = 0; i < kRuns; ++i) {
        const auto ended = client.wait(named(i), kForever);
        ASSERT_TRUE(ended.ok()) << ended.error().describe();
        EXPECT_EQ(ended->output, Payload::text(expected));
    }
    // A client with only one of the keys reads the payloads of that key, and is told which other
    // one is needed. The stored bytes tell nobody more.
    Client plain(*file);
    const auto stored = plain.inspect(named(0));
    ASSERT_TRUE(stored.ok()) << stored.error().describe();
    EXPECT_EQ(encrypted_with(stored->input), 1U);
    EXPECT_EQ(encrypted_with(stored->outcome->output), 2U);
    EXPECT_LT(stored->outcome->output.bytes.size(), 200U) << "it was compressed first";
    KeyRing newer;
    ASSERT_TRUE(newer.add(2, key('b')).ok());
    const auto partly = make_coded_store(*file, chain_of(newer));
    Client reader(*partly);
    const auto refused = reader.inspect(named(0));
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code(), Errc::unreadable);
    EXPECT_THAT(refused.error().message(), HasSubstr("key 1"));
    EXPECT_EQ(reader.wait(named(0), kForever).error().code(), Errc::unreadable)
        << "who waits is told and does not wait for ever";
    // It can still be told to go.
    EXPECT_TRUE(reader.cancel(named(0)).ok());
}

TEST_F(WorkerCoded, ARunOfAnotherProcessGoesOnHere) {
    {
        Worker first(*store, registry);
        Client client(first.store());
        ASSERT_TRUE(client.start(Growing, StartOptions().id(named(0).id), std::string("x")).ok());
        first.stop();
    }
    // History is read and decoded.
    Worker second(*store, registry);
    Client client(second.store());
    ASSERT_TRUE(client.raise(named(0), "go", Payload::text("")).ok());
    const auto ended = client.wait(named(0), kForever);
    ASSERT_TRUE(ended.ok()) << ended.error().describe();
    EXPECT_EQ(ended->output, Payload::text(std::string(512, 'x')));
}

}  // namespace
}  // namespace belay::worker_coded_tests
