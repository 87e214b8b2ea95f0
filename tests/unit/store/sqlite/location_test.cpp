// Files that are called by another name, are of another kind, or are for another group.
#include "fixture.hpp"
#include "process.hpp"
#include "store/sqlite/connection.hpp"
#include "store/sqlite/file_lock.hpp"
#include <belay/store/sqlite/compact.hpp>

#include <grp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <vector>

namespace belay::sqlite {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class Location : public SqliteStoreTest {
protected:
    [[nodiscard]] bool has_files(const std::string& path) const {
        return fs::exists(path) && fs::exists(path + "-lock") && fs::exists(path + "-news");
    }
    const std::string link_ = directory_.file("link.db");
};

TEST_F(Location, ASymbolicLinkHasTheLockOfItsTarget) {
    (void)open();
    fs::create_symlink("store.db", link_);
    auto lock = FileLock::open(path_);
    ASSERT_TRUE(lock->acquire(Millis(0)));
    const auto busy = make_sqlite_store(link_, quick().lock_timeout(Millis(0)), clock_);
    ASSERT_FALSE(busy);
    EXPECT_EQ(busy.error().code(), Errc::busy);
    EXPECT_EQ(compact(link_, Millis(0)).error().code(), Errc::busy);
    lock->release();
    const auto store = make_sqlite_store(link_, quick(), clock_);
    ASSERT_TRUE(store);
    Driver(**store, 1).start_running("a");
    EXPECT_TRUE(Driver(*open(), 2).find("a"));
    EXPECT_FALSE(fs::exists(link_ + "-lock"));
    EXPECT_FALSE(fs::exists(link_ + "-news"));
}

TEST_F(Location, ALinkThatLeadsToNothingIsMadeWhereItLeads) {
    fs::create_directory(directory_.file("there"));
    fs::create_directory_symlink("there", directory_.file("way"));
    fs::create_symlink("way/store.db", link_);
    const auto store = make_sqlite_store(link_, quick(), clock_);
    ASSERT_TRUE(store);
    EXPECT_TRUE(has_files(directory_.file("there/store.db")));
    EXPECT_FALSE(fs::exists(link_ + "-lock"));
}

TEST_F(Location, AFileWithTwoNamesIsRefused) {
    (void)open();
    fs::create_hard_link(path_, link_);
    for (const std::string& name : {path_, link_}) {
        const auto refused = make_sqlite_store(name, quick(), clock_);
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().code(), Errc::invalid_argument);
        EXPECT_THAT(refused.error().message(), HasSubstr("2 names"));
        EXPECT_EQ(compact(name, Millis(0)).error().code(), Errc::invalid_argument);
    }
    EXPECT_FALSE(fs::exists(link_ + "-lock"));
    fs::remove(link_);
    (void)open();
}

TEST_F(Location, APipeIsRefusedAndNotWaitedFor) {
    ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
    const Error error = refusal();
    EXPECT_EQ(error.code(), Errc::invalid_argument);
    EXPECT_THAT(error.message(), HasSubstr("no regular file"));
    EXPECT_EQ(compact(path_, Millis(0)).error().code(), Errc::invalid_argument);
    EXPECT_FALSE(fs::exists(path_ + "-lock"));
}

TEST_F(Location, AnEmptyFileThatBelayHasNotMadeIsRefusedAndLeftAlone) {
    std::ofstream(path_).flush();
    for (int i = 0; i < 2; ++i) {
        const Error error = refusal();
        EXPECT_EQ(error.code(), Errc::unsupported);
        EXPECT_THAT(error.message(), HasSubstr("empty"));
    }
    EXPECT_EQ(fs::file_size(path_), 0U);
    EXPECT_FALSE(fs::exists(path_ + "-lock"));
}

/// The lock is made first, then the file, then what is in it.
TEST_F(Location, AFileThatAProcessDiedOverMakingIsMade) {
    ASSERT_TRUE(FileLock::open(path_));
    std::ofstream(path_).flush();
    Driver(*open(), 1).start_running("a");
    EXPECT_TRUE(Driver(*open(), 2).find("a"));
}

