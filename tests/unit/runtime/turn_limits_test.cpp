// Turns that take long: what is within the limit keeps its lock, and what is not is given up.
#include "support/scripted_turns.hpp"
#include "support/warnings.hpp"
#include "unit/runtime/world.hpp"

#include <gmock/gmock.h>

#include <optional>

namespace belay::runtime_tests::turn_limits {
namespace {

using support::ScriptedTurns;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

class TurnLimits : public World {
protected:
    struct Worker {
        ScriptedTurns turns;
        Process* process = nullptr;
    };

    /// Objects given to a runtime outlive it: turns come before processes.
    TurnLimits() {
        workers_.reserve(4);
        first().turns.slow = true;
        second().turns.slow = true;
    }
    ~TurnLimits() override { processes.clear(); }

    Worker& add(bool share_commits = false) {
        auto& worker = *workers_.emplace_back(std::make_unique<Worker>());
        worker.process = &process(registry_with(one_step),
                                  RuntimeOptions()
                                      .share_commits(share_commits)
                                      .turn_executor(worker.turns)
                                      .events(support::warnings([this](const std::string& line) {
                                          log.push_back(line);
                                      })));
        return worker;
    }
    Worker& first() {
        if (workers_.empty()) add();
        return *workers_[0];
    }
    Worker& second() {
        if (workers_.size() < 2) add();
        return *workers_[1];
    }
    /// In steps so small that leases can be renewed.
    void pass_slowly(Millis time) {
        const Millis step = Policy().renewal_buffer / 2;
        for (Millis passed{0}; passed < time; passed += step) pass(std::min(step, time - passed));
    }
    [[nodiscard]] std::size_t begun() { return first().turns.count() + second().turns.count(); }
    [[nodiscard]] RuntimeCounts counts() const {
        RuntimeCounts sum;
        for (const auto& worker : workers_) {
            if (!worker->process->runtime) continue;
            const RuntimeCounts one = worker->process->runtime->counts();
            sum.overruns += one.overruns;
            sum.held += one.held;
            sum.leases_lost += one.leases_lost;
            sum.turns_committed += one.turns_committed;
            sum.renewals += one.renewals;
        }
        return sum;
    }
    /// The one that has begun last.
    void finish_last() {
        Worker& worker = first().turns.count() > 0 ? first() : second();
        worker.turns.finish(worker.turns.count() - 1);
        settle();
    }

