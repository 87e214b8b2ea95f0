// Tasks whose activities another worker has, or that wait in line for one.
#include <belay/client.hpp>
#include <belay/management_client.hpp>
#include <belay/registry.hpp>
#include <belay/store/memory.hpp>
#include <belay/task.hpp>
#include <belay/worker.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace belay {
namespace {

inline constexpr Activity<std::string(std::string)> WorkOfTask{"Work"};
inline constexpr Activity<std::string(std::string)> GiveUpTask{"GiveUp"};

/// The worker of the client runs flows, and has no activity.
class TaskWorkers : public ::testing::Test {
protected:
    TaskWorkers() {
        add_flows(flows);
        code.add(WorkOfTask, [this](ActivityContext& ctx, std::string text) {
            const std::lock_guard lock(mutex);
            order.push_back(text);
            return ctx.worker() + " did " + text;
        });
        code.add(GiveUpTask, [](ActivityContext& ctx, std::string text) {
            const auto canceled =
                ctx.client().cancel(ctx.instance_id(), CancelOptions().reason("no use"));
            return text + (canceled.or_throw().changed ? " canceled" : " was canceled");
        });
        store = make_memory_store(system_clock());
        worker = std::make_unique<Worker>(*store, flows, RuntimeOptions().worker("first"));
        client = std::make_unique<Client>(worker->store());
    }
    void begin_other(RuntimeOptions options = RuntimeOptions()) {
        other = std::make_unique<Worker>(*store, code, options.worker("other"));
    }

    Registry flows;
    Registry code;
    std::mutex mutex;
    std::vector<std::string> order;
    std::unique_ptr<Store> store;
    std::unique_ptr<Worker> worker;
    std::unique_ptr<Client> client;
    std::unique_ptr<Worker> other;
};

TEST_F(TaskWorkers, AnotherWorkerHasTheActivity) {
    const Task<std::string(std::string)> task("work", WorkOfTask);
    const auto run = client->start(task, "it");
    begin_other();
    EXPECT_EQ(run.result(), "other did it");
    EXPECT_EQ(client->start(task, "more").result(), "other did more");
}

TEST_F(TaskWorkers, ATaskWhoseActivityWaitsInLineIsCanceledAtOnce) {
    const Task<std::string(std::string)> task("work", WorkOfTask);
    const auto run = client->start(task, StartOptions().id("job"), "it");
    ASSERT_EQ(client->inspect("job")->status, Status::running) << "its first turn is committed";
    const auto canceled = client->cancel("job", CancelOptions().reason("too late")).or_throw();
    EXPECT_TRUE(canceled.changed);
    EXPECT_EQ(canceled.instance.status, Status::canceled);
    EXPECT_TRUE(client->inspect("job")->settled);
    EXPECT_EQ(run.wait().or_throw().outcome().cancel.reason, "too late");
    begin_other();
    EXPECT_EQ(client->start(task, "another").result(), "other did another");
    EXPECT_EQ(order, std::vector<std::string>{"another"}) << "the canceled one never began";
}

TEST_F(TaskWorkers, AnActivityCancelsItsOwnTask) {
    const Task<std::string(std::string)> task("give-up", GiveUpTask);
    begin_other();
    const auto run = client->start(task, StartOptions().id("job"), "it");
    const Outcome outcome = run.wait_until_settled().or_throw().outcome();
    EXPECT_EQ(outcome.status, Status::canceled);
    EXPECT_EQ(outcome.cancel.source, CancelSource::user);
    EXPECT_EQ(outcome.cancel.reason, "no use");
    EXPECT_FALSE(client->cancel("job").or_throw().changed);
}

TEST_F(TaskWorkers, ThePriorityOfARunIsThatOfItsActivityInLine) {
    const Task<std::string(std::string)> task("work", WorkOfTask);
    std::vector<belay::Run<std::string>> runs;
    for (const int priority : {0, 7, -3, 9}) {
        runs.push_back(client->start(
            task, StartOptions().priority(priority), "of " + std::to_string(priority)));
    }
    begin_other(RuntimeOptions().activity_slots(1));
    for (const belay::Run<std::string>& run : runs) (void)run.result();
    EXPECT_EQ(order, (std::vector<std::string>{"of 9", "of 7", "of 0", "of -3"}));
}

}  // namespace
}  // namespace belay
