// The runtime on real threads, on a SQLite file.
#include "runtime/driver.hpp"
#include "store/forwarding_store.hpp"
#include "support/pipe_for_errors.hpp"
#include "support/temporary_directory.hpp"
#include <belay/async.hpp>
#include <belay/client.hpp>
#include <belay/finding.hpp>
#include <belay/registry.hpp>
#include <belay/store/sqlite.hpp>
#include <belay/thread_executor.hpp>
#include <belay/worker.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <semaphore>
#include <thread>

namespace belay::worker_tests {
namespace {

using namespace std::chrono_literals;

inline constexpr Activity<std::int64_t(std::int64_t)> Increment{"Increment"};
inline constexpr Activity<void()> Hang{"Hang"};
inline constexpr Activity<void()> Ignore{"Ignore"};
inline constexpr Activity<void()> Log{"Log"};
inline constexpr Definition<std::int64_t(std::int64_t)> Chain{"Chain"};
inline constexpr Definition<std::int64_t(std::int64_t)> Fan{"Fan"};
inline constexpr Definition<void()> Hanging{"Hanging"};
inline constexpr Definition<void()> Ignoring{"Ignoring"};
inline constexpr Definition<void()> Logging{"Logging"};
inline constexpr Definition<std::string()> Waiting{"Waiting"};

/// No test waits that long unless something is wrong.
constexpr Millis kForever = 120s;

Orchestration<std::int64_t> chain(OrchestrationContext ctx, std::int64_t length) {
    std::int64_t value = 0;
    for (std::int64_t i = 0; i < length; ++i) value = co_await ctx.call(Increment, value);
    co_return value;
}
Orchestration<std::int64_t> fan(OrchestrationContext ctx, std::int64_t width) {
    std::vector<Call<std::int64_t>> calls;
    for (std::int64_t i = 0; i < width; ++i) calls.push_back(ctx.call(Increment, i));
    const std::vector<std::int64_t> values = co_await ctx.join(std::move(calls));
    std::int64_t sum = 0;
    for (const std::int64_t value : values) sum += value;
    co_return sum;
}
Orchestration<void> hanging(OrchestrationContext ctx) { co_await ctx.call(Hang); }
Orchestration<void> ignoring(OrchestrationContext ctx) { co_await ctx.call(Ignore); }
Orchestration<void> logging(OrchestrationContext ctx) { co_await ctx.call(Log); }
Orchestration<std::string> waiting(OrchestrationContext ctx) {
    co_return co_await ctx.wait<std::string>("go");
}

class WorkerTest : public ::testing::Test {
protected:
    WorkerTest() {
        registry.add(Chain, chain);
        registry.add(Fan, fan);
        registry.add(Hanging, hanging);
        registry.add(Ignoring, ignoring);
        registry.add(Logging, logging);
        registry.add(Waiting, waiting);
        registry.add(Increment, [](std::int64_t value) { return value + 1; });
        registry.add(Log, [](ActivityContext& ctx) {
            ctx.log().info("half full");
            ctx.log().warning("almost full");
        });
        registry.add(Hang, [this](ActivityContext& ctx) {
            ++begun;
            begun.notify_all();
            std::promise<void> stopped;
            const std::stop_callback callback(ctx.stop_token(), [&] { stopped.set_value(); });
            stopped.get_future().wait();
            reasons.push_back(ctx.stop_reason());
            ++returned;
            returned.notify_all();
            throw std::runtime_error("stopped");
        });
        registry.add(Ignore, [this] {
            ++begun;
            begun.notify_all();
            let_go.acquire();
            ++returned;
            returned.notify_all();
        });
    }

    [[nodiscard]] std::unique_ptr<Store> open() {
        auto opened =
            make_sqlite_store(directory.file("belay.db"),
                              SqliteOptions().synchronous(Synchronous::normal).preallocate(false));
        EXPECT_TRUE(opened.ok());
        return std::move(*opened);
    }
    static Policy quick() {
        Policy policy;
        policy.grace = 50ms;
        policy.activity_lease = 2s;
        policy.turn_lease = 2s;
        return policy;
    }
    void wait_for(std::atomic<int>& count, int value) {
        for (int now = count; now < value; now = count) count.wait(now);
    }
    std::vector<ActivityInfo> queue() {
        std::promise<std::vector<ActivityInfo>> rows;
        store->read(ListActivities{},
                    [&](Result<ListActivities::Answer> answer) { rows.set_value(*answer); });
        return rows.get_future().get();
    }

