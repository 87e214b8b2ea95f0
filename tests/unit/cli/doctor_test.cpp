// Each check of the doctor, by breaking what it looks at.
#include "cli/context.hpp"
#include "cli/doctor_checks.hpp"
#include "store/sqlite/file_lock.hpp"
#include "support/manual_clock.hpp"
#include "support/temporary_directory.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <fstream>

namespace belay::cli {
namespace {

using ::testing::HasSubstr;
using namespace std::chrono_literals;

class CliDoctorTest : public ::testing::Test {
protected:
    CliDoctorTest() {
        const auto store = make_sqlite_store(path, SqliteOptions(), clock);
        Client client(**store, clock);
        (void)client.start("Order", Payload(), StartOptions().id("o1"));
    }

    /// Changes the file behind the store's back.
    void change(const std::string& sql) {
        sqlite3* db = nullptr;
        ASSERT_EQ(sqlite3_open(path.c_str(), &db), SQLITE_OK);
        char* problem = nullptr;
        sqlite3_exec(db, sql.c_str(), nullptr, nullptr, &problem);
        EXPECT_EQ(problem, nullptr) << problem;
        sqlite3_free(problem);
        sqlite3_close(db);
    }

    [[nodiscard]] Check check(const std::string& name) {
        return find(sqlite::examine(path, clock.wall(), 20ms), name);
    }
    [[nodiscard]] Check find(const sqlite::Examination& seen, const std::string& name) {
        for (const Check& one : checks_of(seen, clock.wall())) {
            if (one.name == name) return one;
        }
        ADD_FAILURE() << "no check " << name;
        return {};
    }
    void expect(const std::string& name, Health health, const std::string& says) {
        const Check found = check(name);
        EXPECT_EQ(found.health, health) << name << ": " << found.says;
        EXPECT_THAT(found.says, HasSubstr(says));
        EXPECT_EQ(found.advice.empty(), health == Health::well || health == Health::unknown)
            << "a problem comes with advice, and only a problem";
    }

