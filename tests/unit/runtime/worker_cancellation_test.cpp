// Cancellation of work that really runs: a worker with threads, on a SQLite file.
#include "store/forwarding_store.hpp"
#include "support/temporary_directory.hpp"
#include <belay/async.hpp>
#include <belay/client.hpp>
#include <belay/store/sqlite.hpp>
#include <belay/worker.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <future>
#include <latch>
#include <mutex>
#include <semaphore>
#include <set>
#include <stop_token>
#include <thread>

namespace belay::worker_cancellation_tests {
namespace {

using namespace std::chrono_literals;

inline constexpr Activity<std::string(std::string)> Do{"Do"};
inline constexpr Activity<std::string(std::string)> Sleep{"Sleep"};
inline constexpr Definition<std::string(std::string)> One{"One"};
inline constexpr Definition<std::string(std::string)> Leave{"Leave"};
inline constexpr Definition<std::string(std::string)> Attempts{"Attempts"};
inline constexpr Definition<std::string(std::int64_t)> Fan{"Fan"};

/// No test waits that long unless something is wrong.
constexpr Millis kForever = 120s;

Orchestration<std::string> one(OrchestrationContext ctx, std::string input) {
    co_return co_await ctx.call(Do, input);
}

/// Lets go of an activity that runs, in one way or another.
Orchestration<std::string> leave(OrchestrationContext ctx, std::string how) {
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
Orchestration<std::string> attempts(OrchestrationContext ctx, std::string what) {
    for (int attempt = 1; attempt <= 2; ++attempt) {
        Future<std::string> work = ctx.start(ctx.call(Do, what + " " + std::to_string(attempt)));
        if ((co_await ctx.select(work, ctx.wait<std::string>("it runs"))).index() == 0) break;
        const auto winner = co_await ctx.select(work, ctx.timer(1ms));
        if (winner.index() == 0) break;
        if (attempt == 2) throw std::runtime_error("timed out twice");
    }
    co_return "an attempt succeeded";
}

Orchestration<std::string> fan(OrchestrationContext ctx, std::int64_t width) {
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

class WorkerCancellation : public testing::Test {
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
        // Whatever was abandoned refers to this fixture.
        until([&] { return begun == returned; });
    }

    void open(const RuntimeOptions& options = RuntimeOptions(),
              const ExecutorOptions& executor = ExecutorOptions()) {
        worker =
            std::make_unique<Worker>(store,
                                     registry,
                                     RuntimeOptions(options).log([this](const std::string& line) {
                                         const std::lock_guard lock(mutex);
                                         logged.push_back(line);
                                     }),
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
    std::vector<StoppingInfo> stopping() { return read(ListStopping{}); }
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
        EXPECT_EQ(stopping().size(), 1U);
        let_go.release();
        until_settled("a");
        EXPECT_TRUE(stopping().empty());
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

// ---- What an activity sees ---------------------------------------------------------------------

TEST_F(WorkerCancellation, AnActivityBeginsWithATokenOnWhichNothingIsAsked) {
    add([](ActivityContext& ctx, const std::string&) -> std::string {
        EXPECT_TRUE(ctx.stop_token().stop_possible());
        EXPECT_FALSE(ctx.stop_token().stop_requested());
        EXPECT_FALSE(ctx.stop_requested());
        EXPECT_EQ(ctx.stop_reason(), StopReason::none);
        return "looked";
    });
    open();
    start(One, "a", "");
    EXPECT_EQ(end_of("a").output.bytes, "looked");
    EXPECT_EQ(worker->counts().stops_requested, 0U);
}

TEST_F(WorkerCancellation, ALoopThatLooksWhetherItIsCanceledEndsEarly) {
    add([this](ActivityContext& ctx, const std::string&) -> std::string {
        while (!ctx.stop_requested()) std::this_thread::yield();
        EXPECT_EQ(ctx.stop_reason(), StopReason::canceled);
        ++told;
        return "early";
    });
    open();
    start(One, "a", "");
    until([&] { return begun == 1; });
    cancel("a");
    EXPECT_EQ(end_of("a").status, Status::canceled);
    until_settled("a");
    EXPECT_EQ(told, 1);
    EXPECT_EQ(returned, 1);
    expect_acks(0, 1);
}

TEST_F(WorkerCancellation, TheLoserOfASelectIsStoppedAndNotWaitedFor) {
    let_go_of_it("select", Status::completed, "the timer");
}

TEST_F(WorkerCancellation, TheEndOfARunStopsWhatItLeftRunning) {
    let_go_of_it("return", Status::completed, "return");
}

TEST_F(WorkerCancellation, TheFailureOfARunStopsWhatItLeftRunning) {
    let_go_of_it("throw", Status::failed, "no luck");
}

TEST_F(WorkerCancellation, ContinueAsNewStopsWhatTheOldExecutionLeftRunning) {
    let_go_of_it("continue", Status::completed, "second execution");
    EXPECT_EQ(client->inspect(named("a"))->execution, 2U);
}

TEST_F(WorkerCancellation, AnAttemptThatTimesOutIsStoppedAndTheNextOneCounts) {
    add([this](ActivityContext& ctx, const std::string& input) -> std::string {
        if (input == "try 2") return "done";
        wait_for_stop(ctx);
        throw Stopped(ctx.stop_reason());
    });
    open();
    start(Attempts, "a", "try");
    until([&] { return ran("try 1"); });
    ASSERT_TRUE(client->raise(named("a"), "it runs", Payload::text("")).ok());
    EXPECT_EQ(end_of("a").output.bytes, "an attempt succeeded");
    until_settled("a");
    EXPECT_EQ(told, 1) << "the first one";
    EXPECT_EQ(begun, 2);
    expect_acks(1, 1);
}

TEST_F(WorkerCancellation, WhenEveryAttemptTimesOutTheRunIsToldSo) {
    add_obeying();
    open();
    start(Attempts, "a", "try");
    for (const char* attempt : {"try 1", "try 2"}) {
        until([&] { return ran(attempt); });
        ASSERT_TRUE(client->raise(named("a"), "it runs", Payload::text("")).ok());
    }
    const Outcome ended = end_of("a");
    EXPECT_EQ(ended.status, Status::failed);
    EXPECT_EQ(ended.failure.message, "timed out twice");
    until_settled("a");
    EXPECT_EQ(told, 2);
    expect_acks(0, 2);
}

// ---- The grace period --------------------------------------------------------------------------

TEST_F(WorkerCancellation, AnActivityThatEndsInItsGracePeriodLeavesNoWarning) {
    add_obeying();
    open();
    start(One, "a", "");
    until([&] { return begun == 1; });
    cancel("a");
    until_settled("a");
    EXPECT_EQ(end_of("a").status, Status::canceled);
    EXPECT_EQ(told, 1);
    EXPECT_EQ(returned, 1) << "it ended by itself";
    EXPECT_TRUE(warnings().empty());
    EXPECT_EQ(worker->counts().abandoned, 0U);
}

TEST_F(WorkerCancellation, AnActivityThatOutstaysItsGracePeriodIsAbandonedAndTheNextBegins) {
    add([this](ActivityContext&, const std::string& input) -> std::string {
        if (input == "deaf") let_go.acquire();
        return input;
    });
    open(RuntimeOptions().policy(short_grace()).activity_slots(1), ExecutorOptions().threads(1));
    start(One, "a", "deaf");
    until([&] { return begun == 1; });
    start(One, "b", "next");
    cancel("a");
    EXPECT_TRUE(queue_of("a").empty()) << "its row went with the cancel";
    EXPECT_EQ(end_of("b").output.bytes, "next") << "in the only slot, on the only thread";
    EXPECT_EQ(end_of("a").status, Status::canceled);
    ASSERT_EQ(warnings().size(), 1U);
    EXPECT_NE(warnings()[0].find(
                  "Do of 'a' did not stop within its grace period and is abandoned (canceled)"),
              std::string::npos)
        << warnings()[0];
    EXPECT_EQ(worker->counts().abandoned, 1U);
    EXPECT_FALSE(client->inspect(named("a"))->settled) << "it still runs, and that is shown";
    let_go.release();
    until([&] { return returned == 2; });
    expect_acks(1, 0);  // Of the other one.
    EXPECT_TRUE(queue().empty());
}

TEST_F(WorkerCancellation, ACoroutineThatOutstaysItsGracePeriodIsEndedAndTheNextBegins) {
    registry.add(Do, [this](ActivityContext& ctx, std::string input) -> Async<std::string> {
        const Running running(*this, input);
        if (input == "next") co_return input;
        const auto shield = ctx.shield();
        co_await ctx.sleep(24h);
        co_return "not reached";
    });
    open(RuntimeOptions().policy(short_grace()).activity_slots(1));
    start(One, "a", "deaf");
    until([&] { return begun == 1; });
    start(One, "b", "next");
    cancel("a");
    EXPECT_EQ(end_of("b").output.bytes, "next");
    until_settled("a");
    EXPECT_EQ(returned, 2) << "its destructors have run";
    ASSERT_EQ(warnings().size(), 1U);
    EXPECT_NE(warnings()[0].find("is ended by force (canceled)"), std::string::npos);
    expect_acks(1, 1);
    EXPECT_TRUE(queue().empty());
    EXPECT_TRUE(stopping().empty());
}

TEST_F(WorkerCancellation, HoweverACanceledActivityEndsItIsDropped) {
    add([this](ActivityContext& ctx, const std::string& input) -> std::string {
        wait_for_stop(ctx);
        if (input == "throws") throw std::runtime_error("no luck");
        if (input == "panics") throw 42;
        return "a result";
    });
    open();
    const std::vector<std::string> ways = {"returns", "throws", "panics"};
    for (const std::string& way : ways) start(One, way, way);
    until([&] { return begun == 3; });
    for (const std::string& way : ways) cancel(way);
    for (const std::string& way : ways) {
        until_settled(way);
        const InstanceInfo info = *client->inspect(named(way));
        EXPECT_EQ(info.status, Status::canceled);
        EXPECT_EQ(info.outcome->cleanup, Cleanup::done);
        EXPECT_EQ(info.ready_messages, 0U);
    }
    EXPECT_EQ(told, 3);
    expect_acks(0, 3);
    EXPECT_TRUE(queue().empty());
    EXPECT_TRUE(stopping().empty());
}

// ---- Who comes first ---------------------------------------------------------------------------

TEST_F(WorkerCancellation, ACompletionBeforeTheCancelStands) {
    add([](ActivityContext&, const std::string&) -> std::string { return "quick"; });
    open();
    start(One, "a", "");
    until([&] { return store.completed == 1; });
    const auto canceled = client->cancel(named("a"));
    ASSERT_TRUE(canceled.ok());
    EXPECT_FALSE(canceled->changed);
    EXPECT_EQ(canceled->instance.status, Status::completed);
    EXPECT_EQ(end_of("a").output.bytes, "quick");
    expect_acks(1, 0);
    EXPECT_EQ(worker->counts().stops_requested, 0U);
}

TEST_F(WorkerCancellation, WhatIsCanceledOrDeletedBeforeItBeganNeverBegins) {
    add([this](ActivityContext&, const std::string& input) -> std::string {
        if (input == "first") let_go.acquire();
        return input;
    });
    open(RuntimeOptions().activity_slots(1));
    start(One, "first", "first");
    until([&] { return ran("first"); });
    start(One, "canceled", "canceled");
    start(One, "deleted", "deleted");
    until([&] { return queue().size() == 3; });
    cancel("canceled");
    EXPECT_EQ(queue().size(), 2U) << "gone with the cancel";
    ASSERT_TRUE(client->delete_instance(named("deleted"), true).ok());
    EXPECT_EQ(queue().size(), 1U) << "gone with the run";
    start(One, "last", "last");
    let_go.release();
    EXPECT_EQ(end_of("last").output.bytes, "last");
    EXPECT_EQ(end_of("first").output.bytes, "first");
    EXPECT_EQ(end_of("canceled").status, Status::canceled);
    EXPECT_TRUE(client->inspect(named("canceled"))->settled);
    expect_acks(2, 0);  // Of the first and the last; of the others there was nothing to drop.
    EXPECT_FALSE(ran("canceled"));
    EXPECT_FALSE(ran("deleted"));
}

// ---- What an activity starts itself ------------------------------------------------------------

TEST_F(WorkerCancellation, ThreadsThatHaveTheTokenOfTheirActivityStopWithIt) {
    std::atomic<int> children = 0;
    std::atomic<int> children_told = 0;
    add([&](ActivityContext& ctx, const std::string&) -> std::string {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 3; ++i) {
            threads.emplace_back([&, token = ctx.stop_token()] {
                ++children;
                std::mutex alone;
                std::condition_variable_any never;
                std::unique_lock lock(alone);
                never.wait(lock, token, [] { return false; });
                ++children_told;
            });
        }
        threads.clear();  // Joins them.
        throw Stopped(ctx.stop_reason());
    });
    open();
    start(One, "a", "");
    until([&] { return children == 3; });
    cancel("a");
    until_settled("a");
    EXPECT_EQ(children_told, 3);
    EXPECT_EQ(returned, 1);
    EXPECT_EQ(worker->counts().abandoned, 0U);
    EXPECT_TRUE(warnings().empty());
}

TEST_F(WorkerCancellation, AThreadWithoutTheTokenOutlivesItsCanceledActivity) {
    std::atomic<int> children = 0;
    std::atomic<bool> child_ended = false;
    add([&](ActivityContext&, const std::string& input) -> std::string {
        if (input == "next") return input;
        std::jthread child([&] {
            ++children;
            let_go.acquire();
            child_ended = true;
        });
        child.join();
        return "too late";
    });
    open(RuntimeOptions().policy(short_grace()).activity_slots(1));
    start(One, "a", "deaf");
    until([&] { return children == 1; });
    cancel("a");
    until([&] { return worker->counts().abandoned == 1; });
    EXPECT_FALSE(child_ended) << "nobody can end it";
    EXPECT_EQ(end_of("a").status, Status::canceled) << "but nobody waits for it either";
    start(One, "b", "next");
    EXPECT_EQ(end_of("b").output.bytes, "next");
    EXPECT_FALSE(child_ended);
    let_go.release();
    until([&] { return child_ended && returned == 2; });
    expect_acks(1, 0);  // What it returned was not taken.
}

// ---- Many, and the slots they leave ------------------------------------------------------------

TEST_F(WorkerCancellation, ACancelOfSixtyStopsThoseThatRunAndThoseThatWait) {
    constexpr int kSlots = 40;
    add_sleep();
    open(RuntimeOptions().activity_slots(kSlots));
    start(Fan, "a", 60);
    until([&] { return begun == kSlots; });
    ASSERT_EQ(queue().size(), 60U);
    cancel("a");
    EXPECT_TRUE(queue().empty()) << "all of them in the commit of the cancel";
    until_settled("a");
    EXPECT_EQ(end_of("a").status, Status::canceled);
    EXPECT_EQ(told, kSlots);
    EXPECT_EQ(begun, kSlots);
    EXPECT_EQ(client->inspect(named("a"))->ready_messages, 0U);
    expect_acks(0, kSlots);
}

TEST_F(WorkerCancellation, ACancelOfTenThousandFreesEverySlot) {
    constexpr int kSlots = 100;
    add_sleep();
    add([](ActivityContext&, const std::string& input) -> std::string { return input; });
    open(RuntimeOptions().activity_slots(kSlots));
    start(Fan, "a", 10'000);
    until([&] { return begun == kSlots; });
    cancel("a");
    EXPECT_TRUE(queue().empty());
    until_settled("a");
    EXPECT_EQ(end_of("a").status, Status::canceled);
    EXPECT_EQ(told, kSlots);
    EXPECT_EQ(begun, kSlots) << "none of the others began";

    // As many as before find room, all at once.
    start(Fan, "b", kSlots);
    until([&] { return begun == 2 * kSlots; });
    EXPECT_EQ(returned, kSlots);
    cancel("b");
    until_settled("b");
    start(One, "c", "next");
    EXPECT_EQ(end_of("c").output.bytes, "next");
    expect_acks(1, 2 * kSlots);
}

TEST_F(WorkerCancellation, AHundredRunsOfFiveActivitiesAreCanceledAtOnce) {
    constexpr int kRuns = 100;
    constexpr int kEach = 5;
    constexpr int kThreads = 4;
    add_sleep();
    open(RuntimeOptions().activity_slots(kRuns * kEach));
    for (int i = 0; i < kRuns; ++i) start(Fan, std::to_string(i), kEach);
    until([&] { return begun == kRuns * kEach; });
    {
        std::latch together(kThreads);
        std::vector<std::jthread> cancelers;
        for (int thread = 0; thread < kThreads; ++thread) {
            cancelers.emplace_back([&, thread] {
                together.arrive_and_wait();
                for (int i = thread; i < kRuns; i += kThreads) cancel(std::to_string(i));
            });
        }
    }
    for (int i = 0; i < kRuns; ++i) {
        until_settled(std::to_string(i));
        EXPECT_EQ(end_of(std::to_string(i)).status, Status::canceled);
    }
    EXPECT_EQ(told, kRuns * kEach);
    EXPECT_EQ(returned, kRuns * kEach);
    EXPECT_TRUE(queue().empty());
    EXPECT_TRUE(stopping().empty());
    EXPECT_TRUE(warnings().empty());
    const StopReport report = worker->stop();
    EXPECT_TRUE(report.given_back);
    EXPECT_TRUE(report.abandoned.empty());
    expect_acks(0, kRuns * kEach);
}

/// Fills every slot, cancels it all, and demands that as much other work runs then, all at once.
class FullWorker : public WorkerCancellation {
protected:
    static constexpr int kSlots = 8;

    void fill(const Policy& policy) {
        open(RuntimeOptions().policy(policy).activity_slots(kSlots),
             ExecutorOptions().threads(kSlots));
        for (int i = 0; i < kSlots; ++i) start(One, "old" + std::to_string(i), "old");
        until([&] { return begun == kSlots; });
        for (int i = 0; i < kSlots; ++i) start(One, "new" + std::to_string(i), "new");
        until([&] { return queue().size() == std::size_t{2} * kSlots; });
        EXPECT_EQ(begun, kSlots) << "there is no room";
    }
    void cancel_old() {
        for (int i = 0; i < kSlots; ++i) cancel("old" + std::to_string(i));
    }
    void expect_new_work_fills_it() {
        until([&] { return begun == 2 * kSlots; });
        all_new_run.count_down();
        for (int i = 0; i < kSlots; ++i) {
            EXPECT_EQ(end_of("new" + std::to_string(i)).output.bytes, "new");
            EXPECT_EQ(end_of("old" + std::to_string(i)).status, Status::canceled);
        }
    }

    std::latch all_new_run{1};
};

TEST_F(FullWorker, CancelsGetThroughAndItsSlotsAreFree) {
    add([this](ActivityContext& ctx, const std::string& input) -> std::string {
        if (input == "old") {
            wait_for_stop(ctx);
            throw Stopped(ctx.stop_reason());
        }
        all_new_run.wait();
        return input;
    });
    fill(Policy());
    cancel_old();
    expect_new_work_fills_it();
    EXPECT_EQ(told, kSlots);
    for (int i = 0; i < kSlots; ++i) until_settled("old" + std::to_string(i));
    expect_acks(kSlots, kSlots);
    EXPECT_EQ(worker->counts().abandoned, 0U);
    EXPECT_TRUE(warnings().empty());
}

TEST_F(FullWorker, SlotsOfWorkThatDoesNotStopAreFreeAfterItsGracePeriod) {
    add([this](ActivityContext&, const std::string& input) -> std::string {
        if (input == "old") {
            let_go.acquire();
        } else {
            all_new_run.wait();
        }
        return input;
    });
    fill(short_grace());
    cancel_old();
    expect_new_work_fills_it();
    EXPECT_EQ(worker->counts().abandoned, std::uint64_t{kSlots});
    EXPECT_EQ(warnings().size(), std::size_t{kSlots});
    expect_acks(kSlots, 0);  // None of the old ones has ended.
    let_go.release(kSlots);
}

}  // namespace
}  // namespace belay::worker_cancellation_tests
