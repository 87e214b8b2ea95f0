// Calls and their results.
#include "unit/replay/harness.hpp"

namespace belay::replay::calls_tests {
namespace {

Orchestration<std::string> one_call(OrchestrationContext ctx, std::string input) {
    co_return co_await ctx.call(Work, input);
}

TEST(Calls, ACallIsScheduledWhenItIsAwaited) {
    Scenario s(one_call);
    s.start(std::string("in")).expect({"call #1 Work \"in\""});
    EXPECT_FALSE(s.finished());
}

TEST(Calls, TheResultOfACallIsItsValue) {
    Scenario s(one_call);
    s.start(std::string("in")).skip().complete(1, "out").expect({"completed \"out\""});
    EXPECT_EQ(s.result<std::string>(), "out");
}

Orchestration<int> three_in_sequence(OrchestrationContext ctx) {
    int sum = 0;
    for (int i = 1; i <= 3; ++i) sum += co_await ctx.call(Count, i);
    co_return sum;
}

TEST(Calls, SequentialCallsAreScheduledOneAfterTheOther) {
    Scenario s(three_in_sequence);
    s.start().expect({"call #1 Count 1"});
    s.complete(1, 10).expect({"call #2 Count 2"});
    s.complete(2, 20).expect({"call #3 Count 3"});
    s.complete(3, 30).expect({"completed 60"});
}

Orchestration<int> built_in_reverse(OrchestrationContext ctx) {
    auto second = ctx.call(Count, 2);
    auto first = ctx.call(Count, 1);
    const int a = co_await std::move(first);
    const int b = co_await std::move(second);
    co_return a * 10 + b;
}

TEST(Calls, BuildingACallSchedulesNothing) {
    Scenario s(built_in_reverse);
    s.start().expect({"call #1 Count 1"});
    s.complete(1, 3).expect({"call #2 Count 2"});
    s.complete(2, 4).expect({"completed 34"});
}

Orchestration<void> call_that_is_dropped(OrchestrationContext ctx) {
    {
        auto never = ctx.call(Count, 1);
        (void)never;
    }
    co_await ctx.call(Ping);
}

TEST(Calls, ACallThatIsNeverAwaitedLeavesNoTrace) {
    Scenario s(call_that_is_dropped);
    s.start().expect({"call #1 Ping ()"}).complete(1).expect({"completed ()"});
}

Orchestration<std::string> several_arguments(OrchestrationContext ctx,
                                             int amount,
                                             std::string who) {
    co_return co_await ctx.call(Charge, amount, who);
}

TEST(Calls, SeveralArgumentsAndParametersKeepTheirTypes) {
    Scenario s(several_arguments);
    s.start(7, std::string("me")).expect({"call #1 Charge (7, \"me\")"});
    s.complete(1, "ok").expect({"completed \"ok\""});
}

Orchestration<void> convertible_arguments(OrchestrationContext ctx) {
    const std::string_view view = "view";
    co_await ctx.call(Work, "literal");
    co_await ctx.call(Work, view);
    co_await ctx.call(Charge, 7L, std::string("text"));
}

TEST(Calls, ArgumentsAreConvertedToTheDeclaredTypes) {
    Scenario s(convertible_arguments);
    s.start().expect({"call #1 Work \"literal\""});
    s.complete(1, "").expect({"call #2 Work \"view\""});
    s.complete(2, "").expect({"call #3 Charge (7, \"text\")"});
}

Orchestration<void> number_that_does_not_fit(OrchestrationContext ctx) {
    co_await ctx.call(Count, 5'000'000'000L);
}

TEST(Calls, ANumberThatDoesNotFitIsAnErrorAndNotAnotherNumber) {
    Scenario s(number_that_does_not_fit);
    s.start();
    EXPECT_THAT(s.failure().message, ::testing::HasSubstr("5000000000 does not fit"));
}

Orchestration<void> on_a_queue(OrchestrationContext ctx) {
    co_await ctx.call(Ping).queue("gpu");
    (void)co_await ctx.try_call(Work, "x").queue("gpu");
}

TEST(Calls, ACallNamesItsQueue) {
    Scenario s(on_a_queue);
    s.start().expect({"call #1 Ping () on gpu"});
    s.complete(1).expect({"call #2 Work \"x\" on gpu"});
}

Orchestration<void> queue_of_a_timer(OrchestrationContext ctx) {
    co_await ctx.timer(Millis(1)).queue("gpu");
}
Orchestration<void> queue_of_a_child(OrchestrationContext ctx) {
    (void)co_await ctx.call(Child, "x").queue("gpu");
}
Orchestration<void> id_of_an_activity(OrchestrationContext ctx) {
    co_await ctx.call(Ping).id("name");
}

TEST(Calls, AnOptionThatWouldBeIgnoredIsRefused) {
    Scenario timer(queue_of_a_timer);
    timer.start().expect({"failed application: belay: only the call of an activity has a queue"});
    Scenario child(queue_of_a_child);
    child.start().expect({"failed application: belay: only the call of an activity has a queue"});
    Scenario activity(id_of_an_activity);
    activity.start().expect(
        {"failed application: belay: only the call of an orchestration has an id"});
}

Orchestration<int> without_waiting(OrchestrationContext /*ctx*/, int value) { co_return value + 1; }

TEST(Calls, CodeThatNeverWaitsEndsInItsFirstTurn) {
    Scenario s(without_waiting);
    s.start(41).expect({"completed 42"});
}

Orchestration<void> returns_nothing(OrchestrationContext ctx) { co_await ctx.call(Ping); }

TEST(Calls, AnOrchestrationWithoutResultCompletes) {
    Scenario s(returns_nothing);
    s.start().skip().complete(1).expect({"completed ()"});
}

TEST(Calls, ADuplicateCompletionLeavesNoTrace) {
    Scenario s(three_in_sequence);
    s.start().complete(1, 10).skip();
    const std::size_t before = s.history().size();
    s.complete(1, 99).expect({});
    EXPECT_FALSE(s.applied());
    EXPECT_EQ(s.history().size(), before + 1) << "only the beginning of the turn";
    s.complete(2, 20).complete(3, 30);
    EXPECT_EQ(s.result<int>(), 60);
}

TEST(Calls, ACompletionOfAnUnknownCommandLeavesNoTrace) {
    Scenario s(three_in_sequence);
    s.start().skip();
    for (const CommandNo command : {0U, 2U, 1'000'000U}) {
        s.feed(NewMessage{MessageKind::activity_completed, 1, command, "", Payload()}).expect({});
        EXPECT_FALSE(s.applied());
    }
}

TEST(Calls, ACompletionOfAnotherExecutionLeavesNoTrace) {
    Scenario s(three_in_sequence);
    s.start().skip();
    s.feed(NewMessage{MessageKind::activity_completed, 2, 1, "", Codec<int>::encode(1)}).expect({});
    EXPECT_FALSE(s.applied());
    s.complete(1, 1).expect({"call #2 Count 2"});
}

TEST(Calls, ACompletionOfTheWrongKindLeavesNoTrace) {
    Scenario s(three_in_sequence);
    s.start().skip();
    for (const MessageKind kind : {MessageKind::timer_fired,
                                   MessageKind::child_completed,
                                   MessageKind::child_failed,
                                   MessageKind::child_canceled}) {
        s.feed(NewMessage{kind, 1, 1, "", Payload()}).expect({});
        EXPECT_FALSE(s.applied());
    }
}

TEST(Calls, NothingHasAnEffectAfterTheEnd) {
    Scenario s(one_call);
    s.start(std::string("in")).complete(1, "out").skip();
    const std::size_t before = s.history().size();
    s.complete(1, "again").fail(1, "late").raise("event", "late").cancel("late").expect({});
    EXPECT_EQ(s.history().size(), before);
    EXPECT_EQ(s.result<std::string>(), "out");
}

TEST(Calls, AResultOfAnotherTypeIsAnErrorThatNamesBoth) {
    Scenario s(three_in_sequence);
    s.start().complete(1, "text");
    EXPECT_THAT(s.failure().message, ::testing::HasSubstr("expected an integer"));
}

Orchestration<int> input_of_another_type(OrchestrationContext /*ctx*/, int value) {
    co_return value;
}

TEST(Calls, AnInputThatCannotBeReadFailsTheRun) {
    Scenario s(input_of_another_type);
    s.start(std::string("not a number"));
    EXPECT_THAT(s.failure().message,
                ::testing::AllOf(::testing::HasSubstr("the input cannot be used"),
                                 ::testing::HasSubstr("expected an integer")));
}

TEST(Calls, AnInputWithTheWrongNumberOfArgumentsFailsTheRun) {
    Scenario s(several_arguments);
    s.start(1, std::string("a"), true);
    EXPECT_THAT(s.failure().message, ::testing::HasSubstr("expected 2 arguments, got 3"));
}

Orchestration<std::string> both_arguments_awaited(OrchestrationContext ctx) {
    const std::string text = co_await ctx.call(Work, co_await ctx.call(Work, "inner"));
    co_return text + co_await ctx.call(Work, "last");
}

TEST(Calls, AwaitsNestInExpressions) {
    Scenario s(both_arguments_awaited);
    s.start().expect({"call #1 Work \"inner\""});
    s.complete(1, "a").expect({"call #2 Work \"a\""});
    s.complete(2, "b").expect({"call #3 Work \"last\""});
    s.complete(3, "c").expect({"completed \"bc\""});
}

Orchestration<void> used_up_call(OrchestrationContext ctx) {
    auto call = ctx.timer(Millis(5));
    co_await std::move(call);
    co_await std::move(call);  // NOLINT(bugprone-use-after-move): what this test is about.
}

TEST(Calls, ACallThatIsUsedUpIsRefused) {
    Scenario s(used_up_call);
    s.start().expect({"timer #1 +5"}).fire(1);
    EXPECT_THAT(s.failure().message, ::testing::HasSubstr("this call is used up"));
}

Orchestration<std::string> about_itself(OrchestrationContext ctx) {
    co_await ctx.call(Ping);
    co_return ctx.instance_id() + " " + ctx.definition() + " " + ctx.version() + " " +
        std::to_string(ctx.execution()) + " " + std::to_string(to_unix_ms(ctx.now()));
}

TEST(Calls, TheContextKnowsItsRunAndWhenTheTurnBegan) {
    Scenario s(about_itself);
    s.start().complete(1);
    EXPECT_EQ(s.result<std::string>(), "test-1 Test 1 1 1700000002000");
}

TEST(Calls, CodeKnowsWhetherItIsReplayed) {
    Registry registry;
    registry.add(Definition<void()>{kDefinition}, returns_nothing);
    const auto& handler = registry.orchestration(kDefinition)->handler;
    const Identity identity{{"", "i"}, 1, kDefinition, "1"};
    bool live = true;
    const OrchestrationHandler spy = [&](OrchestrationContext context, const Payload& input) {
        EXPECT_EQ(context.replaying(), !live);
        return handler(context, input);
    };
    Execution first(spy, identity, Limits());
    first.begin_turn(from_unix_ms(1), Payload());
    live = false;
    Execution again(spy, identity, Limits());
    EXPECT_TRUE(again.replay(first.take_recorded()).ok());
}

Orchestration<void> sets_options_of_named_calls(OrchestrationContext ctx) {
    auto call = ctx.call(Ping);
    call.queue("gpu");
    co_await std::move(call);
    auto child = ctx.try_call(Child, "x");
    child.id("named");
    (void)co_await std::move(child);
}

TEST(Calls, OptionsCanBeSetOnANamedCall) {
    Scenario s(sets_options_of_named_calls);
    s.start().complete(1);
    const auto& scheduled = std::get<model::ActivityScheduled>(s.history().at(2));
    EXPECT_EQ(scheduled.queue, "gpu");
    const auto& child = std::get<model::ChildScheduled>(s.history().back());
    EXPECT_EQ(child.id, kInstance + "/named");
}

}  // namespace
}  // namespace belay::replay::calls_tests
