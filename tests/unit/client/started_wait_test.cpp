// Waits for runs that the same client has just started: no read before the end, and no lost end.
#include "client/started_runs.hpp"
#include "store/forwarding_store.hpp"
#include "support/manual_clock.hpp"
#include <belay/client.hpp>
#include <belay/store/memory.hpp>
#include <belay/store/operations.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace belay {
namespace {

/// Counts reads, and does something between a commit and its answer.
class HookedStore final : public ForwardingStore {
public:
    explicit HookedStore(Store& inner) : ForwardingStore(inner) {}

    void commit(std::vector<Transition> batch, Done<std::vector<Answer>> done) override {
        ForwardingStore::commit(std::move(batch), [&](const Result<std::vector<Answer>>& answer) {
            if (const auto then = std::exchange(before_answer, nullptr)) {
                then();
            }
            done(answer);
        });
    }
    void read_any(Read request, Done<ReadAnswer> done) override {
        if (std::holds_alternative<ReadInstances>(request)) ++reads;
        ForwardingStore::read_any(std::move(request), std::move(done));
    }
    void subscribe(StoreListener& listener) override {
        if (!silent) ForwardingStore::subscribe(listener);
    }
    void unsubscribe(StoreListener& listener) override {
        if (!silent) ForwardingStore::unsubscribe(listener);
    }

