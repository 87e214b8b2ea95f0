// Activities that are not begun in time, take too long, or fall silent; and what they say
// meanwhile.
#include "store/forwarding_store.hpp"
#include "world.hpp"
#include <belay/store/operations.hpp>

namespace belay::runtime_tests::timeouts {
namespace {

using namespace std::chrono_literals;

Orchestration<std::string> one_step(OrchestrationContext ctx, std::string input) {
    try {
        co_return co_await ctx.call(Work, input);
    } catch (const OperationFailed& failed) {
        co_return std::string(to_string(failed.failure().kind)) + ": " + failed.failure().message;
    }
}

/// Gives every activity the same terms.
class TermsStore final : public ForwardingStore {
public:
    using ForwardingStore::ForwardingStore;

    void commit(std::vector<Transition> batch, Done<std::vector<Answer>> done) override {
        for (Transition& transition : batch) {
            for (Part& part : transition.parts) {
                auto* const turn = std::get_if<Turn>(&part);
                if (turn == nullptr) continue;
                for (NewActivity& activity : turn->activities) set(activity);
            }
        }
        inner().commit(std::move(batch), std::move(done));
    }

    std::function<void(NewActivity&)> set = [](NewActivity&) {};
};

class Timeouts : public World {
protected:
    /// They use the store below, which is gone before those of the base.
    ~Timeouts() override { processes.clear(); }

    /// It claims all it begins: what is handed over has the terms it was called with.
    Process& add(Registry registry, Policy policy = Policy()) {
        processes.push_back(
            std::make_unique<Process>(terms,
                                      clock,
                                      std::move(registry),
                                      RuntimeOptions().share_commits(false).policy(policy)));
        return *processes.back();
    }
    Registry no_activities() {
        Registry registry;
        registry.add(Main, one_step);
        return registry;
    }
    std::string output(const InstanceName& name) { return info(name).outcome->output.bytes; }
    static detail::Heartbeats& beats(Process& process, std::size_t index = 0) {
        return process.executor.at(index).task->heartbeats();
    }
    std::string progress() {
        const auto rows = queue();
        return rows.at(0).progress ? rows.at(0).progress->bytes : "";
    }

