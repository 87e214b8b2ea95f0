// A worker uses its store as that says: with so many threads, and with calls that block or not.
#include "runtime/driver.hpp"
#include "store/forwarding_store.hpp"
#include "support/scripted_executor.hpp"
#include <belay/registry.hpp>
#include <belay/store/memory.hpp>
#include <belay/worker.hpp>

#include <gtest/gtest.h>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace belay::worker_traits_tests {
namespace {

using namespace std::chrono_literals;

/// No test waits that long unless something is wrong.
constexpr Millis kForever = 120s;

/// Says what it is told to, and may keep the threads that call it.
class StatedStore final : public ForwardingStore {
public:
    StatedStore(Store& inner, const StoreTraits& traits)
        : ForwardingStore(inner), traits_(traits) {}

    [[nodiscard]] StoreTraits traits() const override { return traits_; }

    void commit(std::vector<Transition> batch, Done<std::vector<Answer>> done) override {
        pass();
        inner().commit(std::move(batch), std::move(done));
    }
    void claim(ClaimInstances request, Done<ClaimInstances::Answer> done) override {
        pass();
        inner().claim(std::move(request), std::move(done));
    }
    void claim(ClaimActivities request, Done<ClaimActivities::Answer> done) override {
        pass();
        inner().claim(std::move(request), std::move(done));
    }

    void keep_callers() {
        const std::lock_guard lock(mutex_);
        open_ = false;
    }
    void let_go() {
        const std::lock_guard lock(mutex_);
        open_ = true;
        changed_.notify_all();
    }
    [[nodiscard]] bool wait_for_callers(int count) {
        std::unique_lock lock(mutex_);
        return changed_.wait_for(lock, kForever, [&] { return inside_ >= count; });
    }
    [[nodiscard]] int calls() {
        const std::lock_guard lock(mutex_);
        return calls_;
    }

private:
    void pass() {
        std::unique_lock lock(mutex_);
        ++calls_;
        ++inside_;
        changed_.notify_all();
        changed_.wait(lock, [&] { return open_; });
        --inside_;
    }

    const StoreTraits traits_;
    std::mutex mutex_;
    std::condition_variable changed_;
    bool open_ = true;
    int inside_ = 0;
    int calls_ = 0;
};

StoreTraits stated(std::uint32_t threads, bool calls_block) {
    StoreTraits traits;
    traits.threads = threads;
    traits.calls_block = calls_block;
    return traits;
}

TEST(WorkerTraits, AsManyThreadsCallAsTheStoreSays) {
    const auto memory = make_memory_store(system_clock());
    StatedStore store(*memory, stated(3, true));
    store.keep_callers();
    const Registry registry;
    Worker worker(store, registry);
    // Both claims, and the sweep.
    EXPECT_TRUE(store.wait_for_callers(3));
    store.let_go();
    EXPECT_TRUE(worker.stop().given_back);
}

class CountingGuest final : public runtime::DriverGuest {
public:
    void about_to_block() override { ++blocked; }
    [[nodiscard]] runtime::TurnThreads::Leave leave() override {
        return [](runtime::TurnThreads::Replace) { return false; };
    }

    int blocked = 0;
};

/// Drives on the thread of the test, once. Returns how often it was about to block.
int times_blocked(const StoreTraits& traits) {
    const auto memory = make_memory_store(system_clock());
    StatedStore store(*memory, traits);
    const Registry registry;
    support::ScriptedExecutor executor;
    runtime::Driver driver(store, registry, executor, RuntimeOptions());
    CountingGuest guest;
    driver.drive(guest);
    EXPECT_GE(store.calls(), 3) << "all of them were made";
    return guest.blocked;
}

TEST(WorkerTraits, AThreadThatIsLentIsSaidToBlockIfCallsDo) {
    EXPECT_GE(times_blocked(stated(2, true)), 1);
    EXPECT_EQ(times_blocked(stated(2, false)), 0);
}

}  // namespace
}  // namespace belay::worker_traits_tests
