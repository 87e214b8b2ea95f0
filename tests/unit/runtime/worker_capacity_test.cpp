// Cancellation of much at once, and the slots that it leaves.
#include "worker_stage.hpp"

#include <latch>

namespace belay::worker_cancellation_tests {
namespace {

TEST_F(WorkerCancellation, ACancelOfSixtyStopsThoseThatRunAndThoseThatWait) {
    constexpr int kSlots = 40;
    add_sleep();
    open(RuntimeOptions().activity_slots(kSlots));
    start(Fan, "a", 60);
    until([&] { return begun == kSlots; });
    ASSERT_EQ(queue().size(), 60U);
    cancel("a");
    EXPECT_TRUE(queue().empty()) << "all of them in the commit of the cancel";
    until_settled("a");
    EXPECT_EQ(end_of("a").status, Status::canceled);
    EXPECT_EQ(told, kSlots);
    EXPECT_EQ(begun, kSlots);
    EXPECT_EQ(client->inspect(named("a"))->ready_messages, 0U);
    expect_acks(0, kSlots);
}

TEST_F(WorkerCancellation, ACancelOfTenThousandFreesEverySlot) {
    constexpr int kSlots = 100;
    add_sleep();
    add([](ActivityContext&, const std::string& input) -> std::string { return input; });
    open(RuntimeOptions().activity_slots(kSlots));
    start(Fan, "a", 10'000);
    until([&] { return begun == kSlots; });
    cancel("a");
    EXPECT_TRUE(queue().empty());
    until_settled("a");
    EXPECT_EQ(end_of("a").status, Status::canceled);
    EXPECT_EQ(told, kSlots);
    EXPECT_EQ(begun, kSlots) << "none of the others began";

    // As many as before find room, all at once.
    start(Fan, "b", kSlots);
    until([&] { return begun == 2 * kSlots; });
    EXPECT_EQ(returned, kSlots);
    cancel("b");
    until_settled("b");
    start(One, "c", "next");
    EXPECT_EQ(end_of("c").output.bytes, "next");
    expect_acks(1, 2 * kSlots);
}

TEST_F(WorkerCancellation, AHundredRunsOfFiveActivitiesAreCanceledAtOnce) {
    constexpr int kRuns = 100;
    constexpr int kEach = 5;
    constexpr int kThreads = 4;
    add_sleep();
    open(RuntimeOptions().activity_slots(kRuns * kEach));
    for (int i = 0; i < kRuns; ++i) start(Fan, std::to_string(i), kEach);
    until([&] { return begun == kRuns * kEach; });
    {
        std::latch together(kThreads);
        std::vector<std::jthread> cancelers;
        for (int thread = 0; thread < kThreads; ++thread) {
            cancelers.emplace_back([&, thread] {
                together.arrive_and_wait();
                for (int i = thread; i < kRuns; i += kThreads) cancel(std::to_string(i));
            });
        }
    }
    for (int i = 0; i < kRuns; ++i) {
        until_settled(std::to_string(i));
        EXPECT_EQ(end_of(std::to_string(i)).status, Status::canceled);
    }
    EXPECT_EQ(told, kRuns * kEach);
    EXPECT_EQ(returned, kRuns * kEach);
    EXPECT_EQ(worker->counts().renewals, 0U) << "they were told, and did not find out by renewing";
    EXPECT_TRUE(queue().empty());
    EXPECT_EQ(stopping(), 0U);
    EXPECT_TRUE(warnings().empty());
    const StopReport report = worker->stop();
    EXPECT_TRUE(report.given_back);
    EXPECT_TRUE(report.abandoned.empty());
    expect_acks(0, kRuns * kEach);
}

/// Fills every slot, cancels it all, and demands that as much other work runs then, all at once.
class FullWorker : public WorkerCancellation {
protected:
    static constexpr int kSlots = 8;

    void fill(const Policy& policy) {
        open(RuntimeOptions().policy(policy).activity_slots(kSlots),
             ExecutorOptions().threads(kSlots));
        for (int i = 0; i < kSlots; ++i) start(One, "old" + std::to_string(i), "old");
        until([&] { return begun == kSlots; });
        for (int i = 0; i < kSlots; ++i) start(One, "new" + std::to_string(i), "new");
        until([&] { return queue().size() == std::size_t{2} * kSlots; });
        EXPECT_EQ(begun, kSlots) << "there is no room";
    }
    void cancel_old() {
        for (int i = 0; i < kSlots; ++i) cancel("old" + std::to_string(i));
    }
    void expect_new_work_fills_it() {
        until([&] { return begun == 2 * kSlots; });
        all_new_run.count_down();
        for (int i = 0; i < kSlots; ++i) {
            EXPECT_EQ(end_of("new" + std::to_string(i)).output.bytes, "new");
            EXPECT_EQ(end_of("old" + std::to_string(i)).status, Status::canceled);
        }
    }

    std::latch all_new_run{1};
};

TEST_F(FullWorker, CancelsGetThroughAndItsSlotsAreFree) {
    add([this](ActivityContext& ctx, const std::string& input) -> std::string {
        if (input == "old") {
            wait_for_stop(ctx);
            throw Stopped(ctx.stop_reason());
        }
        all_new_run.wait();
        return input;
    });
    fill(Policy());
    cancel_old();
    expect_new_work_fills_it();
    EXPECT_EQ(told, kSlots);
    for (int i = 0; i < kSlots; ++i) until_settled("old" + std::to_string(i));
    expect_acks(kSlots, kSlots);
    EXPECT_EQ(worker->counts().abandoned, 0U);
    EXPECT_TRUE(warnings().empty());
}

TEST_F(FullWorker, SlotsOfWorkThatDoesNotStopAreFreeAfterItsGracePeriod) {
    add([this](ActivityContext&, const std::string& input) -> std::string {
        if (input == "old") {
            let_go.acquire();
        } else {
            all_new_run.wait();
        }
        return input;
    });
    fill(short_grace());
    cancel_old();
    expect_new_work_fills_it();
    EXPECT_EQ(worker->counts().abandoned, std::uint64_t{kSlots});
    EXPECT_EQ(warnings().size(), std::size_t{kSlots});
    expect_acks(kSlots, 0);  // None of the old ones has ended.
    let_go.release(kSlots);
}

}  // namespace
}  // namespace belay::worker_cancellation_tests
