// Several threads on one store.
#include "fixture.hpp"

#include <thread>

namespace belay::memory {
namespace {

constexpr int kThreads = 4;
constexpr int kRounds = 200;

using Threads = MemoryStoreTest;

TEST_F(Threads, ExactlyOneOfSimultaneousStartsOfOneIdCreates) {
    std::atomic<int> created = 0;
    std::atomic<std::uint64_t> keys = 1000;
    const auto start = [&] {
        for (int i = 0; i < kRounds; ++i) {
            NewInstance made;
            made.name = name("run-" + std::to_string(i));
            made.definition = "anything";
            made.run = RunRef{shard_of(made.name.id), RunKey{++keys}};
            std::vector<Transition> batch;
            batch.push_back(op::transition(CommitId{2, made.run.key.value}, op::start(made)));
            store_->commit(std::move(batch), [&](Result<std::vector<Answer>> result) {
                if (result.value()[0].verdict == Verdict::applied) ++created;
            });
        }
    };
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < kThreads; ++i) threads.emplace_back(start);
    }
    EXPECT_EQ(created, kRounds);
}

TEST_F(Threads, EachRunIsClaimedByOne) {
    for (int i = 0; i < kRounds; ++i) commit(op::start(instance("run-" + std::to_string(i))));
    std::atomic<int> claims = 0;
    std::atomic<int> turns = 0;
    const auto work = [&](std::uint64_t holder) {
        for (std::uint64_t serial = 1;; ++serial) {
            std::vector<ClaimedInstance> items;
            store_->claim(
                op::claim_instance({holder, serial}, "w", Millis(1000)),
                [&](Result<ClaimInstances::Answer> result) { items = result.value().claimed; });
            if (items.empty()) return;
            ++claims;
            Turn turn = op::turn(items[0], events(1));
            turn.after = Ends{Outcome(), std::nullopt};
            std::vector<Transition> batch;
            batch.push_back(op::transition(CommitId{holder, serial}, std::move(turn)));
            store_->commit(std::move(batch), [&](Result<std::vector<Answer>> result) {
                if (result.value()[0].verdict == Verdict::applied) ++turns;
            });
        }
    };
    {
        std::vector<std::jthread> threads;
        for (std::uint64_t i = 0; i < kThreads; ++i) threads.emplace_back(work, 100 + i);
    }
    EXPECT_EQ(claims, kRounds);
    EXPECT_EQ(turns, kRounds);
}

TEST_F(Threads, ListenersComeAndGoWhileOthersCommit) {
    struct Counter final : StoreListener {
        void instances_ready() override { ++count; }
        std::atomic<int> count = 0;
    };
    std::atomic<bool> stop = false;
    std::jthread committer([&] {
        for (int i = 0; !stop; ++i) commit(op::start(instance("run-" + std::to_string(i))));
    });
    for (int i = 0; i < kRounds; ++i) {
        auto counter = std::make_unique<Counter>();
        store_->subscribe(*counter);
        store_->unsubscribe(*counter);
    }
    stop = true;
}

}  // namespace
}  // namespace belay::memory
