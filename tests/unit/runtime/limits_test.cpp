// Limits are inputs of replay: what happens when two processes do not have the same, and what keeps
// outsiders from running a run into one.
#include "world.hpp"

#include <string>

namespace belay::runtime_tests::limits {
namespace {

/// Two at once if it may, else one after the other.
Orchestration<std::string> as_many_as_allowed(OrchestrationContext ctx, std::string) {
    Future<std::string> first = ctx.start(ctx.call(Work, "first"));
    std::string second = "none";
    try {
        Future<std::string> more = ctx.start(ctx.call(Work, "second"));
        second = co_await more;
    } catch (const LimitExceeded&) {
        second = "refused";
    }
    co_return co_await first + ", " + second;
}

Orchestration<std::string> collects_when_told(OrchestrationContext ctx, std::string) {
    co_await ctx.wait<std::string>("go");
    std::string got;
    for (int i = 0; i < 3; ++i) got += co_await ctx.receive<std::string>("mail");
    co_return got;
}

RuntimeOptions with(const Limits& limits) { return RuntimeOptions().limits(limits); }

using DifferentLimits = World;

TEST_F(DifferentLimits, HoldTheRunAndCorruptNothing) {
    Limits strict;
    strict.open_commands = 1;
    Process& a = process(registry_with(as_many_as_allowed), with(strict));
    const auto run = start();
    settle();
    ASSERT_EQ(queue().size(), 1U) << "the second was refused, and history goes on without it";
    const EventNo position = info(run).position;
    a.executor.finish(0);
    crash(a);

    Process& b = process(registry_with(as_many_as_allowed));
    pass(Policy().activity_lease);
    b.executor.finish(0);
    settle();
    EXPECT_TRUE(info(run).held) << "with more room the same code decides otherwise";
    EXPECT_NE(info(run).held_detail.find("history and code disagree"), std::string::npos);
    EXPECT_EQ(info(run).position, position) << "nothing was written on top of it";
    crash(b);

    process(registry_with(as_many_as_allowed), with(strict));
    ASSERT_TRUE(client.release(run).ok());
    settle();
    EXPECT_EQ(status(run), Status::completed) << "it goes on where the limits are as they were";
    EXPECT_EQ(info(run).outcome->output.bytes, "did first, refused");
}

using Buffer = World;

TEST_F(Buffer, OutsidersCannotFillItUntilTheRunFails) {
    Limits limits;
    limits.buffered_messages = 3;
    process(registry_with(collects_when_told), with(limits));
    const auto run = start();
    settle();
    for (const char* mail : {"a", "b", "c"}) {
        ASSERT_TRUE(client.enqueue(run, "mail", Payload::text(mail)).ok());
        settle();
    }
    const auto refused = client.enqueue(run, "mail", Payload::text("d"));
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code(), Errc::limit_exceeded);
    EXPECT_NE(refused.error().message().find("not received"), std::string::npos);
    EXPECT_EQ(status(run), Status::running) << "the sender was refused, not the run harmed";
}

}  // namespace
}  // namespace belay::runtime_tests::limits
