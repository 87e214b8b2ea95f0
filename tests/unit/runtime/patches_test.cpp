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

TEST_F(Patches, ARunBegunWithoutAMarkIsLeftToOthersByCodeThatAsksForIt) {
    const auto run = begun_with(retired);
    Process& between = meets(patched);
    EXPECT_FALSE(info(run).held);
    crash(between);
    Process& last = process(registry_with(retired));
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

TEST_F(Patches, WhatFitsNowhereIsHeldInTheEnd) {
    const auto run = begun_with(patched);
    Process& old = meets(without);
    for (std::uint32_t i = 1; i < Policy().patch_tries; ++i) {
        EXPECT_FALSE(info(run).held) << "try " << i;
        pass(1min);
    }
    pass(1min);
    EXPECT_TRUE(info(run).held);
    EXPECT_EQ(old.runtime->counts().held, 1U);
    EXPECT_NE(info(run).held_detail.find("history: PatchMarked nap"), std::string::npos)
        << info(run).held_detail;
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
