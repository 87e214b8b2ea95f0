// Many who wait: few reads, no wake-up that is lost, and nobody told too early.
#include "store/forwarding_store.hpp"
#include "support/manual_clock.hpp"
#include <belay/client.hpp>
#include <belay/management.hpp>
#include <belay/store/memory.hpp>
#include <belay/store/operations.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace belay {
namespace {

/// Sees the reads of clients that wait, and what happens between a read and its answer.
class WatchedReads final : public ForwardingStore {
public:
    explicit WatchedReads(Store& inner) : ForwardingStore(inner) {}

    void read_any(Read request, Done<ReadAnswer> done) override {
        const auto* const read = std::get_if<ReadInstances>(&request);
        if (read == nullptr) return ForwardingStore::read_any(std::move(request), std::move(done));
        std::function<void()> then;
        {
            const std::lock_guard lock(mutex_);
            ++reads_;
            then = std::exchange(after_read_, nullptr);
            for (const ReadInstance& one : read->instances) {
                if (one.name.id == unreadable_) {
                    return done(Error(Errc::unreadable, "the key is missing here"));
                }
            }
        }
        ForwardingStore::read_any(std::move(request), [&](const Result<ReadAnswer>& answer) {
            if (then) then();
            if (!hold([done, answer] { done(answer); })) done(answer);
        });
    }

    /// Number of reads since the last call.
    [[nodiscard]] int take_reads() {
        const std::lock_guard lock(mutex_);
        return std::exchange(reads_, 0);
    }
    /// Between the next read and its answer.
    void after_next_read(std::function<void()> then) {
        const std::lock_guard lock(mutex_);
        after_read_ = std::move(then);
    }
    void make_unreadable(const std::string& id) { unreadable_ = id; }
    /// The next read is made at once, and answered by `release`.
    void hold_answer() {
        const std::lock_guard lock(mutex_);
        holding_ = true;
    }
    void release() {
        std::function<void()> held;
        {
            const std::lock_guard lock(mutex_);
            held = std::exchange(held_, nullptr);
        }
        held();
    }

private:
    /// True if this answer was asked to be held.
    bool hold(std::function<void()> answer) {
        const std::lock_guard lock(mutex_);
        if (!std::exchange(holding_, false)) return false;
        held_ = std::move(answer);
        return true;
    }

    std::mutex mutex_;
    int reads_ = 0;
    std::function<void()> after_read_;
    std::string unreadable_ = "-";
    bool holding_ = false;
    std::function<void()> held_;
};

class ManyWaitsTest : public ::testing::Test {
protected:
    static InstanceName named(std::string id) { return InstanceName{"default", std::move(id)}; }

