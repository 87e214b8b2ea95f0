// Patches in the middle of a deploy: processes from before and after it share the runs.
#include "world.hpp"

namespace belay::runtime_tests::patches {
namespace {

using namespace std::chrono_literals;

Orchestration<std::string> without(OrchestrationContext ctx, std::string input) {
    co_await ctx.wait<std::string>("go");
    co_return co_await ctx.call(Work, input);
}

Orchestration<std::string> patched(OrchestrationContext ctx, std::string input) {
    co_await ctx.wait<std::string>("go");
    if (ctx.patched("nap")) co_await ctx.timer(1h);
    co_return co_await ctx.call(Work, input);
}

Orchestration<std::string> retired(OrchestrationContext ctx, std::string input) {
    co_await ctx.wait<std::string>("go");
    ctx.retire_patch("nap");
    co_await ctx.timer(1h);
    co_return co_await ctx.call(Work, input);
}

Orchestration<std::string> removed(OrchestrationContext ctx, std::string input) {
    co_await ctx.wait<std::string>("go");
    co_await ctx.timer(1h);
    co_return co_await ctx.call(Work, input);
}

class Patches : public World {
protected:
    /// A run that `code` has taken behind the patch, in a process that is gone.
    InstanceName begun_with(Code code) {
        Process& p = process(registry_with(code));
        const auto run = start();
        settle();
        EXPECT_TRUE(client.raise(run, "go", Payload::text("now")).ok());
        settle();
        crash(p);
        return run;
    }
    /// Lets `code` have the run when it has something to do.
    Process& meets(Code code) {
        Process& p = process(registry_with(code));
        pass(1h);
        return p;
    }
};

TEST_F(Patches, AMarkThatTheCodeDoesNotKnowIsLeftToOthers) {
    const auto run = begun_with(patched);
    Process& old = meets(without);
    EXPECT_FALSE(info(run).held);
    EXPECT_EQ(old.runtime->counts().unregistered, 1U);
    crash(old);
    Process& fresh = process(registry_with(patched));
    pass(1min);
    EXPECT_EQ(fresh.executor.count(), 1U);
}

TEST_F(Patches, ARunBegunWhereThePatchIsRetiredGoesOnWithCodeThatAsksForIt) {
    const auto run = begun_with(retired);
    Process& between = meets(patched);
    EXPECT_EQ(between.runtime->counts().unregistered, 0U);
    EXPECT_EQ(between.executor.count(), 1U);
}

TEST_F(Patches, ItGoesOnWithCodeThatHasForgottenThePatch) {
    const auto run = begun_with(retired);
    Process& after = meets(removed);
    EXPECT_EQ(after.runtime->counts().unregistered, 0U);
    EXPECT_EQ(after.executor.count(), 1U);
}

TEST_F(Patches, ItIsLeftToOthersByCodeFromBeforeThePatch) {
    const auto run = begun_with(retired);
    Process& old = meets(without);
    EXPECT_EQ(old.runtime->counts().unregistered, 1U);
    EXPECT_FALSE(info(run).held);
}

TEST_F(Patches, ARunBegunWithoutAMarkIsLeftToOthersByCodeThatAsksForIt) {
    const auto run = begun_with(removed);
    Process& between = meets(patched);
    EXPECT_FALSE(info(run).held);
    crash(between);
    Process& last = process(registry_with(removed));
    pass(1min);
    EXPECT_EQ(last.executor.count(), 1U);
}

TEST_F(Patches, AnOldPathIsLeftToOthersByCodeThatHasItNoMore) {
    const auto run = begun_with(without);
    Process& last = process(registry_with(retired));
    // The lease of the activity that the old code scheduled runs out, and it is begun again.
    pass(Policy().activity_lease);
    ASSERT_EQ(last.executor.count(), 1U);
    last.executor.finish(0);
    settle();
    EXPECT_FALSE(info(run).held);
    crash(last);
    process(registry_with(patched));
    pass(1min);
    EXPECT_EQ(status(run), Status::completed);
}

TEST_F(Patches, ARunThatFitsNowhereIsHeldInTheEnd) {
    const auto run = begun_with(patched);
    Process& old = meets(without);
    for (Millis waited(0); waited < Policy().patch_patience; waited += 1min) {
        EXPECT_FALSE(info(run).held) << "after " << waited.count() << " ms";
        pass(1min);
    }
    pass(1min);
    ASSERT_TRUE(info(run).held);
    EXPECT_EQ(old.runtime->counts().held, 1U);
    EXPECT_NE(info(run).held_detail.find("history: PatchMarked nap"), std::string::npos)
        << info(run).held_detail;
}

TEST_F(Patches, AReleasedRunIsLeftToOthersAgain) {
    Policy policy;
    policy.patch_patience = 0ms;
    const auto run = begun_with(patched);
    Process& hasty = process(registry_with(without), RuntimeOptions().policy(policy));
    pass(1h);
    ASSERT_TRUE(info(run).held) << "without patience it is held at once";
    crash(hasty);
    process(registry_with(without));
    ASSERT_TRUE(client.release(run).ok());
    settle();
    EXPECT_FALSE(info(run).held);
    pass(Policy().patch_patience - 1min);
    EXPECT_FALSE(info(run).held);
}

TEST_F(Patches, TheNumberOfMismatchesDoesNotMatter) {
    const auto run = begun_with(patched);
    // Nine of ten processes are old.
    for (int i = 0; i < 9; ++i) process(registry_with(without));
    pass(1h);
    for (int i = 0; i < 20; ++i) pass(1min);
    EXPECT_GT(info(run).unregistered, 8U);
    EXPECT_FALSE(info(run).held);
}

TEST_F(Patches, ATurnEndsTheTimeThatItFittedNobody) {
    const auto run = begun_with(patched);
    Process& old = meets(without);
    pass(20min);
    ASSERT_TRUE(info(run).code_missing_since);
    crash(old);
    Process& fresh = process(registry_with(patched));
    pass(1min);
    ASSERT_EQ(fresh.executor.count(), 1U) << "it has taken a turn";
    EXPECT_FALSE(info(run).code_missing_since);
    crash(fresh);
    process(registry_with(without));
    ASSERT_TRUE(client.raise(run, "more", Payload::text("now")).ok());
    settle();
    ASSERT_TRUE(info(run).code_missing_since);
    pass(20min);
    EXPECT_FALSE(info(run).held) << "forty minutes in all, but only twenty in a row";
    for (int i = 0; i < 11; ++i) pass(1min);
    EXPECT_TRUE(info(run).held);
}

TEST_F(Patches, ACanceledRunIsLeftToOthersToo) {
    const auto run = begun_with(patched);
    Process& old = process(registry_with(without));
    ASSERT_TRUE(client.cancel(run, CancelOptions()).ok());
    settle();
    EXPECT_EQ(status(run), Status::canceling);
    crash(old);
    process(registry_with(patched));
    pass(1min);
    EXPECT_EQ(status(run), Status::canceled);
    EXPECT_EQ(client.outcome(run)->cleanup, Cleanup::done);
}

}  // namespace
}  // namespace belay::runtime_tests::patches
