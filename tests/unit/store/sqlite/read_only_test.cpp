// Files that a user may only read: they are read, and nothing is made or changed beside them.
#include "fixture.hpp"
#include "process.hpp"
#include "store/sqlite/reading.hpp"
#include <belay/store/sqlite/examine.hpp>
#include <belay/store/sqlite/read_only.hpp>

#include <filesystem>

namespace belay::sqlite {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class ReadOnly : public SqliteStoreTest {
protected:
    void SetUp() override {
        if (::geteuid() != 0) GTEST_SKIP() << "only root can become somebody else";
        {
            const auto store = open();
            Driver(*store, 1).start_running("a", 1);
        }
        fs::permissions(directory_.path(), fs::perms(0755));
    }

    /// As the user for whom the file is read-only. Nothing may change meanwhile.
    void as_reader(const std::function<void()>& check) {
        const auto before = files();
        EXPECT_TRUE(as_nobody([&] {
            if (::geteuid() == 0 || may_write(path_)) return false;
            check();
            return !::testing::Test::HasFailure();
        }));
        EXPECT_EQ(files(), before);
    }
    [[nodiscard]] std::unique_ptr<Store> open_read_only() {
        auto store = make_read_only_sqlite_store(path_, quick(), clock_);
        if (!store) throw std::runtime_error(store.error().describe());
        return std::move(*store);
    }
    [[nodiscard]] Error read_only_refusal() {
        auto store = make_read_only_sqlite_store(path_, quick(), clock_);
        if (store) throw std::runtime_error("the file was opened");
        return store.error();
    }
    void expect_readable() {
        as_reader([this] {
            const auto store = open_read_only();
            Driver driver(*store, 2);
            EXPECT_TRUE(driver.find("a"));
            EXPECT_EQ(driver.read(ListActivities()).size(), 1U);
            EXPECT_FALSE(driver.find("b"));
        });
    }
    /// As a copy of the file alone is.
    void leave_only_the_file() {
        execute("pragma wal_checkpoint(truncate)");
        for (const char* suffix : {"-wal", "-shm", "-lock", "-news"}) fs::remove(path_ + suffix);
    }
};

TEST_F(ReadOnly, ItIsReadAsItWasClosed) { expect_readable(); }

TEST_F(ReadOnly, ACopyWithoutALogIsRead) {
    leave_only_the_file();
    expect_readable();
}

TEST_F(ReadOnly, NothingIsMadeWhereTheUserCould) {
    fs::permissions(directory_.path(), fs::perms(0777));
    expect_readable();
    leave_only_the_file();
    expect_readable();
}

TEST_F(ReadOnly, ItIsReadWhileAWriterWorks) {
    Pipe to_writer;
    Pipe to_reader;
    Process writer([&] {
        const auto store = open();
        Driver driver(*store, 3);
        driver.start_running("before");
        to_reader.send('r');
        to_writer.receive();
        driver.start_running("after");
        to_reader.send('r');
        to_writer.receive();
        driver.start_running("last");
        return true;
    });
    to_reader.receive();
    as_reader([&] {
        const auto store = open_read_only();
        Driver driver(*store, 2);
        EXPECT_TRUE(driver.find("before"));
        EXPECT_FALSE(driver.find("after"));
        to_writer.send('g');
        to_reader.receive();
        EXPECT_TRUE(driver.find("after"));
    });
    to_writer.send('g');
    EXPECT_EQ(writer.wait(), 0) << "the reader keeps nobody out";
}

TEST_F(ReadOnly, ACommitAndAClaimAreRefused) {
    as_reader([this] {
        const auto store = open_read_only();
        Driver driver(*store, 2);
        const auto refused = driver.try_commit({2, 1}, op::start(driver.instance("b")));
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().code(), Errc::store_lost);
        EXPECT_THAT(refused.error().message(), HasSubstr("may not write to '" + path_ + "'"));
        store->claim(op::claim_activity({2, 1}, "w", Millis(1)),
                     [](const Result<ClaimActivities::Answer>& answer) { EXPECT_FALSE(answer); });
    });
}

TEST_F(ReadOnly, ALogWithoutItsIndexIsSaidToNeedAWriter) {
    // As a process that is killed leaves it, but for the index.
    const std::string copy = directory_.file("copy.db");
    {
        const auto store = open();
        Driver(*store, 2).start_running("b");
        fs::copy_file(path_, copy);
        fs::copy_file(path_ + "-wal", copy + "-wal");
    }
    path_ = copy;
    fs::permissions(directory_.path(), fs::perms(0777));
    as_reader([this] {
        const Error error = read_only_refusal();
        EXPECT_EQ(error.code(), Errc::invalid_argument);
        EXPECT_THAT(error.message(), HasSubstr(path_ + "-shm' is missing"));
    });
}

TEST_F(ReadOnly, AnOlderFileIsNotUpgraded) {
    execute("pragma user_version = 1");
    as_reader([this] {
        const Error error = read_only_refusal();
        EXPECT_EQ(error.code(), Errc::unsupported);
        EXPECT_THAT(error.message(), HasSubstr("older release"));
    });
}

TEST_F(ReadOnly, AnExaminationMakesNothingEither) {
    leave_only_the_file();
    fs::permissions(directory_.path(), fs::perms(0777));
    as_reader([this] {
        const Examination seen = examine(path_, clock_.wall(), Millis(20));
        EXPECT_FALSE(seen.trouble) << seen.trouble->describe();
        EXPECT_TRUE(seen.rows);
    });
}

TEST_F(ReadOnly, AFileBesideItMayBeWhatCannotBeWritten) {
    EXPECT_TRUE(may_write(path_));
    fs::permissions(path_, fs::perms(0666));
    for (const char* suffix : {"-news", "-wal", "-shm"}) {
        fs::permissions(path_ + suffix, fs::perms(0666));
    }
    as_reader([this] { EXPECT_EQ(unwritable_part(path_), path_ + "-lock"); });
    fs::permissions(path_ + "-lock", fs::perms(0666));
    EXPECT_TRUE(as_nobody([this] { return may_write(path_); }));
    ASSERT_TRUE(fs::remove(path_ + "-news"));
    as_reader([this] { EXPECT_EQ(unwritable_part(path_), path_ + "-news"); });
}

TEST_F(ReadOnly, AReadWithoutLocksDuringAWriteDoesNotCount) {
    leave_only_the_file();
    ReadOnlyFile file(path_);
    const auto connection = file.connect(quick());
    EXPECT_EQ(connection->ask("select count(*) from run"), 1);
    EXPECT_TRUE(file.is_of_one_moment());
    const auto store = open();
    Driver(*store, 2).start_running("b");
    EXPECT_FALSE(file.is_of_one_moment());
}

}  // namespace
}  // namespace belay::sqlite
