// The disk itself: it keeps and loses data as it should, and SQLite can live on it.
#include "support/disk.hpp"

#include "support/temporary_directory.hpp"

#include <gtest/gtest.h>

namespace belay::support {
namespace {

/// Always decides the same.
Chance always(std::uint64_t value) {
    return [value] { return value; };
}

std::string content(const DiskFile& file) {
    std::string text(file.size(), ' ');
    file.read(0, text.size(), text.data());
    return text;
}

TEST(DiskFile, SyncedBytesStay) {
    DiskFile file;
    file.write(0, "abc", 3);
    file.sync();
    file.lose_power(always(0));
    EXPECT_EQ(content(file), "abc");
}

TEST(DiskFile, UnsyncedBytesMayBeLostOrNot) {
    for (const std::uint64_t fate : {0U, 1U}) {
        DiskFile file;
        file.write(0, "abc", 3);
        file.sync();
        file.write(1, "XY", 2);
        EXPECT_EQ(content(file), "aXY");
        file.lose_power(always(fate));
        EXPECT_EQ(content(file), fate == 0 ? "abc" : "aXY");
    }
}

TEST(DiskFile, AWriteIsTornBetweenSectors) {
    DiskFile file;
    const std::string old(2048, 'o');
    file.write(0, old.data(), old.size());
    file.sync();
    const std::string fresh(1024, 'n');
    file.write(256, fresh.data(), fresh.size());
    // Torn (2), and then the first part is there (2), the second is not (3), the third is.
    std::uint64_t drawn = 0;
    file.lose_power([&] { return drawn++ == 2 ? 3U : 2U; });
    EXPECT_EQ(content(file).substr(0, 256), std::string(256, 'o'));
    EXPECT_EQ(content(file).substr(256, 256), std::string(256, 'n'));
    EXPECT_EQ(content(file).substr(512, 512), std::string(512, 'o'));
    EXPECT_EQ(content(file).substr(1024, 256), std::string(256, 'n'));
    EXPECT_EQ(content(file).substr(1280), std::string(768, 'o'));
}

TEST(DiskFile, AfterAFailedSyncTheNextOneDoesNotHelp) {
    DiskFile file;
    file.write(0, "abc", 3);
    file.fail_sync(always(0));
    EXPECT_EQ(content(file), "abc");
    file.sync();
    file.lose_power(always(1));
    EXPECT_EQ(content(file), "");
}

class OnDisk : public ::testing::Test {
protected:
    sqlite3* open() {
        sqlite3* db = nullptr;
        EXPECT_EQ(sqlite3_open(path_.c_str(), &db), SQLITE_OK);
        return db;
    }
    static int run(sqlite3* db, const char* sql) {
        return sqlite3_exec(db, sql, nullptr, nullptr, nullptr);
    }
    static int ask(sqlite3* db, const char* sql) {
        sqlite3_stmt* statement = nullptr;
        if (sqlite3_prepare_v2(db, sql, -1, &statement, nullptr) != SQLITE_OK) return -1;
        const int answer =
            sqlite3_step(statement) == SQLITE_ROW ? sqlite3_column_int(statement, 0) : -1;
        sqlite3_finalize(statement);
        return answer;
    }

    TemporaryDirectory directory_;
    std::uint64_t fate_ = 0;
    Disk disk_{directory_.path(), [this] { return fate_; }};
    std::string path_ = directory_.file("a.db");
};

TEST_F(OnDisk, ALossOfPowerTakesWhatWasNotSyncedAndNothingElse) {
    sqlite3* db = open();
    ASSERT_EQ(run(db, "pragma journal_mode = wal; pragma synchronous = full; create table t (x)"),
              SQLITE_OK);
    ASSERT_EQ(run(db, "insert into t values (1)"), SQLITE_OK);
    ASSERT_EQ(run(db, "pragma synchronous = normal; insert into t values (2)"), SQLITE_OK);
    EXPECT_EQ(ask(db, "select count(*) from t"), 2);
    disk_.power_off_after(0);
    EXPECT_EQ(ask(db, "select count(*) from t"), -1);
    sqlite3_close(db);
    disk_.power_on();

    db = open();
    EXPECT_EQ(ask(db, "select count(*) from t"), 1);
    sqlite3_close(db);
    EXPECT_FALSE(std::filesystem::exists(path_)) << "it is in memory only";
}

TEST_F(OnDisk, TheDeathOfAProcessTakesNothing) {
    sqlite3* db = open();
    ASSERT_EQ(run(db, "pragma journal_mode = wal; pragma synchronous = off; create table t (x)"),
              SQLITE_OK);
    ASSERT_EQ(run(db, "insert into t values (1)"), SQLITE_OK);
    disk_.kill_users();
    EXPECT_NE(run(db, "insert into t values (2)"), SQLITE_OK);
    sqlite3_close(db);
    db = open();
    EXPECT_EQ(ask(db, "select count(*) from t"), 1);
    sqlite3_close(db);
}

TEST_F(OnDisk, AFileWhoseDirectoryWasNotSyncedMayVanish) {
    sqlite3* db = open();
    ASSERT_EQ(run(db, "pragma synchronous = off; create table t (x)"), SQLITE_OK);
    disk_.power_off_after(0);
    sqlite3_close(db);
    disk_.power_on();
    EXPECT_EQ(disk_.file(path_), nullptr);
}

TEST_F(OnDisk, EveryoneIsToldOfALostSyncOnce) {
    sqlite3* one = open();
    ASSERT_EQ(run(one, "pragma journal_mode = wal; create table t (x)"), SQLITE_OK);
    sqlite3* other = open();
    ASSERT_EQ(run(other, "insert into t values (1)"), SQLITE_OK);
    disk_.fail(Disk::Operation::sync, SQLITE_IOERR_FSYNC);
    EXPECT_EQ(run(one, "insert into t values (2)"), SQLITE_IOERR);
    EXPECT_EQ(run(other, "insert into t values (3)"), SQLITE_IOERR);
    EXPECT_EQ(run(other, "insert into t values (4)"), SQLITE_OK);
    sqlite3_close(one);
    sqlite3_close(other);
}

TEST_F(OnDisk, AFullDiskRefusesToGrowUntilThereIsRoom) {
    sqlite3* db = open();
    ASSERT_EQ(run(db, "pragma journal_mode = wal; create table t (x)"), SQLITE_OK);
    disk_.set_full(true);
    EXPECT_EQ(run(db, "insert into t values (randomblob(100000))"), SQLITE_FULL);
    disk_.set_full(false);
    EXPECT_EQ(run(db, "insert into t values (randomblob(100000))"), SQLITE_OK);
    sqlite3_close(db);
}

TEST_F(OnDisk, TheLocksOfSQLiteHold) {
    sqlite3* one = open();
    sqlite3* other = open();
    ASSERT_EQ(run(one, "create table t (x); begin exclusive"), SQLITE_OK);
    EXPECT_EQ(run(other, "insert into t values (1)"), SQLITE_BUSY);
    ASSERT_EQ(run(one, "commit"), SQLITE_OK);
    EXPECT_EQ(run(other, "pragma journal_mode = wal; begin immediate"), SQLITE_OK);
    EXPECT_EQ(run(one, "begin immediate"), SQLITE_BUSY);
    EXPECT_EQ(ask(one, "select count(*) from t"), 0);
    sqlite3_close(one);
    sqlite3_close(other);
}

}  // namespace
}  // namespace belay::support
