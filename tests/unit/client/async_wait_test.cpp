// Waits that a coroutine awaits: they take the road of all others, and always resume it.
#include "store/forwarding_store.hpp"
#include "support/manual_clock.hpp"
#include <belay/async.hpp>
#include <belay/client.hpp>
#include <belay/store/memory.hpp>
#include <belay/store/operations.hpp>

#include <gtest/gtest.h>

#include <coroutine>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace belay {
namespace {

static_assert(detail::Awaitable<ClientWait<Outcome>>, "a coroutine activity may await it");

class CountedReads final : public ForwardingStore {
public:
    using ForwardingStore::ForwardingStore;
    void read_any(Read request, Done<ReadAnswer> done) override {
        if (std::holds_alternative<ReadInstances>(request)) ++reads;
        ForwardingStore::read_any(std::move(request), std::move(done));
    }
    int reads = 0;
};

/// A coroutine of somebody else. It begins at once and is destroyed with this object.
class Coroutine {
public:
    struct promise_type {
        Coroutine get_return_object() {
            return Coroutine(std::coroutine_handle<promise_type>::from_promise(*this));
        }
        std::suspend_never initial_suspend() noexcept { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        void return_void() {}
        void unhandled_exception() { std::terminate(); }
    };
    explicit Coroutine(std::coroutine_handle<promise_type> frame) : frame_(frame) {}
    Coroutine(Coroutine&& other) noexcept : frame_(std::exchange(other.frame_, nullptr)) {}
    Coroutine& operator=(Coroutine&&) = delete;
    ~Coroutine() {
        if (frame_) frame_.destroy();
    }
    [[nodiscard]] bool done() const { return frame_.done(); }

private:
    std::coroutine_handle<promise_type> frame_;
};

/// Ends when the wait is over.
template <class T>
Coroutine await(ClientWait<T> wait, std::optional<Result<T>>* seen) {
    Result<T> result = co_await wait;
    seen->emplace(std::move(result));
}

class AsyncWaitTest : public ::testing::Test {
protected:
    StartResult start() {
        Result<StartResult> started =
            client->start("Task", Payload(), StartOptions().id("a" + std::to_string(++serial)));
        EXPECT_TRUE(started.ok());
        return std::move(*started);
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
        inner->commit({op::transition(CommitId{7, ++serial}, std::move(turn))},
                      [](const Result<std::vector<Answer>>& r) { ASSERT_TRUE(r->at(0).done()); });
    }
    void complete(RunRef run) {
        take_turn(run, [](Turn& turn) { turn.after = Ends(); });
    }
    void settle() {
        while (client->step()) {
        }
    }

    std::uint64_t serial = 0;
    support::ManualClock clock;
    std::unique_ptr<Store> inner = make_memory_store(clock);
    CountedReads store{*inner};
    std::unique_ptr<Client> client = std::make_unique<Client>(store, clock);
    std::optional<Result<Outcome>> seen;
};

TEST_F(AsyncWaitTest, ACoroutineGoesOnWhenItsRunHasEnded) {
    const StartResult started = start();
    const Coroutine waiting = await(client->async_wait(started), &seen);
    settle();
    EXPECT_FALSE(waiting.done());
    complete(started.instance.run);
    settle();
    ASSERT_TRUE(waiting.done());
    EXPECT_EQ((*seen)->status, Status::completed);
}

TEST_F(AsyncWaitTest, OneReadAnswersAllCoroutinesThatWaitForARun) {
    const StartResult started = start();
    std::vector<std::optional<Result<Outcome>>> all(100);
    std::vector<Coroutine> waiting;
    for (auto& one : all) {
        waiting.push_back(await(client->async_wait(started.instance.name), &one));
    }
    settle();
    EXPECT_EQ(store.reads, 1);
    complete(started.instance.run);
    settle();
    EXPECT_EQ(store.reads, 2);
    for (const Coroutine& one : waiting) EXPECT_TRUE(one.done());
}

TEST_F(AsyncWaitTest, ForSettlingAStatusAndAValue) {
    const StartResult started = start();
    const InstanceName& name = started.instance.name;
    std::optional<Result<InstanceInfo>> info;
    std::optional<Result<std::optional<Payload>>> value;
    const Coroutine for_settling = await(client->async_wait_until_settled(name), &seen);
    const Coroutine for_status = await(client->async_wait_for_status(name, 0), &info);
    const Coroutine for_value = await(client->async_wait_for_value(name, "parcel"), &value);
    settle();
    take_turn(started.instance.run, [](Turn& turn) {
        turn.custom_status = Payload::text("packing");
        turn.key_values.push_back(KeyValueChange{"parcel", Payload::text("1")});
    });
    settle();
    ASSERT_TRUE(for_status.done());
    EXPECT_EQ((*info)->custom_status, Payload::text("packing"));
    ASSERT_TRUE(for_value.done());
    EXPECT_EQ(**value, Payload::text("1"));
    EXPECT_FALSE(for_settling.done());
    complete(started.instance.run);
    settle();
    EXPECT_TRUE(for_settling.done());
}

TEST_F(AsyncWaitTest, ACoroutineGoesOnWhenTheClientIsDestroyed) {
    const Coroutine waiting = await(client->async_wait(start()), &seen);
    settle();
    client.reset();
    ASSERT_TRUE(waiting.done());
    EXPECT_EQ(seen->error().code(), Errc::unavailable);
}

TEST_F(AsyncWaitTest, ACoroutineMayBeDestroyedWhileItWaits) {
    const StartResult started = start();
    {
        const Coroutine waiting = await(client->async_wait(started), &seen);
        settle();
    }
    complete(started.instance.run);
    settle();
    EXPECT_EQ(seen, std::nullopt);
    EXPECT_EQ(client->next_due(), std::nullopt) << "the wait is over";
}

}  // namespace
}  // namespace belay
