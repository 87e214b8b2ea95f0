// Turns on real threads: one that takes long costs its own run, and nothing else.
#include "store/forwarding_store.hpp"
#include "support/warnings.hpp"
#include <belay/client.hpp>
#include <belay/finding.hpp>
#include <belay/registry.hpp>
#include <belay/store/memory.hpp>
#include <belay/worker.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace belay::worker_turns_tests {
namespace {

using namespace std::chrono_literals;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

inline constexpr Activity<std::string(std::string)> Echo{"Echo"};
inline constexpr Activity<void()> Slow{"Slow"};
inline constexpr Definition<std::string(std::string)> Plain{"Plain"};
inline constexpr Definition<void()> Bystander{"Bystander"};
inline constexpr Definition<std::string()> Busy{"Busy"};
inline constexpr Definition<std::string()> BusyLater{"BusyLater"};

/// No test waits that long unless something is wrong.
constexpr Millis kForever = 120s;

/// Where the code of a turn stands still, as if it computed, until it is let go.
class Gate {
public:
    void pass() {
        std::unique_lock lock(mutex_);
        ++came_;
        changed_.notify_all();
        changed_.wait(lock, [&] { return open_; });
        ++left_;
        changed_.notify_all();
    }
    void open() {
        const std::lock_guard lock(mutex_);
        open_ = true;
        changed_.notify_all();
    }
    void wait_until_came(int count) {
        std::unique_lock lock(mutex_);
        EXPECT_TRUE(changed_.wait_for(lock, kForever, [&] { return came_ >= count; }));
    }
    /// Until everybody who came has left.
    void wait_until_empty() {
        std::unique_lock lock(mutex_);
        EXPECT_TRUE(changed_.wait_for(lock, kForever, [&] { return left_ == came_; }));
    }
    [[nodiscard]] int came() {
        const std::lock_guard lock(mutex_);
        return came_;
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    bool open_ = false;
    int came_ = 0;
    int left_ = 0;
};

/// The test that runs. A turn that was given up may outlive it.
std::shared_ptr<Gate> gate;

Orchestration<std::string> plain(OrchestrationContext ctx, std::string input) {
    co_return co_await ctx.call(Echo, input);
}
Orchestration<void> bystander(OrchestrationContext ctx) { co_await ctx.call(Slow); }
Orchestration<std::string> busy(OrchestrationContext ctx) {
    const std::shared_ptr<Gate> here = gate;
    here->pass();
    co_return co_await ctx.call(Echo, std::string("done"));
}
Orchestration<std::string> busy_later(OrchestrationContext ctx) {
    const std::shared_ptr<Gate> here = gate;
    std::string text = co_await ctx.call(Echo, std::string("first"));
    here->pass();
    co_return text;
}

/// Tells of renewals, and keeps the thread of one call.
class WatchedStore final : public ForwardingStore {
public:
    using ForwardingStore::ForwardingStore;

    /// Calls block, as those of a file do.
    [[nodiscard]] StoreTraits traits() const override { return {}; }
    /// The next commit that starts a run does not return before the gate is open.
    void block_start(std::shared_ptr<Gate> until) {
        const std::lock_guard lock(mutex_);
        block_start_ = std::move(until);
    }
    void commit(std::vector<Transition> batch, Done<std::vector<Answer>> done) override {
        if (std::holds_alternative<Start>(batch.front().parts.front())) {
            if (const std::shared_ptr<Gate> until = take_block()) until->pass();
        }
        {
            const std::lock_guard lock(mutex_);
            for (const Transition& one : batch) {
                if (std::holds_alternative<RenewTurn>(one.parts.front())) ++turns_;
                if (std::holds_alternative<RenewActivity>(one.parts.front())) ++activities_;
            }
            changed_.notify_all();
        }
        inner().commit(std::move(batch), std::move(done));
    }
    void wait_for_renewals(int turns, int activities) {
        std::unique_lock lock(mutex_);
        EXPECT_TRUE(changed_.wait_for(
            lock, kForever, [&] { return turns_ >= turns && activities_ >= activities; }));
    }

private:
    std::shared_ptr<Gate> take_block() {
        const std::lock_guard lock(mutex_);
        return std::exchange(block_start_, nullptr);
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::shared_ptr<Gate> block_start_;
    int turns_ = 0;
    int activities_ = 0;
};

class WorkerTurns : public ::testing::Test {
protected:
    WorkerTurns() {
        gate = std::make_shared<Gate>();
        registry.add(Plain, plain);
        registry.add(Bystander, bystander);
        registry.add(Busy, busy);
        registry.add(BusyLater, busy_later);
        registry.add(Echo, [](const std::string& text) { return text; });
        registry.add(Slow, [this] {
            ++slow_begun;
            slow->pass();
        });
    }
    ~WorkerTurns() override {
        gate->open();
        slow->open();
        workers.clear();
        gate->wait_until_empty();
    }

