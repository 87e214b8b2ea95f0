// Rollback: compensations that run when a run fails or is canceled.
#include "unit/replay/harness.hpp"

#include <stdexcept>

namespace belay::replay::rollback_tests {
namespace {

using ::testing::HasSubstr;

Orchestration<std::string> saga(OrchestrationContext ctx) {
    const std::string a = co_await ctx.call(Work, "a");
    ctx.on_rollback(Undo, a);
    const std::string b = co_await ctx.call(Work, "b");
    ctx.on_rollback(Undo, b);
    ctx.on_rollback(Charge, 7, "back");
    co_return co_await ctx.call(Work, "c");
}

TEST(Rollback, DoesNotRunOnSuccess) {
    Scenario s(saga);
    s.start().complete(1, "A").complete(2, "B").skip();
    s.complete(3, "C").expect({"completed \"C\""});
}

TEST(Rollback, RunsInReverseOrderOneAtATimeOnFailure) {
    Scenario s(saga);
    s.start().complete(1, "A").complete(2, "B").skip();
    s.fail(3, "broken").expect({"call #4 Charge (7, \"back\") shielded"});
    s.complete(4, "ok").expect({"call #5 Undo \"B\" shielded"});
    s.complete(5).expect({"call #6 Undo \"A\" shielded"});
    s.complete(6).expect({"failed application: broken"});
    EXPECT_EQ(s.failure().detail, "");
}

TEST(Rollback, RunsOnCancel) {
    Scenario s(saga);
    s.start().complete(1, "A").skip();
    s.cancel("stop").expect({"cancel #2", "call #3 Undo \"A\" shielded"});
    s.complete(3).expect({"canceled by user: stop, cleanup done"});
}

TEST(Rollback, OnlyWhatWasRegisteredRuns) {
    Scenario s(saga);
    s.start().skip().fail(1, "broken").expect({"failed application: broken"});
}

TEST(Rollback, AFailingCompensationIsRecordedAndTheNextOneRuns) {
    Scenario s(saga);
    s.start().complete(1, "A").complete(2, "B").fail(3, "broken").skip();
    s.fail(4, "no refund").expect({"call #5 Undo \"B\" shielded"});
    s.complete(5)
        .fail(6, "no undo")
        .expect({"call #6 Undo \"A\" shielded", "failed application: broken"});
    EXPECT_THAT(s.failure().detail,
                HasSubstr("compensation failed: Charge: no refund; Undo: no undo"));
}

TEST(Rollback, AFailingCompensationOfACanceledRunIsItsCleanupDetail) {
    Scenario s(saga);
    s.start().complete(1, "A").cancel("stop").skip().fail(3, "no undo");
    s.expect({"canceled by user: stop, cleanup failed"});
    EXPECT_EQ(s.outcome().cleanup_detail, "Undo: no undo");
}

TEST(Rollback, GoesOnWhenACancelComesMeanwhile) {
    Scenario s(saga);
    s.start().complete(1, "A").complete(2, "B").fail(3, "broken").skip();
    s.cancel("stop").expect({});
    s.complete(4, "").complete(5).skip().complete(6);
    s.expect({"canceled by user: stop, cleanup done"});
    EXPECT_EQ(s.outcome().cleanup_detail, "the run failed before the cancel: broken");
}

TEST(Rollback, FailsIfACompensationFailsAfterACancelThatCameMeanwhile) {
    Scenario s(saga);
    s.start().complete(1, "A").complete(2, "B").fail(3, "broken").cancel("stop");
    s.complete(4, "").fail(5, "no undo").skip().complete(6);
    s.expect({"canceled by user: stop, cleanup failed"});
    EXPECT_EQ(s.outcome().cleanup_detail,
              "Undo: no undo; the run failed before the cancel: broken");
}

TEST(Rollback, FailsIfACompensationFailedBeforeACancelThatCameMeanwhile) {
    Scenario s(saga);
    s.start().complete(1, "A").complete(2, "B").fail(3, "broken").fail(4, "no refund");
    s.cancel("stop").complete(5).skip().complete(6);
    s.expect({"canceled by user: stop, cleanup failed"});
    EXPECT_EQ(s.outcome().cleanup_detail,
              "Charge: no refund; the run failed before the cancel: broken");
}

TEST(Rollback, ADuplicateCompletionMeanwhileLeavesNoTrace) {
    Scenario s(saga);
    s.start().complete(1, "A").complete(2, "B").fail(3, "broken").skip();
    s.fail(3, "again").complete(2, "again").expect({});
    s.complete(4, "").expect({"call #5 Undo \"B\" shielded"});
    s.complete(4, "").expect({});
}

TEST(Rollback, MessagesMeanwhileAreOfNoConsequence) {
    Scenario s(saga);
    s.start().complete(1, "A").fail(2, "broken").skip();
    s.raise("event", "x").expect({}).complete(3).expect({"failed application: broken"});
}

Orchestration<void> gives_up(OrchestrationContext ctx) {
    ctx.on_rollback(Undo, "a");
    co_await ctx.call(Ping);
    throw Canceled("enough");
}

TEST(Rollback, RunsWhenTheCodeCancelsItself) {
    Scenario s(gives_up);
    s.start().skip().complete(1).expect({"call #2 Undo \"a\" shielded"});
    s.complete(2).expect({"canceled by self: enough, cleanup done"});
}

Orchestration<void> no_waiting(OrchestrationContext ctx) {
    ctx.on_rollback(Undo, "a");
    throw std::runtime_error("at once");
    co_return;
}

TEST(Rollback, RunsWhenTheCodeFailsInItsFirstTurn) {
    Scenario s(no_waiting);
    s.start().expect({"call #1 Undo \"a\" shielded"});
    s.complete(1).expect({"failed application: at once"});
}

Orchestration<void> helper_registers(OrchestrationContext ctx) {
    ctx.on_rollback(Undo, "helper");
    co_await ctx.call(Ping);
}
Orchestration<void> with_helper(OrchestrationContext ctx) {
    ctx.on_rollback(Undo, "root");
    co_await helper_registers(ctx);
    co_await ctx.call(Ping);
}

TEST(Rollback, ARollbackOfHelpersBelongsToTheRun) {
    Scenario s(with_helper);
    s.start().complete(1).skip();
    s.fail(2, "broken").expect({"call #3 Undo \"helper\" shielded"});
    s.complete(3).expect({"call #4 Undo \"root\" shielded"});
}

Orchestration<void> leaves_work_open(OrchestrationContext ctx) {
    ctx.on_rollback(Undo, "a");
    auto open = ctx.start(ctx.call(Work, "open"));
    co_await ctx.call(Ping);
    throw std::runtime_error("broken");
}

TEST(Rollback, BeginsWhenOpenWorkIsCanceled) {
    Scenario s(leaves_work_open);
    s.start().skip().complete(2).expect({"cancel #1", "call #3 Undo \"a\" shielded"});
}

Orchestration<void> registered_after_cancel(OrchestrationContext ctx) {
    try {
        co_await ctx.call(Ping);
    } catch (const Canceled&) {
        ctx.on_rollback(Undo, "late");
        throw;
    }
}

TEST(Rollback, MayBeRegisteredAfterTheCancel) {
    Scenario s(registered_after_cancel);
    s.start().skip().cancel("stop").expect({"cancel #1", "call #2 Undo \"late\" shielded"});
}

Orchestration<void> registers_many(OrchestrationContext ctx, int count) {
    for (int i = 0; i < count; ++i) ctx.on_rollback(Undo, std::to_string(i));
    co_await ctx.call(Ping);
}

TEST(Rollback, HasALimit) {
    Limits limits;
    limits.rollbacks = 3;
    Scenario s(registers_many, limits);
    s.start(4).expect({"call #1 Undo \"2\" shielded"});
    s.complete(1).complete(2).complete(3);
    EXPECT_EQ(s.failure().kind, FailureKind::limit);
    EXPECT_EQ(s.failure().message,
              "more than 3 compensations are registered (Limits::rollbacks): let one undo several "
              "things");
}

TEST(Rollback, RunsWhenTheRunEndsBecauseItsHistoryIsFull) {
    Limits limits;
    limits.history_events = 10;
    Scenario s(
        [](OrchestrationContext ctx) -> Orchestration<void> {
            ctx.on_rollback(Undo, "a");
            for (;;) co_await ctx.call(Ping);
        },
        limits);
    s.start();
    for (CommandNo i = 1; s.execution().open_commands() > 0 && i < 4; ++i) s.complete(i);
    s.skip();
    const CommandNo last = 4;
    EXPECT_EQ(std::get<model::ActivityScheduled>(s.history().back()).name, "Undo");
    s.complete(last);
    EXPECT_EQ(s.failure().kind, FailureKind::limit);
    EXPECT_EQ(s.failure().detail, "") << "the compensation ran";
}

Orchestration<void> too_large(OrchestrationContext ctx) {
    ctx.on_rollback(Undo, std::string(1'000, 'x'));
    co_await ctx.call(Ping);
}

TEST(Rollback, AnUnschedulableRollbackIsRefusedWhenItIsRegistered) {
    Limits limits;
    limits.payload_bytes = 100;
    Scenario s(too_large, limits);
    s.start().expect(
        {"failed limit: the input of 'Undo' is 1000 bytes; at most 100 are allowed "
         "(Limits::payload_bytes): keep it elsewhere, and pass on where it is"});
}

}  // namespace
}  // namespace belay::replay::rollback_tests