    int reads = 0;
    std::function<void()> before_answer;
    bool silent = false;
};

class StartedWaitTest : public ::testing::Test {
protected:
    StartResult start(const StartOptions& options = StartOptions()) {
        Result<StartResult> started = client.start("Task", Payload(), options);
        EXPECT_TRUE(started.ok());
        return std::move(*started);
    }
    /// Completes the run that is first in line, by the hand of another process.
    void complete_one() {
        std::optional<ClaimedInstance> claimed;
        inner->claim(op::claim_instance(LeaseToken{9, ++serial}, "w", Millis(1'000)),
                     [&](const Result<ClaimInstances::Answer>& r) { claimed = r->claimed.at(0); });
        Turn turn = op::turn(*claimed, HistoryRow{1, 1, "history"});
        turn.after = Ends();
        inner->commit({op::transition(CommitId{7, ++serial}, std::move(turn))},
                      [](const Result<std::vector<Answer>>& r) { ASSERT_TRUE(r->at(0).done()); });
    }
    void wait(const StartResult& started) {
        client.wait(started, [this](const Result<Outcome>& outcome) { told.push_back(outcome); });
    }
    void settle() {
        while (client.step()) {
        }
    }
    /// A client listens from its first wait on.
    void listen() {
        wait(start());
        settle();
        complete_one();
        settle();
        ASSERT_EQ(told.size(), 1U);
        told.clear();
        store.reads = 0;
    }

    std::uint64_t serial = 0;
    support::ManualClock clock;
    std::unique_ptr<Store> inner = make_memory_store(clock);
    HookedStore store{*inner};
    Client client{store, clock};
    std::vector<Result<Outcome>> told;
};

TEST_F(StartedWaitTest, NothingIsReadBeforeTheEnd) {
    listen();
    wait(start());
    settle();
    EXPECT_EQ(store.reads, 0);
    complete_one();
    settle();
    EXPECT_EQ(store.reads, 1);
    ASSERT_EQ(told.size(), 1U);
    EXPECT_EQ(told[0]->status, Status::completed);
}

TEST_F(StartedWaitTest, ABlockingWaitReadsNothingBeforeItIsOver) {
    listen();
    const StartResult started = start();
    const Result<Outcome> early = client.wait(started, Millis(0));
    ASSERT_FALSE(early.ok());
    EXPECT_EQ(early.error().code(), Errc::still_running);
    EXPECT_EQ(store.reads, 1);  // The one of a wait that gives up.
    complete_one();
    EXPECT_EQ(client.wait(started)->status, Status::completed);
}

TEST_F(StartedWaitTest, BeforeAnybodyListensTheRunIsRead) {
    wait(start());
    settle();
    EXPECT_EQ(store.reads, 1);
}

TEST_F(StartedWaitTest, AnEndBeforeTheWaitIsFound) {
    listen();
    const StartResult started = start();
    complete_one();
    wait(started);
    settle();
    EXPECT_EQ(told.size(), 1U);
}

TEST_F(StartedWaitTest, AnEndBeforeTheAnswerOfTheStartIsFound) {
    listen();
    store.before_answer = [this] { complete_one(); };
    wait(start());
    settle();
    EXPECT_EQ(told.size(), 1U);
}

TEST_F(StartedWaitTest, AStartWithACallbackIsKnownToo) {
    listen();
    client.start("Task", Payload(), StartOptions(), [this](const Result<StartResult>& started) {
        wait(*started);
    });
    settle();
    EXPECT_EQ(store.reads, 0);
    complete_one();
    settle();
    EXPECT_EQ(told.size(), 1U);
}

TEST_F(StartedWaitTest, ARepeatedRequestMayBeAboutARunThatHasEnded) {
    listen();
    const StartOptions options = StartOptions().id("a").request_id("once");
    (void)start(options);
    complete_one();
    wait(start(options));
    settle();
    EXPECT_EQ(told.size(), 1U);
}

TEST_F(StartedWaitTest, IsForItsRunThoughAnotherHasTheName) {
    listen();
    const StartResult first = start(StartOptions().id("a"));
    ASSERT_TRUE(client.terminate(first.instance.name).ok());
    const StartResult second = start(StartOptions().id("a").on_conflict(IdConflict::replace));
    ASSERT_NE(first.instance.run, second.instance.run);
    wait(first);
    settle();
    ASSERT_EQ(told.size(), 1U);
    EXPECT_EQ(told[0]->status, Status::canceled);
}

TEST_F(StartedWaitTest, WaitsByNameAndByRunShareTheLaterReads) {
    listen();
    const StartResult started = start();
    wait(started);
    client.wait(started.instance.name,
                [this](const Result<Outcome>& outcome) { told.push_back(outcome); });
    settle();
    EXPECT_EQ(store.reads, 1);
    complete_one();
    settle();
    EXPECT_EQ(store.reads, 2);
    EXPECT_EQ(told.size(), 2U);
}

TEST_F(StartedWaitTest, AnEndThatNobodyToldOfIsFoundByThePoll) {
    store.silent = true;
    wait(start());
    settle();
    wait(start());
    settle();
    EXPECT_EQ(store.reads, 1);  // Only for the first run.
    complete_one();
    complete_one();
    clock.advance(Policy().poll_interval);
    settle();
    EXPECT_EQ(told.size(), 2U);
}

TEST(StartedRunsTest, AStartBeforeForgottenEndsIsNotNoted) {
    client::StartedRuns runs;
    const client::StartedRuns::Position early = runs.position();
    for (std::uint64_t i = 1; i <= 5'000; ++i) runs.hear_end(RunKey{i});
    runs.add(RunKey{9'001}, early);
    EXPECT_FALSE(runs.contains(RunKey{9'001}));
    runs.add(RunKey{9'002}, runs.position());
    EXPECT_TRUE(runs.contains(RunKey{9'002}));
    runs.hear_end(RunKey{9'002});
    EXPECT_FALSE(runs.contains(RunKey{9'002}));
}

TEST(StartedRunsTest, AnEndIsRememberedWhenTheRingHasTurned) {
    client::StartedRuns runs;
    for (std::uint64_t i = 1; i <= 5'000; ++i) runs.hear_end(RunKey{i});
    const client::StartedRuns::Position sent = runs.position();
    for (std::uint64_t i = 5'001; i <= 5'010; ++i) runs.hear_end(RunKey{i});
    runs.add(RunKey{5'005}, sent);
    EXPECT_FALSE(runs.contains(RunKey{5'005}));
    runs.add(RunKey{4'999}, sent);
    EXPECT_TRUE(runs.contains(RunKey{4'999}));
}

}  // namespace
}  // namespace belay
