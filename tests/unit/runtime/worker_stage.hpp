// A worker with threads, on a SQLite file, whose activities and acknowledgements are counted.
#pragma once

#include "store/forwarding_store.hpp"
#include "support/temporary_directory.hpp"
#include "support/warnings.hpp"
#include <belay/async.hpp>
#include <belay/client.hpp>
#include <belay/finding.hpp>
#include <belay/registry.hpp>
#include <belay/store/sqlite.hpp>
#include <belay/worker.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <semaphore>
#include <set>
#include <stop_token>
#include <thread>

namespace belay::worker_cancellation_tests {

using namespace std::chrono_literals;

inline constexpr Activity<std::string(std::string)> Do{"Do"};
inline constexpr Activity<std::string(std::string)> Sleep{"Sleep"};
inline constexpr Definition<std::string(std::string)> One{"One"};
inline constexpr Definition<std::string(std::string)> Leave{"Leave"};
inline constexpr Definition<std::string(std::string)> Attempts{"Attempts"};
inline constexpr Definition<std::string(std::int64_t)> Fan{"Fan"};

/// No test waits that long unless something is wrong.
inline constexpr Millis kForever = 120s;

inline Orchestration<std::string> one(OrchestrationContext ctx, std::string input) {
    co_return co_await ctx.call(Do, input);
}

/// Lets go of an activity that runs, in one way or another.
inline Orchestration<std::string> leave(OrchestrationContext ctx, std::string how) {
    if (how == "second execution") co_return how;
    Future<std::string> work = ctx.start(ctx.call(Do, how));
    (void)co_await ctx.wait<std::string>("it runs");
    if (how == "throw") throw std::runtime_error("no luck");
    if (how == "continue") co_await ctx.continue_as_new(Leave, std::string("second execution"));
    if (how == "select") {
        const auto winner = co_await ctx.select(work, ctx.timer(1ms));
        co_return winner.index() == 1 ? "the timer" : "the activity";
    }
    co_return how;
}

/// Each attempt has a millisecond, from when it runs.
inline Orchestration<std::string> attempts(OrchestrationContext ctx, std::string what) {
    for (int attempt = 1; attempt <= 2; ++attempt) {
        Future<std::string> work = ctx.start(ctx.call(Do, what + " " + std::to_string(attempt)));
        if ((co_await ctx.select(work, ctx.wait<std::string>("it runs"))).index() == 0) break;
        const auto winner = co_await ctx.select(work, ctx.timer(1ms));
        if (winner.index() == 0) break;
        if (attempt == 2) throw std::runtime_error("timed out twice");
    }
    co_return "an attempt succeeded";
}

inline Orchestration<std::string> fan(OrchestrationContext ctx, std::int64_t width) {
    std::vector<Call<std::string>> calls;
    for (std::int64_t i = 0; i < width; ++i) calls.push_back(ctx.call(Sleep, std::to_string(i)));
    const std::vector<std::string> all = co_await ctx.join(std::move(calls));
    co_return all.front();
}

/// Counts what is acknowledged, and how that is answered.
class WatchedStore final : public ForwardingStore {
public:
    using ForwardingStore::ForwardingStore;

    void commit(std::vector<Transition> batch, Done<std::vector<Answer>> done) override {
        std::vector<bool> completes;
        std::vector<bool> drops;
        for (const Transition& transition : batch) {
            const auto* ack = std::get_if<AckActivity>(&transition.parts.front());
            // A completion is sent to the run, or is one commit with the turn that it causes.
            const bool completion =
                ack != nullptr && (ack->completion.has_value() || transition.parts.size() > 1);
            completes.push_back(completion);
            drops.push_back(ack != nullptr && !completion);
        }
        inner().commit(std::move(batch),
                       [this, completes, drops, done](Result<std::vector<Answer>> result) {
                           if (result) {
                               for (std::size_t i = 0; i < result->size(); ++i) {
                                   if (!(*result)[i].done()) continue;
                                   if (completes[i]) ++completed;
                                   if (drops[i]) ++dropped;
                               }
                           }
                           done(std::move(result));
                       });
    }

    std::atomic<int> completed = 0;  ///< Completions that a run was given.
    std::atomic<int> dropped = 0;    ///< Acknowledged with none.
};

class WorkerCancellation : public ::testing::Test {
protected:
    WorkerCancellation() {
        registry.add(One, one);
        registry.add(Leave, leave);
        registry.add(Attempts, attempts);
        registry.add(Fan, fan);
    }
    ~WorkerCancellation() override {
        client.reset();  // It uses the worker's store.
        worker.reset();
        // Abandoned activities refer to this fixture.
        until([&] { return begun == returned; });
    }

