// The simulator on the SQLite store: a seed means one thing, everything happens, and faults of a
// store are noticed.
#include "simulation/world/runner.hpp"
#include <belay/store/operations.hpp>

#include <gtest/gtest.h>

namespace belay::sim::machine_tests {
namespace {

TEST(Machine, SameSeedGivesTheSameTraceTwice) {
    for (const std::uint64_t seed : {5U, 12U}) {
        const SeedResult first = run_seed(seed, true, StoreKind::sqlite, false);
        const SeedResult second = run_seed(seed, true, StoreKind::sqlite, false);
        EXPECT_FALSE(first.violation) << first.violation->detail;
        EXPECT_EQ(first.trace, second.trace) << "seed " << seed;
        EXPECT_EQ(first.digest, second.digest);
        EXPECT_EQ(first.faults, second.faults);
        EXPECT_GT(first.faults.of(Fault::power_loss), 0U);
    }
}

TEST(Machine, SeedsPassAndEveryFaultHappens) {
    Campaign campaign;
    campaign.first = 2'000'000;
    campaign.count = 12;
    campaign.store = StoreKind::sqlite;
    campaign.on_failure = [](std::uint64_t seed, const SeedResult& result) {
        ADD_FAILURE() << "seed " << seed << " breaks: " << result.violation->invariant << ": "
                      << result.violation->detail;
    };
    const Totals totals = run_campaign(campaign);
    EXPECT_EQ(totals.passed, campaign.count);
    for (auto fault = Fault::power_loss; fault < Fault::count;
         fault = static_cast<Fault>(static_cast<int>(fault) + 1)) {
        EXPECT_GT(totals.faults.of(fault), 0U) << to_string(fault);
    }
}

/// A true store in a file, without a world around it.
class InAFile : public ::testing::Test {
protected:
    /// Starts a run. Returns true if the store said that it had.
    bool start(TrueStore& true_store, const std::string& id) {
        NewInstance made;
        made.run = RunRef{shard_of(id), RunKey{++last_key_}};
        made.name = InstanceName{"default", id};
        made.definition = "Test";
        const auto answers =
            true_store.commit({op::transition(CommitId{1, last_key_}, op::start(made))});
        return answers && answers->front().done();
    }
    /// Returns the fault that is found when power is lost right after a start was answered.
    std::string broken_after_power_loss(const std::function<void(FileSetup&)>& change) {
        Rng rng(7);
        FileSetup setup(rng);
        change(setup);
        TrueStore true_store(clock_, StoreOptions(), trace_);
        true_store.keep_in_file(setup, violations_);
        for (int i = 0; i < 8; ++i) EXPECT_TRUE(start(true_store, "run-" + std::to_string(i)));
        shared_groups_ = true_store.file()->shared_groups();
        true_store.file()->disk().power_off_after(0);
        true_store.restart(false);
        return violations_.any() ? violations_.first()->invariant : "";
    }

    VirtualTime time_;
    StoreClock clock_{time_};
    Trace trace_{false, time_.ms};
    Violations violations_;
    std::uint64_t last_key_ = 0;
    std::uint64_t shared_groups_ = 0;
};

constexpr const char* kLost = "every acknowledged commit survives a crash";

TEST_F(InAFile, AnsweredCommitsSurvive) {
    EXPECT_EQ(broken_after_power_loss([](FileSetup&) {}), "");
    EXPECT_GT(shared_groups_, 0U) << "some of it behind claims and renewals of others";
}

TEST_F(InAFile, AStoreThatDoesNotSyncIsNoticed) {
    EXPECT_EQ(
        broken_after_power_loss([](FileSetup& setup) { setup.synchronous = Synchronous::normal; }),
        kLost);
}

TEST_F(InAFile, ADiskThatOnlySaysThatItSyncedIsNoticed) {
    EXPECT_EQ(broken_after_power_loss([](FileSetup& setup) { setup.lying_disk = true; }), kLost);
}

TEST_F(InAFile, AStoreThatAnswersBeforeItCommitsIsNoticed) {
    EXPECT_EQ(broken_after_power_loss([](FileSetup& setup) { setup.answers_first = true; }), kLost);
}

TEST_F(InAFile, AnAnswerThatTheOtherStoreWouldNotGiveIsNoticed) {
    Rng rng(7);
    TrueStore true_store(clock_, StoreOptions(), trace_);
    true_store.keep_in_file(FileSetup(rng), violations_);
    EXPECT_TRUE(start(true_store, "a"));
    true_store.with_tables([](memory::Tables& tables) { tables.names.clear(); });
    EXPECT_FALSE(start(true_store, "a"));
    ASSERT_TRUE(violations_.any());
    EXPECT_EQ(violations_.first()->invariant, "both stores answer alike");
}

TEST_F(InAFile, TheJudgeForgetsTheClaimsThatALossOfPowerTakesBack) {
    Rng rng(7);
    TrueStore true_store(clock_, StoreOptions(), trace_);
    true_store.keep_in_file(FileSetup(rng), violations_);
    true_store.judge(violations_);
    constexpr int kRuns = 8;
    for (int i = 0; i < kRuns; ++i) EXPECT_TRUE(start(true_store, "run-" + std::to_string(i)));
    for (std::uint64_t i = 1; i <= kRuns; ++i) {
        EXPECT_TRUE(true_store.claim(op::claim_instance(LeaseToken{1, i}, "w", Millis(1'000))));
    }
    true_store.file()->disk().power_off_after(0);
    true_store.restart(false);
    int kept = 0;
    true_store.with_tables([&](memory::Tables& tables) {
        for (const auto& [ref, run] : tables.runs) kept += run.lock ? 1 : 0;
    });
    ASSERT_LT(kept, kRuns) << "some are lost, or this shows nothing";
    EXPECT_TRUE(start(true_store, "later"));
    true_store.judge()->compare(true_store.now());
    EXPECT_FALSE(violations_.any()) << violations_.first()->detail;
    true_store.with_tables(
        [](memory::Tables& tables) { tables.runs.begin()->second.attempts = 3; });
    true_store.judge()->compare(true_store.now());
    ASSERT_TRUE(violations_.any()) << "it goes on judging";
    EXPECT_EQ(violations_.first()->invariant, "the naive store holds the same");
}

TEST_F(InAFile, ARowThatIsNotInTheFileIsNoticed) {
    Rng rng(7);
    TrueStore true_store(clock_, StoreOptions(), trace_);
    true_store.keep_in_file(FileSetup(rng), violations_);
    EXPECT_TRUE(start(true_store, "a"));
    true_store.check_file();
    EXPECT_FALSE(violations_.any());
    true_store.with_tables(
        [](memory::Tables& tables) { tables.runs.begin()->second.attempts = 3; });
    true_store.check_file();
    ASSERT_TRUE(violations_.any());
    EXPECT_EQ(violations_.first()->invariant, "the file holds what was committed");
}

}  // namespace
}  // namespace belay::sim::machine_tests
