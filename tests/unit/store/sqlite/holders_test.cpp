// Dead holders: those whose process is gone for certain, and no others.
#include "fixture.hpp"
#include "process.hpp"

#include <sched.h>

#include <filesystem>

namespace belay::sqlite {
namespace {

constexpr std::uint64_t kDead = 2;

class Holders : public SqliteStoreTest {
protected:
    /// In the other process: opens the store and claims one activity of those that are there.
    std::unique_ptr<Store> hold(std::uint64_t holder = kDead) {
        auto store = open();
        Driver driver(*store, holder);
        if (driver.claim_activities(1).size() != 1) throw std::runtime_error("nothing to hold");
        return store;
    }
    /// Another process that holds an activity, and does `then` when it is asked to go on.
    std::unique_ptr<Process> holder(const std::function<bool()>& then = {}) {
        auto process = std::make_unique<Process>([this, then] {
            const auto store = hold_and_tell();
            go_.receive();
            return !then || then();
        });
        EXPECT_EQ(held_.receive(), 'h');
        return process;
    }
    /// Tells also if it fails: somebody waits.
    std::unique_ptr<Store> hold_and_tell() {
        try {
            auto store = hold();
            held_.send('h');
            return store;
        } catch (...) {
            held_.send('x');
            throw;
        }
    }
    void resume() { go_.send('g'); }

    static ReadDeadHolders::Answer look(Store& store) {
        return Driver(store, 9).read(ReadDeadHolders());
    }
    static Answer release(Store& store, std::uint64_t holder = kDead) {
        return Driver(store, 9).commit(ReleaseHolder{holder});
    }
    [[nodiscard]] std::string registered() { return ask("select count(*) from holder"); }

    /// Closes the file again: a process that has it open cannot give it to a child.
    void prepare(CommandNo activities) {
        const auto store = open();
        Driver(*store, 1).start_running("a", activities);
    }
    std::unique_ptr<Store> prepared(CommandNo activities) {
        prepare(activities);
        return open();
    }

