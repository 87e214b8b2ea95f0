// Messages that came before a turn, and code that asks for them without waiting.
#include "world.hpp"
#include <belay/store/operations.hpp>

namespace belay::runtime_tests::messages {
namespace {

using namespace std::chrono_literals;

std::string drained(const OrchestrationContext& ctx) {
    std::string all;
    while (const auto message = ctx.try_receive<std::string>("mail")) all += *message;
    return all;
}

Orchestration<std::string> drains(OrchestrationContext ctx, std::string /*input*/) {
    co_return drained(ctx);
}

Orchestration<std::string> receives_and_drains(OrchestrationContext ctx, std::string /*input*/) {
    std::string all = co_await ctx.receive<std::string>("mail");
    all += drained(ctx);
    co_return all;
}

Orchestration<std::string> counts(OrchestrationContext ctx, std::string /*input*/) {
    const std::size_t before = ctx.queue_depth("mail");
    const std::string all = drained(ctx);
    co_return std::to_string(before) + all + std::to_string(ctx.queue_depth("mail"));
}

Orchestration<std::string> looks_once_more(OrchestrationContext ctx, std::string /*input*/) {
    const auto first = co_await ctx.select(ctx.wait<std::string>("vote"), ctx.timer(1h));
    if (first.index() == 0) co_return "in time: " + std::get<0>(first);
    const auto late = ctx.try_wait<std::string>("vote");
    co_return late ? "late: " + *late : "nobody voted";
}

Orchestration<std::string> drains_and_waits(OrchestrationContext ctx, std::string /*input*/) {
    const std::string all = drained(ctx);
    co_await ctx.wait<std::string>("go");
    co_return all + drained(ctx);
}

Orchestration<std::string> one_for_each_execution(OrchestrationContext ctx, std::string before) {
    const auto message = ctx.try_receive<std::string>("mail");
    if (message) co_await ctx.continue_as_new(Main, before + *message);
    co_return before;
}

Orchestration<std::string> asks_while_another_waits(OrchestrationContext ctx,
                                                    std::string /*input*/) {
    auto waiting = ctx.start(ctx.receive<std::string>("mail"));
    co_await ctx.wait<std::string>("go");
    const std::string asked = drained(ctx);
    const std::string waited = co_await std::move(waiting);
    co_return "asked " + asked + ", waited " + waited + ", left " + drained(ctx);
}

class Messages : public World {
protected:
    void send(const InstanceName& run, const std::string& texts) {
        for (const char text : texts) {
            ASSERT_TRUE(client.enqueue(run, "mail", std::string(1, text)).ok());
        }
    }
    /// Its result from messages that all came before its first turn.
    std::string output_of(Code code, const std::string& texts) {
        const auto run = start();
        send(run, texts);
        process(registry_with(code));
        settle();
        return output(run);
    }
    std::string output(const InstanceName& run) {
        EXPECT_EQ(status(run), Status::completed);
        return info(run).outcome ? info(run).outcome->output.bytes : "none";
    }
};

TEST_F(Messages, AMessageBeforeTheFirstTurnIsThereForItsReader) {
    EXPECT_EQ(output_of(drains, "abc"), "abc");
}

TEST_F(Messages, AMessageThatCameWithTheAwaitedOneIsThere) {
    EXPECT_EQ(output_of(receives_and_drains, "abc"), "abc");
}

TEST_F(Messages, TheyAreCounted) { EXPECT_EQ(output_of(counts, "abc"), "3abc0"); }

TEST_F(Messages, AMessageBetweenTheDeadlineAndTheTurnIsThere) {
    const auto run = start();
    Process& first = process(registry_with(looks_once_more));
    settle();
    crash(first);
    clock.advance(1h);
    ASSERT_TRUE(client.raise(run, "vote", "yes").ok());
    process(registry_with(looks_once_more));
    settle();
    EXPECT_EQ(output(run), "late: yes");
}

TEST_F(Messages, AReplaySeesTheSame) {
    const auto run = start();
    send(run, "abc");
    Process& first = process(registry_with(drains_and_waits));
    settle();
    crash(first);
    send(run, "de");
    ASSERT_TRUE(client.raise(run, "go", "now").ok());
    process(registry_with(drains_and_waits));
    settle();
    EXPECT_EQ(output(run), "abcde");
}

TEST_F(Messages, AnUnwantedMessageIsForTheNextExecution) {
    EXPECT_EQ(output_of(one_for_each_execution, "abc"), "xabc") << "x is its input";
}

TEST_F(Messages, AWaitingReceiverIsFirst) {
    const auto run = start();
    Process& first = process(registry_with(asks_while_another_waits));
    settle();
    crash(first);
    ASSERT_TRUE(client.raise(run, "go", "now").ok());
    send(run, "abc");
    process(registry_with(asks_while_another_waits));
    settle();
    EXPECT_EQ(output(run), "asked , waited a, left bc");
}

TEST_F(Messages, TheCleanupOfACanceledRunSeesWhatCameAfterTheCancel) {
    const auto code = [](OrchestrationContext ctx, std::string) -> Orchestration<std::string> {
        try {
            co_await ctx.timer(1h);
        } catch (const Canceled&) {
            ctx.set_custom_status("left: " + drained(ctx));
            throw;
        }
        co_return "";
    };
    const auto run = start();
    Process& first = process(registry_with(code));
    settle();
    crash(first);
    send(run, "a");
    ASSERT_TRUE(client.cancel(run).ok());
    send(run, "b");
    process(registry_with(code));
    settle();
    EXPECT_EQ(status(run), Status::canceled);
    EXPECT_EQ(info(run).custom_status->bytes, "left: ab");
}

Orchestration<std::string> asks_under_a_shield(OrchestrationContext ctx, std::string /*input*/) {
    const auto shield = ctx.shield(24h);
    auto work = ctx.start(ctx.call(Work, "slow"));
    co_await ctx.wait<std::string>("go");
    const std::string mail = drained(ctx);
    if (!mail.empty()) ctx.set_custom_status(mail);
    co_await std::move(work);
    co_return "";
}

TEST_F(Messages, AfterTheCancelWasSeenNothingCameBeforeIt) {
    const auto run = start();
    Process& first = process(registry_with(asks_under_a_shield));
    settle();
    Send late = op::raise(run, "go", Payload::text("now"));
    late.delay = 1h;
    Transition transition;
    transition.commit = CommitId{1, 2};
    transition.parts.emplace_back(late);
    inner->commit({transition}, [](const auto& answers) { EXPECT_TRUE(answers->front().done()); });
    ASSERT_TRUE(client.cancel(run, CancelOptions().deadline(24h)).ok());
    settle();
    ASSERT_EQ(status(run), Status::canceling);
    crash(first);
    clock.advance(1h);
    send(run, "a");
    Process& second = process(registry_with(asks_under_a_shield));
    settle();
    ASSERT_TRUE(info(run).custom_status);
    EXPECT_EQ(info(run).custom_status->bytes, "a");
    ASSERT_EQ(second.executor.count(), 1U);
    crash(second);
    Process& third = process(registry_with(asks_under_a_shield));
    pass(1min);
    ASSERT_EQ(third.executor.count(), 1U);
    third.executor.finish(0);
    settle();
    EXPECT_EQ(status(run), Status::canceled);
    EXPECT_EQ(client.outcome(run)->cleanup, Cleanup::done) << "a replay sees the same";
}

Orchestration<std::string> counts_and_continues(OrchestrationContext ctx, std::string input) {
    if (input == "x") {
        (void)ctx.queue_depth("mail");
        co_await ctx.continue_as_new(Main, std::string("again"));
    }
    co_return drained(ctx);
}

TEST_F(Messages, AreAsManyAsTheirQueueSaysThoughTheBufferIsSmaller) {
    const auto run = start();
    send(run, "abc");
    Limits limits;
    limits.buffered_messages = 2;
    process(registry_with(counts), RuntimeOptions().limits(limits));
    settle();
    EXPECT_EQ(output(run), "3abc0");
}

Orchestration<std::string> counts_and_waits(OrchestrationContext ctx, std::string /*input*/) {
    (void)ctx.queue_depth("mail");
    co_await ctx.timer(Millis(1'000));
    co_return drained(ctx);
}

TEST_F(Messages, CountingThemMakesNoRoom) {
    const auto run = start();
    send(run, "abc");
    Limits limits;
    limits.buffered_messages = 2;
    process(registry_with(counts_and_waits), RuntimeOptions().limits(limits));
    settle();
    ASSERT_EQ(status(run), Status::failed);
    EXPECT_EQ(client.outcome(run)->failure.message,
              "the orchestration was ended: more than 2 messages came that nobody received");
}

TEST_F(Messages, MessagesWithoutRoomAreLeftToTheNextExecution) {
    const auto run = start();
    send(run, "abc");
    Limits limits;
    limits.buffered_messages = 2;
    process(registry_with(counts_and_continues), RuntimeOptions().limits(limits));
    settle();
    EXPECT_EQ(output(run), "abc");
}

}  // namespace
}  // namespace belay::runtime_tests::messages