    void open(const RuntimeOptions& options = RuntimeOptions(),
              const ExecutorOptions& executor = ExecutorOptions()) {
        worker = std::make_unique<Worker>(
            store,
            registry,
            RuntimeOptions(options).events(support::warnings([this](const std::string& line) {
                const std::lock_guard lock(mutex);
                logged.push_back(line);
            })),
            executor);
        client = std::make_unique<Client>(worker->store());
    }
    /// An activity that does this, and is counted.
    void add(std::function<std::string(ActivityContext&, const std::string&)> what) {
        registry.add(Do, [this, what](ActivityContext& ctx, const std::string& input) {
            const Running running(*this, input);
            return what(ctx, input);
        });
    }
    /// An activity that waits until it is stopped, without a thread.
    void add_sleep() {
        registry.add(Sleep, [this](ActivityContext& ctx, std::string input) -> Async<std::string> {
            const Running running(*this, input);
            const StopReason reason = co_await ctx.stopped();
            EXPECT_EQ(reason, StopReason::canceled);
            ++told;
            co_return input;
        });
    }
    /// As an activity does that obeys.
    void wait_for_stop(ActivityContext& ctx) {
        std::promise<void> stopped;
        const std::stop_callback callback(ctx.stop_token(), [&] { stopped.set_value(); });
        stopped.get_future().wait();
        EXPECT_TRUE(ctx.stop_requested());
        EXPECT_EQ(ctx.stop_reason(), StopReason::canceled);
        ++told;
    }
    void add_obeying() {
        add([this](ActivityContext& ctx, const std::string&) -> std::string {
            wait_for_stop(ctx);
            throw Stopped(ctx.stop_reason());
        });
    }

    static InstanceName named(const std::string& id) { return {"default", id}; }
    template <class Input>
    void start(const Definition<std::string(Input)>& what,
               const std::string& id,
               const std::type_identity_t<Input>& input) {
        const auto started = client->start(what, StartOptions().id(id), input);
        ASSERT_TRUE(started.ok()) << started.error().describe();
    }
    void cancel(const std::string& id) {
        const auto canceled = client->cancel(named(id));
        ASSERT_TRUE(canceled.ok()) << canceled.error().describe();
        ASSERT_TRUE(canceled->changed);
    }
    Outcome end_of(const std::string& id) {
        const auto ended = client->wait(named(id), kForever);
        EXPECT_TRUE(ended.ok()) << ended.error().describe();
        return ended.ok() ? *ended : Outcome{};
    }
    void until(const std::function<bool()>& happened) {
        const auto hang = std::chrono::steady_clock::now() + kForever;
        while (!happened()) {
            ASSERT_LT(std::chrono::steady_clock::now(), hang);
            std::this_thread::yield();
        }
    }
    void until_settled(const std::string& id) {
        until([&] { return client->inspect(named(id))->settled; });
    }
    /// Stops the worker first: it may hear of an answer later than a client sees what it means.
    void expect_acks(int completed, int dropped) {
        worker->stop();
        EXPECT_EQ(store.completed, completed);
        EXPECT_EQ(store.dropped, dropped);
    }
    template <class Query>
    typename Query::Answer read(Query query) {
        std::promise<typename Query::Answer> rows;
        store.read(query, [&](Result<typename Query::Answer> answer) { rows.set_value(*answer); });
        return rows.get_future().get();
    }
    std::vector<ActivityInfo> queue() { return read(ListActivities{}); }
    std::vector<ActivityInfo> queue_of(const std::string& id) {
        return read(ListActivities{client->inspect(named(id))->run});
    }
    /// Number of canceled handlers that have not been seen to end.
    std::uint64_t stopping() { return read(CountQueues{}).stopping; }
    std::vector<std::string> warnings() {
        const std::lock_guard lock(mutex);
        return logged;
    }
    bool ran(const std::string& input) {
        const std::lock_guard lock(mutex);
        return inputs.contains(input);
    }
    static Policy short_grace() {
        Policy policy;
        policy.grace = 50ms;
        return policy;
    }
    /// The activity of a run that is let go of in this way is stopped, and the run does not wait.
    void let_go_of_it(const std::string& how, Status status, const std::string& output) {
        add([this](ActivityContext& ctx, const std::string&) -> std::string {
            wait_for_stop(ctx);
            let_go.acquire();
            return "too late";
        });
        open();
        start(Leave, "a", how);
        until([&] { return begun == 1; });
        ASSERT_TRUE(client->raise(named("a"), "it runs", Payload::text("")).ok());
        const Outcome ended = end_of("a");
        EXPECT_EQ(ended.status, status);
        EXPECT_EQ(status == Status::failed ? ended.failure.message : ended.output.bytes, output);
        until([&] { return told == 1; });
        EXPECT_EQ(returned, 0) << "the run has ended and its handler has not";
        EXPECT_TRUE(queue().empty());
        EXPECT_EQ(stopping(), 1U);
        let_go.release();
        until_settled("a");
        EXPECT_EQ(stopping(), 0U);
        EXPECT_TRUE(warnings().empty());
        expect_acks(0, 1);
    }

    /// While an activity runs.
    class Running {
    public:
        Running(WorkerCancellation& test, const std::string& input) : test_(test) {
            const std::lock_guard lock(test.mutex);
            test.inputs.insert(input);
            ++test.begun;
        }
        Running(const Running&) = delete;
        Running& operator=(const Running&) = delete;
        ~Running() { ++test_.returned; }

    private:
        WorkerCancellation& test_;
    };

    support::TemporaryDirectory directory;
    std::unique_ptr<Store> file =
        make_sqlite_store(directory.file("belay.db"),
                          SqliteOptions().synchronous(Synchronous::normal).preallocate(false))
            .value();
    WatchedStore store{*file};
    Registry registry;
    std::atomic<int> begun = 0;
    std::atomic<int> told = 0;
    std::atomic<int> returned = 0;
    std::counting_semaphore<> let_go{0};
    std::mutex mutex;
    std::vector<std::string> logged;
    std::set<std::string> inputs;
    std::unique_ptr<Worker> worker;
    std::unique_ptr<Client> client;
};

}  // namespace belay::worker_cancellation_tests