    Pipe held_;
    Pipe go_;
};

TEST_F(Holders, AKilledProcessIsDeadAndItsLeasesAreReleasedAtOnce) {
    prepare(1);
    const auto process = holder();
    const auto store = open();
    EXPECT_TRUE(look(*store).dead.empty());
    EXPECT_EQ(look(*store).others, 1U);
    EXPECT_TRUE(Driver(*store, 3).claim_activities(1).empty());
    process->kill();
    ASSERT_EQ(look(*store).dead, std::vector<std::uint64_t>{kDead});
    EXPECT_EQ(look(*store).others, 0U);
    EXPECT_EQ(release(*store).swept, 1U);
    EXPECT_TRUE(look(*store).dead.empty()) << "it holds nothing any more";
    const auto again = Driver(*store, 3).claim_activities(1);
    ASSERT_EQ(again.size(), 1U);
    EXPECT_EQ(again[0].attempt, 2U);
}

TEST_F(Holders, ALaterOpeningFindsIt) {
    prepare(1);
    holder()->kill();
    const auto store = open();
    EXPECT_EQ(look(*store).dead, std::vector<std::uint64_t>{kDead});
}

TEST_F(Holders, AProcessThatEndsWithoutClosingIsDead) {
    prepare(1);
    const auto process = holder([]() -> bool { ::_exit(3); });
    resume();
    EXPECT_EQ(process->wait(), 3);
    const auto store = open();
    EXPECT_EQ(look(*store).dead, std::vector<std::uint64_t>{kDead});
}

TEST_F(Holders, AStoppedProcessIsNotDead) {
    prepare(1);
    const auto process = holder();
    const auto store = open();
    process->signal(SIGSTOP);
    int status = 0;
    ASSERT_EQ(::waitpid(process->pid(), &status, WUNTRACED), process->pid());
    ASSERT_TRUE(WIFSTOPPED(status));
    EXPECT_TRUE(look(*store).dead.empty());
    EXPECT_EQ(look(*store).others, 1U);
    process->signal(SIGCONT);
    EXPECT_TRUE(look(*store).dead.empty());
    process->kill();
    EXPECT_EQ(look(*store).dead.size(), 1U);
}

TEST_F(Holders, AHolderThatClosesTheStoreIsNotDeadAndKeepsItsLeases) {
    const auto store = prepared(1);
    hold().reset();
    EXPECT_TRUE(look(*store).dead.empty());
    EXPECT_EQ(registered(), "0");
    // A handler that was abandoned may still run here.
    EXPECT_TRUE(Driver(*store, 3).claim_activities(1).empty());
}

TEST_F(Holders, AnotherStoreOfThisProcessLives) {
    const auto store = prepared(2);
    const auto other = hold();
    EXPECT_TRUE(look(*store).dead.empty());
    EXPECT_EQ(look(*store).others, 1U);
    EXPECT_TRUE(look(*other).dead.empty()) << "its own lock is no other's";
    EXPECT_EQ(look(*other).others, 0U);
}

TEST_F(Holders, OneHolderWithTwoStoresLivesAsLongAsOneOfThem) {
    const auto store = prepared(2);
    auto first = hold();
    const auto second = hold();
    first.reset();
    EXPECT_TRUE(look(*store).dead.empty());
    EXPECT_EQ(look(*store).others, 1U);
}

TEST_F(Holders, OneThatIsOpenedAgainLives) {
    const auto store = prepared(2);
    hold().reset();
    const auto again = hold();
    EXPECT_TRUE(look(*store).dead.empty());
    EXPECT_EQ(look(*store).others, 1U);
}

TEST_F(Holders, AForkedChildThatOutlivesItDoesNotKeepItAlive) {
    prepare(1);
    Pipe forked;
    Pipe child_lives;
    const auto process = holder([&]() -> bool {
        if (::fork() == 0) {
            forked.send('f');
            child_lives.receive();
            ::_exit(0);
        }
        // Until the child runs it has a copy.
        forked.receive();
        ::_exit(1);
    });
    resume();
    EXPECT_EQ(process->wait(), 1);
    const auto store = open();
    EXPECT_EQ(look(*store).dead, std::vector<std::uint64_t>{kDead});
    child_lives.send('e');
}

TEST_F(Holders, AProgramThatOutlivesItDoesNotKeepItAlive) {
    prepare(1);
    Pipe program_lives;
    Pipe runs;
    const auto process = holder([&] {
        // vfork(2), which runs no handlers of fork.
        if (::vfork() == 0) {
            ::dup2(program_lives.output(), STDIN_FILENO);
            ::dup2(runs.input(), STDOUT_FILENO);
            ::execl("/bin/sh", "sh", "-c", "echo; read line", nullptr);
            ::_exit(127);
        }
        ::kill(::getpid(), SIGKILL);
        return true;
    });
    resume();
    EXPECT_EQ(process->wait(), 128 + SIGKILL);
    runs.receive();
    const auto store = open();
    EXPECT_EQ(look(*store).dead, std::vector<std::uint64_t>{kDead});
    program_lives.send('\n');
}

TEST_F(Holders, ProcessesOfOtherPidNamespacesAreSeen) {
    prepare(1);
    // Its child has number 1 in a namespace of its own, where the system lets us make one.
    Process outer([this] {
        (void)(::unshare(CLONE_NEWPID) == 0 || ::unshare(CLONE_NEWUSER | CLONE_NEWPID) == 0);
        Process inner([this]() -> bool {
            const auto held = hold();
            held_.send('h');
            go_.receive();
            ::kill(::getppid(), 0);
            ::_exit(0);
        });
        return inner.wait() == 0;
    });
    ASSERT_EQ(held_.receive(), 'h');
    const auto store = open();
    EXPECT_TRUE(look(*store).dead.empty());
    EXPECT_EQ(look(*store).others, 1U);
    resume();
    EXPECT_EQ(outer.wait(), 0);
    EXPECT_EQ(look(*store).dead, std::vector<std::uint64_t>{kDead});
}

TEST_F(Holders, NothingIsKnownOfAHolderThatDidNotRegister) {
    prepare(1);
    holder()->kill();
    const auto store = open();
    // As an older program leaves it.
    execute("delete from holder");
    EXPECT_TRUE(look(*store).dead.empty());
}

TEST_F(Holders, NothingIsKnownOfWhatAnotherKernelHad) {
    prepare(1);
    holder()->kill();
    const auto store = open();
    execute("update holder set boot = 'another'");
    EXPECT_TRUE(look(*store).dead.empty());
    EXPECT_EQ(look(*store).others, 0U);
}

TEST_F(Holders, AnUnknowableHolderIsForgottenWhenItsLeasesAreOver) {
    prepare(2);
    holder()->kill();
    execute("update holder set boot = 'another'");
    const auto store = open();
    Driver driver(*store, 3);
    ASSERT_EQ(driver.claim_activities(1).size(), 1U);
    EXPECT_EQ(registered(), "2");
    clock_.advance(Millis(3'600'000));
    ASSERT_EQ(driver.claim_activities(1).size(), 1U);
    EXPECT_EQ(registered(), "1");
}

TEST_F(Holders, NothingIsKnownWhenTheLockIsAnotherFile) {
    prepare(1);
    const auto process = holder();
    // It lives, and holds the lock of a file that has no name any more.
    std::filesystem::rename(path_ + "-lock", path_ + "-elsewhere");
    {
        const auto store = open();
        EXPECT_TRUE(look(*store).dead.empty());
    }
    process->kill();
    const auto store = open();
    EXPECT_TRUE(look(*store).dead.empty()) << "and nobody can know that it died";
}

TEST_F(Holders, ACopyOfTheFileHasNoDead) {
    prepare(1);
    const auto process = holder();
    const auto store = open();
    const std::string copy = directory_.file("copy.db");
    execute("vacuum into '" + copy + "'");
    const auto opened = make_sqlite_store(copy, quick(), clock_);
    ASSERT_TRUE(opened) << opened.error().describe();
    EXPECT_TRUE(look(**opened).dead.empty());
    process->kill();
    EXPECT_TRUE(look(**opened).dead.empty());
    EXPECT_EQ(look(*store).dead.size(), 1U);
}

TEST_F(Holders, TwoThatReleaseTheSameDoNoHarm) {
    prepare(1);
    holder()->kill();
    const auto store = open();
    const auto other = open();
    ASSERT_EQ(look(*store).dead, look(*other).dead);
    EXPECT_EQ(release(*store).swept, 1U);
    const auto taken = Driver(*store, 3).claim_activities(1);
    ASSERT_EQ(taken.size(), 1U);
    EXPECT_EQ(release(*other).swept, 0U);
    EXPECT_TRUE(Driver(*other, 4).claim_activities(1).empty()) << "whoever took it has it";
}

TEST_F(Holders, ItsLastCommitIsKept) {
    prepare(2);
    Process process([this] {
        const auto mine = open();
        Driver driver(*mine, kDead);
        const auto claimed = driver.claim_activities(2);
        AckActivity done{claimed.at(0).activity, claimed.at(0).token, std::nullopt};
        (void)driver.commit(done);
        ::kill(::getpid(), SIGKILL);
        return true;
    });
    EXPECT_EQ(process.wait(), 128 + SIGKILL);
    const auto store = open();
    EXPECT_EQ(release(*store).swept, 1U);
    const auto left = Driver(*store, 3).claim_activities(2);
    ASSERT_EQ(left.size(), 1U);
    EXPECT_EQ(left[0].activity.command, 2U);
}

TEST_F(Holders, AReleaseAfterTheLeaseIsOverLeavesWhoTookItInPeace) {
    prepare(1);
    holder()->kill();
    const auto store = open();
    clock_.advance(Millis(30'000));
    const auto taken = Driver(*store, 3).claim_activities(1);
    ASSERT_EQ(taken.size(), 1U);
    EXPECT_EQ(release(*store).swept, 0U);
    EXPECT_TRUE(Driver(*store, 4).claim_activities(1).empty());
    EXPECT_TRUE(look(*store).dead.empty());
}

TEST_F(Holders, AnItemInLineAgainSinceTheClockWasSetBackIsFound) {
    prepare(1);
    holder()->kill();
    const auto store = open();
    clock_.advance(Millis(30'000));
    // A claim by somebody without the code puts it in line.
    ClaimActivities other = op::claim_activity(LeaseToken{3, 1}, "w", Millis(1));
    other.names = std::vector<std::string>{"Other"};
    EXPECT_TRUE(Driver(*store, 3).claim(other).claimed.empty());
    clock_.advance(Millis(-10'000));
    EXPECT_EQ(release(*store).swept, 1U);
    EXPECT_EQ(Driver(*store, 3).claim_activities(1).size(), 1U);
}

TEST_F(Holders, AProcessThatOnlyReadsAndStartsIsNotRegistered) {
    const auto store = prepared(1);
    EXPECT_TRUE(Driver(*store, 1).claim_instances(1).empty()) << "nothing is ready";
    EXPECT_EQ(registered(), "0");
    (void)Driver(*store, 1).claim_activities(1);
    EXPECT_EQ(registered(), "1");
    (void)Driver(*store, 1).claim_activities(1);
    EXPECT_EQ(registered(), "1");
}

}  // namespace
}  // namespace belay::sqlite