    static Policy quick() {
        Policy policy;
        policy.turn_lease = 200ms;
        policy.activity_lease = 200ms;
        policy.renewal_buffer = 150ms;
        policy.poll_interval = 50ms;
        policy.grace = 50ms;
        return policy;
    }
    static Policy impatient() {
        Policy policy = quick();
        policy.turn_limit = 300ms;
        return policy;
    }
    Worker& open(const Policy& policy, const ExecutorOptions& executor = ExecutorOptions()) {
        workers.push_back(
            std::make_unique<Worker>(store,
                                     registry,
                                     RuntimeOptions().policy(policy).events(
                                         support::warnings([this](const std::string& line) {
                                             const std::lock_guard lock(mutex);
                                             logged.push_back(line);
                                             changed.notify_all();
                                         })),
                                     executor));
        return *workers.back();
    }
    static Payload text_of(const std::string& text) {
        return detail::encode_arguments<std::string>(text);
    }
    void start(Client& by, const char* definition, const std::string& id) {
        const auto started = by.start(definition, Payload(), StartOptions().id(id));
        ASSERT_TRUE(started.ok()) << started.error().describe();
    }
    static InstanceName named(const std::string& id) { return {"default", id}; }
    /// A run from its start to its end.
    void expect_others_go_on(Client& by, const std::string& id) {
        ASSERT_TRUE(by.start(Plain, StartOptions().id(id), std::string("x")).ok());
        const auto ended = by.wait(Plain, named(id), kForever);
        ASSERT_TRUE(ended.ok()) << ended.error().describe();
        EXPECT_EQ(ended->value(), "x");
    }
    void wait_for_lines(std::size_t count) {
        std::unique_lock lock(mutex);
        EXPECT_TRUE(changed.wait_for(lock, kForever, [&] { return logged.size() >= count; }));
    }
    static void wait_until(const std::function<bool()>& happened) {
        const auto hang = std::chrono::steady_clock::now() + kForever;
        while (!happened()) {
            ASSERT_LT(std::chrono::steady_clock::now(), hang);
            std::this_thread::yield();
        }
    }
    void wait_until_held(const std::string& id) {
        wait_until([&] { return client.inspect(named(id))->held; });
    }

