// Attempts at activities, from claim to report: leases, zombies, poison, slots, results that are
// too large, and executors that fail.
#include "support/warnings.hpp"
#include "world.hpp"

namespace belay::runtime_tests::activity_attempts {
namespace {

using namespace std::chrono_literals;
using Activities = World;

TEST_F(Activities, ALeaseIsRenewedForAsLongAsTheHandlerRuns) {
    Process& p = process(registry_with(one_step));
    const auto run = start();
    settle();
    for (int i = 0; i < 50; ++i) pass(4s);
    EXPECT_GE(p.runtime->counts().renewals, 6U);
    EXPECT_EQ(queue().front().attempt, 1U);
    p.executor.finish(0);
    settle();
    EXPECT_EQ(status(run), Status::completed);
}

TEST_F(Activities, RetryableRenewalErrorsDoNotStopTheHandler) {
    Process& p = process(registry_with(one_step));
    const auto run = start();
    settle();
    for (int i = 0; i < 5; ++i) store.fail_commit_of<RenewActivity>(Fault::not_applied);
    clock.advance(Policy().activity_lease - Policy().renewal_buffer);
    for (int i = 0; i < 10; ++i) pass(Policy().retry_delay);
    EXPECT_EQ(store.planned(), 0U) << "renewal was tried again";
    EXPECT_FALSE(p.executor.at(0).task->stop_requested());
    p.executor.finish(0);
    settle();
    EXPECT_EQ(status(run), Status::completed);
}

TEST_F(Activities, ALeaseThatCouldNotBeRenewedInTimeIsLost) {
    Process& p = process(registry_with(one_step));
    start();
    settle();
    for (int i = 0; i < 1000; ++i) store.fail_commit_of<RenewActivity>(Fault::not_applied);
    clock.advance(Policy().activity_lease - Policy().renewal_buffer);
    settle();
    for (int i = 0; i < 60; ++i) pass(100ms);
    EXPECT_EQ(p.executor.at(0).stopped, StopReason::lease_lost);
    EXPECT_GE(p.runtime->counts().leases_lost, 1U);
}

TEST_F(Activities, ARenewedLeaseIsCountedFromWhenItsRenewalWasSent) {
    Process& p = process(registry_with(one_step));
    start();
    settle();
    const Millis lease = Policy().activity_lease;
    store.hold_commit_of<RenewActivity>();
    pass(lease - Policy().renewal_buffer);
    const Millis sent_at = clock.monotonic();
    pass(Policy().renewal_buffer - 1ms);
    store.release();
    settle();
    ASSERT_EQ(p.runtime->counts().renewals, 1U);
    store.hold_commits();
    pass(sent_at + lease - clock.monotonic() - 1ms);
    EXPECT_EQ(p.executor.at(0).stopped, StopReason::none);
    pass(1ms);
    EXPECT_EQ(p.executor.at(0).stopped, StopReason::lease_lost)
        << "another worker may have it by then";
}

TEST_F(Activities, AZombieCannotCompleteWhatAnotherWorkerTookOver) {
    Process& a = process(registry_with(one_step));
    const auto run = start();
    settle();
    // a is paused beyond its lease; b takes over.
    Process& b = process(registry_with(one_step));
    clock.advance(Policy().activity_lease + 1ms);
    while (b.runtime->step()) {
    }
    ASSERT_EQ(b.executor.count(), 1U);
    a.executor.finish(0);
    settle();
    EXPECT_EQ(a.runtime->counts().activities_completed, 0U);
    EXPECT_EQ(status(run), Status::running);
    b.executor.finish(0);
    settle();
    EXPECT_EQ(status(run), Status::completed);
    EXPECT_EQ(b.runtime->counts().activities_completed, 1U);
}

class Reports : public World {
protected:
    /// The first turn after the end of the activity, which the store fails.
    InstanceName fail_first(Fault fault) {
        const auto run = start();
        settle();
        store.fail_commit_of<AckActivity>(fault);
        p.executor.finish(0);
        settle();
        return run;
    }

