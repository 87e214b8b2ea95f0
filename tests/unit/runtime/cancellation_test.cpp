// Cancellation when nobody is told of it: the worker that runs the activity and the one that
// decides are two processes, and only the renewal of the lease says that it is gone.
#include "support/warnings.hpp"
#include "world.hpp"

#include <algorithm>
#include <ranges>
#include <stdexcept>

namespace belay::runtime_tests::cancellation {
namespace {

using namespace std::chrono_literals;

/// Leaves its activity running and goes on as it is told.
Orchestration<std::string> leaves_it(OrchestrationContext ctx, std::string input) {
    if (input == "again") co_return "second execution";
    Future<std::string> work = ctx.start(ctx.call(Work, input));
    const auto how = co_await ctx.wait<std::string>("go on");
    if (how == "throw") throw std::runtime_error("no luck");
    if (how == "continue") co_await ctx.continue_as_new(Main, std::string("again"));
    if (how == "drop") {
        {
            const Future<std::string> dropped = std::move(work);
        }
        co_return co_await ctx.wait<std::string>("end");
    }
    co_return how;
}

Orchestration<std::string> sixty_steps(OrchestrationContext ctx, std::string input) {
    std::vector<Call<std::string>> calls;
    for (int i = 0; i < 60; ++i) calls.push_back(ctx.call(Work, input));
    const auto all = co_await ctx.join(std::move(calls));
    co_return all.front();
}

/// Two processes that hear nothing from the store: one decides, the other one works.
class Untold : public World {
protected:
    void open(Code code, std::uint32_t slots) {
        store.tell_nobody();
        Registry decisions;
        decisions.add(Main, code);
        process(std::move(decisions), RuntimeOptions().worker("decides").activity_slots(0));
        works_here = &process(
            activities_only(),
            RuntimeOptions().worker("works").activity_slots(slots).events(
                support::warnings([this](const std::string& line) { logged.push_back(line); })));
        settle();
    }
    ScriptedExecutor& executor() { return works_here->executor; }
    /// Until the worker has begun all that it has room for.
    void begin(const InstanceName& run) {
        ASSERT_EQ(status(run), Status::pending);
        for (int polls = 0; polls < 3 && executor().count() == 0; ++polls) {
            pass(Policy().poll_interval);
        }
        ASSERT_GT(executor().count(), 0U);
        begun_at = clock.monotonic();
    }
    void resume(const InstanceName& run, const std::string& how) {
        ASSERT_TRUE(client.raise(run, "go on", Payload::text(how)).ok());
        pass(Policy().poll_interval);
    }
    /// To the moment before the leases are renewed, and then to it.
    void to_just_before_renewal() { pass(renewal() - 1ms - clock.monotonic()); }
    void renew() { pass(1ms); }
    [[nodiscard]] Millis renewal() const {
        return begun_at + Policy().activity_lease - Policy().renewal_buffer;
    }
    /// Acknowledgements that were sent; those with a completion among them.
    [[nodiscard]] long acks(bool with_completion) const {
        return std::ranges::count_if(store.sent(), [&](const Transition& transition) {
            const auto* ack = std::get_if<AckActivity>(&transition.parts.front());
            return ack != nullptr && ack->completion.has_value() == with_completion;
        });
    }
    void expect_nothing_stopped() {
        for (std::size_t i = 0; i < executor().count(); ++i) {
            EXPECT_EQ(executor().at(i).stopped, StopReason::none);
        }
    }
    /// The row went with the decision; the handler learns it from its renewal, and not before.
    void expect_stop_at_the_renewal() {
        EXPECT_TRUE(queue().empty());
        ASSERT_EQ(stopping(), 1U);
        to_just_before_renewal();
        expect_nothing_stopped();
        renew();
        EXPECT_EQ(executor().at(0).stopped, StopReason::canceled);
        executor().finish(0);
        settle();
        EXPECT_EQ(stopping(), 0U);
        EXPECT_EQ(acks(true), 0);
        EXPECT_EQ(acks(false), 1);
        EXPECT_TRUE(logged.empty());
    }

