// Calls that are tried again.
#include "unit/replay/harness.hpp"

#include <vector>

namespace belay::replay::retry_tests {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

Orchestration<std::string> twice(OrchestrationContext ctx) {
    co_return co_await ctx.call(Work.with(CallOptions().retry(RetryPolicy::fixed(5s).attempts(2))),
                                "a");
}

TEST(Retry, AFailureIsFollowedByATimerAndAnotherAttempt) {
    Scenario s(twice);
    s.start().expect({"call #1 Work \"a\""});
    s.fail(1, "no").expect({"timer #2 +5000"});
    s.fire(2).expect({"call #3 Work \"a\" attempt 2"});
    s.complete(3, "done").expect({"completed \"done\""});
    const auto& scheduled = std::get<model::ActivityScheduled>(s.history().at(8));
    EXPECT_EQ(scheduled.terms.first, 1U);
}

TEST(Retry, TheErrorOfTheLastAttemptIsThrownWithTheirNumber) {
    Scenario s(twice);
    s.start().fail(1, "first").fire(2).skip();
    s.fail(3, Failure{.message = "second", .where = "Work", .attempt = 9, .type = "T"});
    s.expect({"failed application: second"});
    EXPECT_EQ(s.failure().attempt, 2U);
    EXPECT_EQ(s.failure().type, "T");
}

TEST(Retry, ALateOutcomeLeavesNoTrace) {
    Scenario s(twice);
    s.start().fail(1, "no").skip();
    EXPECT_FALSE(s.complete(1, "late").applied());
    EXPECT_FALSE(s.fail(1, "late").applied());
    s.fire(2);
    EXPECT_FALSE(s.fire(2).applied());
    EXPECT_TRUE(s.complete(3, "done").applied());
}

TEST(Retry, ACancelEndsTheAttempt) {
    Scenario s(twice);
    s.start().skip().cancel("stop").expect({"cancel #1", "canceled by user: stop, cleanup done"});
}

TEST(Retry, ACancelEndsTheWait) {
    Scenario s(twice);
    s.start().fail(1, "no").skip().cancel("stop").expect(
        {"cancel #2", "canceled by user: stop, cleanup done"});
}

Orchestration<std::string> shielded(OrchestrationContext ctx) {
    auto shield = ctx.shield();
    co_return co_await ctx.call(Work.with(CallOptions().retry(RetryPolicy::fixed(1s))), "a");
}

TEST(Retry, UnderAShieldItGoesOnAfterACancel) {
    Scenario s(shielded);
    s.start().skip().cancel("stop").expect({});
    s.fail(1, "no").expect({"timer #2 +1000 shielded"});
    s.fire(2).expect({"call #3 Work \"a\" attempt 2 shielded"});
    s.complete(3, "done").expect({"canceled by user: stop, cleanup done"});
}

Orchestration<std::string> waits_for(OrchestrationContext ctx, Millis delay) {
    const auto policy = CallOptions().retry(RetryPolicy::fixed(delay));
    co_return co_await ctx.call(Work.with(policy), "a");
}

Orchestration<std::string> waits_for_long(OrchestrationContext ctx) {
    co_return co_await waits_for(ctx, 10s);
}
Orchestration<std::string> waits_less(OrchestrationContext ctx) {
    co_return co_await waits_for(ctx, 1s);
}

/// Returns the difference of `code` from a history of other code; "" if there is none.
std::string difference(const Scenario& s,
                       Orchestration<std::string> (*code)(OrchestrationContext)) {
    Registry registry;
    registry.add(definition_of(code), code);
    Execution execution(registry.orchestration(kDefinition)->handler,
                        Identity{{"space", kInstance}, 1, kDefinition, "1"},
                        Limits());
    const Result<void> same = execution.replay(s.history());
    return same.ok() ? std::string() : same.error().message();
}

TEST(Retry, ADelayMayBeChangedUnderRunsThatHaveWaited) {
    Scenario s(waits_for_long);
    s.start().fail(1, "no").fire(2).skip();
    EXPECT_EQ(difference(s, waits_less), "");
}

Orchestration<std::string> in_all(OrchestrationContext ctx, Millis delay) {
    const auto policy = CallOptions().retry(RetryPolicy::fixed(delay).deadline(20s));
    co_return co_await ctx.call(Work.with(policy), "a");
}

Orchestration<std::string> short_in_all(OrchestrationContext ctx) {
    co_return co_await in_all(ctx, 1s);
}
Orchestration<std::string> long_in_all(OrchestrationContext ctx) {
    co_return co_await in_all(ctx, 30s);
}

TEST(Retry, NotWhereThereIsADeadlineWhichTheDelayDecidesBy) {
    Scenario s(short_in_all);
    s.start().fail(1, "no").skip();
    EXPECT_EQ(difference(s, short_in_all), "");
    EXPECT_THAT(difference(s, long_in_all), HasSubstr("history: TimerScheduled"));
}

Orchestration<std::string> waits_with_jitter(OrchestrationContext ctx) {
    const auto policy = CallOptions().retry(RetryPolicy::fixed(10s).jitter(0.5));
    co_return co_await ctx.call(Work.with(policy), "a");
}

TEST(Retry, NorMayJitterBeSwitchedOn) {
    Scenario s(waits_for_long);
    s.start().fail(1, "no").skip();
    EXPECT_THAT(difference(s, waits_with_jitter), HasSubstr("code:    RandomSeeded"));
}

Orchestration<std::string> begun_within_a_minute(OrchestrationContext ctx) {
    const auto options = CallOptions().schedule_to_start(1min).retry(RetryPolicy::fixed(5s));
    co_return co_await ctx.call(Work.with(options), "a");
}

TEST(Retry, EachAttemptMayWaitForAWorkerAsLongAsTheFirst) {
    Scenario s(begun_within_a_minute);
    s.start().skip();
    s.fail(1, Failure{.kind = FailureKind::timeout, .message = "nobody began it"});
    s.expect({"timer #2 +5000"});
    s.jump(4s).fire(2).expect({"call #3 Work \"a\" attempt 2"});
    std::vector<Millis> waits;
    Timestamp now{};
    for (const model::Event& event : s.history()) {
        if (const auto* turn = std::get_if<model::TurnStarted>(&event)) now = turn->at;
        const auto* const call = std::get_if<model::ActivityScheduled>(&event);
        if (call != nullptr) waits.push_back(*call->terms.schedule_to_start - now);
    }
    EXPECT_EQ(waits, (std::vector<Millis>{1min, 1min}));
}

Orchestration<std::string> bounded(OrchestrationContext ctx) {
    const auto policy = RetryPolicy::fixed(1s).attempt_timeout(10s);
    co_return co_await ctx.call(Work.with(CallOptions().retry(policy)), "a");
}

TEST(Retry, AnAttemptThatTakesTooLongIsLetGoAndTriedAgain) {
    Scenario s(bounded);
    s.start().expect({"call #1 Work \"a\"", "timer #2 +10000"});
    s.fire(2).expect({"cancel #1", "timer #3 +1000"});
    s.fire(3).expect({"call #4 Work \"a\" attempt 2", "timer #5 +10000"});
    s.fail(4, "no").expect({"cancel #5", "timer #6 +1000"});
    s.fire(6).expect({"call #7 Work \"a\" attempt 3", "timer #8 +10000"});
    s.complete(7, "done").expect({"cancel #8", "completed \"done\""});
}

TEST(Retry, TheLastAttemptThatTakesTooLongIsATimeout) {
    Scenario s(bounded);
    s.start().fire(2).fire(3).fire(5).fire(6).skip();
    s.fire(8).expect({"cancel #7", "failed timeout: the attempt took longer than it may"});
    EXPECT_EQ(s.failure().attempt, 3U);
    EXPECT_EQ(s.failure().where, "Work");
}

TEST(Retry, ACancelEndsTheTimerOfAnAttemptToo) {
    Scenario s(bounded);
    s.start().skip().cancel("stop").expect(
        {"cancel #1", "cancel #2", "canceled by user: stop, cleanup done"});
}

TEST(Retry, TheTimerOfAnAttemptCannotFail) {
    Scenario s(bounded);
    s.start();
    EXPECT_FALSE(s.feed(NewMessage{MessageKind::activity_failed, 1, 2, "", Payload()}).applied());
}

Orchestration<std::string> with_deadline(OrchestrationContext ctx) {
    const auto policy = RetryPolicy::exponential(10s).deadline(1min).unlimited_attempts();
    co_return co_await ctx.call(Work.with(CallOptions().retry(policy)), "a");
}

TEST(Retry, NoDelayIsBegunThatWouldEndAfterTheDeadline) {
    Scenario s(with_deadline);
    s.start().expect({"call #1 Work \"a\"", "timer #2 +60000"});
    s.fail(1, "no").expect({"cancel #2", "timer #3 +10000"});
    s.jump(9s).fire(3).expect({"call #4 Work \"a\" attempt 2", "timer #5 +49000"});
    s.fail(4, "no").expect({"cancel #5", "timer #6 +20000"});
    s.jump(19s).fire(6).expect({"call #7 Work \"a\" attempt 3", "timer #8 +28000"});
    s.fail(7, "again").expect({"cancel #8", "failed application: again"});
    EXPECT_EQ(s.failure().attempt, 3U);
}

TEST(Retry, NoAttemptIsBegunAfterTheDeadlineHoweverLateItsTimerCame) {
    Scenario s(with_deadline);
    s.start().fail(1, "no").skip();
    s.jump(2min).fire(3).expect({"failed application: no"});
    EXPECT_EQ(s.failure().attempt, 1U);
}

TEST(Retry, AnAttemptUnderWayAtTheDeadlineIsLetGo) {
    Scenario s(with_deadline);
    s.start().skip().jump(59s).fire(2).expect(
        {"cancel #1", "failed timeout: the deadline for all attempts has passed"});
    EXPECT_EQ(s.failure().attempt, 1U);
}

Orchestration<std::string> never_again(OrchestrationContext ctx) {
    const auto policy = RetryPolicy::fixed(1s)
                            .not_on(FailureKind::timeout)
                            .also_on(FailureKind::poison)
                            .not_on("CardDeclined");
    co_return co_await ctx.call(Work.with(CallOptions().retry(policy)), "a");
}

TEST(Retry, SomeKindsAndTypesAreFinal) {
    const auto retried = [](Failure failure) {
        Scenario s(never_again);
        s.start().fail(1, std::move(failure));
        return !s.finished();
    };
    EXPECT_TRUE(retried(Failure{.message = "m"}));
    EXPECT_TRUE(retried(Failure{.kind = FailureKind::infrastructure}));
    EXPECT_TRUE(retried(Failure{.kind = FailureKind::poison}));
    EXPECT_TRUE(retried(Failure{.type = "CardExpired"}));
    EXPECT_FALSE(retried(Failure{.type = "CardDeclined"}));
    EXPECT_FALSE(retried(Failure{.retryable = false}));
    EXPECT_FALSE(retried(Failure{.kind = FailureKind::timeout}));
    EXPECT_FALSE(retried(Failure{.kind = FailureKind::limit}));
    EXPECT_FALSE(retried(Failure{.kind = FailureKind::canceled}));
    EXPECT_FALSE(retried(Failure{.kind = FailureKind::nondeterminism}));
    EXPECT_FALSE(retried(Failure{.kind = FailureKind::id_in_use}));
}

Orchestration<std::string> selected(OrchestrationContext ctx) {
    auto call = ctx.call(Work.with(CallOptions().retry(RetryPolicy::fixed(1s))), "a");
    auto first = co_await ctx.select(std::move(call), ctx.timer(1min));
    co_return first.index() == 0 ? std::get<0>(first) : "too late";
}

TEST(Retry, IsABranchOfASelectLikeAnyOther) {
    Scenario s(selected);
    s.start().expect({"call #1 Work \"a\"", "timer #2 +60000"});
    s.fail(1, "no").expect({"timer #3 +1000"});
    s.fire(3).expect({"call #4 Work \"a\" attempt 2"});
    s.complete(4, "done").expect({"cancel #2", "completed \"done\""});
}

TEST(Retry, LettingGoEndsTheWait) {
    Scenario s(selected);
    s.start().fail(1, "no").skip();
    s.fire(2).expect({"cancel #3", "completed \"too late\""});
}

Orchestration<std::string> joined(OrchestrationContext ctx) {
    const auto patient = Work.with(CallOptions().retry(RetryPolicy::fixed(1s).attempts(2)));
    std::vector<Call<std::string>> calls;
    calls.push_back(ctx.call(patient, "a"));
    calls.push_back(ctx.call(patient, "b"));
    auto all = ctx.join(std::move(calls));
    const std::vector<std::string> values = co_await std::move(all);
    co_return values[0] + values[1];
}

TEST(Retry, IsABranchOfAJoinLikeAnyOther) {
    Scenario s(joined);
    s.start().expect({"call #1 Work \"a\"", "call #2 Work \"b\""});
    s.fail(1, "no").expect({"timer #3 +1000"});
    s.complete(2, "B").expect({});
    s.fire(3).complete(4, "A").skip();
    EXPECT_EQ(s.result<std::string>(), "AB");
}

TEST(Retry, TheLastFailureOfABranchEndsTheJoin) {
    Scenario s(joined);
    s.start().fail(1, "no").fire(3).skip();
    s.fail(4, "no again").expect({"cancel #2", "failed application: no again"});
}

Orchestration<std::string> future(OrchestrationContext ctx) {
    auto pending = ctx.start(ctx.call(Work.with(CallOptions().retry(RetryPolicy::fixed(1s))), "a"));
    co_await ctx.call(Ping);
    if (!pending.ready()) co_return "let go";
    co_return co_await std::move(pending);
}

TEST(Retry, AFutureStandsForAllAttempts) {
    Scenario s(future);
    s.start().fail(1, "no").fire(3).complete(4, "done").skip();
    s.complete(2).expect({"completed \"done\""});
}

TEST(Retry, DroppingTheFutureCancelsTheAttempt) {
    Scenario s(future);
    s.start().fail(1, "no").fire(3).skip();
    s.complete(2).expect({"cancel #4", "completed \"let go\""});
}

Orchestration<std::string> tried(OrchestrationContext ctx) {
    const auto options = CallOptions().retry(RetryPolicy::fixed(1s).attempts(2));
    const auto outcome = co_await ctx.try_call(Work.with(options), "a");
    co_return outcome ? outcome.value()
                      : outcome.failure().message + " " + std::to_string(outcome.failure().attempt);
}

TEST(Retry, TheLastFailureCanBeAValue) {
    Scenario s(tried);
    s.start().fail(1, "no").fire(2).fail(3, "never");
    EXPECT_EQ(s.result<std::string>(), "never 2");
}

Orchestration<std::string> children(OrchestrationContext ctx) {
    const auto policy = RetryPolicy::fixed(1s);
    auto named = co_await ctx.call(Child.with(ChildOptions().id("ship").retry(policy)), "a");
    auto unnamed = co_await ctx.call(Child.with(ChildOptions().retry(policy)), "b");
    co_return named + unnamed;
}

TEST(Retry, AChildIsAnotherInstanceEachTime) {
    Scenario s(children);
    s.start().expect({"child #1 Child \"a\" as test-1/ship"});
    s.fail(1, "no").fire(2).expect(
        {"timer #2 +1000", "child #3 Child \"a\" as test-1/ship.2 attempt 2"});
    s.complete(3, "A").expect({"child #4 Child \"b\" as test-1/4"});
    s.fail(4, "no").fire(5).expect(
        {"timer #5 +1000", "child #6 Child \"b\" as test-1/6 attempt 2"});
    s.complete(6, "B");
    EXPECT_EQ(s.result<std::string>(), "AB");
}

TEST(Retry, AChildThatSomebodyCanceledIsNot) {
    Scenario s(children);
    s.start()
        .skip()
        .child_canceled(1, "operator")
        .expect({"failed canceled: the child was canceled: operator"});
    EXPECT_EQ(s.failure().attempt, 1U);
}

Orchestration<std::string> long_id(OrchestrationContext ctx) {
    // With the parent's id exactly as long as an id may be.
    const std::string id(255 - kInstance.size() - 1, 'x');
    const auto tried =
        co_await ctx.try_call(Child.with(ChildOptions().id(id).retry(RetryPolicy::fixed(1s))), "a");
    if (!tried) co_await ctx.call(Ping);
    co_return tried ? tried.value() : tried.failure().message;
}

TEST(Retry, AnIdThatTheNumberMakesTooLongIsShortened) {
    Scenario s(long_id);
    s.start().fail(1, "no").fire(2).complete(3, "A");
    EXPECT_EQ(s.result<std::string>(), "A");
}

TEST(Retry, AHistoryInWhichSuchAnIdWasRefusedIsReplayed) {
    Scenario s(long_id);
    s.start().fail(1, "no").fire(2);
    std::vector<model::Event> history = s.history();
    ASSERT_TRUE(std::holds_alternative<model::ChildScheduled>(history.back()));
    model::ActivityScheduled instead;
    instead.command = 3;
    instead.name = Ping.name();
    history.back() = instead;
    const Result<void> same = replay_with(long_id, history);
    EXPECT_TRUE(same.ok()) << same.error().describe();
}

Orchestration<std::string> patient(OrchestrationContext ctx) {
    const auto policy = RetryPolicy::fixed(1s).unlimited_attempts();
    co_return co_await ctx.call(Work.with(CallOptions().retry(policy)), "a");
}

TEST(Retry, ForWhichHistoryHasNoRoomFailsAndSaysSo) {
    Limits limits;
    limits.history_events = 20;
    Scenario s(patient, limits);
    s.start();
    CommandNo command = 1;
    while (!s.finished()) {
        s.fail(command, "no");
        if (!s.finished()) s.fire(command + 1);
        command += 2;
    }
    EXPECT_EQ(s.failure().kind, FailureKind::limit);
    EXPECT_EQ(s.failure().message,
              "it is not tried again: this execution's history has reached 20 events; the last "
              "attempt failed: no");
    EXPECT_FALSE(s.failure().retryable);
    EXPECT_GT(s.failure().attempt, 1U) << "the number of attempts that were made";
    EXPECT_LE(s.history().size(), 24U);
}

Orchestration<std::string> jittered(OrchestrationContext ctx) {
    const auto policy = RetryPolicy::fixed(1s).jitter(0.5).attempts(4);
    co_return co_await ctx.call(Work.with(CallOptions().retry(policy)), "a");
}

TEST(Retry, JitterIsDrawnOnceAndReplayed) {
    Scenario s(jittered);
    s.start().fail(1, "no").fire(2).fail(3, "no").fire(4).fail(5, "no");
    std::vector<Millis> delays;
    Timestamp now{};
    std::size_t seeds = 0;
    for (const model::Event& event : s.history()) {
        if (const auto* turn = std::get_if<model::TurnStarted>(&event)) now = turn->at;
        if (const auto* timer = std::get_if<model::TimerScheduled>(&event)) {
            delays.push_back(timer->due_at - now);
        }
        seeds += std::holds_alternative<model::RandomSeeded>(event) ? 1U : 0U;
    }
    ASSERT_EQ(delays.size(), 3U);
    for (const Millis delay : delays) {
        EXPECT_GE(delay, 500ms);
        EXPECT_LE(delay, 1s);
    }
    EXPECT_TRUE(delays[0] != delays[1] || delays[1] != delays[2]);
    EXPECT_EQ(seeds, 1U);
}

}  // namespace
}  // namespace belay::replay::retry_tests