    std::vector<std::string> log;

private:
    std::vector<std::unique_ptr<Worker>> workers_;
};

TEST_F(TurnLimits, ATurnWithinItsLimitKeepsItsLockBesideAnotherWorker) {
    const auto run = start();
    settle();
    ASSERT_EQ(begun(), 1U);
    pass_slowly(40s);
    EXPECT_EQ(begun(), 1U) << "nobody else has taken it";
    EXPECT_TRUE(info(run).locked);
    EXPECT_GE(counts().renewals, 1U);
    EXPECT_EQ(counts().leases_lost, 0U);
    finish_last();
    EXPECT_EQ(status(run), Status::running);
    EXPECT_EQ(info(run).attempts, 0U);
    EXPECT_EQ(counts().turns_committed, 1U);
    EXPECT_TRUE(log.empty()) << log.front();
}

TEST_F(TurnLimits, AnUnrelatedActivityKeepsItsLease) {
    first().turns.slow = false;
    second().turns.slow = false;
    start("bystander");
    settle();
    const std::size_t activities =
        first().process->executor.count() + second().process->executor.count();
    ASSERT_EQ(activities, 1U);
    first().turns.slow = true;
    second().turns.slow = true;
    start("long");
    settle();
    pass_slowly(Policy().turn_limit - 1ms);
    EXPECT_EQ(first().process->executor.count() + second().process->executor.count(), 1U);
    EXPECT_EQ(counts().leases_lost, 0U);
}

TEST_F(TurnLimits, ATurnThatWaitsForAThreadHasAllItsTimeBeforeIt) {
    first().turns.crowded = true;
    second().turns.crowded = true;
    const auto run = start();
    settle();
    pass_slowly(2 * Policy().turn_limit);
    EXPECT_EQ(begun(), 1U);
    EXPECT_TRUE(info(run).locked);
    Worker& worker = first().turns.count() > 0 ? first() : second();
    worker.turns.start(0);
    pass_slowly(Policy().turn_limit - 1ms);
    EXPECT_EQ(counts().overruns, 0U);
    finish_last();
    EXPECT_EQ(status(run), Status::running);
}

TEST_F(TurnLimits, ATurnPastItsLimitIsGivenUpAndTriedOnceMore) {
    const auto run = start();
    settle();
    pass_slowly(Policy().turn_limit);
    EXPECT_EQ(begun(), 2U);
    EXPECT_EQ(first().turns.given_up() + second().turns.given_up(), 1U);
    EXPECT_EQ(counts().overruns, 1U);
    EXPECT_EQ(info(run).overruns, 1U);
    ASSERT_EQ(log.size(), 1U);
    EXPECT_THAT(log.front(), HasSubstr("a turn of 'i1' (Main) ran past the limit of a turn, 60 s"));
    const auto leases = client.leases(10);
    ASSERT_TRUE(leases.ok());
    ASSERT_EQ(leases->turns.size(), 1U);
    EXPECT_EQ(leases->turns.front().overruns, 1U);
    EXPECT_EQ(leases->turns.front().attempt, 2U);
}

TEST_F(TurnLimits, ARunWhoseTurnPassedItsLimitTwiceIsHeldUntilItIsReleased) {
    const auto run = start();
    settle();
    pass_slowly(2 * Policy().turn_limit);
    EXPECT_TRUE(info(run).held);
    EXPECT_THAT(info(run).held_detail,
                HasSubstr("its turn ran past the limit of a turn, 60 s (Policy::turn_limit) 2 "
                          "times, last on worker 'worker'"));
    EXPECT_EQ(info(run).held_kind, FailureKind::timeout);
    EXPECT_EQ(counts().held, 1U);
    pass_slowly(5 * Policy().turn_limit);
    EXPECT_EQ(begun(), 2U) << "it costs two threads, and not ten";

    first().turns.slow = false;
    second().turns.slow = false;
    ASSERT_TRUE(client.release(run).ok());
    settle();
    EXPECT_EQ(status(run), Status::running);
    EXPECT_EQ(info(run).overruns, 0U);
}

TEST_F(TurnLimits, TheResultOfAGivenUpTurnIsDropped) {
    const auto run = start();
    settle();
    pass_slowly(2 * Policy().turn_limit);
    first().turns.finish(0);
    settle();
    EXPECT_EQ(counts().turns_committed, 0U);
    EXPECT_TRUE(info(run).held);
    EXPECT_EQ(info(run).position, 0U);
}

TEST_F(TurnLimits, OtherRunsGoOnBesideATurnThatNeverEnds) {
    start("endless");
    settle();
    first().turns.slow = false;
    second().turns.slow = false;
    const auto other = start("other");
    settle();
    EXPECT_EQ(status(other), Status::running);
    Process& p = first().process->executor.count() > 0 ? *first().process : *second().process;
    p.executor.finish(0);
    settle();
    EXPECT_EQ(status(other), Status::completed);
}

TEST_F(TurnLimits, ACancelEndsARunWhoseTurnsDoNotEnd) {
    first().turns.slow = false;
    second().turns.slow = false;
    const auto run = start();
    settle();
    first().turns.slow = true;
    second().turns.slow = true;
    Process& p = first().process->executor.count() > 0 ? *first().process : *second().process;
    p.executor.finish(0);
    settle();
    ASSERT_EQ(begun(), 1U);
    pass_slowly(10s);
    ASSERT_TRUE(client.cancel(run).ok());
    pass_slowly(2 * Policy().turn_limit);
    const InstanceInfo seen = info(run);
    EXPECT_EQ(seen.status, Status::canceled);
    EXPECT_FALSE(seen.held);
    EXPECT_EQ(seen.outcome->cleanup, Cleanup::failed);
    EXPECT_THAT(seen.outcome->cleanup_detail, HasSubstr("ran past the limit of a turn"));
    EXPECT_EQ(begun(), 2U);
}

TEST_F(TurnLimits, TerminateEndsARunMeanwhile) {
    const auto run = start();
    settle();
    ASSERT_TRUE(client.terminate(run).ok());
    EXPECT_EQ(status(run), Status::canceled);
    pass_slowly(Policy().turn_lease);
    EXPECT_EQ(counts().leases_lost, 0U) << "nobody has taken its lock";
    EXPECT_TRUE(log.empty()) << log.front();
    pass_slowly(2 * Policy().turn_limit);
    EXPECT_EQ(begun(), 1U);
    EXPECT_EQ(first().turns.given_up() + second().turns.given_up(), 1U)
        << "its thread is replaced all the same";
}

TEST_F(TurnLimits, ADeletionMeanwhileIsNoAlarm) {
    const auto run = start();
    settle();
    pass_slowly(Policy().turn_lease - Policy().renewal_buffer - 1ms);
    ASSERT_TRUE(client.delete_instance(run, true).ok());
    pass_slowly(Policy().turn_lease);
    EXPECT_EQ(counts().leases_lost, 0U);
    EXPECT_TRUE(log.empty()) << log.front();
}

TEST_F(TurnLimits, ShuttingDownGivesBackWhatRunsAfterTheGracePeriod) {
    crash(*second().process);
    const auto run = start();
    settle();
    ASSERT_EQ(first().turns.count(), 1U);
    first().process->runtime->shut_down();
    settle();
    EXPECT_FALSE(first().process->runtime->idle());
    pass(Policy().grace);
    EXPECT_TRUE(first().process->runtime->idle());
    EXPECT_EQ(first().turns.given_up(), 1U);
    EXPECT_EQ(info(run).attempts, 0U) << "it was not its fault";
    EXPECT_EQ(info(run).overruns, 0U);
    EXPECT_FALSE(info(run).locked);
}

TEST_F(TurnLimits, ATurnThatEndsWithinTheGracePeriodIsCommitted) {
    crash(*second().process);
    const auto run = start();
    settle();
    first().process->runtime->shut_down();
    settle();
    first().turns.finish(0);
    settle();
    EXPECT_TRUE(first().process->runtime->idle());
    EXPECT_EQ(status(run), Status::running);
}

TEST_F(TurnLimits, ADestructorThatDoesNotReturnIsLoggedAndGivenUp) {
    crash(*second().process);
    Worker& worker = first();
    worker.turns.slow = false;
    worker.turns.slow_drops = true;
    start();
    settle();
    ASSERT_TRUE(worker.process->runtime->evict_one());
    ASSERT_EQ(worker.turns.dropped(), 1U);
    pass_slowly(Policy().turn_limit - 1ms);
    EXPECT_EQ(worker.turns.given_up(), 0U);
    EXPECT_TRUE(log.empty()) << log.front();
    pass(1ms);
    EXPECT_EQ(worker.turns.given_up(), 1U) << "its thread is replaced";
    ASSERT_EQ(log.size(), 1U);
    EXPECT_THAT(log.front(), HasSubstr("what a turn of 'i1' (Main) left behind"));
    EXPECT_EQ(worker.process->runtime->counts().events_of(EngineCode::turn_overran), 1U);
    pass_slowly(2 * Policy().turn_limit);
    EXPECT_EQ(log.size(), 1U) << "once";
}

TEST_F(TurnLimits, ATurnThatNeverBeganIsNoneThatTookTooLong) {
    crash(*second().process);
    clock.advance(2 * Policy().turn_limit);
    first().turns.crowded = true;
    const auto run = start();
    settle();
    ASSERT_EQ(first().turns.count(), 1U);
    first().process->runtime->shut_down();
    pass(Policy().grace);
    EXPECT_TRUE(first().process->runtime->idle());
    EXPECT_EQ(counts().overruns, 0U);
    EXPECT_EQ(info(run).overruns, 0U);
    EXPECT_EQ(info(run).attempts, 0U);
    EXPECT_TRUE(log.empty()) << log.front();
}

class FusedTurnLimits : public TurnLimits {
protected:
    FusedTurnLimits() {
        crash(*first().process);
        crash(*second().process);
        fused_ = &add(true);
        fused().turns.slow = true;
        local_ = std::make_unique<Client>(fused().process->runtime->store(), clock);
    }
    Worker& fused() { return *fused_; }
    /// Starts 'i1' through the store of the process that runs it.
    void start_here() {
        local_->start("Main",
                      Payload::text("\"x\""),
                      StartOptions().id("i1"),
                      [this](const Result<StartResult>& result) {
                          started = result.ok() && result->created;
                      });
        settle();
    }
    [[nodiscard]] InstanceInfo seen() { return info({"default", "i1"}); }

