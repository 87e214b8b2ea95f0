// The errors that a caller gets for SQLite's result codes, after which nothing is half-done.
#include "fixture.hpp"
#include "store/sqlite/failure.hpp"

#include <sys/resource.h>

#include <atomic>
#include <csignal>
#include <cstdint>

namespace belay::sqlite {
namespace {

Error error_of(int code) { return to_error(SqliteFailure(code, "it")); }
Error commit_error_of(int code) { return to_commit_error(SqliteFailure(code, "it")); }

TEST(Failures, ATransientErrorIsRetryable) {
    for (const int code : {SQLITE_BUSY,
                           SQLITE_BUSY_SNAPSHOT,
                           SQLITE_LOCKED,
                           SQLITE_FULL,
                           SQLITE_IOERR_WRITE,
                           SQLITE_IOERR_FSYNC,
                           SQLITE_CANTOPEN,
                           SQLITE_NOMEM}) {
        EXPECT_TRUE(error_of(code).retryable()) << code;
    }
}

TEST(Failures, ALastingErrorIsPermanent) {
    EXPECT_EQ(error_of(SQLITE_CORRUPT).code(), Errc::corrupt);
    EXPECT_EQ(error_of(SQLITE_NOTADB).code(), Errc::corrupt);
    EXPECT_EQ(error_of(SQLITE_READONLY).code(), Errc::invalid_argument);
    EXPECT_EQ(error_of(SQLITE_READONLY_DBMOVED).code(), Errc::invalid_argument);
    EXPECT_EQ(error_of(SQLITE_TOOBIG).code(), Errc::limit_exceeded);
    EXPECT_EQ(error_of(SQLITE_CONSTRAINT_UNIQUE).code(), Errc::corrupt);
}

TEST(Failures, ACommitThatBeganToWriteMayHaveHappened) {
    for (const int code : {SQLITE_IOERR_WRITE, SQLITE_IOERR_FSYNC, SQLITE_FULL, SQLITE_NOMEM}) {
        EXPECT_TRUE(commit_error_of(code).outcome_unknown()) << code;
        EXPECT_FALSE(commit_error_of(code).retryable()) << code;
    }
    EXPECT_TRUE(commit_error_of(SQLITE_BUSY).retryable());
}

class Failing : public SqliteStoreTest {};

TEST_F(Failing, ARowThatCannotBeReadHarmsNobodyElse) {
    const auto store = open();
    Driver driver(*store, 1);
    const RunRef bad = driver.start_running("bad");
    driver.commit(op::raise(Driver::name("bad"), "event", Payload()));
    driver.commit(op::start(driver.instance("good")));
    execute("update run set headers = x'ff' where key = " + std::to_string(bad.key.value));

    const auto items = driver.claim_instances(10);
    ASSERT_EQ(items.size(), 1U);
    EXPECT_EQ(items[0].name.id, "good");
    ListInstances request;
    request.space = Driver::name("bad").space;
    request.held_only = true;
    const auto held = driver.read(request);
    ASSERT_EQ(held.size(), 1U) << "the other is set aside for a person";
    EXPECT_EQ(held[0].instance.run, bad);
}

TEST_F(Failing, ARowThatCannotBeReadIsNotCountedAsAnAttempt) {
    const auto store = open();
    Driver driver(*store, 1);
    const RunRef bad = driver.start_running("bad");
    const std::string where = " where key = " + std::to_string(bad.key.value);
    driver.commit(op::raise(Driver::name("bad"), "event", Payload()));
    execute("update run set headers = x'ff'" + where);
    ASSERT_TRUE(driver.claim_instances(1).empty());
    execute("update run set headers = null" + where);
    const auto info = driver.find("bad");
    ASSERT_TRUE(info && info->held);
    EXPECT_FALSE(info->locked);
    EXPECT_EQ(info->attempts, 0U) << "nobody has tried to take its turn";
}

TEST_F(Failing, AnActivityThatCannotBeReadHarmsNobodyElse) {
    const auto store = open();
    Driver driver(*store, 1);
    driver.start_running("a", 2);
    execute("update activity set headers = x'ff' where command = 1");
    EXPECT_TRUE(driver.claim_activities(1).empty());
    const auto items = driver.claim_activities(1);
    ASSERT_EQ(items.size(), 1U);
    EXPECT_EQ(items[0].activity.command, 2U);
}

/// SQLite as it is, but for its waits: they take no time and are added up.
class WaitsInNoTime {
public:
    WaitsInNoTime() : vfs_(*sqlite3_vfs_find(nullptr)) {
        waited_us_ = 0;
        vfs_.zName = "waits-in-no-time";
        vfs_.pNext = nullptr;
        vfs_.xSleep = [](sqlite3_vfs*, int microseconds) {
            waited_us_ += microseconds;
            return microseconds;
        };
        sqlite3_vfs_register(&vfs_, 1);
    }
    ~WaitsInNoTime() { sqlite3_vfs_unregister(&vfs_); }
    WaitsInNoTime(const WaitsInNoTime&) = delete;
    WaitsInNoTime& operator=(const WaitsInNoTime&) = delete;

