// Heartbeats of running activities: when they are written, and who hears of them.
#include "terms.hpp"

#include <stdexcept>

namespace belay::runtime_tests::heartbeats {
namespace {

using namespace std::chrono_literals;
using Heartbeats = TermsWorld;

TEST_F(Heartbeats, TheFirstWordIsWrittenAtOnceAndThenTheLatestNowAndThen) {
    Process& p = add(registry_with(tries_one_step));
    start();
    settle();
    beats(p).beat(Payload::text("1"));
    settle();
    EXPECT_EQ(progress(), "1");
    const auto renewals = p.runtime->counts().renewals + 0U;
    for (int i = 2; i < 100; ++i) {
        beats(p).beat(Payload::text(std::to_string(i)));
        settle();
    }
    EXPECT_EQ(progress(), "1");
    pass(Policy().heartbeat_interval);
    EXPECT_EQ(progress(), "99");
    EXPECT_EQ(p.runtime->counts().renewals, renewals + 1);
    pass(Policy().heartbeat_interval);
    EXPECT_EQ(p.runtime->counts().renewals, renewals + 1) << "nothing was said";
}

TEST_F(Heartbeats, AWordThatCouldNotBeWrittenIsWrittenLater) {
    Process& p = add(registry_with(tries_one_step));
    start();
    settle();
    store.fail_commit_of<RenewActivity>(Fault::not_applied);
    beats(p).beat(Payload::text("half"));
    settle();
    EXPECT_EQ(progress(), "");
    pass(Policy().retry_delay);
    EXPECT_EQ(progress(), "half");
}

TEST_F(Heartbeats, TheNextAttemptKnowsWhatTheLastOneSaid) {
    Process& first = add(registry_with(tries_one_step));
    const auto run = start();
    settle();
    EXPECT_EQ(beats(first).last(), std::nullopt);
    beats(first).beat(Payload::text("half"));
    settle();
    crash(first);
    beats(first).beat(Payload::text("nobody listens"));

    Registry registry = no_activities();
    registry.add(Work, [](ActivityContext& ctx, const std::string&) {
        return "after " + ctx.last_heartbeat<std::string>().value_or("nothing");
    });
    Process& second = add(std::move(registry));
    pass(Policy().activity_lease);
    second.executor.finish(0);
    settle();
    EXPECT_EQ(output(run), "after half");
}

TEST_F(Heartbeats, TheLastWordBeforeAShutdownIsNotLost) {
    Process& first = add(obedient());
    start();
    settle();
    beats(first).beat(Payload::text("half"));
    settle();
    beats(first).beat(Payload::text("more"));
    settle();
    EXPECT_EQ(progress(), "half") << "not yet: one was written just now";
    first.runtime->shut_down();
    settle();
    beats(first).beat(Payload::text("nearly all"));
    first.executor.finish(0);
    settle();
    EXPECT_TRUE(first.runtime->idle());
    EXPECT_EQ(progress(), "nearly all");
    Process& second = add(obedient());
    settle();
    ASSERT_EQ(second.executor.count(), 1U);
    EXPECT_EQ(beats(second).last(), Payload::text("nearly all"));
}

TEST_F(Heartbeats, AWordOnItsWayWhenItIsGivenBackIsNotLost) {
    Process& first = add(obedient());
    start();
    settle();
    store.fail_commit_of<RenewActivity>(Fault::not_applied);
    beats(first).beat(Payload::text("half"));
    settle();
    first.runtime->shut_down();
    settle();
    first.executor.finish(0);
    settle();
    EXPECT_TRUE(first.runtime->idle());
    EXPECT_EQ(progress(), "half");
}

TEST_F(Heartbeats, ALastWordThatCannotBeWrittenKeepsNobodyFromTakingIt) {
    for (const bool fails : {false, true}) {
        Process& first = add(obedient());
        start(fails ? "failed" : "refused");
        settle();
        beats(first).beat(Payload::text("half"));
        settle();
        beats(first).beat(Payload::text("more"));
        first.runtime->shut_down();
        settle();
        if (fails) {
            store.fail_commit_of<AbandonActivity>(Fault::never_possible);
        } else {
            store.refuse_commit_of<AbandonActivity>(Errc::unreadable, "this coder has no key");
        }
        first.executor.finish(0);
        settle();
        EXPECT_TRUE(first.runtime->idle());
        Process& second = add(registry_with(tries_one_step));
        settle();
        ASSERT_EQ(second.executor.count(), 1U) << "it was given back all the same, at once";
        EXPECT_EQ(beats(second).last(), Payload::text("half"));
        second.executor.finish(0);
        settle();
        crash(second);
    }
}

TEST_F(Heartbeats, TheLastWordOfOneThatDoesNotStopAtAShutdownIsWritten) {
    Process& first = add(registry_with(tries_one_step));
    start();
    settle();
    beats(first).beat(Payload::text("half"));
    settle();
    first.runtime->shut_down();
    settle();
    pass(Policy().grace - 1ms);
    beats(first).beat(Payload::text("more"));
    settle();
    beats(first).beat(Payload::text("nearly all"));
    pass(1ms);
    EXPECT_TRUE(first.executor.at(0).aborted);
    EXPECT_TRUE(first.runtime->idle());
    EXPECT_EQ(progress(), "nearly all");
    Process& second = add(registry_with(tries_one_step));
    settle();
    EXPECT_EQ(second.executor.count(), 0U) << "as far as anybody knows, it still runs";
    pass(Policy().activity_lease);
    EXPECT_EQ(second.executor.count(), 1U);
}

TEST_F(Heartbeats, TooLongAWordIsRefusedAndCountsAsLife) {
    terms.set = [](NewActivity& activity) { activity.heartbeat_timeout = 3s; };
    Registry registry = no_activities();
    registry.add(Work, [](ActivityContext& ctx, const std::string&) {
        ctx.heartbeat(std::string(Limits().heartbeat_bytes + 1, 'x'));
        return std::string("unreachable");
    });
    Process& p = add(std::move(registry));
    const auto run = start();
    settle();
    pass(1s);
    p.executor.finish(0);
    settle();
    EXPECT_EQ(output(run), "limit: a heartbeat of 16385 bytes; at most 16384 are allowed");
}

TEST_F(Heartbeats, AWordWithFlagsIsRefused) {
    Process& p = add(registry_with(tries_one_step));
    start();
    settle();
    Payload flagged = Payload::text("half");
    flagged.flags = 4;
    EXPECT_THROW(beats(p).beat(flagged), std::invalid_argument);
    settle();
    EXPECT_EQ(progress(), "") << "the next attempt could not read it";
}

TEST_F(Heartbeats, ClientsSeeHowFarItIs) {
    Process& p = add(registry_with(tries_one_step));
    const auto run = start();
    settle();
    beats(p).beat(Payload::text("half"));
    settle();
    pass(2s);
    const auto described = client.describe(run);
    ASSERT_TRUE(described.ok());
    ASSERT_EQ(described->awaits.size(), 1U);
    EXPECT_EQ(described->awaits[0].progress, Payload::text("half"));
    EXPECT_EQ(described->as_of - *described->awaits[0].progress_at, 2s);
}

}  // namespace
}  // namespace belay::runtime_tests::heartbeats
