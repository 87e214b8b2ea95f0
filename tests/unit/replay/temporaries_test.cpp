// Statements that share temporaries with a co_await, which g++ 12 destroys twice if they have a
// destructor. Texts are longer than a std::string holds in place, so a wrong destructor call
// aborts.
#include "unit/replay/harness.hpp"

#include <type_traits>

namespace belay::replay::temporaries_tests {
namespace {

using namespace std::string_literals;

const std::string kLong(40, 'l');

static_assert(std::is_trivially_destructible_v<Call<std::string>>);
static_assert(std::is_trivially_destructible_v<TryCall<std::string>>);

Orchestration<std::string> chooses_a_call(OrchestrationContext ctx, bool first) {
    const std::string name = kLong;
    co_return co_await (first ? ctx.call(Work, name) : ctx.call(Child, kLong + "2"));
}

TEST(Temporaries, AChoiceBetweenCallsIsSafe) {
    Scenario first(chooses_a_call);
    first.start(true).expect({"call #1 Work \"" + kLong + "\""}).complete(1, kLong);
    EXPECT_EQ(first.result<std::string>(), kLong);
    Scenario second(chooses_a_call);
    second.start(false).skip().complete(1, kLong);
    EXPECT_EQ(second.result<std::string>(), kLong);
}

Orchestration<std::string> chooses_other_calls(OrchestrationContext ctx, bool first) {
    const auto tried =
        co_await (first ? ctx.try_call(Work, kLong + "1") : ctx.try_call(Charge, 1, kLong + "2"));
    co_await (first ? ctx.timer(Millis(1)) : ctx.call(Ping));
    auto future = ctx.start(first ? ctx.call(Work, kLong) : ctx.wait<std::string>("go"));
    const auto got =
        co_await (first ? ctx.wait<std::string>("go"s) : ctx.receive<std::string>("q"));
    co_return tried.value() + got + co_await future;
}

TEST(Temporaries, AChoiceBetweenOtherCallsIsSafe) {
    Scenario s(chooses_other_calls);
    s.start(true).complete(1, "a").fire(2).raise("go", "b").complete(3, "c");
    EXPECT_EQ(s.result<std::string>(), "abc");
    Scenario other(chooses_other_calls);
    other.start(false).complete(1, "a").complete(2).enqueue("q", "b").raise("go", "c");
    EXPECT_EQ(other.result<std::string>(), "abc");
}

Orchestration<void> chooses_and_is_destroyed(OrchestrationContext ctx) {
    (void)co_await (ctx.execution() == 1 ? ctx.call(Work, kLong) : ctx.call(Work, kLong + "2"));
}

TEST(Temporaries, AChoiceBetweenCallsMayBeDestroyedWhileItWaits) {
    Scenario s(chooses_and_is_destroyed);
    s.start().expect({"call #1 Work \"" + kLong + "\""});
}

Orchestration<std::string> calls_a_lambda(OrchestrationContext ctx) {
    const std::string name = kLong;
    const std::string sum = co_await ctx.call(Work, [&] { return name + "1"; }());
    const std::string nested =
        co_await ctx.call(Work, std::string(sum) + co_await ctx.call(Work, sum));
    co_return nested;
}

TEST(Temporaries, ALambdaThatCapturesByReferenceAndStringsAreSafe) {
    Scenario s(calls_a_lambda);
    s.start().complete(1, kLong).complete(2, kLong).skip().complete(3, kLong);
    s.expect({"completed \"" + kLong + "\""});
}

Orchestration<std::string> bounds_in_place(OrchestrationContext ctx) {
    const bool undone = co_await ctx.call(Undo, kLong + "1").within(Millis(1));
    if (!undone) ctx.set_custom_status(kLong);
    co_return (co_await ctx.wait<std::string>(kLong).within(Millis(2))).value_or(kLong + "2");
}

TEST(Temporaries, BoundedWorkThatIsMadeInPlaceIsSafe) {
    Scenario s(bounds_in_place);
    s.start().complete(1).raise(kLong, kLong);
    EXPECT_EQ(s.result<std::string>(), kLong);
    Scenario late(bounds_in_place);
    late.start().fire(2).fire(4);
    EXPECT_EQ(late.result<std::string>(), kLong + "2");
}

// Coroutines that declare no variable: g++ 12 puts the condition in front of their frame.
inline constexpr Activity<bool(std::string)> Ask{"Ask"};

Orchestration<std::string> awaits_in_an_if(OrchestrationContext ctx) {
    if (co_await ctx.call(Ask, kLong) && co_await ctx.call(Ask, kLong + "2")) co_return "yes";
    co_return "no";
}
Orchestration<std::string> awaits_in_a_while(OrchestrationContext ctx) {
    while (!co_await ctx.call(Ask, kLong)) co_await ctx.call(Ping);
    co_return "yes";
}
Orchestration<std::string> awaits_helpers_in_a_switch(OrchestrationContext ctx) {
    switch ((co_await awaits_in_an_if(ctx)).size()) {
        case 3: co_return "three";
        default: co_return co_await awaits_in_a_while(ctx);
    }
}

TEST(Temporaries, AConditionMayAwaitInACoroutineWithoutVariables) {
    Scenario both(awaits_in_an_if);
    both.start().complete(1, true).complete(2, true);
    EXPECT_EQ(both.result<std::string>(), "yes");
    Scenario loop(awaits_in_a_while);
    loop.start().complete(1, false).complete(2).complete(3, true);
    EXPECT_EQ(loop.result<std::string>(), "yes");
    Scenario helpers(awaits_helpers_in_a_switch);
    helpers.start().complete(1, false).complete(2, false).complete(3).complete(4, true);
    EXPECT_EQ(helpers.result<std::string>(), "yes");
    Scenario open(awaits_helpers_in_a_switch);
    open.start().expect({"call #1 Ask \"" + kLong + "\""});  // Destroyed while it waits.
}

Orchestration<int> never_awaits(OrchestrationContext ctx) {
    int count = 0;
    for (int i = 0; i < 10; ++i) {
        auto call = ctx.call(Work, kLong);
        auto moved = std::move(call);
        if (i % 2 == 0) (void)co_await std::move(moved);
        ++count;
    }
    co_return count;
}

TEST(Temporaries, ACallThatIsNeverAwaitedIsFreedWithItsRun) {
    Scenario s(never_awaits);
    s.start();
    for (CommandNo command = 1; command <= 5; ++command) s.complete(command, "x");
    EXPECT_EQ(s.result<int>(), 10);
}

Orchestration<void> sets_a_moved_call(OrchestrationContext ctx) {
    auto call = ctx.call(Work, "a");
    auto moved = std::move(call);
    call.queue("gpu");  // NOLINT(bugprone-use-after-move): what this test is about.
    (void)co_await std::move(moved);
}

TEST(Temporaries, AMovedCallRefusesOptions) {
    Scenario s(sets_a_moved_call);
    s.start();
    EXPECT_THAT(s.failure().message, ::testing::HasSubstr("this call is used up"));
}

}  // namespace
}  // namespace belay::replay::temporaries_tests