    [[nodiscard]] static Millis take() { return Millis(waited_us_.exchange(0) / 1'000); }

private:
    inline static std::atomic<std::int64_t> waited_us_{0};
    sqlite3_vfs vfs_;
};

TEST_F(Failing, WhileAnotherProgramWritesTheAnswerIsBusyAndNothingIsWritten) {
    const WaitsInNoTime waits;
    const Millis patience(1'000'000);
    const auto store = open(quick().lock_timeout(patience));
    Driver driver(*store, 1);
    driver.start_running("a");

    sqlite3* other = nullptr;
    sqlite3_open(path_.c_str(), &other);
    ASSERT_EQ(sqlite3_exec(other, "begin immediate", nullptr, nullptr, nullptr), SQLITE_OK);
    (void)WaitsInNoTime::take();
    const auto refused = driver.try_commit(driver.next_commit(), op::start(driver.instance("b")));
    const Millis waited = WaitsInNoTime::take();
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code(), Errc::busy);
    EXPECT_LE(waited, patience);
    EXPECT_GT(waited, patience / 2) << "less what it took to get there, which is next to nothing";
    EXPECT_TRUE(driver.find("a")) << "reads go on";
    sqlite3_exec(other, "rollback", nullptr, nullptr, nullptr);
    sqlite3_close(other);

    EXPECT_FALSE(driver.find("b"));
    driver.start_running("b");
    EXPECT_TRUE(driver.find("b"));
}

TEST_F(Failing, AFileThatCannotGrowRefusesAndGoesOnLater) {
    const auto store = open();
    Driver driver(*store, 1);
    driver.start_running("a");

    // The kernel refuses to let the log grow; SQLite is told what it is told of a full disk.
    ::signal(SIGXFSZ, SIG_IGN);
    rlimit before{};
    ::getrlimit(RLIMIT_FSIZE, &before);
    rlimit tight = before;
    tight.rlim_cur = 256 * 1024;
    ::setrlimit(RLIMIT_FSIZE, &tight);
    NewInstance large = driver.instance("b");
    large.input = Payload::text(std::string(2'000'000, 'x'));
    const CommitId id = driver.next_commit();
    const auto failed = driver.try_commit(id, op::start(large));
    ::setrlimit(RLIMIT_FSIZE, &before);

    ASSERT_FALSE(failed);
    EXPECT_TRUE(failed.error().retryable() || failed.error().outcome_unknown())
        << failed.error().describe();
    EXPECT_TRUE(driver.find("a"));
    const auto again = driver.try_commit(id, op::start(large));
    ASSERT_TRUE(again) << again.error().describe();
    EXPECT_TRUE(again->done());
    EXPECT_EQ(driver.find("b")->input, large.input);
    EXPECT_EQ(ask("pragma integrity_check"), "ok");
}

TEST_F(Failing, OneChangeThatCannotBeWrittenDoesNotHarmTheOthersOfItsGroup) {
    const auto store = open();
    Driver driver(*store, 1);
    // A row that our own guards would never let happen: the next history row of "bad" is taken.
    const RunRef bad = driver.start_running("bad");
    execute("insert into history values (" + std::to_string(bad.key.value) +
            ", 1, 2, 1, 1, x'00')");

    Turn turn;
    turn.run = bad;
    turn.position = 1;
    turn.history = Driver::events(1);
    std::vector<Transition> batch;
    batch.push_back(op::transition(driver.next_commit(), op::start(driver.instance("b"))));
    batch.push_back(op::transition(driver.next_commit(), std::move(turn)));
    batch.push_back(op::transition(driver.next_commit(), op::start(driver.instance("c"))));
    std::vector<Answer> answers;
    store->commit(std::move(batch),
                  [&](Result<std::vector<Answer>> result) { answers = std::move(result).value(); });
    ASSERT_EQ(answers.size(), 3U);
    EXPECT_EQ(answers[0].verdict, Verdict::applied);
    EXPECT_EQ(answers[1].verdict, Verdict::failed);
    EXPECT_EQ(answers[1].error->code(), Errc::corrupt);
    EXPECT_EQ(answers[2].verdict, Verdict::applied);
    EXPECT_TRUE(driver.find("b"));
    EXPECT_TRUE(driver.find("c"));
    EXPECT_EQ(driver.find("bad")->position, 1U);
}

}  // namespace
}  // namespace belay::sqlite
