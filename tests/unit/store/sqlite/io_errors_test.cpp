// Writes and syncs that fail in the middle of a commit.
#include "fixture.hpp"
#include "support/disk.hpp"

namespace belay::sqlite {
namespace {

class IoErrors : public SqliteStoreTest {
protected:
    void fail_syncs() { disk_.fail(support::Disk::Operation::sync, SQLITE_IOERR_FSYNC); }

    static constexpr std::uint64_t kNothing = ~std::uint64_t{0};
    std::uint64_t drawn_ = 0;  ///< kNothing: whatever may be lost is lost.
    support::Disk disk_{directory_.path(), [this] { return drawn_ == kNothing ? 0 : drawn_++; }};
    SqliteOptions options_ = SqliteOptions().preallocate(false);
};

TEST_F(IoErrors, AfterAFailedSyncTheOutcomeIsUnknownAndTheSameCommitSettlesIt) {
    const auto store = open(options_);
    Driver driver(*store, 1);
    driver.start_running("a");
    const NewInstance made = driver.instance("b");
    const CommitId id = driver.next_commit();

    fail_syncs();
    const auto unknown = driver.try_commit(id, op::start(made));
    EXPECT_EQ(disk_.failures(), 1);
    ASSERT_FALSE(unknown);
    EXPECT_TRUE(unknown.error().outcome_unknown()) << unknown.error().describe();

    const auto again = driver.try_commit(id, op::start(made));
    ASSERT_TRUE(again) << again.error().describe();
    EXPECT_TRUE(again->done());
    EXPECT_TRUE(driver.find("a"));
    EXPECT_TRUE(driver.find("b"));
    EXPECT_EQ(ask("select count(*) from run"), "2");
    EXPECT_EQ(ask("pragma integrity_check"), "ok");
}

TEST_F(IoErrors, WhereverAWriteFailsTheFileStaysWholeAndGoesOn) {
    const auto store = open(options_);
    Driver driver(*store, 1);
    driver.start_running("first");
    for (int after = 0; after < 12; ++after) {
        const std::string name = "run-" + std::to_string(after);
        const NewInstance made = driver.instance(name);
        const CommitId id = driver.next_commit();
        for (const int code : {SQLITE_IOERR_WRITE, SQLITE_FULL}) {
            disk_.fail(support::Disk::Operation::write, code, 1, after);
            const auto result =
                driver.try_commit(id, op::start(made), Driver::first_turn(made.run, 2));
            if (!result) {
                EXPECT_TRUE(result.error().outcome_unknown() || result.error().retryable())
                    << result.error().describe();
            }
            disk_.heal();
        }
        const auto again = driver.try_commit(id, op::start(made), Driver::first_turn(made.run, 2));
        ASSERT_TRUE(again) << again.error().describe();
        EXPECT_TRUE(again->done());
        EXPECT_EQ(driver.find(name)->position, 1U);
    }
    EXPECT_GT(disk_.failures(), 5);
    EXPECT_TRUE(driver.find("first"));
    EXPECT_EQ(ask("select count(*) from run"), "13");
    EXPECT_EQ(ask("select count(*) from activity"), "24");
    EXPECT_EQ(ask("pragma integrity_check"), "ok");
}

TEST_F(IoErrors, AGroupWhoseCommitFailsIsUnknownToAllOfIt) {
    const auto store = open(options_);
    Driver driver(*store, 1);
    std::vector<Transition> batch;
    for (int i = 0; i < 5; ++i) {
        batch.push_back(op::transition(driver.next_commit(),
                                       op::start(driver.instance("a" + std::to_string(i)))));
    }
    fail_syncs();
    std::optional<Error> error;
    store->commit(batch, [&](Result<std::vector<Answer>> result) {
        if (!result) error = result.error();
    });
    ASSERT_TRUE(error);
    EXPECT_TRUE(error->outcome_unknown());
    store->commit(batch, [&](Result<std::vector<Answer>> result) {
        ASSERT_TRUE(result);
        for (const Answer& answer : *result) EXPECT_TRUE(answer.done());
    });
    EXPECT_EQ(ask("select count(*) from run"), "5");
}

TEST_F(IoErrors, ACommitBehindTheLostSyncOfAGoneProcessSurvives) {
    drawn_ = kNothing;
    auto store = open(options_);
    Driver(*store, 1).start_running("a");
    fail_syncs();
    EXPECT_FALSE(Driver(*store, 2).try_commit(CommitId{2, 1},
                                              op::start(Driver(*store, 2).instance("unknown"))));
    disk_.kill_users();
    store.reset();

    // The kernel takes the frames of that commit for written; they are not.
    store = open(options_);
    Driver(*store, 3).start_running("b");
    disk_.power_off_after(0);
    store.reset();
    disk_.power_on();

    store = open(options_);
    EXPECT_TRUE(Driver(*store, 4).find("a"));
    EXPECT_TRUE(Driver(*store, 4).find("b"));
    EXPECT_EQ(ask("pragma integrity_check"), "ok");
}

TEST_F(IoErrors, AFullDiskCanBeTriedAgainAndLosesNothing) {
    const auto store = open(options_);
    Driver driver(*store, 1);
    driver.start_running("before");
    const NewInstance made = driver.instance("meanwhile");
    const CommitId id = driver.next_commit();

    disk_.set_full(true);
    for (int i = 0; i < 5; ++i) {
        const auto failed = driver.try_commit(id, op::start(made));
        ASSERT_FALSE(failed);
        EXPECT_TRUE(failed.error().outcome_unknown() || failed.error().retryable())
            << failed.error().describe();
        EXPECT_TRUE(driver.find("before"));
    }
    disk_.set_full(false);

    const auto again = driver.try_commit(id, op::start(made));
    ASSERT_TRUE(again) << again.error().describe();
    EXPECT_TRUE(again->done());
    EXPECT_EQ(ask("select count(*) from run"), "2");
    EXPECT_EQ(ask("pragma integrity_check"), "ok");
}

TEST_F(IoErrors, ADiskThatIsFullForALongRunGoesOnWithoutABreakOnceThereIsRoom) {
    const auto store = open(SqliteOptions().preallocate(false).checkpoint_pages(4));
    Driver driver(*store, 1);
    for (int i = 0; i < 40; ++i) {
        disk_.set_full(i % 4 == 1);
        const CommitId id = driver.next_commit();
        const NewInstance made = driver.instance("run-" + std::to_string(i));
        if (!driver.try_commit(id, op::start(made))) {
            disk_.set_full(false);
            EXPECT_TRUE(driver.try_commit(id, op::start(made))->done());
        }
    }
    EXPECT_EQ(ask("select count(*) from run"), "40");
    EXPECT_EQ(ask("pragma integrity_check"), "ok");
}

TEST_F(IoErrors, AReadThatFailsIsUnavailableAndTheNextOneIsAnswered) {
    const auto store = open(options_);
    Driver driver(*store, 1);
    driver.start_running("a");
    disk_.fail(support::Disk::Operation::read, SQLITE_IOERR_READ, 1, 0, support::Disk::Files::all);
    std::optional<Error> error;
    store->read(ReadInstance{Driver::name("a"), {}},
                [&](const Result<ReadInstance::Answer>& result) {
                    if (!result) error = result.error();
                });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code(), Errc::unavailable) << error->describe();
    EXPECT_TRUE(driver.find("a"));
}

TEST_F(IoErrors, ADamagedPageIsCorruptAndNotAnything) {
    {
        const auto store = open(options_);
        Driver(*store, 1).start_running("a");
    }
    // Closed, so all of it is in the file: every page but the first is damaged.
    support::DiskFile* const file = disk_.file(path_);
    ASSERT_NE(file, nullptr);
    constexpr std::size_t kPage = 8192;
    for (std::size_t at = kPage; at < file->size(); at += kPage) {
        file->damage(at, std::string(64, '\xff'));
    }
    disk_.forget_log(path_);
    const auto store = make_sqlite_store(path_, options_, clock_);
    if (!store) {
        EXPECT_EQ(store.error().code(), Errc::corrupt) << store.error().describe();
        return;
    }
    std::optional<Error> error;
    (*store)->read(ReadInstance{Driver::name("a"), {}},
                   [&](const Result<ReadInstance::Answer>& result) {
                       if (!result) error = result.error();
                   });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code(), Errc::corrupt) << error->describe();
}

TEST_F(IoErrors, AClaimDoesNotWaitForTheDisk) {
    const auto store = open(options_);
    Driver driver(*store, 1);
    driver.start_running("a", 1);
    fail_syncs();
    EXPECT_EQ(driver.claim_activities(1).size(), 1U);
    EXPECT_EQ(disk_.failures(), 0);
}

}  // namespace
}  // namespace belay::sqlite