    RunRef start(const std::string& id) {
        const Result<StartResult> started = client->start("Task", Payload(), StartOptions().id(id));
        EXPECT_TRUE(started.ok());
        return started->instance.run;
    }
    template <class Part>
    void commit(Part part) {
        inner->commit({op::transition(CommitId{7, ++serial}, std::move(part))},
                      [](const Result<std::vector<Answer>>& r) { ASSERT_TRUE(r->at(0).done()); });
    }
    /// A turn, by the hand of another process.
    void take_turn(RunRef run, const std::function<void(Turn&)>& change) {
        ClaimInstances claim = op::claim_instance(LeaseToken{9, ++serial}, "w", Millis(1'000));
        claim.run = run;
        std::optional<ClaimedInstance> claimed;
        inner->claim(claim, [&](const Result<ClaimInstances::Answer>& answer) {
            claimed = answer->claimed.at(0);
        });
        Turn turn = op::turn(*claimed, HistoryRow{1, 1, "history"});
        turn.after = ContinuesAsNew{Payload(), "1"};
        change(turn);
        commit(std::move(turn));
    }
    void set_status(RunRef run, const std::string& status) {
        take_turn(run, [&](Turn& turn) { turn.custom_status = Payload::text(status); });
    }
    void set_value(RunRef run, const std::string& key, std::optional<Payload> value) {
        take_turn(run, [&](Turn& turn) {
            turn.key_values.push_back(KeyValueChange{key, std::move(value)});
        });
    }
    void complete(RunRef run) {
        take_turn(run, [](Turn& turn) { turn.after = Ends(); });
    }
    /// Ends a run while a handler of it runs, and gives the handler's activity.
    ClaimedActivity end_under_a_handler(RunRef run) {
        take_turn(run, [](Turn& turn) {
            NewActivity activity;
            activity.command = 1;
            activity.name = "Charge";
            turn.activities.push_back(activity);
            turn.after = GoesOn();
        });
        std::optional<ClaimedActivity> claimed;
        inner->claim(op::claim_activity(LeaseToken{8, ++serial}, "w", Millis(60'000)),
                     [&](const Result<ClaimActivities::Answer>& answer) {
                         claimed = answer->claimed.at(0);
                     });
        EXPECT_TRUE(client->terminate(named("a")).ok());
        return *claimed;
    }
    void settle() {
        while (client->step()) {
        }
    }
    /// Waits for the end with a callback, and counts those that were told.
    void count_end(const std::string& id) {
        client->wait(named(id),
                     [this](const Result<Outcome>& outcome) { ++(outcome ? told : refused); });
    }

    std::uint64_t serial = 0;
    support::ManualClock clock;
    std::unique_ptr<Store> inner = make_memory_store(clock);
    WatchedReads store{*inner};
    std::unique_ptr<Client> client = std::make_unique<Client>(store, clock);
    int told = 0;
    int refused = 0;
};

// ---- Few reads ---------------------------------------------------------------------------------

TEST_F(ManyWaitsTest, OneReadAnswersAllWhoWaitForARun) {
    const RunRef run = start("a");
    for (int i = 0; i < 100; ++i) count_end("a");
    settle();
    EXPECT_EQ(store.take_reads(), 1);
    complete(run);
    settle();
    EXPECT_EQ(store.take_reads(), 1);
    EXPECT_EQ(told, 100);
    EXPECT_EQ(client->next_due(), std::nullopt) << "nobody waits any more";
}

TEST_F(ManyWaitsTest, ALaterWaiterSharesTheReadOfTheRun) {
    const RunRef run = start("a");
    count_end("a");
    settle();
    count_end("a");
    settle();
    EXPECT_EQ(store.take_reads(), 2) << "the name may have moved, so it is read again";
    complete(run);
    settle();
    EXPECT_EQ(store.take_reads(), 1);
    EXPECT_EQ(told, 2);
}

TEST_F(ManyWaitsTest, RunsThatEndTogetherAreReadTogether) {
    constexpr int kRuns = 50;
    for (int i = 0; i < kRuns; ++i) {
        start(std::to_string(i));
        count_end(std::to_string(i));
    }
    settle();
    EXPECT_EQ(store.take_reads(), 1);
    for (int i = 0; i < kRuns; ++i) ASSERT_TRUE(client->cancel(named(std::to_string(i))).ok());
    settle();
    EXPECT_EQ(store.take_reads(), 1);
    EXPECT_EQ(told, kRuns);
}

TEST_F(ManyWaitsTest, ARunWithoutWaitersIsNotRead) {
    const RunRef run = start("a");
    const RunRef other = start("b");
    count_end("a");
    settle();
    (void)store.take_reads();
    set_status(run, "packing");
    set_value(run, "parcel", Payload::text("1"));
    complete(other);
    settle();
    EXPECT_EQ(store.take_reads(), 0);
}

TEST_F(ManyWaitsTest, OneThatCannotBeReadDoesNotHarmTheOthers) {
    const RunRef good = start("good");
    start("bad");
    store.make_unreadable("bad");
    count_end("good");
    count_end("bad");
    settle();
    EXPECT_EQ(refused, 1);
    complete(good);
    settle();
    EXPECT_EQ(told, 1);
}

// ---- No wake-up is lost ------------------------------------------------------------------------

TEST_F(ManyWaitsTest, AnEndBetweenTheFirstReadAndItsAnswerIsNotLost) {
    const RunRef run = start("a");
    store.after_next_read([&] { complete(run); });
    count_end("a");
    settle();
    EXPECT_EQ(told, 1) << "without time passing";
}

TEST_F(ManyWaitsTest, AnEndBetweenTheFirstReadAndItsAnswerEndsABlockingWait) {
    const RunRef run = start("a");
    store.after_next_read([&] { complete(run); });
    // Nobody else is there to tell it.
    EXPECT_TRUE(client->wait(named("a")).ok());
}

TEST_F(ManyWaitsTest, AnEndBetweenALaterReadAndItsAnswerIsNotLost) {
    const RunRef run = start("a");
    count_end("a");
    settle();
    store.after_next_read([&] { complete(run); });
    clock.advance(Policy().poll_interval);
    settle();
    EXPECT_EQ(told, 1) << "without more time passing";
}

TEST_F(ManyWaitsTest, AnEndBetweenTheReadOfOneWhoComesLaterAndItsAnswerIsNotLost) {
    const RunRef run = start("a");
    count_end("a");
    settle();
    store.after_next_read([&] { complete(run); });
    count_end("a");
    settle();
    EXPECT_EQ(told, 2);
}

TEST_F(ManyWaitsTest, AReadFromBeforeAWaitDoesNotEndIt) {
    const RunRef run = start("a");
    std::optional<std::uint64_t> first;
    std::optional<std::uint64_t> second;
    client->wait_for_status(named("a"), 0, [&](const Result<InstanceInfo>& info) {
        first = info->custom_status_version;
    });
    settle();
    set_status(run, "one");
    store.hold_answer();
    settle();
    set_status(run, "two");
    client->wait_for_status(named("a"), 2, [&](const Result<InstanceInfo>& info) {
        second = info->custom_status_version;
    });
    settle();
    store.release();
    settle();
    EXPECT_EQ(first, 1U);
    EXPECT_EQ(second, std::nullopt) << "it knows more than that read";
    set_status(run, "three");
    settle();
    EXPECT_EQ(second, 3U);
}

// ---- Settled -----------------------------------------------------------------------------------

TEST_F(ManyWaitsTest, UntilSettledIsUntilTheLastHandlerHasEnded) {
    const RunRef run = start("a");
    std::optional<Result<Outcome>> settled;
    client->wait_until_settled(
        named("a"), [&](Result<Outcome> outcome) { settled.emplace(std::move(outcome)); });
    count_end("a");
    settle();
    const ClaimedActivity handler = end_under_a_handler(run);
    settle();
    EXPECT_EQ(told, 1);
    EXPECT_FALSE(settled.has_value()) << "a handler runs";
    EXPECT_EQ(client->wait_until_settled(named("a"), Millis(0)).error().code(),
              Errc::still_running);
    commit(op::ack_activity(handler, std::nullopt));
    settle();
    ASSERT_TRUE(settled && settled->ok()) << "without time passing";
    EXPECT_EQ((*settled)->status, Status::canceled);
    EXPECT_TRUE(client->wait_until_settled(named("a")).ok());
}

TEST_F(ManyWaitsTest, TheEndOfACanceledRunWithADocumentIsItsSettling) {
    const Result<StartResult> started =
        client->start("Task", Payload(), StartOptions().id("a").document(Payload::text("doc")));
    ASSERT_TRUE(started.ok());
    std::optional<Result<Outcome>> ended;
    client->wait(named("a"), [&](Result<Outcome> outcome) { ended.emplace(std::move(outcome)); });
    settle();
    const ClaimedActivity handler = end_under_a_handler(started->instance.run);
    settle();
    EXPECT_FALSE(ended.has_value()) << "a handler runs";
    EXPECT_EQ(client->wait(named("a"), Millis(0)).error().code(), Errc::still_running);
    EXPECT_EQ(client->outcome(named("a")).error().code(), Errc::still_running);
    EXPECT_EQ(client->status(named("a")).or_throw(), Status::canceling);
    EXPECT_EQ(client->cancel(named("a")).or_throw().instance.status, Status::canceling);
    commit(op::ack_activity(handler, std::nullopt));
    settle();
    ASSERT_TRUE(ended && ended->ok()) << "without time passing";
    EXPECT_EQ((*ended)->status, Status::canceled);
    EXPECT_EQ(client->status(named("a")).or_throw(), Status::canceled);
    EXPECT_TRUE(client->wait(named("a")).ok());
}

TEST_F(ManyWaitsTest, UntilSettledOfARunThatIsDeletedBeforeIsNotFound) {
    const RunRef run = start("a");
    std::optional<Result<Outcome>> settled;
    client->wait_until_settled(
        named("a"), [&](Result<Outcome> outcome) { settled.emplace(std::move(outcome)); });
    settle();
    (void)end_under_a_handler(run);
    settle();
    ASSERT_TRUE(client->delete_instance(named("a"), true).ok());
    settle();
    ASSERT_TRUE(settled.has_value()) << "without time passing";
    EXPECT_EQ(settled->error().code(), Errc::not_found);
}

// ---- Key-values --------------------------------------------------------------------------------

TEST_F(ManyWaitsTest, ForAValueIsUntilTheKeyHasOne) {
    const RunRef run = start("a");
    std::optional<Result<std::optional<Payload>>> value;
    client->wait_for_value(
        named("a"), "parcel", std::nullopt, [&](Result<std::optional<Payload>> found) {
            value.emplace(std::move(found));
        });
    settle();
    set_value(run, "other", Payload::text("x"));
    settle();
    EXPECT_FALSE(value.has_value());
    set_value(run, "parcel", Payload::text("packed"));
    settle();
    ASSERT_TRUE(value && value->ok()) << "without time passing";
    EXPECT_EQ(**value, Payload::text("packed"));
}

TEST_F(ManyWaitsTest, ForAValueIsForAnotherThanTheKnownOne) {
    const RunRef run = start("a");
    set_value(run, "parcel", Codec<int>::encode(1));
    EXPECT_EQ(*client->wait_for_value<int>(named("a"), "parcel"), 1);
    const auto same = client->wait_for_value<int>(named("a"), "parcel", 1, Millis(0));
    ASSERT_FALSE(same.ok());
    EXPECT_EQ(same.error().code(), Errc::still_running);
    EXPECT_EQ(same.error().message(),
              "instance 'a' has not ended nor set another value of 'parcel' in time");
    set_value(run, "parcel", Codec<int>::encode(2));
    EXPECT_EQ(*client->wait_for_value<int>(named("a"), "parcel", 1), 2);
    set_value(run, "parcel", std::nullopt);
    EXPECT_EQ(*client->wait_for_value<int>(named("a"), "parcel", 2), std::nullopt);
}

TEST_F(ManyWaitsTest, ForAValueEndsWithTheRun) {
    complete(start("a"));
    EXPECT_EQ(*client->wait_for_value(named("a"), "parcel"), std::nullopt);
    EXPECT_EQ(client->wait_for_value(named("nobody"), "parcel").error().code(), Errc::not_found);
}

// ---- Threads -----------------------------------------------------------------------------------

TEST_F(ManyWaitsTest, AWaitWithoutTimeStillReadsOnce) {
    complete(start("a"));
    EXPECT_TRUE(client->wait(named("a"), Millis(0)).ok());
}

TEST_F(ManyWaitsTest, EachOfManyThreadsIsWokenByTheEndOfItsRun) {
    constexpr int kThreads = 24;
    std::vector<RunRef> runs;
    for (int i = 0; i < kThreads; ++i) runs.push_back(start(std::to_string(i)));
    std::vector<std::future<bool>> waits;
    for (int i = 0; i < kThreads; ++i) {
        waits.push_back(std::async(
            std::launch::async, [this, i] { return client->wait(named(std::to_string(i))).ok(); }));
    }
    for (const RunRef run : runs) complete(run);
    for (std::future<bool>& wait : waits) EXPECT_TRUE(wait.get());
    EXPECT_EQ(client->next_due(), std::nullopt);
}

TEST_F(ManyWaitsTest, ThreadsThatGiveUpLeaveTheReadingToOthers) {
    const RunRef run = start("a");
    start("b");
    std::future<bool> patient =
        std::async(std::launch::async, [this] { return client->wait(named("a")).ok(); });
    std::vector<std::thread> hasty;
    for (int i = 0; i < 8; ++i) {
        hasty.emplace_back([this] {
            for (int n = 0; n < 50; ++n) (void)client->wait(named("b"), Millis(0));
        });
    }
    complete(run);
    EXPECT_TRUE(patient.get());
    for (std::thread& thread : hasty) thread.join();
}

TEST_F(ManyWaitsTest, AClientThatGoesLetsBlockedThreadsGo) {
    start("a");
    std::promise<void> reads;
    store.after_next_read([&] { reads.set_value(); });
    std::future<Errc> blocked = std::async(std::launch::async, [waiting = client.get()] {
        return waiting->wait(named("a")).error().code();
    });
    reads.get_future().wait();
    client.reset();
    EXPECT_EQ(blocked.get(), Errc::unavailable);
}

TEST_F(ManyWaitsTest, AThreadThatServesCallbacksSleepsUntilThereIsSomethingToDo) {
    EXPECT_FALSE(client->wait_until_due(Millis(0)));
    const RunRef run = start("a");
    count_end("a");
    EXPECT_TRUE(client->wait_until_due(Millis::max()));
    settle();
    std::thread other([&] { complete(run); });
    EXPECT_TRUE(client->wait_until_due(Millis::max()));
    settle();
    other.join();
    EXPECT_EQ(told, 1);
}

}  // namespace
}  // namespace belay
