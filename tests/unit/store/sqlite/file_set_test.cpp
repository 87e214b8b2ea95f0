// Files of the set that are removed or replaced while a store has them open.
#include "fixture.hpp"
#include "process.hpp"

#include <filesystem>
#include <fstream>

namespace belay::sqlite {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

/// Calls `at_commit` when the time of the next commit is asked for: under the write lock, behind
/// the check that comes first.
class CommitClock final : public Clock {
public:
    Timestamp wall() override {
        if (const auto act = std::exchange(at_commit, nullptr)) act();
        return clock_.wall();
    }
    Millis monotonic() override { return clock_.monotonic(); }

    std::function<void()> at_commit;

private:
    support::ManualClock clock_;
};

class FileSetTest : public SqliteStoreTest {
protected:
    [[nodiscard]] std::unique_ptr<Store> open_with(Clock& clock) {
        return std::move(make_sqlite_store(path_, quick(), clock)).value();
    }
    static Result<Answer> start(Driver& driver, const std::string& id) {
        return driver.try_commit(driver.next_commit(), op::start(driver.instance(id)));
    }
    static std::optional<Error> read_error(Store& store) {
        std::optional<Error> error;
        store.read(ReadInstance{Driver::name("a"), {}},
                   [&](const Result<ReadInstance::Answer>& result) {
                       if (!result) error = result.error();
                   });
        return error;
    }
    static void expect_lost(Store& store, Driver& driver, const std::string& path) {
        const auto refused = start(driver, "late");
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().code(), Errc::store_lost) << refused.error().describe();
        EXPECT_THAT(refused.error().message(), HasSubstr(path + " was "));
        const auto unread = read_error(store);
        ASSERT_TRUE(unread) << "also when only the lock was removed: the store is lost as a whole";
        EXPECT_EQ(unread->code(), Errc::store_lost) << unread->describe();
    }
};

class EachFile : public FileSetTest, public ::testing::WithParamInterface<const char*> {
protected:
    [[nodiscard]] std::string victim() const { return path_ + GetParam(); }
};

TEST_P(EachFile, RemovedStopsTheStore) {
    const auto store = open();
    Driver driver(*store, 1);
    driver.start_running("a");
    ASSERT_TRUE(fs::remove(victim()));
    expect_lost(*store, driver, victim());
}

TEST_P(EachFile, ReplacedStopsTheStoreAlsoIfItIsPutBack) {
    const auto store = open();
    Driver driver(*store, 1);
    driver.start_running("a");
    fs::rename(victim(), directory_.file("aside"));
    fs::copy_file(directory_.file("aside"), victim());
    expect_lost(*store, driver, victim());
    fs::rename(directory_.file("aside"), victim());
    expect_lost(*store, driver, victim());
}

/// Not so for the lock and the news: they have no part in where a commit is.
TEST_P(EachFile, RemovedDuringACommitItIsNotAnsweredAsDone) {
    const bool has_data = std::string(GetParam()) != "-lock" && std::string(GetParam()) != "-news";
    CommitClock clock;
    const auto store = open_with(clock);
    Driver driver(*store, 1);
    driver.start_running("a");
    clock.at_commit = [&] { fs::remove(victim()); };
    const auto answer = start(driver, "b");
    EXPECT_EQ(answer.ok(), !has_data);
    if (!answer) {
        EXPECT_TRUE(answer.error().outcome_unknown()) << answer.error().describe();
        EXPECT_THAT(answer.error().message(), HasSubstr(victim()));
    }
    expect_lost(*store, driver, victim());
}

INSTANTIATE_TEST_SUITE_P(OfTheSet,
                         EachFile,
                         ::testing::Values("", "-wal", "-shm", "-lock", "-news"));

/// Another process goes on with new files, and both have been answered.
TEST_F(FileSetTest, WithoutItsIndexNoProcessOverwritesWhatAnotherCommitted) {
    Pipe to_child;
    Pipe to_parent;
    Process child([&] {
        const auto store = open();
        Driver driver(*store, 1);
        driver.start_running("first-1");
        to_parent.send('r');
        to_child.receive();
        const auto refused = start(driver, "late");
        return !refused && refused.error().code() == Errc::store_lost;
    });
    to_parent.receive();
    ASSERT_TRUE(fs::remove(path_ + "-shm"));
    const auto store = open(quick().checkpoint_pages(1));
    Driver driver(*store, 2);
    for (int i = 1; i <= 20; ++i) driver.start_running("second-" + std::to_string(i));
    to_child.send('g');
    EXPECT_EQ(child.wait(), 0);
    driver.start_running("second-21");
    EXPECT_TRUE(driver.find("first-1"));
    for (int i = 1; i <= 21; ++i) EXPECT_TRUE(driver.find("second-" + std::to_string(i))) << i;
    EXPECT_FALSE(driver.find("late"));
    EXPECT_EQ(ask("select count(*) from run"), "22");
    EXPECT_EQ(ask("pragma integrity_check"), "ok");
}

/// The last commit is in the log; a store that is closed would write it back with its old index.
TEST_F(FileSetTest, ClosingALostStoreLeavesTheFileAlone) {
    Pipe to_child;
    Pipe to_parent;
    Process child([&] {
        auto store = open();
        Driver(*store, 1).start_running("a");
        to_parent.send('r');
        to_child.receive();
        store.reset();
        return true;
    });
    to_parent.receive();
    ASSERT_TRUE(fs::remove(path_ + "-shm"));
    {
        const auto store = open();
        Driver(*store, 2).start_running("b");
    }
    const auto before = fs::last_write_time(path_);
    to_child.send('g');
    EXPECT_EQ(child.wait(), 0);
    EXPECT_EQ(fs::last_write_time(path_), before);
    EXPECT_EQ(ask("select count(*) from run"), "2");
    EXPECT_EQ(ask("pragma integrity_check"), "ok");
}

/// SQLite shares the index among all connections of a process, also one that was removed.
TEST_F(FileSetTest, ASecondStoreOfTheProcessDoesNotTakeOverARemovedIndex) {
    const auto store = open();
    Driver(*store, 1).start_running("a");
    ASSERT_TRUE(fs::remove(path_ + "-shm"));
    EXPECT_EQ(refusal().code(), Errc::store_lost);
}

TEST_F(FileSetTest, ANewProcessDoesNotUseAnEmptyLogWithTheIndexOfTheOldOne) {
    Pipe to_child;
    Pipe to_parent;
    Process child([&] {
        const auto store = open();
        Driver(*store, 1).start_running("a");
        to_parent.send('r');
        to_child.receive();
        return true;
    });
    to_parent.receive();
    ASSERT_TRUE(fs::remove(path_ + "-wal"));
    const Error error = refusal();
    EXPECT_EQ(error.code(), Errc::corrupt) << error.describe();
    EXPECT_THAT(error.message(), HasSubstr("log"));
    to_child.send('g');
    EXPECT_EQ(child.wait(), 0);
}

TEST_F(FileSetTest, AStoreThatIsOpenedAnewGoesOnWithNewFiles) {
    auto store = open();
    Driver(*store, 1).start_running("a");
    ASSERT_TRUE(fs::remove(path_ + "-shm"));
    EXPECT_FALSE(start(*std::make_unique<Driver>(*store, 2), "late"));
    store.reset();
    store = open();
    EXPECT_TRUE(Driver(*store, 3).find("a"));
    EXPECT_FALSE(Driver(*store, 3).find("late"));
    EXPECT_EQ(ask("pragma integrity_check"), "ok");
}

}  // namespace
}  // namespace belay::sqlite