    support::TemporaryDirectory directory;
    std::unique_ptr<Store> store = open();
    Registry registry;
    std::atomic<int> begun = 0;
    std::atomic<int> returned = 0;
    std::counting_semaphore<> let_go{0};
    std::vector<StopReason> reasons;  // One handler at a time adds its own.
};

TEST_F(WorkerTest, ARunGoesFromItsStartToItsResultInTwoCommits) {
    Worker worker(*store, registry);
    Client client(worker.store());
    const StoreCounts before = store->counts();
    const auto started = client.start(Chain, StartOptions().id("one"), std::int64_t{1});
    ASSERT_TRUE(started.ok()) << started.error().describe();
    EXPECT_TRUE(started->created);
    const auto ended = client.wait(Chain, {"default", "one"}, kForever);
    ASSERT_TRUE(ended.ok()) << ended.error().describe();
    EXPECT_EQ(ended->value(), 1);
    EXPECT_EQ(store->counts().commits - before.commits, 2U);
    worker.stop();
    EXPECT_EQ(worker.counts().fused_turns, 2U);
    EXPECT_EQ(worker.counts().handed_over, 1U);
}

TEST_F(WorkerTest, AWorkerBeginsRunsThatWaitedForItAtOnce) {
    // No sweep and no poll comes to its help. Its threads start late, because others are busy.
    Policy policy;
    policy.sweep_interval = kForever;
    policy.poll_interval = kForever;
    std::vector<std::jthread> others;
    for (unsigned i = 0; i < 2 * std::thread::hardware_concurrency(); ++i) {
        others.emplace_back([](const std::stop_token& stop) {
            while (!stop.stop_requested()) {
            }
        });
    }
    Client client(*store);
    for (int i = 0; i < 20; ++i) {
        const std::string id = std::to_string(i);
        ASSERT_TRUE(client.start(Chain, StartOptions().id(id), std::int64_t{0}).ok());
        Worker worker(*store, registry, RuntimeOptions().policy(policy));
        const auto ended = client.wait(Chain, {"default", id}, kForever / 4);
        ASSERT_TRUE(ended.ok()) << "run " << id << ": " << ended.error().describe();
    }
}

TEST_F(WorkerTest, WithoutASinkWarningsAreLinesOnTheStandardError) {
    const auto written_by = [&](const std::string& id, const RuntimeOptions& options) {
        support::PipeForErrors pipe;
        {
            Worker worker(*store, registry, options);
            Client client(worker.store());
            EXPECT_TRUE(client.start(Logging, StartOptions().id(id)).ok());
            EXPECT_TRUE(client.wait(Logging, {"default", id}, kForever).ok());
        }
        // Reading waits for something.
        EXPECT_EQ(::write(STDERR_FILENO, "end", 3), 3);
        return pipe.read();
    };
    const std::string lines = written_by("default", RuntimeOptions().worker("w1"));
    EXPECT_THAT(lines, ::testing::HasSubstr("belay warning activity_log worker=w1 run=default"));
    EXPECT_THAT(lines, ::testing::HasSubstr("activity=Log"));
    EXPECT_THAT(lines, ::testing::HasSubstr(": almost full\n"));
    EXPECT_THAT(lines, ::testing::Not(::testing::HasSubstr("half full")));
    std::atomic<int> heard = 0;
    const auto count = [&](const EngineEvent& event) {
        if (event.code == EngineCode::activity_log) ++heard;
    };
    EXPECT_EQ(written_by("own", RuntimeOptions().events(count)), "end");
    EXPECT_EQ(heard, 2);
    EXPECT_EQ(written_by("silent", RuntimeOptions().events(EngineEventSink())), "end");
}

TEST_F(WorkerTest, ManyClientsStartManyRunsAndEachEndsOnce) {
    Worker worker(*store, registry);
    Client client(worker.store());
    constexpr int kClients = 4;
    constexpr int kEach = 25;
    {
        std::vector<std::jthread> clients;
        for (int i = 0; i < kClients; ++i) {
            clients.emplace_back([&, i] {
                for (int n = 0; n < kEach; ++n) {
                    const std::string id = std::to_string(i) + "-" + std::to_string(n);
                    const auto& what = n % 2 == 0 ? Chain : Fan;
                    const auto started = client.start(what, StartOptions().id(id), std::int64_t{5});
                    ASSERT_TRUE(started.ok() && started->created);
                    const auto ended = client.wait(what, {"default", id}, kForever);
                    ASSERT_TRUE(ended.ok()) << ended.error().describe();
                    EXPECT_EQ(ended->value(), n % 2 == 0 ? 5 : 15);
                }
            });
        }
    }
    worker.stop();  // The client may hear of an end before the worker does.
    EXPECT_EQ(worker.counts().activities_completed, 5U * kClients * kEach);
    EXPECT_TRUE(queue().empty());
}

TEST_F(WorkerTest, TwoWorkersShareOneFile) {
    const std::unique_ptr<Store> other = open();
    Worker first(*store, registry, RuntimeOptions().worker("first"));
    Worker second(*other, registry, RuntimeOptions().worker("second"));
    Client here(first.store());
    Client there(second.store());
    for (int i = 0; i < 20; ++i) {
        const std::string id = std::to_string(i);
        ASSERT_TRUE(
            (i % 2 == 0 ? here : there).start(Fan, StartOptions().id(id), std::int64_t{10}).ok());
    }
    for (int i = 0; i < 20; ++i) {
        const auto ended = here.wait(Fan, {"default", std::to_string(i)}, kForever);
        ASSERT_TRUE(ended.ok());
        EXPECT_EQ(ended->value(), 55);
    }
}

TEST_F(WorkerTest, AnEventRaisedByAnotherStoreObjectArrives) {
    Worker worker(*store, registry);
    const std::unique_ptr<Store> other = open();
    Client elsewhere(*other);
    ASSERT_TRUE(elsewhere.start(Waiting, StartOptions().id("w")).ok());
    ASSERT_TRUE(elsewhere.raise({"default", "w"}, "go", Payload::text("now")).ok());
    const auto ended = elsewhere.wait(Waiting, {"default", "w"}, kForever);
    ASSERT_TRUE(ended.ok());
    EXPECT_EQ(ended->value(), "now");
}

TEST_F(WorkerTest, ACancelReachesARunningActivity) {
    Worker worker(*store, registry);
    Client client(worker.store());
    ASSERT_TRUE(client.start(Hanging, StartOptions().id("h")).ok());
    wait_for(begun, 1);
    ASSERT_TRUE(client.cancel({"default", "h"}, CancelOptions().reason("enough")).ok());
    const auto ended = client.wait({"default", "h"}, kForever);
    ASSERT_TRUE(ended.ok());
    EXPECT_EQ(ended->status, Status::canceled);
    wait_for(returned, 1);  // The run may have ended before its handler hears of the cancel.
    worker.stop();
    ASSERT_EQ(reasons.size(), 1U);
    EXPECT_EQ(reasons[0], StopReason::canceled);
    EXPECT_TRUE(client.inspect({"default", "h"})->settled) << "its handler is known to have ended";
}

TEST_F(WorkerTest, StoppingGivesBackWhatRuns) {
    {
        Worker worker(*store, registry);
        Client client(worker.store());
        ASSERT_TRUE(client.start(Hanging, StartOptions().id("h")).ok());
        wait_for(begun, 1);
        const StopReport report = worker.stop();
        EXPECT_TRUE(report.given_back);
        EXPECT_TRUE(report.abandoned.empty());
    }
    EXPECT_EQ(reasons.at(0), StopReason::shutdown);
    ASSERT_EQ(queue().size(), 1U);
    EXPECT_FALSE(queue().at(0).leased);
    EXPECT_EQ(queue().at(0).attempt, 0U) << "it was no attempt";
    EXPECT_EQ(Client(*store).inspect({"default", "h"})->status, Status::running);
}

TEST_F(WorkerTest, AnActivityThatDoesNotStopIsAbandonedAndReported) {
    {
        Worker worker(*store, registry, RuntimeOptions().policy(quick()));
        Client client(worker.store());
        ASSERT_TRUE(client.start(Ignoring, StartOptions().id("deaf")).ok());
        wait_for(begun, 1);
        const StopReport report = worker.stop();
        ASSERT_EQ(report.abandoned.size(), 1U);
        EXPECT_NE(report.abandoned[0].find("Ignore"), std::string::npos) << report.abandoned[0];
        EXPECT_EQ(worker.counts().abandoned, 1U);
    }
    let_go.release();
    wait_for(returned, 1);
}

TEST_F(WorkerTest, AnotherWorkerTakesOverWhatWasAbandoned) {
    Worker deaf(*store, registry, RuntimeOptions().worker("deaf").policy(quick()));
    Client client(deaf.store());
    ASSERT_TRUE(client.start(Ignoring, StartOptions().id("i")).ok());
    wait_for(begun, 1);
    deaf.stop();
    Worker other(*store, registry, RuntimeOptions().worker("other").policy(quick()));
    wait_for(begun, 2);
    let_go.release(2);
    const auto ended = Client(*store).wait({"default", "i"}, kForever);
    ASSERT_TRUE(ended.ok());
    EXPECT_EQ(ended->status, Status::completed);
    EXPECT_EQ(other.counts().activities_completed, 1U);
}

TEST_F(WorkerTest, ClientsMayOutliveTheWork) {
    Worker worker(*store, registry);
    Client client(worker.store());
    worker.stop();
    const auto started = client.start(Chain, StartOptions().id("late"), std::int64_t{2});
    ASSERT_TRUE(started.ok());
    EXPECT_EQ(client.inspect({"default", "late"})->status, Status::pending);
    Worker next(*store, registry);
    EXPECT_EQ(client.wait(Chain, {"default", "late"}, kForever)->value(), 2);
}

TEST_F(WorkerTest, StartsWhileItStopsAreAnswered) {
    auto worker = std::make_unique<Worker>(*store, registry);
    Client client(worker->store());
    std::atomic<bool> enough = false;
    int started = 0;
    std::jthread starter([&] {
        while (!enough) {
            const auto one = client.start(Chain, StartOptions(), std::int64_t{1});
            EXPECT_TRUE(one.ok());
            ++started;
        }
    });
    while (worker->counts().turns_committed < 20) std::this_thread::yield();
    worker->stop();
    enough = true;
    starter.join();
    EXPECT_GT(started, 0);
}

/// Loses the first start that it is given.
class ForgetfulStore final : public ForwardingStore {
public:
    using ForwardingStore::ForwardingStore;
    void commit(std::vector<Transition> batch, Done<std::vector<Answer>> done) override {
        const bool starts = std::holds_alternative<Start>(batch.front().parts.front());
        if (!starts || lost_.exchange(true)) inner().commit(std::move(batch), std::move(done));
    }
    [[nodiscard]] bool lost() const { return lost_; }

private:
    std::atomic<bool> lost_ = false;
};

TEST_F(WorkerTest, AStartThatTheStoreNeverAnsweredIsSentAgainWhenTheWorkIsGivenUp) {
    ForgetfulStore forgetful(*store);
    ThreadExecutor executor;
    std::optional<Result<StartResult>> answer;
    {
        runtime::Driver driver(forgetful, registry, executor, RuntimeOptions());
        Client client(driver.store());
        driver.start();
        client.start("Chain",
                     detail::encode_arguments<std::int64_t>(std::int64_t{1}),
                     StartOptions(),
                     [&](Result<StartResult> result) { answer = std::move(result); });
        while (!forgetful.lost()) std::this_thread::yield();
        EXPECT_FALSE(driver.stop(0ms)) << "it waits for the store";
        EXPECT_FALSE(answer);
    }
    ASSERT_TRUE(answer && answer->ok());
    EXPECT_TRUE((*answer)->created);
}

TEST_F(WorkerTest, ASettingOutOfRangeIsNamed) {
    Policy policy;
    policy.activity_lease = 0ms;
    try {
        const Worker worker(*store, registry, RuntimeOptions().policy(policy));
        ADD_FAILURE() << "it was taken";
    } catch (const std::invalid_argument& refused) {
        EXPECT_NE(std::string(refused.what()).find("Policy::activity_lease"), std::string::npos);
    }
}

}  // namespace
}  // namespace belay::worker_tests
