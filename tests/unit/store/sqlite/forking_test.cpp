// Processes that fork while they have a store open.
#include "fixture.hpp"
#include "process.hpp"
#include "store/sqlite/file_identity.hpp"
#include "store/sqlite/file_lock.hpp"

#include <atomic>
#include <thread>

namespace belay::sqlite {
namespace {

class Forking : public SqliteStoreTest {
protected:
    /// Without memory from the heap, which another thread may have been at when this process was
    /// forked.
    static bool has_open(const FileIdentity& file) {
        constexpr int kMost = 256;
        for (int descriptor = 0; descriptor < kMost; ++descriptor) {
            if (identity_of(descriptor) == file) return true;
        }
        return false;
    }
};

/// Forks under the write lock and dies there.
class ForkingClock final : public Clock {
public:
    explicit ForkingClock(Pipe& keeps_alive) : keeps_alive_(keeps_alive) {}
    Timestamp wall() override {
        if (!armed) return Timestamp();
        if (::fork() == 0) {
            keeps_alive_.receive();
            ::_exit(0);
        }
        ::kill(::getpid(), SIGKILL);
        return Timestamp();
    }
    Millis monotonic() override { return Millis(0); }

    bool armed = false;

private:
    Pipe& keeps_alive_;
};

TEST_F(Forking, AChildDoesNotKeepTheLockOfAProcessThatDied) {
    Pipe keeps_alive;
    Process parent([&] {
        ForkingClock clock(keeps_alive);
        auto store = make_sqlite_store(path_, quick(), clock);
        clock.armed = true;
        Driver driver(**store, 1);
        (void)driver.try_commit(driver.next_commit(), op::start(driver.instance("a")));
        return false;
    });
    EXPECT_EQ(parent.wait(), 128 + SIGKILL);
    const auto store = make_sqlite_store(path_, quick().lock_timeout(Millis(50)), clock_);
    EXPECT_TRUE(store) << store.error().describe();
    keeps_alive.send('e');
}

TEST_F(Forking, TheParentKeepsItsLock) {
    auto lock = FileLock::open(path_);
    ASSERT_TRUE(lock);
    ASSERT_TRUE(lock->acquire(Millis(0)));
    Process child([&] { return !lock->belongs_here(); });
    EXPECT_EQ(child.wait(), 0);
    EXPECT_FALSE(FileLock::open(path_)->acquire(Millis(0)));
    lock->release();
    EXPECT_TRUE(FileLock::open(path_)->acquire(Millis(0)));
}

TEST_F(Forking, AChildIsToldThatTheStoreIsNotItsOwn) {
    const auto store = open();
    Driver driver(*store, 1);
    driver.start_running("a");
    Process child([&] {
        const auto refused =
            driver.try_commit(driver.next_commit(), op::start(driver.instance("b")));
        bool unread = false;
        store->read(ReadInstance{Driver::name("a"), {}},
                    [&](const Result<ReadInstance::Answer>& result) {
                        unread = !result && result.error().code() == Errc::store_lost;
                    });
        return !refused && refused.error().code() == Errc::store_lost && unread;
    });
    EXPECT_EQ(child.wait(), 0);
    driver.start_running("c");
    EXPECT_FALSE(driver.find("b"));
}

/// SQLite finds the locks of the parent's connections in its memory, and goes by them: it takes
/// none where it believes to have one, and waits for ever for one that the parent has released
/// since.
TEST_F(Forking, AChildOpensNoStoreIfItsParentHadOneOpen) {
    {
        const auto store = open();
        Process child([&] { return refusal().code() == Errc::store_lost; });
        EXPECT_EQ(child.wait(), 0);
    }
    Process child([&] { return make_sqlite_store(path_, quick(), clock_).ok(); });
    EXPECT_EQ(child.wait(), 0) << "it has none open any more";
}

/// Stands still under the write lock until it is let go.
class StandingClock final : public Clock {
public:
    Timestamp wall() override {
        ++asked;
        if (armed.exchange(false)) {
            stands.send('s');
            go.receive();
        }
        return Timestamp();
    }
    Millis monotonic() override { return Millis(0); }

    std::atomic<int> asked = 0;
    std::atomic<bool> armed = false;
    Pipe stands;
    Pipe go;
};

/// Nothing else of the store's is safe to touch: its locks may be held by threads that the child
/// does not have. A commit that waits for such a thread is never answered.
TEST_F(Forking, AChildIsAnsweredThoughAnotherThreadWasCommitting) {
    StandingClock clock;
    const auto store = make_sqlite_store(path_, quick(), clock);
    ASSERT_TRUE(store);
    Driver driver(**store, 1);
    clock.armed = true;
    std::thread other(
        [&] { (void)driver.try_commit(driver.next_commit(), op::start(driver.instance("a"))); });
    clock.stands.receive();
    Process child([&] {
        const int asked = clock.asked;
        bool is_refused = false;
        bool is_unread = false;
        (*store)->commit({Transition{}}, [&](const Result<std::vector<Answer>>& result) {
            is_refused = !result && result.error().code() == Errc::store_lost;
        });
        (*store)->read(ReadInstance{Driver::name("a"), {}},
                       [&](const Result<ReadInstance::Answer>& result) {
                           is_unread = !result && result.error().code() == Errc::store_lost;
                       });
        return is_refused && is_unread && clock.asked == asked;
    });
    EXPECT_EQ(child.wait(), 0);
    clock.go.send('g');
    other.join();
    EXPECT_TRUE(driver.find("a"));
}

TEST_F(Forking, NoChildHasADescriptorOfALockThatIsOpenedOrClosedMeanwhile) {
    constexpr int kForks = 60;
    const auto first = FileLock::open(path_);
    const auto lock_file = identity_of(path_ + "-lock");
    ASSERT_TRUE(lock_file);
    std::atomic<bool> enough = false;
    std::thread other([&] {
        while (!enough) (void)FileLock::open(path_);
    });
    for (int i = 0; i < kForks; ++i) {
        Process child([&] { return !has_open(*lock_file); });
        EXPECT_EQ(child.wait(), 0);
    }
    enough = true;
    other.join();
    EXPECT_TRUE(has_open(*lock_file));
}

}  // namespace
}  // namespace belay::sqlite
