// Each listener hears of its own changes.
#include "fixture.hpp"

#include <map>
#include <utility>
#include <vector>

namespace belay::memory {
namespace {

struct Recorder final : StoreListener {
    void instances_ready() override { ++instances; }
    void activities_ready() override { ++activities; }
    void leases_stopped(const std::vector<LeaseToken>& tokens) override {
        stopped.insert(stopped.end(), tokens.begin(), tokens.end());
    }
    void instance_ended(RunRef run) override { ended.push_back(run); }
    void custom_status_changed(RunRef run) override { custom_status.push_back(run); }

    int instances = 0;
    int activities = 0;
    std::vector<LeaseToken> stopped;
    std::vector<RunRef> ended;
    std::vector<RunRef> custom_status;
};

class Listening : public MemoryStoreTest {
protected:
    Listening() { store_->subscribe(recorder_); }
    ~Listening() override { store_->unsubscribe(recorder_); }

    Recorder recorder_;
};

/// Follows runs.
struct Follower final : StoreListener {
    [[nodiscard]] bool follows_runs() const override { return true; }
    void run_changed(RunRef run, RunChange change) override { of_run[run.key].push_back(change); }
    std::map<RunKey, std::vector<RunChange>> of_run;
};

TEST_F(Listening, AFollowerOfRunsHearsOfEachChangeInOrder) {
    using enum RunChange;
    Follower follower;
    store_->subscribe(follower);
    const NewInstance about = instance("a");
    std::vector<RunChange>& heard = follower.of_run[about.run.key];
    commit(op::start(about));
    EXPECT_EQ(std::exchange(heard, {}), (std::vector<RunChange>{started}));
    const auto claimed = claim_instances();
    ASSERT_EQ(claimed.size(), 1U);
    EXPECT_TRUE(heard.empty()) << "a claim changes nothing that anybody sees";
    commit(op::turn(claimed[0], HistoryRow{1, 1, "e"}));
    EXPECT_EQ(std::exchange(heard, {}), (std::vector<RunChange>{turn_committed, status}));
    commit(op::cancel(name("a"), "wrong size", Millis(1000)));
    EXPECT_EQ(std::exchange(heard, {}), (std::vector<RunChange>{status}));
    commit(op::terminate(name("a"), "bob", "at once"));
    EXPECT_EQ(std::exchange(heard, {}), (std::vector<RunChange>{ended, settled}));
    commit(op::force_delete(name("a")));
    EXPECT_EQ(std::exchange(heard, {}), (std::vector<RunChange>{deleted}));
    store_->unsubscribe(follower);
    commit(op::start(instance("b")));
    EXPECT_EQ(follower.of_run.size(), 1U);
}

TEST_F(Listening, AStartIsReady) {
    commit(op::start(instance("a")));
    EXPECT_EQ(recorder_.instances, 1);
    EXPECT_EQ(recorder_.activities, 0);
}

TEST_F(Listening, ARefusalAndAClaimAreNoNews) {
    commit(op::start(instance("a")));
    commit(op::start(instance("a")));
    EXPECT_EQ(claim_instances().size(), 1U);
    EXPECT_EQ(recorder_.instances, 1);
}

TEST_F(Listening, WorkAClaimBringsBackIsNewsUnlessItTakesItAll) {
    for (const char* const id : {"a", "b"}) commit(op::start(instance(id)));
    const auto claim_with = [this](std::vector<ClaimInstances::Code> code, std::uint32_t max) {
        ClaimInstances request = op::claim_instance(next_token(), "w", Millis(30'000));
        request.max = max;
        request.code = std::move(code);
        request.patience = Millis(0);
        recorder_.instances = 0;
        std::size_t claimed = 0;
        store_->claim(std::move(request), [&](Result<ClaimInstances::Answer> result) {
            claimed = result.value().claimed.size();
        });
        return claimed;
    };
    const ClaimInstances::Code code{instance("a").definition};
    EXPECT_EQ(claim_with({}, 2), 0U);
    EXPECT_EQ(recorder_.instances, 0) << "that they are put off is none";
    EXPECT_EQ(claim_with({code}, 1), 1U);
    EXPECT_EQ(recorder_.instances, 1);
    EXPECT_EQ(claim_with({}, 1), 0U);
    EXPECT_EQ(claim_with({code}, 1), 1U);
    EXPECT_EQ(recorder_.instances, 0);
}

TEST_F(Listening, ATimerIsHeardOfWhenItIsSet) {
    commit(op::start(instance("a")));
    const auto items = claim_instances();
    Turn turn = op::turn(items.at(0), events(1));
    turn.timers.push_back(NewTimer{1, store_->now() + Millis(5000), op::timer_fired(1, 1)});
    recorder_.instances = 0;
    commit(std::move(turn));
    EXPECT_EQ(recorder_.instances, 1);
}

TEST_F(Listening, AnActivityIsReadyUnlessItIsHandedOver) {
    commit(op::start(instance("a")));
    Turn first = op::turn(claim_instances().at(0), events(1));
    first.activities.push_back(handed_over(1, next_token()));
    commit(std::move(first));
    EXPECT_EQ(recorder_.activities, 0);

    commit(op::start(instance("b")));
    Turn second = op::turn(claim_instances().at(0), events(1));
    second.activities.push_back(activity(1));
    commit(std::move(second));
    EXPECT_EQ(recorder_.activities, 1);
}

TEST_F(Listening, ACancelStopsLeasesAndAnEndIsTold) {
    const NewInstance a = instance("a");
    commit(op::start(a));
    const LeaseToken token = next_token();
    Turn turn = op::turn(claim_instances().at(0), events(1));
    turn.activities.push_back(handed_over(1, token));
    commit(std::move(turn));
    const Answer answer = commit(op::terminate(name("a"), "me", "enough"));
    EXPECT_EQ(answer.stopped, std::vector<LeaseToken>{token});
    EXPECT_EQ(recorder_.stopped, std::vector<LeaseToken>{token});
    EXPECT_EQ(recorder_.ended, std::vector<RunRef>{a.run});
}

TEST_F(Listening, ACustomStatusIsTold) {
    const NewInstance a = instance("a");
    commit(op::start(a));
    Turn turn = op::turn(claim_instances().at(0), events(1));
    turn.custom_status = Payload::text("packing");
    EXPECT_TRUE(recorder_.custom_status.empty());
    commit(std::move(turn));
    EXPECT_EQ(recorder_.custom_status, std::vector<RunRef>{a.run});
}

TEST_F(Listening, NothingIsToldAfterUnsubscribing) {
    store_->unsubscribe(recorder_);
    commit(op::start(instance("a")));
    EXPECT_EQ(recorder_.instances, 0);
    store_->subscribe(recorder_);
}

TEST_F(Listening, AListenerMayUseTheStore) {
    struct Reader final : StoreListener {
        explicit Reader(Store& used) : store(used) {}
        void instances_ready() override {
            store.read(ListActivities(), [&](Result<ListActivities::Answer>) { ++answers; });
        }
        Store& store;
        int answers = 0;
    };
    Reader reader(*store_);
    store_->subscribe(reader);
    commit(op::start(instance("a")));
    store_->unsubscribe(reader);
    EXPECT_EQ(reader.answers, 1);
}

}  // namespace
}  // namespace belay::memory