    std::optional<bool> started;

private:
    Worker* fused_ = nullptr;
    std::unique_ptr<Client> local_;
};

constexpr Millis kLongerThanAStartWaits = 200ms;

TEST_F(FusedTurnLimits, AStartSharesACommitWithAFirstTurnThatIsQuick) {
    start_here();
    EXPECT_FALSE(started);
    fused().turns.finish(0);
    settle();
    EXPECT_EQ(started, true);
    EXPECT_EQ(fused().process->runtime->counts().fused_turns, 1U);
}

TEST_F(FusedTurnLimits, AStartDoesNotWaitForAFirstTurnThatTakesLong) {
    start_here();
    EXPECT_FALSE(started);
    pass(kLongerThanAStartWaits);
    EXPECT_EQ(started, true);
    EXPECT_EQ(seen().status, Status::pending);
    EXPECT_TRUE(seen().locked);

    pass_slowly(40s);
    EXPECT_EQ(fused().turns.count(), 1U) << "the turn goes on under the lock";
    fused().turns.slow = false;
    fused().turns.finish(0);
    settle();
    EXPECT_EQ(seen().status, Status::running);
    EXPECT_EQ(counts().turns_committed, 1U);
    EXPECT_EQ(counts().leases_lost, 0U);
    fused().process->executor.finish(0);
    settle();
    EXPECT_EQ(seen().status, Status::completed);
    EXPECT_TRUE(log.empty()) << log.front();
}

TEST_F(FusedTurnLimits, ARunCanBeCanceledDuringAFirstTurnThatTakesLong) {
    start_here();
    pass(kLongerThanAStartWaits);
    ASSERT_TRUE(client.cancel({"default", "i1"}).ok());
    EXPECT_EQ(seen().status, Status::canceled);
    fused().turns.finish(0);
    settle();
    EXPECT_EQ(counts().turns_committed, 0U);
    EXPECT_TRUE(fused().process->runtime->idle());
}

TEST_F(FusedTurnLimits, AStartThatIsRefusedDropsTheTurnThatTakesLong) {
    ASSERT_TRUE(client.start("Main", Payload::text("\"x\""), StartOptions().id("i1")).ok());
    ASSERT_TRUE(client.terminate({"default", "i1"}).ok());
    start_here();
    pass(kLongerThanAStartWaits);
    EXPECT_EQ(started, false);
    EXPECT_EQ(fused().turns.given_up(), 1U);
    EXPECT_TRUE(fused().process->runtime->idle());
}

TEST_F(FusedTurnLimits, AFirstTurnThatEndsBeforeItsStartIsAnsweredIsCommittedAfterIt) {
    start_here();
    store.hold_commits();
    pass(kLongerThanAStartWaits);
    EXPECT_FALSE(started);
    fused().turns.finish(0);
    settle();
    store.release_commits();
    settle();
    EXPECT_EQ(started, true);
    EXPECT_EQ(seen().status, Status::running);
    EXPECT_EQ(counts().turns_committed, 1U);
}

TEST_F(FusedTurnLimits, AStartThatIsShutDownMeanwhileGivesItsLockBack) {
    start_here();
    pass(kLongerThanAStartWaits);
    fused().process->runtime->shut_down();
    pass(Policy().grace);
    EXPECT_TRUE(fused().process->runtime->idle());
    EXPECT_FALSE(seen().locked);
    EXPECT_EQ(seen().attempts, 0U);
}

TEST_F(FusedTurnLimits, AFirstTurnThatNeverEndsCountsLikeAnyOther) {
    start_here();
    pass_slowly(Policy().turn_limit);
    EXPECT_EQ(fused().turns.count(), 2U) << "it was claimed";
    EXPECT_EQ(seen().overruns, 1U);
    pass_slowly(Policy().turn_limit);
    EXPECT_TRUE(seen().held) << "the first one counts as well";
    EXPECT_EQ(fused().turns.count(), 2U);
}

TEST_F(FusedTurnLimits, ATurnThatWasToShareACommitCountsForEveryWorker) {
    fused().turns.slow = false;
    const auto run = start();
    settle();
    ASSERT_EQ(fused().process->executor.count(), 1U);
    fused().turns.slow = true;
    fused().process->executor.finish(0);
    settle();
    ASSERT_EQ(fused().turns.count(), 1U);
    pass_slowly(Policy().turn_limit);
    EXPECT_EQ(info(run).overruns, 1U) << "shown, and known to whoever claims it";
    crash(*fused().process);
    Worker& other = add();
    other.turns.slow = true;
    pass_slowly(Policy().turn_lease + Policy().turn_limit);
    EXPECT_EQ(other.turns.count(), 1U);
    EXPECT_TRUE(info(run).held) << "it is the second that ran past its limit";
}

TEST_F(FusedTurnLimits, TheEndOfAnActivityIsReportedWhenItsTurnNeverEnds) {
    fused().turns.slow = false;
    const auto run = start();
    settle();
    ASSERT_EQ(fused().process->executor.count(), 1U);
    fused().turns.slow = true;
    fused().process->executor.finish(0);
    settle();
    ASSERT_EQ(fused().turns.count(), 1U);
    EXPECT_EQ(info(run).ready_messages, 0U);
    pass_slowly(Policy().turn_limit);
    EXPECT_EQ(fused().turns.count(), 2U);
    EXPECT_TRUE(queue().empty()) << "the activity has ended";
    EXPECT_EQ(fused().process->runtime->counts().leases_lost, 0U);
    fused().turns.finish(1);
    settle();
    EXPECT_EQ(status(run), Status::completed);
    EXPECT_EQ(works, 1);
}

}  // namespace
}  // namespace belay::runtime_tests::turn_limits
