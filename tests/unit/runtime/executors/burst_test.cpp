// Many activities begun at once.
#include "runtime/executors/pool.hpp"
#include "stage.hpp"

namespace belay::executor_tests::bursts {
namespace {

using runtime::Pool;

inline constexpr Activity<std::string(std::string)> Echo{"Echo"};
inline constexpr Activity<std::string(std::string)> Busy{"Busy"};

class Burst : public ::testing::Test {
protected:
    Burst() {
        stage.registry.add(Echo, [](const std::string& what) { return what; });
    }
    /// So that there is a thread that can be woken.
    void make_a_thread() { EXPECT_EQ(stage.begin(Echo, "first").text(), "first"); }
    std::vector<Started> begin(int count) {
        std::vector<Started> all;
        for (int i = 0; i < count; ++i) all.push_back(stage.begin(Echo, std::to_string(i)));
        return all;
    }

    Stage stage{ExecutorOptions().threads(4)};
};

TEST_F(Burst, AllOfItRunsOnceItIsOver) {
    make_a_thread();
    for (const int count : {1, 2, 3, 200}) {
        std::vector<Started> all;
        {
            const Pool::Burst burst;
            all = begin(count);
        }
        for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i].text(), std::to_string(i));
    }
}

TEST_F(Burst, ManyDoNotWaitForItsEnd) {
    make_a_thread();
    const Pool::Burst burst;
    const std::vector<Started> all = begin(64);
    EXPECT_EQ(all.front().text(), "0");
}

TEST_F(Burst, TheFirstOfAllDoesNotWaitForItsEnd) {
    const Pool::Burst burst;
    EXPECT_EQ(stage.begin(Echo, "first").text(), "first") << "it makes the thread";
}

TEST_F(Burst, WorkStoppedBeforeTheEndOfABurstNeverBegins) {
    // Its only thread is busy: one that has just become idle may take what a burst begins at once.
    Event over;
    Stage one(ExecutorOptions().threads(1));
    one.registry.add(Echo, [](const std::string& what) { return what; });
    one.registry.add(Busy, [&over](const std::string& what) {
        over.wait();
        return what;
    });
    const Started busy = one.begin(Busy, "busy");
    std::vector<Started> all;
    {
        const Pool::Burst burst;
        all.push_back(one.begin(Echo, "0"));
        all.push_back(one.begin(Echo, "1"));
        EXPECT_TRUE(one.executor->withdraw(all[0].task));
    }
    over.set();
    EXPECT_EQ(busy.text(), "busy");
    EXPECT_EQ(all[1].text(), "1");
    EXPECT_EQ(all[0].times(), 0);
}

TEST_F(Burst, ManyActivitiesBegunAfterAnActivityRun) {
    for (const int count : {1, 5, 64, 100}) {
        Stage* here = nullptr;
        std::atomic<int> left = -1;
        Event over;
        Stage other(ExecutorOptions().threads(2).after_done([&] {
            if (left < 0) {
                left = count;
                const Pool::Burst burst;
                for (int i = 0; i < count; ++i) here->begin(Echo, "more");
            } else if (--left == 0) {
                over.set();
            }
        }));
        here = &other;
        other.registry.add(Echo, [](const std::string& what) { return what; });
        other.begin(Echo, "first");
        EXPECT_TRUE(over.wait());
    }
}

}  // namespace
}  // namespace belay::executor_tests::bursts
