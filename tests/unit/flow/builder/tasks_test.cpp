// Tasks: one activity, started on its own.
#include "support/temporary_directory.hpp"
#include <belay/client.hpp>
#include <belay/registry.hpp>
#include <belay/store/sqlite.hpp>
#include <belay/task.hpp>
#include <belay/worker.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>

namespace belay {
namespace {

using namespace std::chrono_literals;

inline constexpr Activity<std::int64_t(std::string)> Count{"Count"};
inline constexpr Activity<void(std::string, FlowFailure)> TellOfTask{"Tell"};
inline constexpr Activity<std::string(std::string, std::int64_t)> Repeat{"Repeat"};
inline constexpr Activity<std::string()> Headers{"Headers"};

class Tasks : public ::testing::Test {
protected:
    Tasks() {
        add_flows(registry);
        registry.add(Count, [this](std::string text) {
            ++attempts;
            if (text.empty()) throw std::runtime_error("no text");
            if (text == "twice" && attempts < 2) throw std::runtime_error("once more");
            return static_cast<std::int64_t>(text.size());
        });
        registry.add(TellOfTask, [this](std::string text, FlowFailure failure) {
            if (++told_attempts < 2) throw std::runtime_error("cannot tell yet");
            told.set_value("'" + text + "': " + failure.message + " #" +
                           std::to_string(failure.attempt));
        });
        registry.add(Repeat, [](std::string text, std::int64_t times) {
            std::string all;
            for (std::int64_t i = 0; i < times; ++i) all += text;
            return all;
        });
        registry.add(Headers, [](ActivityContext& ctx) { return ctx.headers().at("trace"); });
        store = make_sqlite_store(directory.path() + "/tasks.db").or_throw();
        worker = std::make_unique<Worker>(*store, registry);
        client = std::make_unique<Client>(worker->store());
    }

    support::TemporaryDirectory directory;
    Registry registry;
    std::atomic<int> attempts = 0;
    std::atomic<int> told_attempts = 0;
    std::promise<std::string> told;
    std::unique_ptr<Store> store;
    std::unique_ptr<Worker> worker;
    std::unique_ptr<Client> client;
};

TEST_F(Tasks, ATaskThatSucceedsAtOnceCostsTwoDurableCommits) {
    const Task<std::int64_t(std::string)> count("count", Count);
    ASSERT_TRUE(count.check().ok()) << count.check().error().describe();
    const StoreCounts before = store->counts();
    EXPECT_EQ(client->start(count, "four").result(), 4);
    EXPECT_EQ(store->counts().commits - before.commits, 2U);
}

TEST_F(Tasks, ATaskHasAllParametersOfItsActivity) {
    const Task<std::string(std::string, std::int64_t)> repeat("repeat", Repeat);
    EXPECT_EQ(client->start(repeat, "ab", 2).result(), "abab");
}

TEST_F(Tasks, AFailedAttemptIsRetried) {
    Task<std::int64_t(std::string)> count("count", Count);
    count.retry(FlowRetry(3).delay(1ms)).timeout(1min);
    EXPECT_EQ(client->start(count, "twice").result(), 5);
    EXPECT_EQ(attempts, 2);
}

TEST_F(Tasks, TheHandlerOfFailuresGetsTheInputAndTheFailureAndHasItsOwnRetries) {
    Task<std::int64_t(std::string)> count("count", Count);
    count.retry(FlowRetry(2).delay(1ms)).on_fail(TellOfTask, FlowRetry(3).delay(1ms));
    EXPECT_EQ(client->start(count, "").wait().or_throw().outcome().status, Status::failed);
    EXPECT_EQ(told.get_future().get(), "'': no text #2");
    EXPECT_EQ(told_attempts, 2);
}

TEST_F(Tasks, AFalseConditionSkipsTheTask) {
    Task<std::int64_t(std::string)> count("count", Count);
    count.when([](auto text) { return text != "no"; });
    EXPECT_EQ(client->start(count, "no").wait().or_throw().outcome().status, Status::skipped);
    EXPECT_EQ(client->start(count, "yes").result(), 3);
    EXPECT_EQ(attempts, 1);
}

TEST_F(Tasks, HeadersReachTheActivity) {
    const Task<std::string()> headers("headers", Headers);
    EXPECT_EQ(client->start(headers, StartOptions().header("trace", "t-1")).result(), "t-1");
}

TEST_F(Tasks, ATaskIsCanceledByNameAndId) {
    const Task<std::int64_t(std::string)> count("count", Count);
    const auto run = client->start(count, StartOptions().id("later").delay(1h), "x");
    const auto other = client->cancel("later", CancelOptions().definition("other"));
    EXPECT_EQ(other.error().code(), Errc::not_found);
    const auto canceled =
        client->cancel("later", CancelOptions().definition(count.name()).reason("too late"));
    EXPECT_TRUE(canceled->changed);
    EXPECT_EQ(canceled->instance.status, Status::canceled);
    EXPECT_FALSE(client->cancel("later")->changed);
    EXPECT_EQ(attempts, 0);
}

TEST_F(Tasks, TheKeyAndTheExpiryOfATaskHoldForItsStarts) {
    Task<std::int64_t(std::string)> count("count", Count);
    count.concurrency(count.param<0>(), WhenBusy::refuse).expires(2h);
    const auto first = client->start(count, StartOptions().delay(1h), "x");
    EXPECT_TRUE(first.ok());
    EXPECT_FALSE(client->start(count, StartOptions().delay(1h), "x").ok());
    EXPECT_EQ(client->start(count, "y").result(), 1);
}

}  // namespace
}  // namespace belay
