// Copies of a file that is in use.
#include "fixture.hpp"
#include "process.hpp"
#include <belay/store/sqlite/backup.hpp>

#include <sys/stat.h>

#include <filesystem>
#include <fstream>

namespace belay::sqlite {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class Backup : public SqliteStoreTest {
protected:
    static std::string name(int number) { return "run-" + std::to_string(number); }
    /// Opens the copy as what it is: a store.
    template <class Check>
    void in_copy(const std::string& copy, Check check) {
        auto store = make_sqlite_store(copy, quick(), clock_);
        ASSERT_TRUE(store) << store.error().describe();
        Driver driver(**store, 99);
        check(driver);
    }
    void make_store() {
        const auto store = open();
        Driver(*store, 1).start_running("a");
    }

    const std::string copy_ = directory_.file("copy.db");
};

TEST_F(Backup, WhileAnotherProcessWritesEachCopyIsOfOneMoment) {
    Pipe answers;
    Process writer([&] {
        const auto store = open(quick().checkpoint_pages(40));
        Driver driver(*store, 1);
        for (int i = 0;; ++i) {
            driver.start_running(name(i), 1);
            answers.send('a');
        }
        return false;
    });
    int answered = 0;
    for (int round = 1; round <= 5; ++round) {
        for (int i = 0; i < 20; ++i, ++answered) answers.receive();
        const std::string copy = directory_.file("copy-" + std::to_string(round) + ".db");
        const auto bytes = back_up(path_, copy);
        ASSERT_TRUE(bytes) << bytes.error().describe();
        EXPECT_EQ(*bytes, fs::file_size(copy));
        EXPECT_FALSE(fs::exists(copy + "-wal"));
        in_copy(copy, [&](Driver& driver) {
            for (int i = 0; i < answered; ++i) EXPECT_TRUE(driver.find(name(i))) << i;
        });
        EXPECT_EQ(ask("pragma integrity_check", copy), "ok");
        EXPECT_EQ(ask("select count(*) from run", copy), ask("select count(*) from activity", copy))
            << "a run and its activity are one commit";
    }
    writer.kill();
}

TEST_F(Backup, ItHasWhatIsStillInTheLog) {
    const auto store = open();
    Driver(*store, 1).start_running("a");
    ASSERT_GT(fs::file_size(path_ + "-wal"), 0U);
    ASSERT_TRUE(back_up(path_, copy_));
    in_copy(copy_, [](Driver& driver) { EXPECT_TRUE(driver.find("a")); });
}

TEST_F(Backup, OnlyItsOwnerMayReadIt) {
    make_store();
    ASSERT_TRUE(back_up(path_, copy_));
    EXPECT_EQ(fs::status(copy_).permissions(), fs::perms(0600));
}

TEST_F(Backup, NothingIsOverwritten) {
    make_store();
    for (const char* suffix : {"", "-wal", "-journal"}) {
        std::ofstream(copy_ + suffix) << "theirs";
        const auto before = files();
        const auto refused = back_up(path_, copy_);
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().code(), Errc::invalid_argument);
        EXPECT_THAT(refused.error().message(), HasSubstr(copy_ + suffix));
        EXPECT_EQ(fs::file_size(copy_ + suffix), 6U);
        EXPECT_EQ(files(), before);
        fs::remove(copy_ + suffix);
    }
    fs::create_symlink("nowhere", copy_);
    EXPECT_EQ(back_up(path_, copy_).error().code(), Errc::invalid_argument);
    EXPECT_EQ(back_up(path_, path_).error().code(), Errc::invalid_argument);
}

TEST_F(Backup, AFailureLeavesNothing) {
    make_store();
    const auto before = files();
    EXPECT_EQ(back_up(path_, directory_.file("no/copy.db")).error().code(), Errc::unavailable);
    EXPECT_EQ(back_up(directory_.file("none.db"), copy_).error().code(), Errc::not_found);
    EXPECT_EQ(files(), before);
    execute("pragma application_id = 7");
    EXPECT_EQ(back_up(path_, copy_).error().code(), Errc::unsupported);
    EXPECT_FALSE(fs::exists(copy_));
}

TEST_F(Backup, AUserWhoMayOnlyReadMayCopy) {
    make_store();
    fs::permissions(directory_.path(), fs::perms(0755));
    const std::string elsewhere = directory_.file("elsewhere");
    fs::create_directory(elsewhere);
    fs::permissions(elsewhere, fs::perms(0777));
    EXPECT_TRUE(as_nobody([&] {
        const auto bytes = back_up(path_, elsewhere + "/copy.db");
        if (!bytes) std::fprintf(stderr, "%s\n", bytes.error().describe().c_str());
        return bytes.ok();
    }));
    in_copy(elsewhere + "/copy.db", [](Driver& driver) { EXPECT_TRUE(driver.find("a")); });
}

}  // namespace
}  // namespace belay::sqlite