    std::unique_ptr<Store> memory = make_memory_store(system_clock());
    WatchedStore store{*memory};
    Client client{store};  // Its runs are claimed.
    Registry registry;
    std::shared_ptr<Gate> slow = std::make_shared<Gate>();
    std::atomic<int> slow_begun = 0;
    std::mutex mutex;
    std::condition_variable changed;
    std::vector<std::string> logged;
    std::vector<std::unique_ptr<Worker>> workers;
};

TEST_F(WorkerTurns, ATurnWithinItsLimitKeepsItsLockAndSoDoBystanders) {
    open(quick());
    open(quick());
    start(client, "Bystander", "bystander");
    slow->wait_until_came(1);
    start(client, "Busy", "busy");
    gate->wait_until_came(1);
    store.wait_for_renewals(3, 3);
    expect_others_go_on(client, "other");
    EXPECT_EQ(gate->came(), 1) << "nobody else has taken it";
    EXPECT_EQ(slow_begun, 1);
    gate->open();
    const auto ended = client.wait(Busy, named("busy"), kForever);
    ASSERT_TRUE(ended.ok()) << ended.error().describe();
    EXPECT_EQ(ended->value(), "done");
    slow->open();
    ASSERT_TRUE(client.wait(named("bystander"), kForever).ok());
    for (const auto& worker : workers) {
        EXPECT_EQ(worker->counts().leases_lost, 0U);
        EXPECT_EQ(worker->counts().overruns, 0U);
    }
}

TEST_F(WorkerTurns, ManyTurnsThatTakeLongLeaveRoomForOthers) {
    Worker& worker = open(quick());
    for (int i = 0; i < 8; ++i) start(client, "Busy", "busy" + std::to_string(i));
    gate->wait_until_came(8);
    Client local(worker.store());
    expect_others_go_on(local, "started here");
    expect_others_go_on(client, "claimed");
    gate->open();
    for (int i = 0; i < 8; ++i) {
        ASSERT_TRUE(client.wait(named("busy" + std::to_string(i)), kForever).ok());
    }
}

/// One thread is kept in the store, and another one in a turn: one more steps.
TEST_F(WorkerTurns, LeasesAreKeptThoughOneThreadIsInTheStoreAndOneInATurn) {
    Worker& worker = open(quick());
    start(client, "Bystander", "bystander");
    slow->wait_until_came(1);
    const auto in_store = std::make_shared<Gate>();
    store.block_start(in_store);
    Client local(worker.store());
    std::atomic<bool> started = false;
    local.start("Plain", text_of("x"), StartOptions().id("kept"), [&](const Result<StartResult>&) {
        started = true;
    });
    in_store->wait_until_came(1);
    start(client, "Busy", "busy");
    gate->wait_until_came(1);
    store.wait_for_renewals(2, 2);
    EXPECT_EQ(gate->came(), 1) << "nobody else has taken it";
    EXPECT_EQ(slow_begun, 1);
    EXPECT_EQ(worker.counts().leases_lost, 0U);
    in_store->open();
    wait_until([&] { return started.load(); });
    const auto ended = client.wait(Plain, named("kept"), kForever);
    EXPECT_TRUE(ended.ok()) << ended.error().describe();
    in_store->wait_until_empty();
}

/// Each start asks for the next one, so that those who step have always something to do.
TEST_F(WorkerTurns, TurnsGoOnBesideALongOneWhileThereIsAlwaysMoreToDo) {
    Worker& worker = open(quick());
    Client local(worker.store());
    std::atomic<bool> over = false;
    std::atomic<bool> ended = false;
    std::atomic<int> started = 0;
    std::function<void()> next = [&] {
        local.start("Nobody",
                    Payload(),
                    StartOptions().id("more" + std::to_string(++started)),
                    [&](const Result<StartResult>&) {
                        if (over) {
                            ended = true;
                        } else {
                            next();
                        }
                    });
    };
    next();
    start(client, "Busy", "busy");
    gate->wait_until_came(1);
    expect_others_go_on(client, "other");
    over = true;
    wait_until([&] { return ended.load(); });
}

/// A destructor in an orchestration that does not return.
struct Reluctant {
    std::shared_ptr<Gate> until;
    explicit Reluctant(std::shared_ptr<Gate> given) : until(std::move(given)) {}
    Reluctant(const Reluctant&) = delete;
    Reluctant& operator=(const Reluctant&) = delete;
    ~Reluctant() { until->pass(); }
};

TEST_F(WorkerTurns, StoppingDoesNotWaitForADestructorThatDoesNotReturn) {
    registry.add(
        Definition<void()>{"Reluctant"}, +[](OrchestrationContext ctx) -> Orchestration<void> {
            const Reluctant reluctant(gate);
            (void)co_await ctx.wait<std::string>("never");
        });
    Policy policy = quick();
    policy.grace = 1s;  // Its destructor begins within it.
    Worker& worker = open(policy);
    start(client, "Reluctant", "reluctant");
    wait_until([&] { return client.inspect(named("reluctant"))->status == Status::running; });
    const StopReport report = worker.stop();
    EXPECT_TRUE(report.given_back);
    EXPECT_EQ(gate->came(), 1);
    EXPECT_THAT(report.abandoned, Contains("what a turn of 'reluctant' (Reluctant) left behind"));
    workers.clear();
}

TEST_F(WorkerTurns, AnEndlessTurnIsLoggedAndItsRunIsHeldTheSecondTime) {
    Worker& worker = open(impatient());
    start(client, "Bystander", "bystander");
    slow->wait_until_came(1);
    start(client, "Busy", "endless");
    wait_for_lines(1);
    EXPECT_THAT(logged.front(), HasSubstr("a turn of 'endless' (Busy) ran past the limit"));
    expect_others_go_on(client, "other");
    wait_until_held("endless");
    EXPECT_THAT(client.inspect(named("endless"))->held_detail, HasSubstr("2 times"));
    EXPECT_EQ(gate->came(), 2) << "it costs two threads";
    store.wait_for_renewals(0, 6);
    expect_others_go_on(client, "another");
    EXPECT_EQ(slow_begun, 1) << "bystanders keep their leases";
    EXPECT_EQ(worker.counts().overruns, 2U);
    EXPECT_EQ(worker.counts().held, 1U);

    gate->open();
    ASSERT_TRUE(client.release(named("endless")).ok());
    const auto ended = client.wait(Busy, named("endless"), kForever);
    ASSERT_TRUE(ended.ok()) << ended.error().describe();
    EXPECT_EQ(ended->value(), "done");
    EXPECT_EQ(gate->came(), 3);
}

TEST_F(WorkerTurns, ACancelEndsARunWhoseTurnsDoNotEnd) {
    open(impatient());
    start(client, "BusyLater", "endless");
    gate->wait_until_came(1);
    ASSERT_TRUE(client.cancel(named("endless")).ok());
    const auto ended = client.wait(named("endless"), kForever);
    ASSERT_TRUE(ended.ok()) << ended.error().describe();
    EXPECT_EQ(ended->status, Status::canceled);
    EXPECT_NE(ended->cleanup, Cleanup::timed_out) << "its deadline is not waited for";
    EXPECT_LE(gate->came(), 2);
}

TEST_F(WorkerTurns, StoppingDoesNotWaitForATurnThatDoesNotEnd) {
    Worker& worker = open(quick());
    start(client, "Busy", "endless");
    gate->wait_until_came(1);
    const StopReport report = worker.stop();
    EXPECT_TRUE(report.given_back);
    EXPECT_THAT(report.abandoned, ElementsAre("a turn of 'endless' (Busy)"));
    const auto seen = client.inspect(named("endless"));
    EXPECT_EQ(seen->attempts, 0U) << "it was given back, and is not to blame";
    EXPECT_FALSE(seen->locked);
}

TEST_F(WorkerTurns, AWorkerThatIsGoneIsNotMissedByATurnThatEndsLater) {
    open(quick());
    start(client, "Busy", "endless");
    gate->wait_until_came(1);
    workers.clear();
    gate->open();
    gate->wait_until_empty();
    EXPECT_EQ(client.inspect(named("endless"))->status, Status::pending);
    open(quick());
    ASSERT_TRUE(client.wait(named("endless"), kForever).ok());
}

/// Its turn runs on the thread that has run the activity.
TEST_F(WorkerTurns, ATurnThatTakesLongCostsNoThreadOfActivities) {
    Worker& worker = open(quick(), ExecutorOptions().threads(1));
    Client local(worker.store());
    start(local, "BusyLater", "busy");
    gate->wait_until_came(1);
    expect_others_go_on(local, "other");
    expect_others_go_on(local, "another");
    gate->open();
    const auto ended = local.wait(BusyLater, named("busy"), kForever);
    ASSERT_TRUE(ended.ok()) << ended.error().describe();
    EXPECT_EQ(ended->value(), "first");
}

TEST_F(WorkerTurns, AnEndlessTurnOnAThreadOfActivitiesIsGivenUpAsWell) {
    Worker& worker = open(impatient(), ExecutorOptions().threads(1));
    Client local(worker.store());
    start(local, "BusyLater", "endless");
    wait_until_held("endless");
    EXPECT_EQ(gate->came(), 2);
    expect_others_go_on(local, "other");
    const StopReport report = worker.stop();
    EXPECT_EQ(report.abandoned.size(), 2U);
}

TEST_F(WorkerTurns, AStartIsAnsweredThoughItsFirstTurnDoesNotEnd) {
    Worker& worker = open(impatient());
    Client local(worker.store());
    start(local, "Busy", "endless");
    wait_until_held("endless");
    EXPECT_EQ(worker.counts().overruns, 2U);
    EXPECT_EQ(gate->came(), 2);
}

}  // namespace
}  // namespace belay::worker_turns_tests
