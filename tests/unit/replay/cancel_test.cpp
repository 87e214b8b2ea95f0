// Cancel: what a recorded cancel does to running code.
#include "unit/replay/harness.hpp"

#include <stdexcept>

namespace belay::replay::cancel_tests {
namespace {

using ::testing::HasSubstr;

Orchestration<std::string> two_calls(OrchestrationContext ctx) {
    auto background = ctx.start(ctx.call(Work, "background"));
    const std::string first = co_await ctx.call(Work, "first");
    co_return first + co_await std::move(background);
}

TEST(Cancel, EndsTheRunAndCancelsOpenWorkInOrder) {
    Scenario s(two_calls);
    s.start().skip().cancel("stop");
    s.expect({"cancel #1", "cancel #2", "canceled by user: stop, cleanup done"});
    EXPECT_EQ(s.outcome().cancel.by, "tester");
}

TEST(Cancel, ASecondCancelChangesNothing) {
    Scenario s([](OrchestrationContext ctx) -> Orchestration<void> {
        const Shield shield = ctx.shield();
        co_await ctx.call(Ping);
    });
    s.start().skip().cancel("first").cancel("second").expect({});
    s.complete(1).expect({"canceled by user: first, cleanup done"});
}

TEST(Cancel, CompletionsBeforeItInTheSameTurnAreAppliedFirst) {
    Scenario s([](OrchestrationContext ctx) -> Orchestration<std::string> {
        const std::string paid = co_await ctx.call(Charge, 1, "me");
        ctx.on_rollback(Undo, paid);
        co_return co_await ctx.call(Work, "next");
    });
    s.start().skip();
    s.in_canceled_turn([&] { s.complete(1, "receipt").cancel("stop"); });
    s.expect({"call #2 Work \"next\"", "cancel #2", "call #3 Undo \"receipt\" shielded"});
    s.complete(3).expect({"canceled by user: stop, cleanup done"});
}

TEST(Cancel, CompletionsAfterItLeaveNoTrace) {
    Scenario s(two_calls);
    s.start().skip();
    s.in_canceled_turn([&] { s.cancel("stop").complete(2, "late"); });
    EXPECT_FALSE(s.applied());
    s.expect({"cancel #1", "cancel #2", "canceled by user: stop, cleanup done"});
}

TEST(Cancel, OnRecordIsTheOutcomeOfARunThatCompletesBeforeItInTheSameTurn) {
    Scenario s(two_calls);
    s.start().complete(1, "b").skip();
    s.in_canceled_turn([&] {
        s.complete(2, "a").expect({});
        EXPECT_FALSE(s.finished());
        s.cancel("stop");
    });
    s.expect({"canceled by user: stop, cleanup done"});
}

TEST(Cancel, OnRecordIsTheOutcomeOfARunThatFailsBeforeItInTheSameTurn) {
    Scenario s(two_calls);
    s.start().skip();
    s.in_canceled_turn([&] { s.fail(2, "broken").cancel("stop"); });
    s.expect({"cancel #1", "canceled by user: stop, cleanup done"});
    EXPECT_EQ(s.outcome().cleanup_detail, "the run failed before the cancel: broken");
}

TEST(Cancel, OnRecordMakesARunThatCompletesInTheSameTurnCompensate) {
    Scenario s([](OrchestrationContext ctx) -> Orchestration<void> {
        co_await ctx.call(Ping);
        ctx.on_rollback(Undo, "x");
    });
    s.start().skip();
    s.in_canceled_turn([&] { s.complete(1).cancel("stop"); });
    s.expect({"call #2 Undo \"x\" shielded"});
    s.complete(2).expect({"canceled by user: stop, cleanup done"});
}

TEST(Cancel, AnUnrecordedCancelComesTooLateForARunThatCompleted) {
    Scenario s(two_calls);
    s.start().complete(1, "b").skip().complete(2, "a").cancel("too late");
    s.expect({"completed \"ab\""});
}

Orchestration<std::string> swallows_std(OrchestrationContext ctx) {
    try {
        co_return co_await ctx.call(Work, "a");
    } catch (const std::exception&) {
        co_return "swallowed";
    }
}

TEST(Cancel, IsNotSwallowedByCatchingStandardExceptions) {
    Scenario s(swallows_std);
    s.start().skip().cancel("stop").expect({"cancel #1", "canceled by user: stop, cleanup done"});
    EXPECT_EQ(s.outcome().cleanup_detail, "");
}

Orchestration<std::string> swallows_all(OrchestrationContext ctx) {
    try {
        co_return co_await ctx.call(Work, "a");
    } catch (...) {
    }
    co_return "a result";
}

TEST(Cancel, IsTheOutcomeWhateverTheCodeReturns) {
    Scenario s(swallows_all);
    s.start().skip().cancel("stop").expect({"cancel #1", "canceled by user: stop, cleanup done"});
}

Orchestration<std::string> throws_in_cleanup(OrchestrationContext ctx) {
    bool canceled = false;
    try {
        co_await ctx.call(Ping);
    } catch (const Canceled&) {
        canceled = true;
    }
    if (canceled) throw std::runtime_error("cleanup broke");
    co_return "";
}

TEST(Cancel, AFailureOfTheCodeAfterItIsADetail) {
    Scenario s(throws_in_cleanup);
    s.start().skip().cancel("stop").expect({"cancel #1", "canceled by user: stop, cleanup failed"});
    EXPECT_THAT(s.outcome().cleanup_detail, HasSubstr("cleanup broke"));
}

Orchestration<std::string> goes_on_calling(OrchestrationContext ctx) {
    std::string refused;
    for (int i = 0; i < 3; ++i) {
        try {
            co_await ctx.call(Ping);
        } catch (const Canceled& canceled) {
            refused += canceled.reason() + ";";
        }
    }
    throw std::runtime_error(refused);
}

TEST(Cancel, NewUnshieldedCallsThrowAndScheduleNothing) {
    Scenario s(goes_on_calling);
    s.start().skip().cancel("stop").expect({"cancel #1", "canceled by user: stop, cleanup failed"});
    EXPECT_EQ(s.outcome().cleanup_detail, "stop;stop;stop;");
}

Orchestration<void> every_kind_refused(OrchestrationContext ctx) {
    int refused = 0;
    try {
        co_await ctx.timer(Millis(99));
    } catch (const Canceled&) {
        ++refused;
    }
    try {
        co_await ctx.timer(Millis(1));
    } catch (const Canceled&) {
        ++refused;
    }
    try {
        (void)co_await ctx.call(Child, "x");
    } catch (const Canceled&) {
        ++refused;
    }
    try {
        (void)co_await ctx.wait<std::string>("kept");
    } catch (const Canceled&) {
        ++refused;
    }
    try {
        (void)ctx.start(ctx.call(Ping));
    } catch (const Canceled&) {
        ++refused;
    }
    try {
        (void)co_await ctx.try_call(Ping);
    } catch (const Canceled&) {
        ++refused;
    }
    try {
        (void)co_await ctx.select(ctx.call(Ping), ctx.timer(Millis(1)));
    } catch (const Canceled&) {
        ++refused;
    }
    try {
        (void)co_await ctx.join(ctx.call(Ping), ctx.timer(Millis(1)));
    } catch (const Canceled&) {
        ++refused;
    }
    throw std::runtime_error(std::to_string(refused));
}

TEST(Cancel, RefusesEveryKindOfWorkAlsoAMessageThatIsThere) {
    Scenario s(every_kind_refused);
    s.start().raise("kept", "x").skip().cancel("stop");
    s.expect({"cancel #1", "canceled by user: stop, cleanup failed"});
    EXPECT_EQ(s.outcome().cleanup_detail, "8");
}

Orchestration<void> never_gives_up(OrchestrationContext ctx) {
    for (;;) {
        try {
            co_await ctx.call(Ping);
        } catch (const Canceled&) {
        }
    }
}

TEST(Cancel, CodeThatIgnoresItForEverIsEnded) {
    Scenario s(never_gives_up);
    s.start().skip().cancel("stop").expect({"cancel #1", "canceled by user: stop, cleanup failed"});
    EXPECT_THAT(s.outcome().cleanup_detail, HasSubstr("refused 10000 times"));
}

Orchestration<void> never_gives_up_in_a_helper(OrchestrationContext ctx) {
    ctx.on_rollback(Undo, "x");
    auto open = ctx.start(ctx.timer(Millis(5)));
    co_await never_gives_up(ctx);
}

TEST(Cancel, CodeThatIgnoresItForEverIsEndedAndRolledBack) {
    Scenario s(never_gives_up_in_a_helper);
    s.start().skip().cancel("stop").expect(
        {"cancel #1", "cancel #2", "call #3 Undo \"x\" shielded"});
    s.complete(3).expect({"canceled by user: stop, cleanup failed"});
}

Orchestration<void> select_and_join(OrchestrationContext ctx) {
    (void)co_await ctx.join(ctx.select(ctx.call(Ping), ctx.timer(Millis(5))), ctx.call(Work, "a"));
}

TEST(Cancel, ReachesThroughSelectAndJoin) {
    Scenario s(select_and_join);
    s.start().skip().cancel("stop");
    s.expect({"cancel #1", "cancel #2", "cancel #3", "canceled by user: stop, cleanup done"});
}

TEST(Cancel, ReachesHelpers) {
    Scenario s([](OrchestrationContext ctx) -> Orchestration<std::string> {
        co_return co_await two_calls(ctx);
    });
    s.start().skip().cancel("stop");
    s.expect({"cancel #1", "cancel #2", "canceled by user: stop, cleanup done"});
}

Orchestration<std::string> knows(OrchestrationContext ctx) {
    const bool before = ctx.cancel_requested();
    bool after = false;
    try {
        co_await ctx.call(Ping);
    } catch (const Canceled&) {
        after = ctx.cancel_requested();
    }
    throw std::runtime_error(std::string(before ? "1" : "0") + (after ? "1" : "0"));
}

TEST(Cancel, CanBeAskedFor) {
    Scenario s(knows);
    s.start().cancel("stop");
    EXPECT_EQ(s.outcome().cleanup_detail, "01");
    EXPECT_TRUE(s.execution().cancel_seen());
}

Orchestration<std::string> shield_after_shield(OrchestrationContext ctx) {
    for (const char* what : {"a", "b"}) {
        ctx.throw_if_canceled();
        const auto shield = ctx.shield();
        ctx.throw_if_canceled();
        const std::string done = co_await ctx.call(Work, what);
        ctx.on_rollback(Undo, done);
    }
    co_return "all";
}

TEST(Cancel, CanBeLetInBetweenTwoShields) {
    Scenario s(shield_after_shield);
    s.start().skip().cancel("stop").expect({});
    s.complete(1, "first").expect({"call #2 Undo \"first\" shielded"});
    s.complete(2).expect({"canceled by user: stop, cleanup done"});
}

TEST(Cancel, AnUnrequestedCancelIsNotThrown) {
    Scenario s(shield_after_shield);
    s.start().complete(1, "x").complete(2, "y");
    EXPECT_EQ(s.result<std::string>(), "all");
}

Orchestration<std::string> gives_up(OrchestrationContext ctx) {
    co_await ctx.call(Ping);
    throw Canceled("no longer needed");
}

TEST(Cancel, ThrownByTheCodeItselfEndsTheRunAsCanceledBySelf) {
    Scenario s(gives_up);
    s.start().skip().complete(1).expect({"canceled by self: no longer needed, cleanup done"});
    EXPECT_EQ(s.outcome().cancel.by, kInstance);
    EXPECT_EQ(s.outcome().cancel.requested_at, from_unix_ms(1'700'000'002'000));
    EXPECT_FALSE(s.execution().cancel_seen());
}

TEST(Cancel, BeatsOneThatTheCodeThrows) {
    Scenario s([](OrchestrationContext ctx) -> Orchestration<void> {
        try {
            co_await ctx.call(Ping);
        } catch (const Canceled&) {
            throw Canceled("my own");
        }
    });
    s.start().skip().cancel("theirs").expect(
        {"cancel #1", "canceled by user: theirs, cleanup done"});
}

inline constexpr Definition<void(int)> Self{"Test"};

Orchestration<void> continues_when_canceled(OrchestrationContext ctx, int round) {
    bool canceled = false;
    try {
        co_await ctx.call(Ping);
    } catch (const Canceled&) {
        canceled = true;
    }
    (void)canceled;
    co_await ctx.continue_as_new(Self, round + 1);
}

TEST(Cancel, BeatsContinueAsNew) {
    Scenario s(continues_when_canceled);
    s.start(1).skip().cancel("stop").expect({"cancel #1", "canceled by user: stop, cleanup done"});
    EXPECT_FALSE(s.execution().continued().has_value());
}

TEST(Cancel, OnRecordBeatsContinueAsNewInTheSameTurn) {
    Scenario s(continues_when_canceled);
    s.start(1).skip();
    s.in_canceled_turn([&] { s.complete(1).cancel("stop"); });
    s.expect({"canceled by user: stop, cleanup done"});
    EXPECT_FALSE(s.execution().continued().has_value());
}

TEST(Cancel, AfterContinueAsNewReachesTheNextExecution) {
    Scenario s(continues_when_canceled);
    s.start(1).complete(1).next_execution().skip().cancel("stop");
    s.expect({"cancel #1", "canceled by user: stop, cleanup done"});
}

Orchestration<void> after_nothing_open(OrchestrationContext ctx) {
    co_await ctx.wait<std::string>("never");
}

TEST(Cancel, ReachesAWait) {
    Scenario s(after_nothing_open);
    s.start().skip().cancel("stop").expect({"cancel #1", "canceled by user: stop, cleanup done"});
}

}  // namespace
}  // namespace belay::replay::cancel_tests