    Process* works_here = nullptr;
    Millis begun_at{0};
    std::vector<std::string> logged;
};

TEST_F(Untold, ACancelIsSeenAtTheNextRenewal) {
    open(leaves_it, 1);
    const auto run = start();
    begin(run);
    EXPECT_FALSE(executor().at(0).task->stop_requested()) << "nothing was asked of it yet";
    ASSERT_TRUE(client.cancel(run).ok());
    pass(Policy().poll_interval);
    EXPECT_EQ(status(run), Status::canceled) << "it does not wait for the handler";
    expect_stop_at_the_renewal();
    EXPECT_TRUE(info(run).settled);
}

TEST_F(Untold, TheEndOfTheRunIsSeenAtTheNextRenewal) {
    open(leaves_it, 1);
    const auto run = start();
    begin(run);
    resume(run, "enough");
    EXPECT_EQ(status(run), Status::completed);
    EXPECT_EQ(info(run).outcome->output.bytes, "enough");
    expect_stop_at_the_renewal();
}

TEST_F(Untold, TheFailureOfTheRunIsSeenAtTheNextRenewal) {
    open(leaves_it, 1);
    const auto run = start();
    begin(run);
    resume(run, "throw");
    EXPECT_EQ(status(run), Status::failed);
    EXPECT_EQ(info(run).outcome->failure.message, "no luck");
    expect_stop_at_the_renewal();
}

TEST_F(Untold, TheEndOfAnExecutionIsSeenAtTheNextRenewal) {
    open(leaves_it, 1);
    const auto run = start();
    begin(run);
    resume(run, "continue");
    EXPECT_EQ(info(run).execution, 2U);
    expect_stop_at_the_renewal();
    EXPECT_EQ(info(run).outcome->output.bytes, "second execution");
}

TEST_F(Untold, ADroppedFutureIsSeenAtTheNextRenewalAndTheRunGoesOn) {
    open(leaves_it, 1);
    const auto run = start();
    begin(run);
    resume(run, "drop");
    EXPECT_EQ(status(run), Status::running);
    expect_stop_at_the_renewal();
    ASSERT_TRUE(client.raise(run, "end", Payload::text("done")).ok());
    pass(Policy().poll_interval);
    EXPECT_EQ(info(run).outcome->output.bytes, "done");
}

TEST_F(Untold, DeletionIsSeenAtTheNextRenewal) {
    open(leaves_it, 1);
    const auto run = start();
    begin(run);
    ASSERT_TRUE(client.delete_instance(run, true).ok());
    EXPECT_TRUE(queue().empty());
    to_just_before_renewal();
    expect_nothing_stopped();
    renew();
    EXPECT_TRUE(executor().at(0).task->stop_requested());
    executor().finish(0);
    settle();
    EXPECT_EQ(acks(true), 0);
    EXPECT_EQ(client.inspect(run).error().code(), Errc::not_found);
    EXPECT_TRUE(works_here->runtime->idle());
}

TEST_F(Untold, ACancelOfSixtyIsOneCommitAndEachRenewalIsRefused) {
    constexpr std::uint32_t kSlots = 40;
    open(sixty_steps, kSlots);
    const auto run = start();
    begin(run);
    ASSERT_EQ(executor().count(), kSlots);
    ASSERT_EQ(queue().size(), 60U);

    const std::size_t sent = store.sent().size();
    ASSERT_TRUE(client.cancel(run).ok());
    EXPECT_EQ(store.sent().size(), sent + 1) << "one transition, and so one commit";
    EXPECT_TRUE(queue().empty()) << "those that ran and those that waited";
    EXPECT_EQ(stopping(), kSlots);
    expect_nothing_stopped();

    to_just_before_renewal();
    expect_nothing_stopped();
    renew();
    EXPECT_EQ(works_here->runtime->counts().renewals, 0U) << "all were refused";
    for (std::size_t i = 0; i < kSlots; ++i) {
        EXPECT_EQ(executor().at(i).stopped, StopReason::canceled);
        executor().finish(i);
    }
    settle();
    EXPECT_EQ(acks(true), 0) << "no completion was sent";
    EXPECT_EQ(acks(false), kSlots);
    EXPECT_EQ(works, kSlots) << "those that waited never began";
    EXPECT_EQ(executor().count(), kSlots);
    EXPECT_EQ(info(run).ready_messages, 0U);
    EXPECT_EQ(status(run), Status::canceled);
    EXPECT_TRUE(info(run).settled);
}

TEST_F(Untold, ACanceledHandlerThatIgnoresItsRenewalIsEndedByForceAndDropped) {
    open(leaves_it, 1);
    executor().forcing = true;
    const auto run = start();
    begin(run);
    ASSERT_TRUE(client.cancel(run).ok());
    to_just_before_renewal();
    renew();
    ASSERT_EQ(executor().at(0).stopped, StopReason::canceled);
    pass(Policy().grace - 1ms);
    EXPECT_FALSE(executor().at(0).aborted);
    pass(1ms);
    EXPECT_TRUE(executor().at(0).aborted);
    ASSERT_EQ(logged.size(), 1U);
    EXPECT_NE(logged[0].find("did not stop within its grace period"), std::string::npos);
    executor().finish(0);
    settle();
    EXPECT_EQ(acks(true), 0);
    EXPECT_EQ(acks(false), 1);
    EXPECT_EQ(stopping(), 0U);
    EXPECT_TRUE(info(run).settled);
}

class Renewal : public World {
protected:
    Process& p = process(registry_with(one_step),
                         RuntimeOptions().activity_slots(1).events(support::warnings(
                             [this](const std::string& line) { logged.push_back(line); })));
    std::vector<std::string> logged;

