// Turns: residents, crashes, refusals, unknown outcomes, held runs.
#include "support/warnings.hpp"
#include "world.hpp"

#include <stdexcept>

namespace belay::runtime_tests::turns {
namespace {

using namespace std::chrono_literals;

Orchestration<std::string> two_steps(OrchestrationContext ctx, std::string input) {
    const std::string first = co_await ctx.call(Work, input);
    co_return co_await ctx.call(Work, first);
}

Orchestration<std::string> another_step(OrchestrationContext ctx, std::string input) {
    co_await ctx.timer(Millis(5));
    co_return co_await ctx.call(Work, input);
}

Orchestration<std::string> waits_for_event(OrchestrationContext ctx, std::string) {
    co_return co_await ctx.wait<std::string>("go");
}

Orchestration<std::string> fails_and_undoes(OrchestrationContext ctx, std::string input) {
    ctx.on_rollback(Undo, input);
    (void)co_await ctx.wait<std::string>("go");
    throw std::runtime_error("broken");
}

using Turns = World;

TEST_F(Turns, ARunGoesFromStartToItsOutput) {
    Process& p = process(registry_with(two_steps));
    const auto run = start();
    settle();
    EXPECT_EQ(status(run), Status::running);
    p.executor.finish(0);
    settle();
    p.executor.finish(1);
    settle();
    const auto outcome = client.outcome(run);
    ASSERT_TRUE(outcome.ok());
    EXPECT_EQ(outcome->status, Status::completed);
    EXPECT_EQ(outcome->output.bytes, "did did x");
}

TEST_F(Turns, LaterTurnsUseTheResidentAndReplayNothing) {
    Process& p = process(registry_with(two_steps));
    start();
    settle();
    p.executor.finish(0);
    settle();
    p.executor.finish(1);
    settle();
    EXPECT_EQ(p.runtime->counts().cold_replays, 1U);
    EXPECT_EQ(p.runtime->counts().resident_turns, 2U);
}

TEST_F(Turns, AnEvictedRunIsReplayedAndGoesOn) {
    Process& p = process(registry_with(two_steps));
    const auto run = start();
    settle();
    EXPECT_TRUE(p.runtime->evict_one());
    EXPECT_FALSE(p.runtime->evict_one());
    p.executor.finish(0);
    settle();
    p.executor.finish(1);
    settle();
    EXPECT_EQ(status(run), Status::completed);
    EXPECT_EQ(p.runtime->counts().cold_replays, 2U);
}

TEST_F(Turns, AnotherProcessGoesOnAfterACrash) {
    Process& a = process(registry_with(two_steps));
    const auto run = start();
    settle();
    a.executor.finish(0);
    settle();
    crash(a);
    Process& b = process(registry_with(two_steps));
    pass(Policy().activity_lease + 1ms);
    ASSERT_EQ(b.executor.count(), 1U);
    EXPECT_EQ(b.executor.at(0).task->details().attempt, 2U);
    b.executor.finish(0);
    settle();
    EXPECT_EQ(status(run), Status::completed);
}

TEST_F(Turns, AProcessThatFellBehindReplaysOnlyWhatItLacks) {
    Process& a = process(registry_with(waits_for_event));
    Process& b = process(registry_with(waits_for_event));
    const auto run = start();
    while (a.runtime->step()) {
    }
    // b alone takes the turn of an unrelated event; a's resident is now behind.
    ASSERT_TRUE(client.raise(run, "other", Payload::text("?")).ok());
    while (b.runtime->step()) {
    }
    ASSERT_TRUE(client.raise(run, "go", Payload::text("now")).ok());
    while (a.runtime->step()) {
    }
    EXPECT_EQ(status(run), Status::completed);
    EXPECT_EQ(a.runtime->counts().cold_replays, 1U);
    EXPECT_EQ(a.runtime->counts().resident_turns, 1U);
}

TEST_F(Turns, ABusyStoreIsAskedAgain) {
    Process& p = process(registry_with(one_step));
    const auto run = start();
    store.fail_commit_of<Turn>(Fault::not_applied);
    settle();
    EXPECT_EQ(status(run), Status::pending);
    pass(Policy().retry_delay);
    EXPECT_EQ(status(run), Status::running);
    EXPECT_EQ(p.runtime->counts().turns_committed, 1U);
}

TEST_F(Turns, AnUnknownOutcomeThatWasAppliedCountsOnce) {
    Process& p = process(registry_with(one_step));
    const auto run = start();
    store.fail_commit_of<Turn>(Fault::applied_but_unknown);
    settle();
    pass(Policy().retry_delay);
    EXPECT_EQ(p.runtime->counts().turns_committed, 1U);
    EXPECT_EQ(p.runtime->counts().turns_refused, 0U);
    ASSERT_EQ(p.executor.count(), 1U);
    p.executor.finish(0);
    settle();
    EXPECT_EQ(status(run), Status::completed);
    EXPECT_EQ(p.runtime->counts().resident_turns, 1U);
}

TEST_F(Turns, AnUnknownOutcomeThatWasNotAppliedIsApplied) {
    Process& p = process(registry_with(one_step));
    const auto run = start();
    store.fail_commit_of<Turn>(Fault::not_applied_but_unknown);
    settle();
    pass(Policy().retry_delay);
    EXPECT_EQ(status(run), Status::running);
    EXPECT_EQ(p.runtime->counts().turns_committed, 1U);
}

TEST_F(Turns, FailedClaimsAreTriedAgain) {
    process(registry_with(one_step));
    store.fail_claims(2);
    const auto run = start();
    settle();
    EXPECT_EQ(status(run), Status::pending);
    pass(Policy().retry_delay);
    EXPECT_EQ(status(run), Status::running);
}

TEST_F(Turns, ACancelBetweenClaimAndCommitRefusesTheTurn) {
    Process& p = process(registry_with(two_steps), RuntimeOptions().share_commits(false));
    const auto run = start();
    settle();
    p.executor.finish(0);
    // Until the turn that schedules the second step has been taken and is about to be sent.
    while (info(run).locked == false && p.runtime->step()) {
    }
    ASSERT_TRUE(info(run).locked);
    ASSERT_TRUE(client.cancel(run, CancelOptions().reason("stop")).ok());
    settle();
    EXPECT_EQ(p.runtime->counts().turns_refused, 1U);
    EXPECT_EQ(status(run), Status::canceled);
    EXPECT_EQ(p.executor.count(), 1U) << "nothing may begin after the cancel";
}

TEST_F(Turns, CodeThatDisagreesWithHistoryHoldsTheRun) {
    Process& a = process(registry_with(one_step), RuntimeOptions().share_commits(false));
    const auto run = start();
    settle();
    a.executor.finish(0);
    while (queue().size() == 1 && a.runtime->step()) {
    }
    crash(a);
    Process& b = process(registry_with(another_step));
    pass(Policy().turn_lease + 1ms);
    EXPECT_TRUE(info(run).held);
    EXPECT_NE(info(run).held_detail.find("history: ActivityScheduled #1 Work"), std::string::npos);
    EXPECT_NE(info(run).held_detail.find("code:    TimerScheduled #1"), std::string::npos);
    crash(b);
    Process& c = process(registry_with(one_step));
    ASSERT_TRUE(client.release(run).ok());
    settle();
    EXPECT_EQ(status(run), Status::completed);
    (void)c;
}

TEST_F(Turns, CodeThatDisagreesFailsTheRunIfThePolicySaysSo) {
    Process& a = process(registry_with(one_step), RuntimeOptions().share_commits(false));
    const auto run = start();
    settle();
    a.executor.finish(0);
    while (queue().size() == 1 && a.runtime->step()) {
    }
    crash(a);
    Policy policy;
    policy.on_mismatch = OnMismatch::fail;
    process(registry_with(another_step), RuntimeOptions().policy(policy));
    pass(Policy().turn_lease + 1ms);
    EXPECT_EQ(status(run), Status::failed);
    EXPECT_EQ(info(run).outcome->failure.kind, FailureKind::nondeterminism);
}

/// Such a text can have two names of a command in it, each as long as names may be.
class LongTexts : public Turns {
protected:
    /// A run whose code has changed, where failures have little room.
    InstanceName mismatched(OnMismatch what) {
        Process& a = process(registry_with(waits_for_event));
        const auto run = start();
        settle();
        crash(a);
        Limits limits;
        limits.failure_bytes = 40;
        Policy policy;
        policy.on_mismatch = what;
        process(registry_with(another_step), RuntimeOptions().limits(limits).policy(policy));
        return run;
    }
};

TEST_F(LongTexts, WhyARunIsHeldIsCut) {
    const auto run = mismatched(OnMismatch::hold);
    ASSERT_TRUE(client.raise(run, "go", Payload::text("now")).ok());
    settle();
    ASSERT_TRUE(info(run).held);
    EXPECT_EQ(info(run).held_detail.size(), 40U) << info(run).held_detail;
}

TEST_F(LongTexts, TheFailureOfARunThatWasNotHeldIsCut) {
    const auto run = mismatched(OnMismatch::fail);
    ASSERT_TRUE(client.raise(run, "go", Payload::text("now")).ok());
    settle();
    ASSERT_EQ(status(run), Status::failed);
    EXPECT_EQ(info(run).outcome->failure.message.size(), 40U) << info(run).outcome->failure.message;
}

TEST_F(LongTexts, TheOutcomeOfACleanupIsCut) {
    const auto run = mismatched(OnMismatch::hold);
    ASSERT_TRUE(client.cancel(run).ok());
    settle();
    ASSERT_EQ(status(run), Status::canceled);
    EXPECT_EQ(info(run).outcome->cleanup_detail.size(), 40U) << info(run).outcome->cleanup_detail;
}

TEST_F(Turns, AHeldRunIsCanceledAtOnce) {
    Process& a = process(registry_with(waits_for_event));
    const auto run = start();
    settle();
    crash(a);
    process(registry_with(one_step));
    ASSERT_TRUE(client.raise(run, "go", Payload::text("now")).ok());
    settle();
    ASSERT_TRUE(info(run).held);
    const auto canceled = client.cancel(run);
    ASSERT_TRUE(canceled.ok());
    EXPECT_EQ(canceled->instance.status, Status::canceled);
}

TEST_F(Turns, ACancelDuringTheRollbackOfAFailedRunKeepsItsCleanupAndItsFailure) {
    Process& p = process(registry_with(fails_and_undoes));
    const auto run = start();
    settle();
    ASSERT_TRUE(client.raise(run, "go", Payload::text("now")).ok());
    settle();
    ASSERT_EQ(p.executor.count(), 1U) << "the compensation has begun";
    ASSERT_TRUE(client.cancel(run).ok());
    settle();
    p.executor.finish(0);
    settle();
    ASSERT_EQ(status(run), Status::canceled);
    EXPECT_EQ(undone, std::vector<std::string>{"x"});
    EXPECT_EQ(info(run).outcome->cleanup, Cleanup::done);
    EXPECT_EQ(info(run).outcome->cleanup_detail, "the run failed before the cancel: broken");
}

TEST_F(Turns, HistoryThatCannotBeReadHoldsTheRun) {
    Process& a = process(registry_with(waits_for_event));
    const auto run = start();
    settle();
    crash(a);
    process(registry_with(waits_for_event));
    store.fail_history_reads(1, Errc::corrupt);
    ASSERT_TRUE(client.raise(run, "go", Payload::text("now")).ok());
    settle();
    EXPECT_TRUE(info(run).held);
}

/// A process that has claimed a run which it does not know, and not read its history yet.
class ColdReplay : public Turns {
protected:
    void SetUp() override {
        Process& before = process(registry_with(waits_for_event));
        run_ = start();
        settle();
        crash(before);
        cold_ = &process(registry_with(waits_for_event),
                         RuntimeOptions().events(
                             support::warnings([this](const std::string& line) { log_ += line; })));
        ASSERT_TRUE(client.raise(run_, "go", Payload::text("now")).ok());
        while (!info(run_).locked && cold_->runtime->step()) {
        }
        ASSERT_TRUE(info(run_).locked);
    }

