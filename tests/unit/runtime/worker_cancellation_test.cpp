// Cancellation of work that really runs: a worker with threads, on a SQLite file.
#include "worker_stage.hpp"

#include <condition_variable>

namespace belay::worker_cancellation_tests {
namespace {

// ---- The token of an activity ------------------------------------------------------------------

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
    expect_acks(1, 0);  // From the other one.
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
    EXPECT_EQ(stopping(), 0U);
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
    EXPECT_EQ(stopping(), 0U);
}

// ---- Races -------------------------------------------------------------------------------------

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

TEST_F(WorkerCancellation, AnActivityCanceledOrDeletedBeforeItBeganNeverBegins) {
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
    expect_acks(2, 0);  // From the first and the last; the others had nothing to drop.
    EXPECT_FALSE(ran("canceled"));
    EXPECT_FALSE(ran("deleted"));
}

// ---- Work that an activity starts itself -------------------------------------------------------

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
    expect_acks(1, 0);  // Its result was not taken.
}

}  // namespace
}  // namespace belay::worker_cancellation_tests