    [[nodiscard]] bool acked() const {
        return std::ranges::any_of(store.sent(), [](const Transition& transition) {
            return std::ranges::any_of(transition.parts, [](const Part& part) {
                return std::holds_alternative<AckActivity>(part);
            });
        });
    }
};

TEST_F(Renewal, RefusedForGoodStopsTheHandlerAndAbandonsIt) {
    const auto run = start("i1");
    settle();
    store.refuse_commit_of<RenewActivity>(Errc::lease_lost, "another worker has it");
    pass(Policy().activity_lease - Policy().renewal_buffer);
    EXPECT_EQ(p.executor.at(0).stopped, StopReason::lease_lost);
    EXPECT_FALSE(p.executor.at(0).aborted) << "it has its grace period";
    pass(Policy().grace);
    EXPECT_TRUE(p.executor.at(0).aborted);
    EXPECT_EQ(p.runtime->counts().abandoned, 1U);
    ASSERT_EQ(logged.size(), 2U);
    EXPECT_NE(logged[0].find("the lease of activity Work of 'i1' was lost"), std::string::npos);
    EXPECT_NE(logged[1].find("did not stop within its grace period and is abandoned (lease lost)"),
              std::string::npos);
    p.executor.finish(0);
    settle();
    EXPECT_FALSE(acked()) << "the row is another worker's: neither completed nor dropped";

    ASSERT_EQ(p.executor.count(), 2U) << "its lease expired meanwhile, and nobody had it after all";
    EXPECT_EQ(p.executor.at(1).task->details().attempt, 2U);
    p.executor.finish(1);
    settle();
    EXPECT_EQ(status(run), Status::completed);
    EXPECT_EQ(p.runtime->counts().activities_completed, 1U);
}

TEST_F(Renewal, AStoreThatNeverWritesStopsTheHandlerWhileItsLeaseLasts) {
    start("i1");
    settle();
    store.fail_commit_of<RenewActivity>(Fault::never_possible);
    pass(Policy().activity_lease - Policy().renewal_buffer);
    EXPECT_EQ(p.executor.at(0).stopped, StopReason::lease_lost);
    EXPECT_EQ(p.runtime->counts().leases_lost, 1U);
}

TEST_F(Renewal, RenewalOfATurnEndsWithItsLimit) {
    Process& q = process(registry_with(one_step), RuntimeOptions().share_commits(false));
    crash(p);
    store.hold_commit_of<Turn>();
    const auto run = start("i1");
    settle();
    Process& r = process(registry_with(one_step), RuntimeOptions().share_commits(false));
    const Policy policy;
    const Millis step = policy.renewal_buffer / 2;
    for (Millis passed{0}; passed < policy.turn_limit; passed += step) {
        EXPECT_EQ(status(run), Status::pending) << "after " << passed.count() << " ms";
        pass(step);
    }
    EXPECT_GT(q.runtime->counts().renewals, 0U);
    pass(policy.turn_lease);
    EXPECT_EQ(status(run), Status::running) << "its lock has expired, and it was claimed again";
    store.release();
    settle();
    EXPECT_EQ(r.executor.count() + q.executor.count(), 1U) << "the first turn came too late";
}

}  // namespace
}  // namespace belay::runtime_tests::cancellation
