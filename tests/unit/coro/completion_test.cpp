#include <belay/detail/completion.hpp>

#include <gtest/gtest.h>

namespace belay::detail {
namespace {

class Once final : public Completion {};

class Counter final : public Waiter {
public:
    void on_ready(Completion& completion) override {
        ++told;
        last = &completion;
    }
    int told = 0;
    Completion* last = nullptr;
};

TEST(Completion, IsNotReadyAtFirst) {
    const Once once;
    EXPECT_FALSE(once.ready());
    EXPECT_FALSE(once.failed());
    EXPECT_FALSE(once.awaited());
}

TEST(Completion, TellsItsWaiterOnce) {
    Once once;
    Counter counter;
    once.wait(counter);
    EXPECT_TRUE(once.awaited());
    EXPECT_EQ(counter.told, 0);
    once.set_ready();
    EXPECT_EQ(counter.told, 1);
    EXPECT_EQ(counter.last, &once);
    EXPECT_TRUE(once.ready());
    EXPECT_FALSE(once.failed());
    EXPECT_FALSE(once.awaited());
}

TEST(Completion, KnowsThatItFailed) {
    Once once;
    once.set_ready(true);
    EXPECT_TRUE(once.ready());
    EXPECT_TRUE(once.failed());
}

TEST(Completion, AForgottenWaiterIsNotTold) {
    Once once;
    Counter first;
    Counter second;
    once.wait(first);
    once.forget_waiter();
    once.wait(second);
    once.set_ready();
    EXPECT_EQ(first.told, 0);
    EXPECT_EQ(second.told, 1);
}

/// Waits for one thing and is itself waited for.
class Chain final : public Completion, public Waiter {
public:
    void on_ready(Completion& completion) override { set_ready(completion.failed()); }
};

TEST(Completion, PassesOnThroughChains) {
    Once once;
    Chain chain;
    Counter counter;
    once.wait(chain);
    chain.wait(counter);
    once.set_ready(true);
    EXPECT_EQ(counter.told, 1);
    EXPECT_TRUE(chain.failed());
}

TEST(CompletionDeathTest, HasOneWaiterAndIsReadyOnce) {
    ::testing::FLAGS_gtest_death_test_style = "threadsafe";
    Once once;
    Counter counter;
    once.wait(counter);
    EXPECT_DEATH(once.wait(counter), "assertion failed");
    once.set_ready();
    EXPECT_DEATH(once.set_ready(), "assertion failed");
    EXPECT_DEATH(once.wait(counter), "assertion failed");
}

}  // namespace
}  // namespace belay::detail