    TermsStore terms{store};
};

// ---- Begun too late ----------------------------------------------------------------------------

TEST_F(Timeouts, WhatNoWorkerEverTakesFails) {
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

TEST_F(Timeouts, WhatNobodyHasTheCodeOfFailsToo) {
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
    Process& p = add(registry_with(one_step));
    const auto run = start();
    settle();
    ASSERT_EQ(p.executor.count(), 1U);
    for (int i = 0; i < 30; ++i) pass(1s);
    p.executor.finish(0);
    settle();
    EXPECT_EQ(output(run), "did x");
}

TEST_F(Timeouts, WhatAShutdownInterruptsHadBegunInTime) {
    terms.set = [&](NewActivity& activity) { activity.schedule_to_start = clock.wall() + 10s; };
    Registry registry;
    registry.add(Main, one_step);
    registry.add(Work, [](ActivityContext& context, const std::string& input) -> std::string {
        if (context.stop_requested()) throw Stopped(context.stop_reason());
        return "did " + input;
    });
    Process& p = add(registry);
    const auto run = start();
    settle();
    ASSERT_EQ(p.executor.count(), 1U);
    for (int i = 0; i < 30; ++i) pass(1s);
    p.runtime->shut_down();
    settle();
    p.executor.finish(0);
    settle();
    Process& next = add(registry);
    terms.set = [](NewActivity&) {};
    settle();
    ASSERT_EQ(next.executor.count(), 1U);
    next.executor.finish(0);
    settle();
    EXPECT_EQ(output(run), "did x");
}

// ---- Too long ----------------------------------------------------------------------------------

TEST_F(Timeouts, WhatOnlyWaitsForAThreadIsGivenBackUnharmed) {
    terms.set = [](NewActivity& activity) { activity.start_to_close = 1s; };
    Process& p = add(registry_with(one_step));
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
    Process& p = add(registry_with(one_step));
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

TEST_F(Timeouts, WhatEndsJustInTimeCounts) {
    terms.set = [](NewActivity& activity) { activity.start_to_close = 5s; };
    Process& p = add(registry_with(one_step));
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
    Process& p = add(registry_with(one_step), policy);
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
    Process& p = add(registry_with(one_step));
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
    Process& p = add(registry_with(one_step));
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
    Process& p = add(registry_with(one_step));
    const auto run = start();
    settle();
    pass(5s);
    ASSERT_TRUE(client.cancel(run).ok());
    settle();
    p.executor.finish(0);
    settle();
    EXPECT_EQ(status(run), Status::canceled);
    EXPECT_TRUE(stopping().empty()) << "its end was reported";
    EXPECT_EQ(p.runtime->counts().completions_refused, 0U);
}

TEST_F(Timeouts, ACancelOfOneThatWasAbandonedIsNotSaidToHaveEnded) {
    terms.set = [](NewActivity& activity) { activity.start_to_close = 5s; };
    Process& p = add(registry_with(one_step));
    const auto run = start();
    settle();
    pass(5s);
    clock.advance(Policy().grace);
    ASSERT_TRUE(client.cancel(run).ok());  // Before its failure is reported.
    store.tell_nobody();
    settle();
    EXPECT_EQ(status(run), Status::canceled);
    EXPECT_EQ(stopping().size(), 1U) << "its handler still runs, as far as anybody knows";
    EXPECT_TRUE(p.runtime->idle());
}

TEST_F(Timeouts, EachAttemptHasItsTime) {
    terms.set = [](NewActivity& activity) { activity.start_to_close = 50s; };
    Process& first = add(registry_with(one_step));
    const auto run = start();
    settle();
    pass(20s);
    crash(first);
    Process& second = add(registry_with(one_step));
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

// ---- Heartbeats --------------------------------------------------------------------------------

TEST_F(Timeouts, SilenceForTooLongIsATimeout) {
    terms.set = [](NewActivity& activity) { activity.heartbeat_timeout = 3s; };
    Process& p = add(registry_with(one_step));
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
    Process& p = add(registry_with(one_step));
    const auto run = start();
    settle();
    pass(2s);
    beats(p).beat();
    pass(2s);
    p.executor.finish(0);
    settle();
    EXPECT_EQ(output(run), "timeout: it did not end within 4 s");
}

TEST_F(Timeouts, TheFirstWordIsWrittenAtOnceAndThenTheLatestNowAndThen) {
    Process& p = add(registry_with(one_step));
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

TEST_F(Timeouts, AWordThatCouldNotBeWrittenIsWrittenLater) {
    Process& p = add(registry_with(one_step));
    start();
    settle();
    store.fail_commit_of<RenewActivity>(Fault::not_applied);
    beats(p).beat(Payload::text("half"));
    settle();
    EXPECT_EQ(progress(), "");
    pass(Policy().retry_delay);
    EXPECT_EQ(progress(), "half");
}

TEST_F(Timeouts, TheNextAttemptKnowsWhatTheLastOneSaid) {
    Process& first = add(registry_with(one_step));
    const auto run = start();
    settle();
    EXPECT_EQ(beats(first).last(), std::nullopt);
    beats(first).beat(Payload::text("half"));
    settle();
    crash(first);
    beats(first).beat(Payload::text("nobody listens"));

    Registry registry;
    registry.add(Main, one_step);
    registry.add(Work, [](ActivityContext& ctx, const std::string&) {
        return "after " + ctx.last_heartbeat<std::string>().value_or("nothing");
    });
    Process& second = add(std::move(registry));
    pass(Policy().activity_lease);
    second.executor.finish(0);
    settle();
    EXPECT_EQ(output(run), "after half");
}

/// One that ends when it is asked to.
std::string obedient(ActivityContext& context, const std::string& input) {
    if (context.stop_requested()) throw Stopped(context.stop_reason());
    return "did " + input;
}

TEST_F(Timeouts, TheLastWordBeforeAShutdownIsNotLost) {
    Registry registry;
    registry.add(Main, one_step);
    registry.add(Work, obedient);
    Process& first = add(registry);
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
    Process& second = add(registry);
    settle();
    ASSERT_EQ(second.executor.count(), 1U);
    EXPECT_EQ(beats(second).last(), Payload::text("nearly all"));
}

TEST_F(Timeouts, AWordOnItsWayWhenItIsGivenBackIsNotLost) {
    Registry registry;
    registry.add(Main, one_step);
    registry.add(Work, obedient);
    Process& first = add(registry);
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

TEST_F(Timeouts, ALastWordThatCannotBeWrittenKeepsNobodyFromTakingIt) {
    for (const bool fails : {false, true}) {
        Registry registry;
        registry.add(Main, one_step);
        registry.add(Work, obedient);
        Process& first = add(registry);
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
        Process& second = add(registry_with(one_step));
        settle();
        ASSERT_EQ(second.executor.count(), 1U) << "it was given back all the same, at once";
        EXPECT_EQ(beats(second).last(), Payload::text("half"));
        second.executor.finish(0);
        settle();
        crash(second);
    }
}

TEST_F(Timeouts, TheLastWordOfOneThatDoesNotStopAtAShutdownIsWritten) {
    Process& first = add(registry_with(one_step));
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
    Process& second = add(registry_with(one_step));
    settle();
    EXPECT_EQ(second.executor.count(), 0U) << "as far as anybody knows, it still runs";
    pass(Policy().activity_lease);
    EXPECT_EQ(second.executor.count(), 1U);
}

TEST_F(Timeouts, TooLongAWordIsRefusedAndCountsAsLife) {
    terms.set = [](NewActivity& activity) { activity.heartbeat_timeout = 3s; };
    Registry registry;
    registry.add(Main, one_step);
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

TEST_F(Timeouts, ClientsSeeHowFarItIs) {
    Process& p = add(registry_with(one_step));
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
}  // namespace belay::runtime_tests::timeouts