TEST_F(Location, AFileThatWasCutOffIsNotMadeAnew) {
    Driver(*open(), 1).start_running("a");
    fs::resize_file(path_, 0);
    const Error error = refusal();
    EXPECT_EQ(error.code(), Errc::corrupt) << error.describe();
    EXPECT_EQ(fs::file_size(path_), 0U);
}

TEST_F(Location, AWriteWaitsForAnotherProgramAsLongAsItWasTold) {
    (void)open();
    const auto patience = [&](Access access) {
        Connection connection(path_, access, SqliteOptions().lock_timeout(Millis(7'000)));
        return connection.ask("pragma busy_timeout");
    };
    EXPECT_EQ(patience(Access::write), 7'000);
    EXPECT_EQ(patience(Access::read), 7'000);
}

// ---- Users of one group ------------------------------------------------------------------------

/// Root can be two users, and give files to any group. Any other user who runs the tests is the
/// only user, and gives the files to another group of theirs, if there is one.
class UsersOfAGroup : public Location {
protected:
    static constexpr uid_t kOther = 65'534;
    static constexpr uid_t kUnchanged = static_cast<uid_t>(-1);

    [[nodiscard]] static gid_t group_for_files() {
        if (::geteuid() == 0) return 12'345;
        std::vector<gid_t> own(static_cast<std::size_t>(::getgroups(0, nullptr)));
        const int count = ::getgroups(static_cast<int>(own.size()), own.data());
        own.resize(static_cast<std::size_t>(std::max(count, 0)));
        const auto another =
            std::find_if(own.begin(), own.end(), [](gid_t group) { return group != ::getegid(); });
        return another != own.end() ? *another : ::getegid();
    }
    /// Becomes the other user, with these groups. Does nothing unless root calls it.
    [[nodiscard]] static bool become_other(gid_t group, const std::vector<gid_t>& besides) {
        if (::geteuid() != 0) return true;
        return ::setgroups(besides.size(), besides.data()) == 0 && ::setgid(group) == 0 &&
               ::setuid(kOther) == 0;
    }
    [[nodiscard]] static mode_t mode_of(const std::string& path) {
        struct stat status{};
        EXPECT_EQ(::stat(path.c_str(), &status), 0);
        return status.st_mode & 0777;
    }
    [[nodiscard]] static gid_t group_of(const std::string& path) {
        struct stat status{};
        EXPECT_EQ(::stat(path.c_str(), &status), 0);
        return status.st_gid;
    }

    const gid_t group_ = group_for_files();
};

TEST_F(UsersOfAGroup, TheLockAndTheNewsTakeTheModeOfTheFile) {
    (void)open();
    EXPECT_EQ(mode_of(path_ + "-lock"), mode_of(path_));
    for (const mode_t mode : {0660U, 0600U}) {
        ASSERT_EQ(::chmod(path_.c_str(), mode), 0);
        (void)open();
        EXPECT_EQ(mode_of(path_ + "-lock"), mode);
        EXPECT_EQ(mode_of(path_ + "-news"), mode);
    }
}

TEST_F(UsersOfAGroup, AFileThatWasReadOnlyForAWhileIsOpenedAgain) {
    (void)open();
    ASSERT_EQ(::chmod(path_.c_str(), 0444), 0);
    (void)make_sqlite_store(path_, quick(), clock_);
    EXPECT_EQ(mode_of(path_ + "-lock"), 0644U) << "its owner can open it";
    EXPECT_EQ(mode_of(path_ + "-news"), 0644U);
    ASSERT_EQ(::chmod(path_.c_str(), 0644), 0);
    (void)open();
}

TEST_F(UsersOfAGroup, AnotherUserOfTheGroupOpensTheFile) {
    (void)open();
    for (const char* part : {"", "-wal", "-shm"}) {
        ASSERT_EQ(::chown((path_ + part).c_str(), kUnchanged, group_), 0);
        ASSERT_EQ(::chmod((path_ + part).c_str(), 0660), 0);
    }
    ASSERT_EQ(::chown(directory_.path().c_str(), kUnchanged, group_), 0);
    ASSERT_EQ(::chmod(directory_.path().c_str(), 0770), 0);
    fs::remove(path_ + "-lock");
    fs::remove(path_ + "-news");
    (void)open();
    EXPECT_EQ(group_of(path_ + "-lock"), group_);
    EXPECT_EQ(group_of(path_ + "-news"), group_);
    Process second([&] {
        if (!become_other(group_, {})) return false;
        Driver(*open(), 2).start_running("a");
        return true;
    });
    EXPECT_EQ(second.wait(), 0);
    EXPECT_TRUE(Driver(*open(), 1).find("a"));
}

TEST_F(UsersOfAGroup, TheLogThatAUserMakesTakesTheGroupOfTheFile) {
    (void)open();
    for (const char* part : {"-wal", "-shm", "-lock", "-news"}) fs::remove(path_ + part);
    const uid_t user = ::geteuid() == 0 ? kOther : kUnchanged;
    ASSERT_EQ(::chown(path_.c_str(), user, group_), 0);
    ASSERT_EQ(::chmod(path_.c_str(), 0660), 0);
    ASSERT_EQ(::chmod(directory_.path().c_str(), 0777), 0);
    Process owner([&] {
        // Its own group is another: the file's is one of those that it belongs to besides.
        if (!become_other(kOther, {group_})) return false;
        Driver(*open(), 2).start_running("a");
        return true;
    });
    EXPECT_EQ(owner.wait(), 0);
    for (const char* part : {"-wal", "-shm", "-lock", "-news"}) {
        EXPECT_EQ(group_of(path_ + part), group_) << part;
        EXPECT_EQ(mode_of(path_ + part), 0660U) << part;
    }
}

/// A user who may write to the directory could have root give away the file that it leads to.
TEST_F(UsersOfAGroup, ALinkInThePlaceOfASideFileIsNotFollowed) {
    const std::string victim = directory_.file("victim");
    const auto link = [](const fs::path& to, const fs::path& from) {
        fs::create_symlink(to, from);
    };
    const auto name = [](const fs::path& to, const fs::path& from) {
        fs::create_hard_link(to, from);
    };
    const auto expect_refused = [&](const std::string& part, auto make) {
        (void)open();
        ASSERT_EQ(::chmod(path_.c_str(), 0666), 0);
        std::ofstream(victim) << "of somebody else";
        ASSERT_EQ(::chmod(victim.c_str(), 0600), 0);
        fs::remove(path_ + part);
        make(victim, path_ + part);
        const Error error = refusal();
        EXPECT_EQ(error.code(), Errc::invalid_argument) << part;
        EXPECT_THAT(error.message(), HasSubstr(part));
        EXPECT_EQ(mode_of(victim), 0600U) << part;
        fs::remove(path_ + part);
        fs::remove(victim);
    };
    for (const char* part : {"-lock", "-news"}) {
        expect_refused(part, link);
        expect_refused(part, name);
    }
    (void)open();
}

TEST_F(UsersOfAGroup, AUserWhoIsKeptOutHearsWhy) {
    (void)open();
    ASSERT_EQ(::chmod(path_.c_str(), 0666), 0);
    ASSERT_EQ(::chmod((path_ + "-lock").c_str(), 0444), 0);
    ASSERT_EQ(::chmod(directory_.path().c_str(), 0777), 0);
    Process second([&] {
        if (!become_other(group_, {})) return false;
        const Error error = refusal();
        return error.code() == Errc::invalid_argument &&
               error.message().find("-lock") != std::string::npos &&
               error.message().find("0444") != std::string::npos &&
               error.message().find("0666") != std::string::npos;
    });
    EXPECT_EQ(second.wait(), 0);
}

}  // namespace
}  // namespace belay::sqlite