    Process& p = process(registry_with(one_step));
};

TEST_F(Reports, AnExpiredLeaseThatNobodyTookMayStillComplete) {
    const auto run = fail_first(Fault::not_applied);
    ASSERT_EQ(store.planned(), 0U);
    pass(Policy().activity_lease + 1s);
    EXPECT_EQ(status(run), Status::completed);
    EXPECT_EQ(p.executor.count(), 1U);
}

TEST_F(Reports, AReportWithUnknownOutcomeIsSentAgainAndCountsOnce) {
    const auto run = fail_first(Fault::applied_but_unknown);
    pass(Policy().retry_delay);
    EXPECT_EQ(status(run), Status::completed);
    EXPECT_TRUE(p.runtime->idle());
}

TEST_F(Activities, AnActivityThatKillsItsWorkersFailsVisibly) {
    Policy policy;
    policy.max_attempts = 2;
    const auto run = start();
    for (int i = 0; i < 2; ++i) {
        Process& p = process(registry_with(one_step), RuntimeOptions().policy(policy));
        settle();
        EXPECT_EQ(p.executor.count(), 1U);
        crash(p);
        clock.advance(policy.activity_lease + 1ms);
    }
    Process& p = process(registry_with(one_step), RuntimeOptions().policy(policy));
    settle();
    EXPECT_EQ(p.executor.count(), 0U);
    EXPECT_EQ(status(run), Status::failed);
    EXPECT_EQ(info(run).outcome->failure.kind, FailureKind::poison);
    EXPECT_EQ(info(run).outcome->failure.where, "Work");
}

TEST_F(Activities, AnUnregisteredActivityIsMarkedAndRunsWhereItIsKnown) {
    Registry only_main;
    only_main.add(Main, one_step);
    Process& a = process(std::move(only_main));
    const auto run = start();
    settle();
    EXPECT_EQ(queue().front().unregistered, 0U) << "who has its code may only be busy";
    for (int i = 0; i < 120; ++i) pass(Policy().code_patience);
    EXPECT_EQ(queue().front().unregistered, 7U) << "after 1, 2, 4, ... and 64 times the patience";
    EXPECT_EQ(queue().front().attempt, 0U);
    EXPECT_EQ(a.runtime->counts().unregistered, 7U);
    EXPECT_EQ(status(run), Status::running);
    Process& b = process(activities_only());
    crash(a);
    settle();
    ASSERT_EQ(b.executor.count(), 1U);
}

TEST_F(Activities, OnlyFreeSlotsAreClaimedFor) {
    Process& p = process(registry_with(three_steps), RuntimeOptions().activity_slots(2));
    start();
    settle();
    EXPECT_EQ(p.executor.count(), 2U);
    p.executor.finish(0);
    settle();
    EXPECT_EQ(p.executor.count(), 3U);
}

TEST_F(Activities, AResultThatIsTooLargeIsAClearFailure) {
    Registry registry;
    registry.add(Main, one_step);
    registry.add(Work, [](const std::string&) { return std::string(3 * 1024 * 1024, 'x'); });
    Process& p = process(std::move(registry));
    const auto run = start();
    settle();
    p.executor.finish(0);
    settle();
    EXPECT_EQ(status(run), Status::failed);
    EXPECT_EQ(info(run).outcome->failure.kind, FailureKind::limit);
}

TEST_F(Activities, AResultWithFlagsIsAClearFailure) {
    static constexpr Activity<Payload(std::string)> Flagged{"Work"};
    Registry registry;
    registry.add(Main, one_step);
    registry.add(Flagged, [](const std::string& what) {
        Payload result = Payload::text(what);
        result.flags = 4;
        return result;
    });
    Process& p = process(std::move(registry));
    const auto run = start();
    settle();
    p.executor.finish(0);
    settle();
    ASSERT_EQ(status(run), Status::failed) << "given back again and again it would never end";
    const Failure failure = info(run).outcome->failure;
    EXPECT_EQ(failure.kind, FailureKind::application);
    EXPECT_EQ(failure.where, "Work");
    EXPECT_FALSE(failure.retryable);
    EXPECT_NE(failure.message.find("the result has Payload::flags 4"), std::string::npos);
}

TEST_F(Activities, AResultThatIsTooLargeForTheStoreIsAClearFailure) {
    Process& p = process(registry_with(one_step), RuntimeOptions().share_commits(false));
    const auto run = start();
    settle();
    store.refuse_commit_of<AckActivity>(Errc::limit_exceeded, "a row holds at most 7 bytes");
    p.executor.finish(0);
    settle();
    EXPECT_EQ(status(run), Status::failed);
    EXPECT_EQ(info(run).outcome->failure.kind, FailureKind::limit);
    EXPECT_EQ(info(run).outcome->failure.message, "a row holds at most 7 bytes");
    EXPECT_TRUE(queue().empty());
}

TEST_F(Activities, AResultThatTheStoreRefusesIsLoggedWithTheReason) {
    std::vector<std::string> logged;
    Process& p = process(registry_with(one_step),
                         RuntimeOptions().share_commits(false).events(support::warnings(
                             [&](const std::string& line) { logged.push_back(line); })));
    const auto run = start();
    settle();
    store.refuse_commit_of<AckActivity>(Errc::invalid_argument, "no key for it");
    p.executor.finish(0);
    settle();
    ASSERT_EQ(logged.size(), 1U);
    EXPECT_NE(logged.front().find("what activity Work of 'i1' came to was refused"),
              std::string::npos);
    EXPECT_NE(logged.front().find("no key for it"), std::string::npos);
    EXPECT_EQ(status(run), Status::running) << "it is tried again";
}

TEST_F(Activities, ALongFailureIsCutAndSaysSo) {
    Registry registry;
    registry.add(Main, one_step);
    registry.add(Work, [](const std::string&) -> std::string {
        throw std::runtime_error(std::string(100'000, 'x'));
    });
    Process& p = process(std::move(registry));
    const auto run = start();
    settle();
    p.executor.finish(0);
    settle();
    const Failure failure = info(run).outcome->failure;
    EXPECT_EQ(failure.kind, FailureKind::application);
    EXPECT_EQ(failure.message.size(), Limits().failure_bytes);
    EXPECT_TRUE(failure.message.ends_with("(cut: it was 100000 bytes long)"));
}

TEST_F(Activities, SoIsALongType) {
    Registry registry;
    registry.add(Main, one_step);
    registry.add(Work, [](const std::string&) -> std::string {
        throw ApplicationError(std::string(100'000, 't'), "no");
    });
    Process& p = process(std::move(registry));
    const auto run = start();
    settle();
    p.executor.finish(0);
    settle();
    const Failure failure = info(run).outcome->failure;
    EXPECT_EQ(failure.message, "no");
    EXPECT_EQ(failure.type.size(), Limits().failure_bytes);
    EXPECT_TRUE(failure.type.ends_with("(cut: it was 100000 bytes long)"));
}

TEST_F(Activities, AKindOfFailureThatNobodyKnowsIsRecordedAsApplication) {
    Registry registry;
    registry.add(Main, one_step);
    registry.add(Work, [](const std::string&) -> std::string {
        throw OperationFailed(Failure{.kind = static_cast<FailureKind>(99), .message = "odd"});
    });
    Process& p = process(std::move(registry));
    const auto run = start();
    settle();
    p.executor.finish(0);
    settle();
    EXPECT_EQ(info(run).outcome->failure.kind, FailureKind::application);
    EXPECT_EQ(info(run).outcome->failure.message, "odd");
}

/// Begins work that cannot be stopped.
class Unstoppable : public ActivityExecutor {
public:
    void request_stop(const std::shared_ptr<ActivityTask>& /*task*/, StopReason /*why*/) override {}
    bool abort(const std::shared_ptr<ActivityTask>& /*task*/) override { return false; }
};

/// Says of everything that it failed, in a way that is not known.
class FailsOddly final : public Unstoppable {
public:
    void begin(std::shared_ptr<ActivityTask> /*task*/, Done done) override {
        done(Failure{.kind = static_cast<FailureKind>(0), .message = "odd"});
    }
};

TEST_F(Activities, SoIsOneThatAnExecutorMadeUp) {
    const Registry registry = registry_with(one_step);
    FailsOddly executor;
    Runtime runtime(store, registry, executor, RuntimeOptions().clock(clock));
    const auto run = start();
    runtime.run_until_idle();
    ASSERT_EQ(status(run), Status::failed);
    EXPECT_EQ(info(run).outcome->failure.kind, FailureKind::application);
    EXPECT_EQ(info(run).outcome->failure.message, "odd");
}

TEST_F(Activities, AnActivityTheExecutorCannotBeginIsGivenBackAndTheOthersGoOn) {
    std::vector<std::string> logged;
    Process& p = process(registry_with(one_step),
                         RuntimeOptions().activity_slots(1).events(support::warnings(
                             [&](const std::string& line) { logged.push_back(line); })));
    p.executor.failing = true;
    const auto run = start();
    settle();
    EXPECT_EQ(p.executor.count(), 0U);
    EXPECT_EQ(p.runtime->counts().activities_begun, 0U);
    ASSERT_EQ(queue().size(), 1U);
    EXPECT_EQ(queue().front().attempt, 0U) << "nothing of it ran";
    EXPECT_FALSE(queue().front().leased) << "it is not kept from others until its lease expires";
    EXPECT_TRUE(p.runtime->idle()) << "its slot is free";
    ASSERT_EQ(logged.size(), 1U);
    EXPECT_NE(logged.front().find("no more threads"), std::string::npos);

    for (int i = 0; i < 20; ++i) pass(Policy().poll_interval);
    EXPECT_EQ(status(run), Status::running) << "trouble of the process is no failure of the run";
    p.executor.failing = false;
    pass(Policy().poll_interval);
    ASSERT_EQ(p.executor.count(), 1U);
    EXPECT_EQ(p.executor.at(0).task->details().attempt, 1U);
    p.executor.finish(0);
    settle();
    EXPECT_EQ(status(run), Status::completed);
    EXPECT_TRUE(p.runtime->idle());
}

/// Runs the handler and reports its end, and then throws all the same.
class HalfHearted final : public Unstoppable {
public:
    void begin(std::shared_ptr<ActivityTask> task, Done done) override {
        ++begun;
        done(task->run());
        if (begun == 1) throw 7;
    }

    int begun = 0;
};

class Silent : public std::exception {
public:
    [[nodiscard]] const char* what() const noexcept override { return nullptr; }
};

class ThrowsSilently final : public Unstoppable {
public:
    void begin(std::shared_ptr<ActivityTask> /*task*/, Done /*done*/) override { throw Silent(); }
};

TEST_F(Activities, AnExecutorThatThrowsSomethingWithoutATextEndsNobody) {
    const Registry registry = registry_with(one_step);
    ThrowsSilently executor;
    Runtime runtime(store, registry, executor, RuntimeOptions().clock(clock));
    const auto run = start();
    runtime.run_until_idle();
    EXPECT_EQ(status(run), Status::running);
    ASSERT_EQ(queue().size(), 1U);
    EXPECT_FALSE(queue().front().leased) << "it was given back";
}

TEST_F(Activities, AnEndReportedByAnExecutorThatThrewIsNotBelieved) {
    const Registry registry = registry_with(one_step);
    HalfHearted executor;
    Runtime runtime(store, registry, executor, RuntimeOptions().clock(clock));
    const auto run = start();
    runtime.run_until_idle();
    EXPECT_EQ(status(run), Status::running);
    EXPECT_TRUE(runtime.idle());
    clock.advance(Policy().poll_interval);
    runtime.run_until_idle();
    EXPECT_EQ(status(run), Status::completed);
    EXPECT_EQ(executor.begun, 2);
}

}  // namespace
}  // namespace belay::runtime_tests::activity_attempts
