#include <belay/detail/mutex.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace belay::detail {

namespace {

static_assert(sizeof(Mutex) == sizeof(std::mutex));
static_assert(sizeof(Condition) == sizeof(std::condition_variable));

/// A number that one thread sets and another waits for.
class Box {
public:
    void set(int value) {
        const MutexLock lock(mutex_);
        value_ = value;
        changed_.notify_all();
    }
    int wait() {
        const MutexLock lock(mutex_);
        while (value_ == 0) changed_.wait(mutex_);
        return value_;
    }
    /// Returns the value after another thread has set it, while this one has let go of the mutex.
    int set_by_another(int value) {
        const MutexLock lock(mutex_);
        {
            const MutexUnlock open(mutex_);
            std::thread([&] { set(value); }).join();
        }
        return value_;
    }
    bool wait_until(std::chrono::steady_clock::time_point time) {
        const MutexLock lock(mutex_);
        return changed_.wait_until(mutex_, time);
    }
    /// By another thread, which lets go of it again.
    bool can_be_locked() {
        bool locked = false;
        std::thread([&] {
            if (!mutex_.try_lock()) return;
            const MutexLock lock(mutex_, std::adopt_lock);
            locked = true;
        }).join();
        return locked;
    }
    bool can_be_locked_while_held() {
        const MutexLock lock(mutex_);
        return can_be_locked();
    }

private:
    Mutex mutex_;
    Condition changed_;
    int value_ BELAY_GUARDED_BY(mutex_) = 0;
};

TEST(Mutex, is_held_as_long_as_its_lock_lives) {
    Box box;
    EXPECT_TRUE(box.can_be_locked());
    EXPECT_FALSE(box.can_be_locked_while_held());
    EXPECT_TRUE(box.can_be_locked());
}

TEST(Mutex, is_let_go_of_and_taken_again) {
    Box box;
    EXPECT_EQ(box.set_by_another(7), 7);
    EXPECT_TRUE(box.can_be_locked());
}

TEST(Condition, wakes_who_waits) {
    Box box;
    std::thread setter([&] { box.set(3); });
    EXPECT_EQ(box.wait(), 3);
    setter.join();
    EXPECT_TRUE(box.can_be_locked());
}

TEST(Condition, says_that_it_is_time_and_holds_the_mutex_still) {
    Box box;
    EXPECT_FALSE(box.wait_until(std::chrono::steady_clock::now()));
    EXPECT_TRUE(box.can_be_locked());
}

}  // namespace

}  // namespace belay::detail
