// Many threads, one leader at a time.
#include "fixture.hpp"
#include "support/disk.hpp"

#include <functional>
#include <optional>
#include <thread>
#include <utility>

namespace belay::sqlite {
namespace {

class GroupCommit : public SqliteStoreTest {};

constexpr int kThreads = 8;
constexpr int kRounds = 100;

TEST_F(GroupCommit, EveryThreadIsAnsweredAndEveryAnswerIsInTheFile) {
    {
        const auto store = open();
        std::vector<std::jthread> threads;
        for (std::uint64_t i = 1; i <= kThreads; ++i) {
            threads.emplace_back([&store, i] {
                Driver driver(*store, i);
                for (int round = 0; round < kRounds; ++round) {
                    const std::string id = std::to_string(i) + "-" + std::to_string(round);
                    const RunRef run = driver.start_running(id, 1);
                    Turn turn;
                    turn.run = run;
                    turn.position = 1;
                    turn.history = Driver::events(1);
                    turn.after = Ends{Outcome(), std::nullopt};
                    EXPECT_EQ(driver.commit(turn).verdict, Verdict::applied);
                }
            });
        }
    }
    const auto store = open();
    EXPECT_EQ(ask("select count(*) from run where status = 4"), std::to_string(kThreads * kRounds));
    EXPECT_EQ(ask("select count(*) from history"), std::to_string(2 * kThreads * kRounds));
    EXPECT_EQ(ask("select count(*) from activity"), "0");
    EXPECT_EQ(ask("pragma integrity_check"), "ok");
}

TEST_F(GroupCommit, RowsAndCommitsAreCounted) {
    const auto store = open(SqliteOptions());
    Driver driver(*store, 1);
    const StoreCounts before = store->counts();
    driver.commit(op::start(driver.instance("one")));
    StoreCounts after = store->counts();
    EXPECT_EQ(after.rows - before.rows, 5U) << "a run is one row; its block is new to the lists";
    EXPECT_EQ(after.commits - before.commits, 1U);
    EXPECT_EQ(after.durable - before.durable, 1U);
    ASSERT_EQ(driver.claim_instances().size(), 1U);
    EXPECT_EQ(store->counts().commits, after.commits + 1);
    EXPECT_EQ(store->counts().durable, after.durable) << "a lease need not survive a loss of power";
    after = store->counts();
    ASSERT_TRUE(driver.claim_instances().empty());
    EXPECT_EQ(store->counts().commits, after.commits) << "what changes nothing is no commit";
}

TEST_F(GroupCommit, ExactlyOneOfSimultaneousStartsOfOneIdCreates) {
    const auto store = open();
    std::atomic<int> created = 0;
    {
        std::vector<std::jthread> threads;
        for (std::uint64_t i = 1; i <= kThreads; ++i) {
            threads.emplace_back([&, i] {
                Driver driver(*store, i);
                for (int round = 0; round < kRounds; ++round) {
                    const Answer answer =
                        driver.commit(op::start(driver.instance("run-" + std::to_string(round))));
                    if (answer.verdict == Verdict::applied) ++created;
                }
            });
        }
    }
    EXPECT_EQ(created, kRounds);
}

/// There is always more to commit, so the queue is never empty.
TEST_F(GroupCommit, AThreadThatLeadsForLongIsRelievedByTheNextThatComes) {
    constexpr int kMost = 1'000;
    const auto store = open();
    Driver first(*store, 1);
    std::atomic<bool> over = false;
    std::atomic<bool> returned = false;
    int started = 0;
    std::function<void()> next = [&] {
        std::vector<Transition> batch;
        batch.push_back(first.change(op::start(first.instance("a" + std::to_string(++started)))));
        store->commit(std::move(batch), [&](const Result<std::vector<Answer>>&) {
            if (!over) next();
        });
    };
    int commits = 0;
    std::thread other([&] {
        Driver second(*store, 2);
        while (!returned && commits < kMost) {
            second.commit(op::start(second.instance("b" + std::to_string(++commits))));
        }
        over = true;
    });
    next();
    returned = true;
    over = true;
    other.join();
    EXPECT_LT(commits, kMost) << "it led until there was nothing left to do";
}

TEST_F(GroupCommit, ACallFromInsideAnAnswerIsAnsweredToo) {
    const auto store = open();
    Driver driver(*store, 1);
    int answered = 0;
    std::function<void(int)> next = [&](int left) {
        std::vector<Transition> batch;
        batch.push_back(op::transition(driver.next_commit(),
                                       op::start(driver.instance("a" + std::to_string(left)))));
        store->commit(std::move(batch), [&, left](Result<std::vector<Answer>> result) {
            EXPECT_EQ(result->at(0).verdict, Verdict::applied);
            ++answered;
            if (left > 1) next(left - 1);
        });
    };
    next(1'000);
    EXPECT_EQ(answered, 1'000);
}

TEST_F(GroupCommit, TheStoreCanBeDestroyedFromInsideAnAnswer) {
    auto store = open();
    Driver driver(*store, 1);
    std::vector<Transition> batch;
    batch.push_back(op::transition(driver.next_commit(), op::start(driver.instance("a"))));
    store->commit(std::move(batch), [&](Result<std::vector<Answer>>) { store.reset(); });
    EXPECT_EQ(store, nullptr);
    store = open();
    EXPECT_TRUE(Driver(*store, 2).find("a"));
}

TEST_F(GroupCommit, ACallerNeedNotLead) {
    std::vector<std::function<void()>> posted;
    const auto store = open(
        quick().lead_on([&](std::function<void()> lead) { posted.push_back(std::move(lead)); }));
    Driver driver(*store, 1);
    int answered = 0;
    for (int i = 0; i < 10; ++i) {
        std::vector<Transition> batch;
        batch.push_back(op::transition(driver.next_commit(),
                                       op::start(driver.instance("a" + std::to_string(i)))));
        store->commit(std::move(batch), [&](Result<std::vector<Answer>>) { ++answered; });
    }
    EXPECT_EQ(answered, 0);
    ASSERT_EQ(posted.size(), 1U) << "one leader at a time";
    posted[0]();
    EXPECT_EQ(answered, 10);
    EXPECT_EQ(ask("select count(*) from run"), "10");
}

/// Groups of several jobs on a disk that loses what it was not asked to keep.
class GroupWithoutPower : public GroupCommit {
protected:
    void SetUp() override {
        store_ = open(options_);
        driver().start_running("waits", 1);
    }
    Driver& driver() {
        if (!driver_) driver_.emplace(*store_, 1);
        return *driver_;
    }
    void claim() {
        ClaimActivities request = op::claim_activity(driver().next_token(), "w", Millis(30'000));
        store_->claim(std::move(request), [this](Result<ClaimActivities::Answer> result) {
            claimed_ = std::move(result->claimed);
        });
    }
    void commit(std::vector<Transition> batch) {
        store_->commit(std::move(batch), [this](const Result<std::vector<Answer>>& result) {
            ASSERT_TRUE(result) << result.error().describe();
            for (const Answer& one : *result) applied_ += one.verdict == Verdict::applied ? 1 : 0;
        });
    }
    void start(const std::string& id) {
        commit({driver().change(op::start(driver().instance(id)))});
    }
    /// Everything that was asked since makes one group; then the power goes.
    void lead_and_lose_power() {
        const std::uint64_t before = store_->counts().commits;
        std::exchange(lead_, nullptr)();
        EXPECT_EQ(store_->counts().commits, before + 1) << "one group";
        disk_.power_off_after(0);
        driver_.reset();
        store_.reset();
        disk_.power_on();
        lead_at_once_ = true;
        store_ = open(options_);
    }

    support::Disk disk_{directory_.path(), [] { return std::uint64_t{0}; }};
    std::function<void()> lead_;
    bool lead_at_once_ = true;
    const SqliteOptions options_ =
        SqliteOptions().preallocate(false).lead_on([this](std::function<void()> lead) {
            if (lead_at_once_) {
                lead();
            } else {
                lead_ = std::move(lead);
            }
        });
    std::unique_ptr<Store> store_;
    std::optional<Driver> driver_;
    std::vector<ClaimedActivity> claimed_;
    int applied_ = 0;
};

TEST_F(GroupWithoutPower, ACommitBehindAClaimSurvives) {
    lead_at_once_ = false;
    claim();
    start("a");
    lead_and_lose_power();
    ASSERT_EQ(claimed_.size(), 1U);
    ASSERT_EQ(applied_, 1);
    EXPECT_TRUE(driver().find("a")) << "it was answered";
}

TEST_F(GroupWithoutPower, ACommitBeforeAClaimSurvives) {
    lead_at_once_ = false;
    start("a");
    claim();
    start("b");
    lead_and_lose_power();
    ASSERT_EQ(applied_, 2);
    EXPECT_TRUE(driver().find("a"));
    EXPECT_TRUE(driver().find("b"));
}

TEST_F(GroupWithoutPower, ACommitBehindARenewalSurvives) {
    const auto held = driver().claim_activities();
    ASSERT_EQ(held.size(), 1U);
    lead_at_once_ = false;
    commit({driver().change(op::renew_activity(held[0], Millis(60'000)))});
    start("a");
    lead_and_lose_power();
    ASSERT_EQ(applied_, 2);
    EXPECT_TRUE(driver().find("a"));
}

TEST_F(GroupWithoutPower, AClaimAloneNeedNotSurvive) {
    lead_at_once_ = false;
    claim();
    lead_and_lose_power();
    ASSERT_EQ(claimed_.size(), 1U);
    EXPECT_EQ(driver().claim_activities().size(), 1U) << "its worker is gone as well";
}

TEST_F(GroupCommit, WaitingWorkIsClaimedBeforeMoreIsLeased) {
    std::function<void()> lead;
    bool later = false;
    const auto store = open(quick().lead_on([&](std::function<void()> posted) {
        if (later) {
            lead = std::move(posted);
        } else {
            posted();
        }
    }));
    Driver driver(*store, 1);
    const RunRef waits = driver.start_running("waits", 1);
    const NewInstance made = driver.instance("next");
    Turn turn = Driver::first_turn(made.run, 1);
    turn.activities[0].hand_over =
        NewActivity::HandOver{driver.next_token(), Millis(30'000), "same process"};

    later = true;
    std::vector<Transition> batch;
    batch.push_back(op::transition(driver.next_commit(), op::start(made), turn));
    std::vector<CommandNo> leased;
    store->commit(std::move(batch),
                  [&](Result<std::vector<Answer>> result) { leased = result->at(0).leased; });
    ClaimActivities request = op::claim_activity(driver.next_token(), "w", Millis(30'000));
    request.max = 10;
    std::vector<ClaimedActivity> claimed;
    store->claim(request, [&](Result<ClaimActivities::Answer> result) {
        claimed = std::move(result->claimed);
    });
    lead();
    ASSERT_EQ(claimed.size(), 1U);
    EXPECT_EQ(claimed[0].activity.run, waits);
    EXPECT_EQ(leased, std::vector<CommandNo>{1}) << "nobody is overtaken any more";
}

TEST_F(GroupCommit, ReadsGoOnBesideTheWriter) {
    const auto store = open();
    Driver(*store, 1).start_running("a");
    std::atomic<bool> stop = false;
    std::jthread writer([&] {
        Driver driver(*store, 2);
        for (int i = 0; !stop; ++i) driver.start_running("w" + std::to_string(i));
    });
    Driver driver(*store, 3);
    for (int i = 0; i < 500; ++i) EXPECT_TRUE(driver.find("a"));
    stop = true;
}

TEST_F(GroupCommit, TheLogIsWrittenBackAndUsedAgain) {
    const auto store = open(quick().checkpoint_pages(50).preallocate(true));
    Driver driver(*store, 1);
    for (int i = 0; i < 300; ++i) driver.start_running("a" + std::to_string(i));
    EXPECT_LT(std::filesystem::file_size(path_ + "-wal"), 400U * 8'216U);
    EXPECT_GT(std::filesystem::file_size(path_), 10U * 8'192U);
    EXPECT_EQ(ask("select count(*) from run"), "300");
    EXPECT_EQ(ask("pragma integrity_check"), "ok");
}

TEST_F(GroupCommit, PayloadsOfEverySizeComeBack) {
    {
        const auto store = open();
        Driver driver(*store, 1);
        for (const std::size_t size : {0U, 1U, 4'096U, 4'097U, 100'000U}) {
            NewInstance made = driver.instance("a" + std::to_string(size));
            made.input = Payload::text(std::string(size, 'i'));
            Turn turn = Driver::first_turn(made.run, 1);
            turn.activities[0].input = Payload::text(std::string(size, 'a'));
            turn.custom_status = Payload::text(std::string(size, 's'));
            driver.commit(op::start(made), std::move(turn));
        }
    }
    const auto store = open();
    Driver driver(*store, 2);
    for (const ClaimedActivity& item : driver.claim_activities(10)) {
        const auto info = driver.find(item.instance.id);
        ASSERT_TRUE(info && info->custom_status);
        EXPECT_EQ(item.input.bytes.size(), info->input.bytes.size());
        EXPECT_EQ(info->custom_status->bytes.size(), info->input.bytes.size());
        EXPECT_EQ(driver.commit(op::ack_activity(item, std::nullopt)).verdict, Verdict::applied);
        Outcome outcome;
        outcome.output = Payload::text(std::string(info->input.bytes.size(), 'o'));
        Turn turn;
        turn.run = item.activity.run;
        turn.position = 1;
        turn.history = Driver::events(1);
        turn.after = Ends{outcome, std::nullopt};
        driver.commit(turn);
        EXPECT_EQ(driver.find(item.instance.id)->outcome, outcome);
        driver.commit(Delete{item.instance, false, {}, {}});
    }
    EXPECT_EQ(ask("select count(*) from large"), "0");
}

}  // namespace
}  // namespace belay::sqlite
