// Which files are opened, which are refused, and what the refused are left as.
#include "fixture.hpp"
#include "process.hpp"
#include "store/sqlite/schema.hpp"
#include <belay/store/sqlite/compact.hpp>
#include <belay/store/sqlite/examine.hpp>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace belay::sqlite {
namespace {

class Opening : public SqliteStoreTest {
protected:
    void write_file(const std::string& content) { std::ofstream(path_) << content; }
    /// It is another program's, which the error describes, and nothing appears beside it.
    void expect_refused(const std::string& description) {
        const auto before = files();
        const Error error = refusal();
        EXPECT_EQ(error.code(), Errc::unsupported);
        EXPECT_THAT(error.message(), ::testing::HasSubstr(description));
        const Examination seen = examine(path_, clock_.wall(), Millis(20));
        EXPECT_FALSE(seen.ours);
        ASSERT_TRUE(seen.trouble);
        EXPECT_THAT(seen.trouble->message(), ::testing::HasSubstr(description));
        EXPECT_EQ(compact(path_, Millis(20)).error().code(), Errc::unsupported);
        EXPECT_EQ(files(), before);
    }
};

TEST_F(Opening, ANewFileIsOursAndKeepsItsSettings) {
    {
        const auto store = open();
    }
    EXPECT_EQ(ask("pragma application_id"), std::to_string(kApplicationId));
    EXPECT_EQ(ask("pragma user_version"), std::to_string(kSchemaVersion));
    EXPECT_EQ(ask("pragma journal_mode"), "wal");
    EXPECT_EQ(ask("pragma page_size"), "8192");
    EXPECT_EQ(ask("pragma integrity_check"), "ok");
}

TEST_F(Opening, CommittedRowsAreThereAgain) {
    {
        const auto store = open();
        Driver(*store, 1).start_running("a");
    }
    const auto store = open();
    const auto info = Driver(*store, 2).find("a");
    ASSERT_TRUE(info);
    EXPECT_EQ(info->status, Status::running);
}

TEST_F(Opening, AnotherProgramsDatabaseIsRefusedAndLeftAlone) {
    execute(
        "pragma application_id = 12345; create table theirs (x); insert into theirs values (7)");
    expect_refused("application id 12345, with the table theirs");
    EXPECT_EQ(ask("select x from theirs"), "7");
    EXPECT_EQ(ask("select count(*) from sqlite_schema"), "1");
    EXPECT_EQ(ask("pragma journal_mode"), "delete");
}

TEST_F(Opening, AnApplicationIdThatIsTextIsSaidAsText) {
    execute("pragma application_id = 0x47504b47; create table a (x)");
    expect_refused("application id 1196444487 (\"GPKG\")");
}

TEST_F(Opening, ADatabaseThatSaysNothingOfItselfIsForeignToo) {
    for (const char* table : {"a", "b", "c", "d"}) {
        execute(std::string("create table ") + table + " (x)");
    }
    expect_refused("without an application id, with the tables a, b, c and 1 more");
    EXPECT_EQ(ask("select count(*) from sqlite_schema"), "4");
}

TEST_F(Opening, AForeignDatabaseThatIsStillInItsLogIsSeenThere) {
    for (const char* mark : {"0", "12345"}) {
        path_ = directory_.file(std::string("foreign-") + mark + ".db");
        sqlite3* db = nullptr;
        ASSERT_EQ(sqlite3_open(path_.c_str(), &db), SQLITE_OK);
        const std::string sql =
            "pragma journal_mode = wal; create table theirs (x); "
            "pragma application_id = " +
            std::string(mark);
        ASSERT_EQ(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
        expect_refused(std::string("application id ") + mark);
        sqlite3_close(db);
    }
}

TEST_F(Opening, AFileOfOursThatIsStillInItsLogIsOpened) {
    const std::string copy = directory_.file("copy.db");
    {
        const auto store = open();
        Driver(*store, 1).start_running("a");
        // As a process that is killed leaves it.
        std::filesystem::copy_file(path_, copy);
        std::filesystem::copy_file(path_ + "-wal", copy + "-wal");
    }
    path_ = copy;
    const auto store = open();
    EXPECT_TRUE(Driver(*store, 1).find("a"));
}

TEST_F(Opening, AFileThatIsNoDatabaseIsRefusedAndLeftAlone) {
    const std::string content(5'000, 'x');
    write_file(content);
    EXPECT_EQ(refusal().code(), Errc::corrupt);
    std::ostringstream left;
    left << std::ifstream(path_).rdbuf();
    EXPECT_EQ(left.str(), content);
}

TEST_F(Opening, ANewerFileIsRefusedWithBothVersions) {
    {
        const auto store = open();
    }
    execute("pragma user_version = 99; update compatibility set oldest_program = 98");
    const Error error = refusal();
    EXPECT_EQ(error.code(), Errc::unsupported);
    EXPECT_THAT(error.message(), ::testing::HasSubstr("99"));
    EXPECT_THAT(error.message(), ::testing::HasSubstr("98"));
    EXPECT_THAT(error.message(), ::testing::HasSubstr(std::to_string(kSchemaVersion)));
    EXPECT_EQ(ask("pragma user_version"), "99");
}

TEST_F(Opening, AFileWithAVersionThatCannotBeIsCorrupt) {
    (void)open();
    execute("pragma user_version = -7");
    EXPECT_EQ(refusal().code(), Errc::corrupt);
}

TEST_F(Opening, ANewerFileThatStillAllowsThisReleaseIsOpened) {
    {
        const auto store = open();
    }
    execute("pragma user_version = 99");
    const auto store = open();
    Driver(*store, 1).start_running("a");
    EXPECT_EQ(ask("pragma user_version"), "99");
}

TEST_F(Opening, AnOlderFileIsUpgradedInPlace) {
    const char* first = "create table compatibility (oldest_program integer); create table t (x)";
    const char* second = "alter table t add column y; insert into t values (1, 2)";
    Connection connection(path_, Access::write, quick());
    ASSERT_TRUE(prepare_file(connection, std::array{first}));
    EXPECT_EQ(connection.ask("pragma user_version"), 1);
    ASSERT_TRUE(prepare_file(connection, std::array{first, second}));
    EXPECT_EQ(connection.ask("pragma user_version"), 2);
    EXPECT_EQ(connection.ask("select y from t"), 2);
    // Once only.
    ASSERT_TRUE(prepare_file(connection, std::array{first, second}));
    EXPECT_EQ(connection.ask("select count(*) from t"), 1);
}

TEST_F(Opening, AnUpgradeThatFailsChangesNothing) {
    const char* first = "create table compatibility (oldest_program integer); create table t (x)";
    const char* second = "insert into t values (1)";
    const char* broken = "insert into missing values (1)";
    Connection connection(path_, Access::write, quick());
    ASSERT_TRUE(prepare_file(connection, std::array{first}));
    EXPECT_THROW(static_cast<void>(prepare_file(connection, std::array{first, second, broken})),
                 SqliteFailure);
    EXPECT_EQ(connection.ask("pragma user_version"), 1);
    EXPECT_EQ(connection.ask("select count(*) from t"), 0);
}

TEST_F(Opening, AFileThatCannotBeWrittenIsRefusedForGood) {
    {
        const auto store = open();
    }
    std::filesystem::permissions(path_, std::filesystem::perms(0444));
    std::filesystem::permissions(path_ + "-lock", std::filesystem::perms(0666));
    std::filesystem::permissions(path_ + "-news", std::filesystem::perms(0666));
    std::filesystem::permissions(std::filesystem::path(path_).parent_path(),
                                 std::filesystem::perms(0755));
    EXPECT_TRUE(as_nobody([&] {
        const Error error = refusal();
        return error.code() == Errc::invalid_argument && !error.retryable();
    }));
}

TEST_F(Opening, AFileInADirectoryThatCannotBeWrittenIsRefused) {
    std::filesystem::permissions(std::filesystem::path(path_).parent_path(),
                                 std::filesystem::perms(0555));
    EXPECT_TRUE(as_nobody([&] { return refusal().code() == Errc::invalid_argument; }));
}

TEST_F(Opening, AFileInNoDirectoryIsTheCallersMistake) {
    path_ = directory_.file("missing/store.db");
    EXPECT_EQ(refusal().code(), Errc::invalid_argument);
}

}  // namespace
}  // namespace belay::sqlite
