// A worker hears that leases were stopped, or gets a claim too late.
#include "world.hpp"

namespace belay::runtime_tests::notices {
namespace {

using namespace std::chrono_literals;

class Notices : public World {
protected:
    Process& p =
        process(registry_with(one_step), RuntimeOptions().worker("p").share_commits(false));

    /// The token of the only activity in the queue.
    LeaseToken token() { return queue().at(0).token; }
};

TEST_F(Notices, AFalseOneLeavesTheHandlerAlone) {
    const auto run = start();
    settle();
    store.say_stopped({token()});
    settle();
    EXPECT_FALSE(p.executor.at(0).task->stop_requested());
    EXPECT_EQ(store.checks().size(), 1U);
    for (int i = 0; i < 20; ++i) pass(4s);
    EXPECT_EQ(queue().size(), 1U) << "its lease is still kept";
    EXPECT_EQ(queue().at(0).attempt, 1U);
    p.executor.finish(0);
    settle();
    EXPECT_EQ(status(run), Status::completed);
    EXPECT_EQ(p.runtime->counts().activities_completed, 1U);
}

TEST_F(Notices, ATrueOneStopsTheHandlerAtOnce) {
    const auto run = start();
    settle();
    ASSERT_TRUE(client.cancel(run).ok());
    settle();
    EXPECT_EQ(p.executor.at(0).stopped, StopReason::canceled);
    EXPECT_EQ(store.checks().size(), 1U) << "the store was asked";
    store.say_stopped({store.checks().at(0).leases.at(0).second});
    settle();
    EXPECT_EQ(store.checks().size(), 1U) << "what is known is not asked again";
    p.executor.finish(0);
    settle();
    EXPECT_EQ(stopping(), 0U);
}

TEST_F(Notices, OnlyWhatIsReallyOverIsStopped) {
    const auto first = start("i1");
    settle();
    const LeaseToken held = token();
    const auto second = start("i2");
    settle();
    store.hold_lease_check();
    store.say_stopped({held});
    settle();
    ASSERT_TRUE(client.cancel(second).ok());
    store.say_stopped({held});
    store.release();
    settle();
    EXPECT_EQ(p.executor.at(0).stopped, StopReason::none);
    EXPECT_EQ(p.executor.at(1).stopped, StopReason::canceled);
}

TEST_F(Notices, ThoseThatComeDuringACheckShareTheNext) {
    start("i1");
    settle();
    store.hold_lease_check();
    store.say_stopped({token()});
    settle();
    const auto second = start("i2");
    const auto third = start("i3");
    settle();
    ASSERT_TRUE(client.cancel(second).ok());
    ASSERT_TRUE(client.cancel(third).ok());
    settle();
    EXPECT_EQ(store.checks().size(), 1U);
    EXPECT_EQ(p.executor.at(1).stopped, StopReason::none);
    store.release();
    settle();
    ASSERT_EQ(store.checks().size(), 2U);
    EXPECT_EQ(store.checks().at(1).leases.size(), 2U);
    EXPECT_EQ(p.executor.at(0).stopped, StopReason::none);
    EXPECT_EQ(p.executor.at(1).stopped, StopReason::canceled);
    EXPECT_EQ(p.executor.at(2).stopped, StopReason::canceled);
}

TEST_F(Notices, AnErrorOfTheCheckIsTriedAgain) {
    const auto run = start();
    settle();
    store.fail_lease_checks(2, Errc::busy);
    ASSERT_TRUE(client.cancel(run).ok());
    settle();
    EXPECT_EQ(p.executor.at(0).stopped, StopReason::none) << "nothing is known yet";
    EXPECT_LE(p.runtime->next_due(), clock.monotonic() + Policy().retry_delay);
    pass(Policy().retry_delay);
    EXPECT_EQ(p.executor.at(0).stopped, StopReason::none);
    pass(Policy().retry_delay);
    EXPECT_EQ(p.executor.at(0).stopped, StopReason::canceled);
    EXPECT_EQ(store.checks().size(), 3U);
}

TEST_F(Notices, ACheckThatCannotSucceedIsLeftToTheRenewal) {
    const auto run = start();
    settle();
    store.fail_lease_checks(1000, Errc::corrupt);
    ASSERT_TRUE(client.cancel(run).ok());
    settle();
    for (int i = 0; i < 10; ++i) pass(Policy().retry_delay);
    EXPECT_EQ(store.checks().size(), 1U);
    pass(Policy().activity_lease - Policy().renewal_buffer);
    EXPECT_EQ(p.executor.at(0).stopped, StopReason::canceled);
}

TEST_F(Notices, OneThatOvertakesTheAnswerOfTheClaimIsNotForgotten) {
    store.hold_activity_claim();
    const auto run = start();
    settle();
    ASSERT_TRUE(client.cancel(run).ok());
    settle();
    EXPECT_TRUE(store.checks().empty()) << "it is not known yet what is held";
    store.release();
    settle();
    EXPECT_EQ(store.checks().size(), 1U);
    ASSERT_EQ(p.executor.count(), 1U);
    EXPECT_EQ(p.executor.at(0).stopped, StopReason::canceled);
}

TEST_F(Notices, OneOfAnotherWorkersLeaseAsksNothing) {
    start();
    settle();
    store.say_stopped({LeaseToken{77, 7}});
    settle();
    EXPECT_TRUE(store.checks().empty());
}

TEST_F(Notices, ARunThatEndsDuringItsCheckIsReportedAsItEnded) {
    const auto run = start();
    settle();
    store.hold_lease_check();
    store.say_stopped({token()});
    settle();
    p.executor.finish(0);
    settle();
    EXPECT_EQ(status(run), Status::completed);
    store.release();
    settle();
    EXPECT_TRUE(p.runtime->idle());
}

TEST_F(Notices, AClaimAnsweredAfterItsLeaseBeginsNothing) {
    store.hold_activity_claim();
    const auto run = start();
    settle();
    Process& other =
        process(registry_with(one_step), RuntimeOptions().worker("other").share_commits(false));
    pass(Policy().activity_lease + 1s);
    ASSERT_EQ(other.executor.count(), 1U) << "it took the expired lease over";
    store.release();
    settle();
    EXPECT_EQ(p.executor.count(), 0U);
    EXPECT_EQ(p.runtime->counts().leases_lost, 1U);
    EXPECT_TRUE(p.runtime->idle()) << "its slot is free";
    other.executor.finish(0);
    settle();
    EXPECT_EQ(status(run), Status::completed);
    EXPECT_EQ(other.runtime->counts().activities_completed, 1U);
}

TEST_F(Notices, AClaimAnsweredAfterItsLeaseIsNoAttempt) {
    store.hold_activity_claim();
    start();
    settle();
    pass(Policy().activity_lease + 1s);
    EXPECT_EQ(queue().front().attempt, 1U);
    store.release();
    settle();
    EXPECT_EQ(p.runtime->counts().leases_lost, 1U);
    ASSERT_EQ(p.executor.count(), 1U) << "given back, and claimed again at once";
    EXPECT_EQ(p.executor.at(0).task->details().attempt, 1U) << "nothing of it ran before";
}

TEST_F(Notices, AClaimAnsweredWithinItsLeaseBegins) {
    store.hold_activity_claim();
    start();
    settle();
    pass(Policy().activity_lease - 1ms);
    store.release();
    settle();
    EXPECT_EQ(p.executor.count(), 1U);
}

}  // namespace
}  // namespace belay::runtime_tests::notices