    support::TemporaryDirectory directory{support::TemporaryDirectory::in_memory()};
    const std::string path = directory.file("doctor.db");
    support::ManualClock clock;
};

TEST_F(CliDoctorTest, AHealthyFileIsWell) {
    for (const Check& one : checks_of(sqlite::examine(path, clock.wall(), 1s), clock.wall())) {
        if (one.name == "disk-space" || one.name == "file-system") continue;  // This machine's.
        EXPECT_EQ(one.health, Health::well) << one.name << ": " << one.says;
    }
}

TEST_F(CliDoctorTest, LookingCreatesNothing) {
    const std::string other = directory.file("none.db");
    const auto seen = sqlite::examine(other, clock.wall(), 20ms);
    EXPECT_EQ(find(seen, "file").health, Health::fault);
    EXPECT_EQ(find(seen, "integrity").health, Health::unknown);
    EXPECT_EQ(find(seen, "held").health, Health::unknown);
    EXPECT_NE(::access(other.c_str(), F_OK), 0);
    EXPECT_NE(::access((other + "-lock").c_str(), F_OK), 0);
}

TEST_F(CliDoctorTest, FileThatIsNoDatabase) {
    std::ofstream(path) << std::string(200, 'x');
    expect("file", Health::fault, "no database");
    expect("schema", Health::unknown, "");
}

TEST_F(CliDoctorTest, FileOfAnotherProgram) {
    change("pragma application_id = 7");
    expect("file", Health::fault, "application id 7");
}

TEST_F(CliDoctorTest, AskedOfAForeignFileItAsksFirstWhetherItIsTheRightOne) {
    change("pragma application_id = 7");
    const auto expect_only_that = [this] {
        const auto checks = checks_of(sqlite::examine(path, clock.wall(), 20ms), clock.wall());
        EXPECT_EQ(checks[0].name, "file");
        EXPECT_EQ(checks[0].health, Health::fault);
        EXPECT_THAT(checks[0].advice, ::testing::StartsWith("is it the right file?"));
        for (std::size_t i = 1; i < checks.size(); ++i) {
            EXPECT_EQ(checks[i].health, Health::unknown) << checks[i].name << checks[i].says;
        }
    };
    expect_only_that();
    std::ofstream(path) << "no database at all";
    expect_only_that();
    std::ofstream(path, std::ios::trunc).flush();
    expect_only_that();
}

TEST_F(CliDoctorTest, EmptyFile) {
    std::ofstream(path, std::ios::trunc).flush();
    expect("file", Health::fault, "empty");
}

TEST_F(CliDoctorTest, SchemaOfAnotherRelease) {
    change("pragma user_version = 1");
    expect("schema", Health::warning, "older than");
    change("pragma user_version = 999");
    expect("schema", Health::warning, "newer than");
    change("update compatibility set oldest_program = 999");
    expect("file", Health::fault, "newer release");
}

TEST_F(CliDoctorTest, DamagedPages) {
    change("pragma wal_checkpoint(truncate)");
    {
        std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
        file.seekp(8192 + 8192 / 2);
        for (int i = 0; i < 20; ++i) file << std::string(512, '\x5a');
    }
    const auto seen = sqlite::examine(path, clock.wall(), 20ms);
    const bool found = find(seen, "integrity").health == Health::fault ||
                       find(seen, "file").health == Health::fault;
    EXPECT_TRUE(found) << find(seen, "integrity").says << "; " << find(seen, "file").says;
}

TEST_F(CliDoctorTest, PermissionsOfFileAndDirectory) {
    if (::geteuid() != 0) {
        ::chmod(path.c_str(), 0444);
        expect("permissions", Health::fault, "may not write to the file");
        ::chmod(path.c_str(), 0644);
        ::chmod(directory.path().c_str(), 0555);
        expect("permissions", Health::fault, "directory");
        ::chmod(directory.path().c_str(), 0755);
    }
    // Root may do everything: then what such a file looks like is made up.
    sqlite::Examination seen = sqlite::examine(path, clock.wall(), 20ms);
    seen.file.directory_writable = false;
    EXPECT_EQ(find(seen, "permissions").health, Health::fault);
    seen.file.writable = false;
    EXPECT_EQ(find(seen, "permissions").health, Health::fault);
}

TEST_F(CliDoctorTest, FilesBesideItForOtherUsers) {
    expect("permissions", Health::well, "");
    ASSERT_EQ(::chmod(path.c_str(), 0660), 0);
    for (const char* suffix : {"-wal", "-shm", "-lock", "-news"}) {
        expect("permissions", Health::warning, "its " + std::string(suffix) + " has the mode 0644");
        ASSERT_EQ(::chmod((path + suffix).c_str(), 0660), 0);
    }
    expect("permissions", Health::well, "");
    sqlite::Examination seen = sqlite::examine(path, clock.wall(), 20ms);
    seen.file.beside.back().access.group += 1;
    EXPECT_EQ(find(seen, "permissions").health, Health::warning) << "another group";
    seen.file.beside.back().usable = false;
    EXPECT_EQ(find(seen, "permissions").health, Health::fault);
    struct stat lock{};
    ASSERT_EQ(::chmod((path + "-lock").c_str(), 0600), 0);
    (void)check("lock");
    ASSERT_EQ(::stat((path + "-lock").c_str(), &lock), 0);
    EXPECT_EQ(lock.st_mode & 0777, 0600U) << "looking changes nothing";
}

TEST_F(CliDoctorTest, AFileWithTwoNames) {
    const std::string other = directory.file("other.db");
    ASSERT_EQ(::link(path.c_str(), other.c_str()), 0);
    expect("file", Health::fault, "2 names");
    ASSERT_EQ(::unlink(other.c_str()), 0);
    ASSERT_EQ(::symlink(path.c_str(), other.c_str()), 0);
    EXPECT_EQ(find(sqlite::examine(other, clock.wall(), 20ms), "file").health, Health::well);
}

TEST_F(CliDoctorTest, APipeIsNotWaitedFor) {
    ASSERT_EQ(::unlink(path.c_str()), 0);
    ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
    expect("file", Health::fault, "no regular file");
    for (const char* check : {"lock", "schema", "integrity"}) {
        expect(check, Health::unknown, "could not be looked at");
    }
}

TEST_F(CliDoctorTest, AProcessThatHasARemovedFileOpen) {
    std::array<int, 2> told{};
    std::array<int, 2> asked{};
    ASSERT_EQ(::pipe(told.data()), 0);
    ASSERT_EQ(::pipe(asked.data()), 0);
    const pid_t child = ::fork();
    if (child == 0) {
        char byte = ::open((path + "-shm").c_str(), O_RDONLY) >= 0 ? 'y' : 'n';
        if (::write(told[1], &byte, 1) != 1 || ::read(asked[0], &byte, 1) != 1) ::_exit(1);
        ::_exit(0);
    }
    char byte = 0;
    ASSERT_EQ(::read(told[0], &byte, 1), 1);
    EXPECT_EQ(byte, 'y');
    expect("files", Health::well, "");
    ASSERT_EQ(::unlink((path + "-shm").c_str()), 0);
    const Check found = check("files");
    EXPECT_EQ(found.health, Health::fault);
    EXPECT_THAT(found.says, HasSubstr("(" + std::to_string(child) + ") has " + path + "-shm"));
    ASSERT_EQ(::write(asked[1], &byte, 1), 1);
    ::waitpid(child, nullptr, 0);
    for (const int end : {told[0], told[1], asked[0], asked[1]}) ::close(end);
}

TEST_F(CliDoctorTest, NetworkFileSystems) {
    using sqlite::FileSystem;
    EXPECT_EQ(sqlite::file_system_of(0x6969), FileSystem::network) << "NFS";
    EXPECT_EQ(sqlite::file_system_of(0xFF534D42), FileSystem::network) << "CIFS";
    EXPECT_EQ(sqlite::file_system_of(0x65735546), FileSystem::unsure) << "FUSE";
    EXPECT_EQ(sqlite::file_system_of(0xEF53), FileSystem::local) << "ext4";
    sqlite::Examination seen = sqlite::examine(path, clock.wall(), 20ms);
    seen.file.file_system = FileSystem::network;
    EXPECT_EQ(find(seen, "file-system").health, Health::fault);
    seen.file.file_system = FileSystem::unsure;
    EXPECT_EQ(find(seen, "file-system").health, Health::warning);
}

TEST_F(CliDoctorTest, DiskSpaceAndTheSizeOfTheLog) {
    sqlite::Examination seen = sqlite::examine(path, clock.wall(), 20ms);
    seen.file.free_bytes = 500ULL * 1024 * 1024;
    EXPECT_EQ(find(seen, "disk-space").health, Health::warning);
    EXPECT_THAT(find(seen, "disk-space").advice, HasSubstr("'belay delete' and 'belay prune'"));
    seen.file.free_bytes = 1024;
    EXPECT_EQ(find(seen, "disk-space").health, Health::fault);
    EXPECT_THAT(find(seen, "disk-space").advice, HasSubstr("remove other files"));
    ASSERT_EQ(::truncate((path + "-wal").c_str(), 300LL * 1024 * 1024), 0);
    expect("log", Health::warning, "300.0 MiB");
}

TEST_F(CliDoctorTest, ALockThatIsNotLetGoOf) {
    auto lock = sqlite::FileLock::open(path);
    ASSERT_TRUE(lock.ok());
    ASSERT_TRUE(lock->acquire(1s).ok());
    expect("lock", Health::fault, "process " + std::to_string(::getpid()) + " (");
    lock->release();
    expect("lock", Health::well, "");
}

TEST_F(CliDoctorTest, AProgramThatKnowsNothingOfTheLock) {
    sqlite3* db = nullptr;
    ASSERT_EQ(sqlite3_open(path.c_str(), &db), SQLITE_OK);
    ASSERT_EQ(sqlite3_exec(db, "begin immediate", nullptr, nullptr, nullptr), SQLITE_OK);
    expect("lock", Health::fault, "not of Belay");
    sqlite3_close(db);
}

TEST_F(CliDoctorTest, ForeignProgramsHaveItOpen) {
    sqlite::Examination seen = sqlite::examine(path, clock.wall(), 20ms);
    EXPECT_TRUE(seen.file.users.empty());
    seen.file.users.push_back({4711, "sqlite3", false});
    EXPECT_THAT(find(seen, "foreign-programs").says, HasSubstr("sqlite3 (4711)"));
    EXPECT_EQ(find(seen, "foreign-programs").health, Health::warning);
}

TEST_F(CliDoctorTest, AClockThatWasSetBack) {
    clock.set_back(1h);
    expect("clock", Health::fault, "set back");
}

TEST_F(CliDoctorTest, NobodyTakesUpWhatIsReady) {
    clock.advance(30s);
    expect("ready", Health::well, "");
    clock.advance(10min);
    expect(
        "ready", Health::warning, "1 instances are ready for a turn, the oldest 10m30s ago (o1)");
}

TEST_F(CliDoctorTest, LeasesThatExpiredAndNobodyTookOver) {
    change("update run set lock_until = ready_at, lock_worker = 'w1', lock_holder = 1");
    clock.advance(10min);
    expect("leases", Health::fault, "(w1)");
}

TEST_F(CliDoctorTest, InstancesWithoutCode) {
    change("update run set code_missing_since = ready_at");
    clock.advance(2min);
    expect("code", Health::well, "");
    clock.advance(10min);
    expect("code", Health::warning, "(Order)");
}

/// Workers that have no code for it try again and again: what they move is when.
TEST_F(CliDoctorTest, ActivitiesWithoutCode) {
    const std::string now = std::to_string(to_unix_ms(clock.wall()));
    change(
        "insert into activity (run, execution, command, shard, waits_until, visible_at, "
        "leased_until, worker, attempt, unregistered, shielded, rank, sequence, queue, name, "
        "fairness_key, codec, flags) values (1, 1, 1, 1, null, " +
        now + ", 0, '', 0, 9, 0, 0, 1, '', 'Charge', '', 0, 0)");
    expect("code", Health::well, "");
    clock.advance(30s);
    expect("code", Health::well, "");
    change("update activity set unregistered = 10, visible_at = visible_at + 60000");
    expect("code", Health::warning, "1 activities have no code (Charge)");
    change("update activity set holder = 7, serial = 1, worker = 'w1', leased_until = " +
           std::to_string(to_unix_ms(clock.wall()) + 60'000) + ", waits_until = leased_until");
    clock.advance(50s);
    expect("code", Health::well, "");
}

TEST_F(CliDoctorTest, TurnsThatRanPastTheirLimit) {
    expect("turns", Health::well, "none");
    change("update run set overruns = 1");
    expect("turns", Health::warning, "of 1 instances the last turn ran past its limit (o1)");
}

TEST_F(CliDoctorTest, HeldInstances) {
    change("update run set held = 1");
    expect("held", Health::warning, "1 wait for a person (o1)");
}

TEST_F(CliDoctorTest, PausedQueuesAndDefinitions) {
    expect("pauses", Health::well, "nothing is paused");
    change("insert into pause values (1, 'bank', 0, 'ann', '')");
    expect("pauses", Health::warning, "1 queues or definitions are paused");
}

TEST_F(CliDoctorTest, DeadLetters) {
    change(
        "insert into dead_letter (run, shard, kind, execution, command, name, codec, flags, "
        "bytes, reason, at) values (1, 1, 7, 0, 0, 'x', 0, 0, x'', 'no such run', 0)");
    expect("dead-letters", Health::warning, "1 messages could not be delivered");
}

TEST_F(CliDoctorTest, HandlersThatDoNotStop) {
    const std::string now = std::to_string(to_unix_ms(clock.wall()) + 5'000);
    change(
        "insert into stopping (run, execution, command, holder, serial, shard, worker, until) "
        "values (1, 1, 1, 1, 1, 1, 'w1', " +
        now + ")");
    expect("stopping", Health::well, "1 are being stopped");
    clock.advance(10s);
    expect("stopping", Health::warning, "1 canceled handlers have not stopped in time (w1)");
}

}  // namespace
}  // namespace belay::cli
