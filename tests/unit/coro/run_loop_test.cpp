#include <belay/detail/run_loop.hpp>

#include <gtest/gtest.h>

#include <coroutine>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace belay::detail {
namespace {

/// A coroutine that is resumed only by a run loop.
class Step {
public:
    class promise_type {
    public:
        Step get_return_object() {
            return Step(std::coroutine_handle<promise_type>::from_promise(*this));
        }
        std::suspend_always initial_suspend() noexcept { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        void return_void() {}
        void unhandled_exception() { throw; }

        Resumable resumable{std::coroutine_handle<promise_type>::from_promise(*this)};
    };

    explicit Step(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
    Step(Step&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
    Step(const Step&) = delete;
    Step& operator=(const Step&) = delete;
    ~Step() { destroy(); }

    void destroy() {
        if (handle_) std::exchange(handle_, nullptr).destroy();
    }
    Resumable& resumable() { return handle_.promise().resumable; }

private:
    std::coroutine_handle<promise_type> handle_;
};

Step writes(std::string& log, char letter) {
    log += letter;
    co_return;
}

int drain(RunLoop& loop) {
    int count = 0;
    while (loop.run_one()) ++count;
    return count;
}

TEST(RunLoop, IsEmptyAtFirst) {
    RunLoop loop;
    EXPECT_FALSE(loop.run_one());
}

TEST(RunLoop, ResumesInTheOrderOfPushing) {
    std::string log;
    RunLoop loop;
    Step a = writes(log, 'a');
    Step b = writes(log, 'b');
    Step c = writes(log, 'c');
    loop.push(b.resumable());
    loop.push(c.resumable());
    loop.push(a.resumable());
    EXPECT_TRUE(a.resumable().queued());
    EXPECT_EQ(drain(loop), 3);
    EXPECT_EQ(log, "bca");
    EXPECT_FALSE(a.resumable().queued());
}

TEST(RunLoop, ADestroyedCoroutineLeavesTheQueue) {
    // The first, one in the middle, the last, and the only one.
    for (const std::string gone : {"a", "b", "c", "ab", "bc", "ac", "abc"}) {
        std::string log;
        RunLoop loop;
        std::vector<Step> steps;
        for (const char letter : {'a', 'b', 'c'}) steps.push_back(writes(log, letter));
        for (Step& step : steps) loop.push(step.resumable());
        std::string expected;
        for (std::size_t i = 0; i < 3; ++i) {
            const char letter = "abc"[i];
            if (gone.find(letter) != std::string::npos) {
                steps[i].destroy();
            } else {
                expected += letter;
            }
        }
        drain(loop);
        EXPECT_EQ(log, expected) << "without " << gone;
    }
}

Step destroys(std::string& log, std::unique_ptr<Step>& victim) {
    log += 'k';
    victim.reset();
    co_return;
}

TEST(RunLoop, ACoroutineMayDestroyOneThatIsQueued) {
    std::string log;
    RunLoop loop;
    auto victim = std::make_unique<Step>(writes(log, 'v'));
    Step killer = destroys(log, victim);
    Step after = writes(log, 'a');
    loop.push(killer.resumable());
    loop.push(victim->resumable());
    loop.push(after.resumable());
    EXPECT_EQ(drain(loop), 2);
    EXPECT_EQ(log, "ka");
}

Step pushes(std::string& log, RunLoop& loop, Resumable& other) {
    log += 'p';
    loop.push(other);
    log += 'q';
    co_return;
}

TEST(RunLoop, PushingDoesNotResume) {
    std::string log;
    RunLoop loop;
    Step other = writes(log, 'o');
    Step first = pushes(log, loop, other.resumable());
    Step second = writes(log, 's');
    loop.push(first.resumable());
    loop.push(second.resumable());
    drain(loop);
    EXPECT_EQ(log, "pqso");
}

TEST(RunLoop, ClearForgetsWithoutResuming) {
    std::string log;
    RunLoop loop;
    Step a = writes(log, 'a');
    Step b = writes(log, 'b');
    loop.push(a.resumable());
    loop.push(b.resumable());
    loop.clear();
    EXPECT_EQ(drain(loop), 0);
    EXPECT_FALSE(a.resumable().queued());
    loop.push(b.resumable());
    EXPECT_EQ(drain(loop), 1);
    EXPECT_EQ(log, "b");
}

TEST(RunLoop, MayGoBeforeWhatIsQueuedInIt) {
    std::string log;
    Step a = writes(log, 'a');
    {
        RunLoop loop;
        loop.push(a.resumable());
    }
    EXPECT_FALSE(a.resumable().queued());
    EXPECT_EQ(log, "");
}

TEST(RunLoopDeathTest, ACoroutineIsQueuedOnce) {
    ::testing::FLAGS_gtest_death_test_style = "threadsafe";
    std::string log;
    RunLoop loop;
    Step a = writes(log, 'a');
    loop.push(a.resumable());
    EXPECT_DEATH(loop.push(a.resumable()), "assertion failed");
}

}  // namespace
}  // namespace belay::detail