    InstanceName run_;
    Process* cold_ = nullptr;
    std::string log_;
};

TEST_F(ColdReplay, ARunThatIsDeletedMeanwhileIsDroppedQuietly) {
    ASSERT_TRUE(client.delete_instance(run_, true).ok());
    settle();
    EXPECT_EQ(cold_->runtime->counts().cold_replays, 1U);
    EXPECT_EQ(log_, "");
    EXPECT_EQ(cold_->runtime->counts().held, 0U);
    EXPECT_TRUE(cold_->runtime->idle());
}

TEST_F(ColdReplay, ARunWhoseHistoryIsDamagedIsHeldLoggedAndCounted) {
    store.fail_history_reads(1, Errc::corrupt);
    settle();
    EXPECT_TRUE(info(run_).held);
    EXPECT_EQ(log_, "'i1' cannot go on: corrupt: this history cannot be read");
    EXPECT_EQ(cold_->runtime->counts().held, 1U);
}

TEST_F(Turns, HistoryThatCannotBeReadNowIsReadLater) {
    Process& a = process(registry_with(waits_for_event));
    const auto run = start();
    settle();
    crash(a);
    process(registry_with(waits_for_event));
    store.fail_history_reads(1, Errc::unavailable);
    ASSERT_TRUE(client.raise(run, "go", Payload::text("now")).ok());
    settle();
    pass(Policy().poll_interval);
    EXPECT_EQ(status(run), Status::completed);
}

TEST_F(Turns, ARunThatKillsItsWorkersIsPoison) {
    const auto run = start();
    Policy policy;
    policy.max_attempts = 3;
    for (int i = 0; i < 3; ++i) {
        Process& p = process(registry_with(one_step), RuntimeOptions().policy(policy));
        while (!info(run).locked && p.runtime->step()) {
        }
        crash(p);
        clock.advance(policy.turn_lease + 1ms);
    }
    process(registry_with(one_step), RuntimeOptions().policy(policy));
    settle();
    EXPECT_EQ(status(run), Status::failed);
    EXPECT_EQ(info(run).outcome->failure.kind, FailureKind::poison);
    EXPECT_EQ(info(run).outcome->failure.attempt, 3U);
}

TEST_F(Turns, ATurnThatIsTooMuchForTheStoreEndsTheRunAndSaysWhat) {
    process(registry_with(one_step));
    store.refuse_commit_of<Turn>(Errc::limit_exceeded, "a row holds at most 7 bytes");
    const auto run = start();
    settle();
    EXPECT_EQ(status(run), Status::failed);
    EXPECT_EQ(info(run).outcome->failure.kind, FailureKind::limit);
    EXPECT_EQ(info(run).outcome->failure.message, "a row holds at most 7 bytes");
    EXPECT_EQ(info(run).outcome->failure.where, "Main");
}

Orchestration<std::string> sleeps(OrchestrationContext ctx, std::string input) {
    co_await ctx.timer(Millis(30min));
    co_return input;
}

/// Nothing but the store's hints wakes this one.
Policy without_polling() {
    Policy policy;
    policy.poll_interval = 24h;
    policy.sweep_interval = 24h;
    policy.retention_interval = 24h;
    return policy;
}

TEST_F(Turns, AProcessSleepsUntilTheNextTimer) {
    Process& p = process(registry_with(sleeps), RuntimeOptions().policy(without_polling()));
    const auto run = start();
    settle();
    EXPECT_EQ(p.runtime->next_due(), clock.monotonic() + 30min);
    pass(30min - 1ms);
    EXPECT_EQ(status(run), Status::running);
    pass(1ms);
    EXPECT_EQ(status(run), Status::completed);
}

TEST_F(Turns, AProcessSleepsUntilAnothersLockExpires) {
    Process& a = process(registry_with(one_step));
    const auto run = start();
    while (!info(run).locked && a.runtime->step()) {
    }
    crash(a);
    Process& b = process(registry_with(one_step), RuntimeOptions().policy(without_polling()));
    settle();
    EXPECT_EQ(b.runtime->next_due(), clock.monotonic() + Policy().turn_lease);
    pass(Policy().turn_lease);
    EXPECT_EQ(queue().size(), 1U) << "its first turn was taken";
}

TEST_F(Turns, ShutDownGivesClaimsBackWithoutCountingThem) {
    Process& p = process(registry_with(one_step));
    const auto run = start();
    while (!info(run).locked && p.runtime->step()) {
    }
    p.runtime->shut_down();
    settle();
    EXPECT_TRUE(p.runtime->idle());
    EXPECT_FALSE(info(run).locked);
    EXPECT_EQ(info(run).attempts, 0U);
    EXPECT_EQ(status(run), Status::pending);
}

TEST_F(Turns, EndedRunsLeaveNoResident) {
    Process& p = process(registry_with(waits_for_event));
    const auto run = start();
    settle();
    ASSERT_TRUE(client.terminate(run).ok());
    settle();
    EXPECT_FALSE(p.runtime->evict_one());
}

TEST(RuntimeOptionsTest, ASettingOutOfRangeIsNamed) {
    support::ManualClock clock;
    const auto store = make_memory_store(clock);
    const Registry registry;
    InlineExecutor executor;
    Policy policy;
    policy.activity_lease = Millis(0);
    try {
        const Runtime runtime(*store, registry, executor, RuntimeOptions().policy(policy));
        FAIL() << "accepted";
    } catch (const std::invalid_argument& problem) {
        EXPECT_NE(std::string(problem.what()).find("activity_lease"), std::string::npos);
    }
}

}  // namespace
}  // namespace belay::runtime_tests::turns
