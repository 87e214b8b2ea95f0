// Writes and syncs that fail in the middle of a commit.
#include "faulty_vfs.hpp"
#include "fixture.hpp"

namespace belay::sqlite {
namespace {

class IoErrors : public SqliteStoreTest {
protected:
    FaultyVfs vfs_;
    SqliteOptions options_ = SqliteOptions().preallocate(false);
};

TEST_F(IoErrors, AfterAFailedSyncTheOutcomeIsUnknownAndTheSameCommitSettlesIt) {
    const auto store = open(options_);
    Driver driver(*store, 1);
    driver.start_running("a");
    const NewInstance made = driver.instance("b");
    const CommitId id = driver.next_commit();

    vfs_.fail_syncs(SQLITE_IOERR_FSYNC);
    const auto unknown = driver.try_commit(id, op::start(made));
    EXPECT_EQ(vfs_.failures(), 1);
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
            vfs_.fail_writes(code, 1, after);
            const auto result =
                driver.try_commit(id, op::start(made), Driver::first_turn(made.run, 2));
            if (!result) {
                EXPECT_TRUE(result.error().outcome_unknown() || result.error().retryable())
                    << result.error().describe();
            }
            vfs_.fail_writes(SQLITE_OK, 0);
        }
        const auto again = driver.try_commit(id, op::start(made), Driver::first_turn(made.run, 2));
        ASSERT_TRUE(again) << again.error().describe();
        EXPECT_TRUE(again->done());
        EXPECT_EQ(driver.find(name)->position, 1U);
    }
    EXPECT_GT(vfs_.failures(), 5);
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
    vfs_.fail_syncs(SQLITE_IOERR_FSYNC);
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

TEST_F(IoErrors, AClaimDoesNotWaitForTheDisk) {
    const auto store = open(options_);
    Driver driver(*store, 1);
    driver.start_running("a", 1);
    vfs_.fail_syncs(SQLITE_IOERR_FSYNC);
    EXPECT_EQ(driver.claim_activities(1).size(), 1U);
    EXPECT_EQ(vfs_.failures(), 0);
}

}  // namespace
}  // namespace belay::sqlite
