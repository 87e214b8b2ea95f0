// Activities that are not begun in time, take too long, or fall silent.
#include "terms.hpp"

namespace belay::runtime_tests::timeouts {
namespace {

using namespace std::chrono_literals;
using Timeouts = TermsWorld;

// ---- Begun too late ----------------------------------------------------------------------------

TEST_F(Timeouts, AnActivityThatNoWorkerTakesFails) {
    terms.set = [&](NewActivity& activity) {
        activity.queue = "nobody";
        activity.schedule_to_start = clock.wall() + 10s;
    };
    add(no_activities());
    const auto run = start();
    settle();
    pass(9s);
    EXPECT_EQ(status(run), Status::running);
    pass(1s);
    EXPECT_EQ(status(run), Status::completed);
    EXPECT_EQ(output(run).rfind("timeout: no worker began it before ", 0), 0U) << output(run);
    EXPECT_TRUE(queue().empty()) << "its row is gone, and not only out of line";
}

TEST_F(Timeouts, AnActivityWithoutCodeAnywhereFailsToo) {
    terms.set = [&](NewActivity& activity) { activity.schedule_to_start = clock.wall() + 10s; };
    Policy policy;
    policy.code_patience = 0ms;
    Process& p = add(no_activities(), policy);
    const auto run = start();
    settle();
    for (int i = 0; i < 10; ++i) pass(1s);
    EXPECT_GE(p.runtime->counts().unregistered, 1U) << "it was marked";
    EXPECT_EQ(status(run), Status::completed);
    EXPECT_EQ(output(run).rfind("timeout", 0), 0U) << output(run);
}

TEST_F(Timeouts, BegunInTimeItMayTakeAsLongAsItLikes) {
    terms.set = [&](NewActivity& activity) { activity.schedule_to_start = clock.wall() + 10s; };
    Process& p = add(registry_with(tries_one_step));
    const auto run = start();
    settle();
    ASSERT_EQ(p.executor.count(), 1U);
    for (int i = 0; i < 30; ++i) pass(1s);
    p.executor.finish(0);
    settle();
    EXPECT_EQ(output(run), "did x");
}

TEST_F(Timeouts, AnActivityThatAShutdownInterruptsHadBegunInTime) {
    terms.set = [&](NewActivity& activity) { activity.schedule_to_start = clock.wall() + 10s; };
    Process& p = add(obedient());
    const auto run = start();
    settle();
    ASSERT_EQ(p.executor.count(), 1U);
    for (int i = 0; i < 30; ++i) pass(1s);
    p.runtime->shut_down();
    settle();
    p.executor.finish(0);
    settle();
    Process& next = add(obedient());
    terms.set = [](NewActivity&) {};
    settle();
    ASSERT_EQ(next.executor.count(), 1U);
    next.executor.finish(0);
    settle();
    EXPECT_EQ(output(run), "did x");
}

// ---- Too long ----------------------------------------------------------------------------------

TEST_F(Timeouts, AnActivityThatOnlyWaitsForAThreadIsGivenBackUnharmed) {
    terms.set = [](NewActivity& activity) { activity.start_to_close = 1s; };
    Process& p = add(registry_with(tries_one_step));
    p.executor.crowded = true;
    const auto run = start();
    settle();
    ASSERT_EQ(p.executor.count(), 1U);
    pass(1s);
    EXPECT_TRUE(p.executor.at(0).withdrawn);
    EXPECT_EQ(p.runtime->counts().timeouts, 0U);
    ASSERT_EQ(p.executor.count(), 2U) << "nobody else is there: it is claimed again";
    p.executor.crowded = false;
    p.executor.finish(1);
    settle();
    EXPECT_EQ(output(run), "did x");
}

TEST_F(Timeouts, AnAttemptThatTakesTooLongIsStoppedAndFails) {
    terms.set = [](NewActivity& activity) { activity.start_to_close = 5s; };
    Process& p = add(registry_with(tries_one_step));
    const auto run = start();
    settle();
    pass(5s - 1ms);
    EXPECT_EQ(p.executor.at(0).stopped, StopReason::none);
    pass(1ms);
    EXPECT_EQ(p.executor.at(0).stopped, StopReason::timeout);
    EXPECT_EQ(status(run), Status::running)
        << "two attempts at once would not do: it is waited for";
    p.executor.finish(0);
    settle();
    EXPECT_EQ(output(run), "timeout: it did not end within 5 s") << "and what it returned is late";
    EXPECT_EQ(p.runtime->counts().timeouts, 1U);
    EXPECT_TRUE(p.runtime->idle());
}

TEST_F(Timeouts, AnEndJustInTimeCounts) {
    terms.set = [](NewActivity& activity) { activity.start_to_close = 5s; };
    Process& p = add(registry_with(tries_one_step));
    const auto run = start();
    settle();
    clock.advance(5s);
    p.executor.finish(0);  // Before anybody looked at the time.
    settle();
    EXPECT_EQ(output(run), "did x");
    EXPECT_EQ(p.runtime->counts().timeouts, 0U);
}

TEST_F(Timeouts, ItsLeaseIsKeptWhileItStops) {
    terms.set = [](NewActivity& activity) { activity.start_to_close = 5s; };
    Policy policy;
    policy.activity_lease = 10s;
    policy.grace = 60s;
    Process& p = add(registry_with(tries_one_step), policy);
    const auto run = start();
    settle();
    for (int i = 0; i < 30; ++i) pass(1s);
    ASSERT_EQ(p.executor.count(), 1U) << "nobody else may begin it";
    p.executor.finish(0);
    settle();
    EXPECT_EQ(output(run), "timeout: it did not end within 5 s");
}

TEST_F(Timeouts, OneThatDoesNotStopIsAbandonedAndFailsAllTheSame) {
    terms.set = [](NewActivity& activity) { activity.start_to_close = 5s; };
    Process& p = add(registry_with(tries_one_step));
    const auto run = start();
    settle();
    pass(5s);
    pass(Policy().grace);
    EXPECT_TRUE(p.executor.at(0).aborted);
    EXPECT_EQ(output(run), "timeout: it did not end within 5 s");
    EXPECT_EQ(p.runtime->counts().abandoned, 1U);
    EXPECT_TRUE(p.runtime->idle());
}

TEST_F(Timeouts, OneThatIsEndedByForceFailsWhenItHasEnded) {
    terms.set = [](NewActivity& activity) { activity.start_to_close = 5s; };
    Process& p = add(registry_with(tries_one_step));
    p.executor.forcing = true;
    const auto run = start();
    settle();
    pass(5s);
    pass(Policy().grace);
    EXPECT_EQ(status(run), Status::running);
    p.executor.finish(0);
    settle();
    EXPECT_EQ(output(run), "timeout: it did not end within 5 s");
}

TEST_F(Timeouts, ACancelOverridesIt) {
    terms.set = [](NewActivity& activity) { activity.start_to_close = 5s; };
    Process& p = add(registry_with(tries_one_step));
    const auto run = start();
    settle();
    pass(5s);
    ASSERT_TRUE(client.cancel(run).ok());
    settle();
    p.executor.finish(0);
    settle();
    EXPECT_EQ(status(run), Status::canceled);
    EXPECT_EQ(stopping(), 0U) << "its end was reported";
    EXPECT_EQ(p.runtime->counts().completions_refused, 0U);
}

TEST_F(Timeouts, ACancelOfOneThatWasAbandonedIsNotSaidToHaveEnded) {
    terms.set = [](NewActivity& activity) { activity.start_to_close = 5s; };
    Process& p = add(registry_with(tries_one_step));
    const auto run = start();
    settle();
    pass(5s);
    clock.advance(Policy().grace);
    ASSERT_TRUE(client.cancel(run).ok());  // Before its failure is reported.
    store.tell_nobody();
    settle();
    EXPECT_EQ(status(run), Status::canceled);
    EXPECT_EQ(stopping(), 1U) << "its handler still runs, as far as anybody knows";
    EXPECT_TRUE(p.runtime->idle());
}

TEST_F(Timeouts, EachAttemptHasItsTime) {
    terms.set = [](NewActivity& activity) { activity.start_to_close = 50s; };
    Process& first = add(registry_with(tries_one_step));
    const auto run = start();
    settle();
    pass(20s);
    crash(first);
    Process& second = add(registry_with(tries_one_step));
    pass(Policy().activity_lease);
    ASSERT_EQ(second.executor.count(), 1U);
    for (int i = 0; i < 49; ++i) pass(1s);  // In steps, so that its lease is renewed.
    EXPECT_EQ(second.executor.at(0).stopped, StopReason::none);
    pass(1s);
    EXPECT_EQ(second.executor.at(0).stopped, StopReason::timeout);
    second.executor.finish(0);
    settle();
    EXPECT_EQ(output(run), "timeout: it did not end within 50 s");
}

// ---- Silence -----------------------------------------------------------------------------------

TEST_F(Timeouts, SilenceForTooLongIsATimeout) {
    terms.set = [](NewActivity& activity) { activity.heartbeat_timeout = 3s; };
    Process& p = add(registry_with(tries_one_step));
    const auto run = start();
    settle();
    for (int i = 0; i < 5; ++i) {
        pass(2s);
        beats(p).beat();
    }
    EXPECT_EQ(p.executor.at(0).stopped, StopReason::none);
    pass(3s - 1ms);
    EXPECT_EQ(p.executor.at(0).stopped, StopReason::none);
    pass(1ms);
    EXPECT_EQ(p.executor.at(0).stopped, StopReason::timeout);
    p.executor.finish(0);
    settle();
    EXPECT_EQ(output(run), "timeout: it gave no heartbeat for 3 s");
}

TEST_F(Timeouts, TheEarlierBoundCounts) {
    terms.set = [](NewActivity& activity) {
        activity.heartbeat_timeout = 3s;
        activity.start_to_close = 4s;
    };
    Process& p = add(registry_with(tries_one_step));
    const auto run = start();
    settle();
    pass(2s);
    beats(p).beat();
    pass(2s);
    p.executor.finish(0);
    settle();
    EXPECT_EQ(output(run), "timeout: it did not end within 4 s");
}

}  // namespace
}  // namespace belay::runtime_tests::timeouts
