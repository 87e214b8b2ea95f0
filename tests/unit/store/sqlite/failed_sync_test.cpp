// Reads after a failed sync, and the loss when power then fails.
#include "fixture.hpp"
#include "support/disk.hpp"

#include <functional>
#include <utility>

namespace belay::sqlite {
namespace {

class FailedSync : public SqliteStoreTest {
protected:
    void SetUp() override {
        store_ = open(options_);
        Driver(*store_, 1).start_running("before");
    }

    void fail_syncs(int count = 1) {
        disk_.fail(support::Disk::Operation::sync, SQLITE_IOERR_FSYNC, count);
    }
    /// Starts it, and the sync fails.
    void start_in_doubt(const std::string& id, int failures = 1) {
        Driver driver(*store_, ++holder_);
        fail_syncs(failures);
        const auto unknown =
            driver.try_commit(driver.next_commit(), op::start(driver.instance(id)));
        ASSERT_FALSE(unknown);
        EXPECT_TRUE(unknown.error().outcome_unknown()) << unknown.error().describe();
    }
    Result<ReadInstance::Answer> try_find(const std::string& id) {
        std::optional<Result<ReadInstance::Answer>> answer;
        store_->read(ReadInstance{Driver::name(id), {}}, [&](Result<ReadInstance::Answer> result) {
            answer.emplace(std::move(result));
        });
        return std::move(answer.value());
    }
    void lose_power() {
        disk_.power_off_after(0);
        store_.reset();
        disk_.power_on();
    }

    /// Loses everything that may be lost.
    support::Disk disk_{directory_.path(), [] { return std::uint64_t{0}; }};
    SqliteOptions options_ = SqliteOptions().preallocate(false);
    std::unique_ptr<Store> store_;
    std::uint64_t holder_ = 100;
};

TEST_F(FailedSync, ARunReadsTheSameAfterwardsAndAfterPowerLoss) {
    start_in_doubt("doubt");
    const auto seen = try_find("doubt");
    ASSERT_TRUE(seen) << seen.error().describe();
    lose_power();
    store_ = open(options_);
    EXPECT_EQ(try_find("doubt")->has_value(), seen->has_value());
    EXPECT_TRUE(try_find("before")->has_value());
    EXPECT_EQ(ask("pragma integrity_check"), "ok");
}

TEST_F(FailedSync, WhileTheDiskFailsNothingIsReadAndItCanBeTriedAgain) {
    start_in_doubt("doubt", 3);
    for (int i = 0; i < 2; ++i) {
        const auto refused = try_find("before");
        ASSERT_FALSE(refused) << i;
        EXPECT_TRUE(refused.error().retryable()) << refused.error().describe();
        EXPECT_FALSE(refused.error().outcome_unknown());
    }
    EXPECT_TRUE(try_find("before")->has_value());
    EXPECT_EQ(disk_.failures(), 3);
}

TEST_F(FailedSync, AClaimAfterwardsIsNotLost) {
    start_in_doubt("doubt");
    const auto claimed = Driver(*store_, 3).claim_instances(10);
    lose_power();
    store_ = open(options_);
    for (const ClaimedInstance& one : claimed) {
        EXPECT_TRUE(try_find(one.name.id)->has_value()) << one.name.id;
    }
}

/// Does something else, once, when it is asked for the time.
class InterruptingClock final : public Clock {
public:
    Timestamp wall() override {
        if (interrupt) std::exchange(interrupt, nullptr)();
        return from_unix_ms(1'000);
    }
    Millis monotonic() override { return Millis(0); }
    std::function<void()> interrupt;
};

TEST_F(FailedSync, AReadThatHadBegunBeforeItDoesNotShowWhatIsLostEither) {
    InterruptingClock clock;
    store_.reset();
    store_ = make_sqlite_store(path_, options_, clock).value();
    // It has looked whether all is well, and not yet opened the file.
    clock.interrupt = [&] { start_in_doubt("doubt"); };
    const auto seen = try_find("doubt");
    ASSERT_TRUE(seen) << seen.error().describe();
    EXPECT_EQ(disk_.failures(), 1);
    lose_power();
    store_ = open(options_);
    EXPECT_EQ(try_find("doubt")->has_value(), seen->has_value());
}

TEST_F(FailedSync, ItIsReadThroughTheOneWhoLeadsIfThereIsOne) {
    std::vector<std::function<void()>> posted;
    store_.reset();
    store_ = open(SqliteOptions(options_).lead_on(
        [&](std::function<void()> lead) { posted.push_back(std::move(lead)); }));
    const auto lead = [&] {
        for (const auto& one : std::exchange(posted, {})) one();
    };
    Driver driver(*store_, 2);
    fail_syncs();
    bool unknown = false;
    store_->commit({driver.change(op::start(driver.instance("doubt")))},
                   [&](const Result<std::vector<Answer>>& result) {
                       unknown = !result && result.error().outcome_unknown();
                   });
    lead();
    EXPECT_TRUE(unknown);
    std::optional<Result<ReadInstance::Answer>> answer;
    store_->read(ReadInstance{Driver::name("before"), {}},
                 [&](Result<ReadInstance::Answer> result) { answer.emplace(std::move(result)); });
    EXPECT_FALSE(answer);
    lead();
    ASSERT_TRUE(answer);
    EXPECT_TRUE((*answer)->has_value());
}

}  // namespace
}  // namespace belay::sqlite
