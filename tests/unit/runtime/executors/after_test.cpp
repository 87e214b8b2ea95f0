// The hook that lets a thread of the pool go on with the engine.
#include "stage.hpp"

#include <atomic>
#include <set>
#include <thread>

namespace belay::executor_tests::after {
namespace {

TEST(After, IsCalledOnTheThreadThatHasToldTheEndAndAfterIt) {
    std::atomic<bool> told = false;
    Event after;
    std::thread::id ran_on;
    std::thread::id after_on;
    Stage stage(ExecutorOptions().threads(4).after_done([&] {
        EXPECT_TRUE(told);
        after_on = std::this_thread::get_id();
        after.set();
    }));
    stage.registry.add(Work, [&](const std::string& what) {
        ran_on = std::this_thread::get_id();
        return what;
    });
    const Started started = stage.make(Work, "x");
    stage.executor->begin(started.task, [&](const ActivityResult&) { told = true; });
    ASSERT_TRUE(after.wait());
    EXPECT_EQ(after_on, ran_on);
}

TEST(After, ItsWorkRunsOnTheSameThreadAndWakesNoOther) {
    Stage* here = nullptr;
    std::atomic<int> left = 100;
    Event over;
    Stage stage(ExecutorOptions().threads(4).after_done([&] {
        if (--left > 0) {
            here->begin(Work, "x");
        } else {
            over.set();
        }
    }));
    here = &stage;
    std::mutex mutex;
    std::set<std::thread::id> threads;
    stage.registry.add(Work, [&](const std::string& what) {
        const std::lock_guard lock(mutex);
        threads.insert(std::this_thread::get_id());
        return what;
    });
    stage.begin(Work, "x");
    ASSERT_TRUE(over.wait());
    EXPECT_EQ(threads.size(), 1U);
    EXPECT_EQ(stage.executor->threads(), 1U);
}

TEST(After, TheSurplusGoesToOthers) {
    Stage* here = nullptr;
    Event other_ran;
    Event over;
    std::atomic<bool> first = true;
    Stage stage(ExecutorOptions().threads(2).after_done([&] {
        if (!first.exchange(false)) return;
        here->begin(Work, "kept");
        here->begin(Other, "for another thread");
        EXPECT_TRUE(other_ran.wait()) << "while this thread is still busy";
        over.set();
    }));
    here = &stage;
    std::atomic<int> works = 0;
    stage.registry.add(Work, [&](const std::string& what) {
        // Either of the two threads takes it.
        if (++works > 1) other_ran.set();
        return what;
    });
    stage.registry.add(Other, [&](const std::string& what) {
        other_ran.set();
        return what;
    });
    stage.begin(Work, "first");
    ASSERT_TRUE(over.wait());
}

TEST(After, ShareWakesOthersForWhatWasKept) {
    Stage* here = nullptr;
    Event kept_ran;
    Event over;
    std::atomic<bool> first = true;
    Stage stage(ExecutorOptions().threads(2).after_done([&] {
        if (!first.exchange(false)) return;
        here->begin(Other, "kept");
        EXPECT_EQ(here->executor->threads(), 1U);
        here->executor->wake_another();
        EXPECT_TRUE(kept_ran.wait()) << "this thread blocks";
        over.set();
    }));
    here = &stage;
    stage.registry.add(Work, [](const std::string& what) { return what; });
    stage.registry.add(Other, [&](const std::string& what) {
        kept_ran.set();
        return what;
    });
    stage.begin(Work, "first");
    ASSERT_TRUE(over.wait());
    EXPECT_EQ(stage.executor->threads(), 2U);
}

}  // namespace
}  // namespace belay::executor_tests::after
