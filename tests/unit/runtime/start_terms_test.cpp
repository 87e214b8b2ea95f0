// What a start says beyond its input, and code that needs no cleanup: through workers and clients.
#include "world.hpp"
#include <belay/exceptions.hpp>
#include <belay/pause.hpp>

#include <optional>

namespace belay::runtime_tests::start_terms {
namespace {

using namespace std::chrono_literals;

class StartTerms : public World {
protected:
    /// Starts in the process of a worker: the first turn may share the commit.
    std::optional<Result<StartResult>> start_here(Process& process,
                                                  const std::string& id,
                                                  StartOptions options) {
        Client here(process.runtime->store(), clock);
        std::optional<Result<StartResult>> answer;
        here.start(std::string(Main.name()),
                   detail::encode_arguments<std::string>("x"),
                   options.id(id),
                   [&](Result<StartResult> started) { answer = std::move(started); });
        settle();
        return answer;
    }
    Outcome outcome(const InstanceName& name) {
        auto found = client.outcome(name);
        EXPECT_TRUE(found.ok());
        return found.ok() ? *found : Outcome{};
    }
};

int seen_cancels = 0;

Orchestration<std::string> counts_cancels(OrchestrationContext ctx, std::string input) {
    if (input == "clean") ctx.nothing_to_clean_up();
    try {
        co_return co_await ctx.call(Work, input);
    } catch (const Canceled&) {
        ++seen_cancels;
        throw;
    }
}

TEST_F(StartTerms, CodeThatNeedsNoCleanupIsNotAskedToCleanUp) {
    seen_cancels = 0;
    process(registry_with(counts_cancels), RuntimeOptions().activity_slots(0));
    const InstanceName clean = start("clean", "clean");
    const InstanceName other = start("other", "other");
    settle();
    const auto canceled = client.cancel(clean, CancelOptions().reason("enough"));
    ASSERT_TRUE(canceled.ok());
    EXPECT_EQ(canceled->instance.status, Status::canceled);
    const auto canceling = client.cancel(other);
    ASSERT_TRUE(canceling.ok());
    EXPECT_EQ(canceling->instance.status, Status::canceling);
    settle();
    EXPECT_EQ(status(clean), Status::canceled);
    EXPECT_EQ(outcome(clean).cleanup, Cleanup::not_needed);
    EXPECT_EQ(status(other), Status::canceled);
    EXPECT_EQ(outcome(other).cleanup, Cleanup::done);
    EXPECT_EQ(seen_cancels, 1) << "only the code of the other one is asked";
}

TEST_F(StartTerms, RunWithoutCleanupIsSettledWhenItsHandlerHasEnded) {
    Process& p = process(registry_with(counts_cancels));
    const InstanceName clean = start("clean", "clean");
    settle();
    ASSERT_EQ(p.executor.count(), 1U);
    ASSERT_TRUE(client.cancel(clean).ok());
    EXPECT_EQ(status(clean), Status::canceled);
    EXPECT_FALSE(info(clean).settled);
    settle();
    p.executor.finish(0);
    settle();
    EXPECT_TRUE(info(clean).settled);
}

TEST_F(StartTerms, RunThatNobodyBeginsInTimeExpires) {
    ASSERT_TRUE(client.start(Main, StartOptions().id("late").expires(10s), "x").ok());
    clock.advance(11s);
    Process& p = process(registry_with(one_step));
    settle();
    EXPECT_EQ(p.executor.count(), 0U) << "none of its code has run";
    const Outcome ended = outcome({"default", "late"});
    EXPECT_EQ(ended.status, Status::canceled);
    EXPECT_EQ(ended.cancel.source, CancelSource::policy);
}

Orchestration<std::string> waits_for_ever(OrchestrationContext ctx, std::string) {
    co_return co_await ctx.wait<std::string>("never");
}

TEST_F(StartTerms, RunThatDoesNotEndInTimeFails) {
    process(registry_with(waits_for_ever));
    ASSERT_TRUE(client.start(Main, StartOptions().id("slow").deadline(1min), "x").ok());
    settle();
    EXPECT_EQ(status({"default", "slow"}), Status::running);
    pass(2min);
    const Outcome ended = outcome({"default", "slow"});
    EXPECT_EQ(ended.status, Status::failed);
    EXPECT_EQ(ended.failure.kind, FailureKind::timeout);
}

TEST_F(StartTerms, RunsOfAKeyTakeTheirTurnsOneAfterTheOther) {
    Process& p = process(registry_with(one_step), RuntimeOptions().activity_slots(4));
    const auto queued = StartOptions().concurrency("city", WhenBusy::queue);
    for (const char* id : {"a", "b"}) {
        const auto started = start_here(p, id, queued);
        ASSERT_TRUE(started && started->ok()) << id;
        EXPECT_TRUE((*started)->created);
    }
    EXPECT_EQ(p.executor.count(), 1U);
    EXPECT_TRUE(info({"default", "b"}).in_line);
    const auto refused = start_here(p, "c", StartOptions().concurrency("city"));
    ASSERT_TRUE(refused && !refused->ok());
    EXPECT_EQ(refused->error().code(), Errc::concurrency_busy);
    EXPECT_NE(refused->error().message().find("'a'"), std::string::npos);
    p.executor.finish(0);
    settle();
    EXPECT_EQ(status({"default", "a"}), Status::completed);
    EXPECT_EQ(p.executor.count(), 2U);
    p.executor.finish(1);
    settle();
    EXPECT_EQ(status({"default", "b"}), Status::completed);
}

TEST_F(StartTerms, RunOfAPausedDefinitionIsStartedAndWaits) {
    Process& p = process(registry_with(one_step));
    ASSERT_TRUE(client.pause(PauseKind::definition, "Main", "deploy").or_throw());
    const auto started = start_here(p, "a", StartOptions());
    ASSERT_TRUE(started && started->ok()) << "a pause refuses no start";
    EXPECT_EQ(p.executor.count(), 0U);
    EXPECT_EQ(status({"default", "a"}), Status::pending);
    ASSERT_TRUE(client.resume(PauseKind::definition, "Main").or_throw());
    settle();
    EXPECT_EQ(p.executor.count(), 1U);
}

TEST_F(StartTerms, ResultThatComesDuringAPauseIsKept) {
    Process& p = process(registry_with(one_step));
    start("a");
    settle();
    ASSERT_EQ(p.executor.count(), 1U);
    ASSERT_TRUE(client.pause(PauseKind::definition, "Main").ok());
    p.executor.finish(0);
    settle();
    EXPECT_EQ(status({"default", "a"}), Status::running);
    ASSERT_TRUE(client.resume(PauseKind::definition, "Main").ok());
    settle();
    EXPECT_EQ(status({"default", "a"}), Status::completed);
    EXPECT_EQ(works, 1);
}

TEST_F(StartTerms, ActivityOfAPausedQueueBeginsWhenItIsResumed) {
    Process& p = process(registry_with(one_step));
    ASSERT_TRUE(client.pause(PauseKind::queue, "").ok());
    start("a");
    settle();
    EXPECT_EQ(p.executor.count(), 0U);
    EXPECT_EQ(client.queue_depths().or_throw().pauses.size(), 1U);
    ASSERT_TRUE(client.resume(PauseKind::queue, "").ok());
    settle();
    EXPECT_EQ(p.executor.count(), 1U);
}

}  // namespace
}  // namespace belay::runtime_tests::start_terms
