// join: all of several.
#include "unit/replay/harness.hpp"

#include <stdexcept>

namespace belay::replay::join_tests {
namespace {

using ::testing::HasSubstr;

Orchestration<std::string> three(OrchestrationContext ctx) {
    const auto [text, nothing, number] =
        co_await ctx.join(ctx.call(Work, "a"), ctx.timer(Millis(5)), ctx.call(Count, 1));
    static_assert(std::is_same_v<std::remove_cvref_t<decltype(nothing)>, std::monostate>);
    co_return text + std::to_string(number);
}

TEST(Join, StartsAllInTheOrderOfTheParameters) {
    Scenario s(three);
    s.start().expect({"call #1 Work \"a\"", "timer #2 +5", "call #3 Count 1"});
}

TEST(Join, GivesAllValuesWhateverTheOrderOfCompletion) {
    for (const std::vector<CommandNo>& order :
         {std::vector<CommandNo>{1, 2, 3}, {3, 2, 1}, {2, 3, 1}, {3, 1, 2}}) {
        Scenario s(three);
        s.start().skip();
        for (const CommandNo command : order) {
            if (command == 1) s.complete(1, "x");
            if (command == 2) s.fire(2);
            if (command == 3) s.complete(3, 7);
        }
        s.expect({"completed \"x7\""});
    }
}

TEST(Join, TheFirstFailureIsThrownAtOnceAndTheRestIsCanceledInOrder) {
    Scenario s(three);
    s.start().skip().fail(3, "broken");
    s.expect({"cancel #1", "cancel #2", "failed application: broken"});
}

TEST(Join, AFailureAfterSomeSuccessesCancelsOnlyWhatIsOpen) {
    Scenario s(three);
    s.start().complete(3, 7).skip().fail(1, "broken");
    s.expect({"cancel #2", "failed application: broken"});
}

TEST(Join, TheFirstOfTwoFailuresInHistoryIsThrown) {
    Scenario s(three);
    s.start();
    s.in_one_turn([&] { s.fail(3, "third").fail(1, "first"); });
    EXPECT_EQ(s.failure().message, "third");
}

/// Number of times that code of the orchestration ran.
int resumed = 0;

Orchestration<int> counted(OrchestrationContext ctx, int count) {
    std::vector<Call<int>> calls;
    for (int i = 0; i < count; ++i) calls.push_back(ctx.call(Count, i));
    ++resumed;
    const std::vector<int> values = co_await ctx.join(std::move(calls));
    ++resumed;
    int sum = 0;
    for (const int value : values) sum += value;
    co_return sum;
}

TEST(JoinMany, CountsDownWithoutResumingCode) {
    resumed = 0;
    Scenario s(counted, Limits(), Checks::at_end);
    s.start(5);
    for (CommandNo i = 1; i <= 4; ++i) {
        s.complete(i, 1);
        EXPECT_EQ(resumed, 1);
    }
    s.complete(5, 1);
    EXPECT_EQ(resumed, 2);
    EXPECT_EQ(s.result<int>(), 5);
}

Orchestration<std::string> in_order(OrchestrationContext ctx) {
    std::vector<Call<std::string>> calls;
    for (const char* text : {"a", "b", "c"}) calls.push_back(ctx.call(Work, text));
    std::string all;
    for (const std::string& value : co_await ctx.join(std::move(calls))) all += value;
    co_return all;
}

TEST(JoinMany, GivesValuesInTheOrderOfTheVector) {
    Scenario s(in_order);
    s.start().complete(3, "z").complete(1, "x").complete(2, "y");
    EXPECT_EQ(s.result<std::string>(), "xyz");
}

TEST(JoinMany, AJoinOfNothingIsReadyAtOnce) {
    Scenario s(counted);
    s.start(0).expect({"completed 0"});
}

TEST(JoinMany, TheFirstFailureCancelsTheRest) {
    Scenario s(counted);
    s.start(4).complete(2, 1).skip().fail(3, "broken");
    s.expect({"cancel #1", "cancel #4", "failed application: broken"});
}

Orchestration<int> over_futures(OrchestrationContext ctx) {
    std::vector<Future<int>> futures;
    for (int i = 0; i < 3; ++i) futures.push_back(ctx.start(ctx.call(Count, i)));
    co_await ctx.call(Ping);
    int sum = 0;
    for (const int value : co_await ctx.join(std::move(futures))) sum += value;
    co_return sum;
}

TEST(JoinMany, OverFuturesSomeOfWhichAreDone) {
    Scenario s(over_futures);
    s.start().complete(2, 20).complete(4).skip();
    s.complete(1, 10).expect({}).complete(3, 30).expect({"completed 60"});
}

TEST(JoinMany, OverFuturesOneOfWhichHasFailed) {
    Scenario s(over_futures);
    s.start().fail(2, "earlier").skip();
    s.complete(4).expect({"cancel #1", "cancel #3", "failed application: earlier"});
}

Orchestration<int> doubled(OrchestrationContext ctx, int value) {
    const int result = co_await ctx.call(Count, value);
    co_return result * 2;
}
Orchestration<int> over_helpers(OrchestrationContext ctx) {
    std::vector<Orchestration<int>> helpers;
    for (int i = 1; i <= 3; ++i) helpers.push_back(doubled(ctx, i));
    int sum = 0;
    for (const int value : co_await ctx.join(std::move(helpers))) sum = sum * 10 + value;
    co_return sum;
}

TEST(JoinMany, OverHelpers) {
    Scenario s(over_helpers);
    s.start().expect({"call #1 Count 1", "call #2 Count 2", "call #3 Count 3"});
    s.complete(2, 2).complete(3, 3).complete(1, 1).expect({"completed 246"});
}

TEST(JoinMany, OverHelpersAFailureDestroysTheOthers) {
    Scenario s(over_helpers);
    s.start().skip().fail(2, "broken");
    s.expect({"cancel #1", "cancel #3", "failed application: broken"});
}

Orchestration<std::string> nested(OrchestrationContext ctx) {
    std::vector<Call<int>> calls;
    for (int i = 0; i < 2; ++i) calls.push_back(ctx.call(Count, i));
    std::vector<Call<int>> none;
    const auto [first, values, empty, pair] =
        co_await ctx.join(ctx.select(ctx.call(Work, "a"), ctx.timer(Millis(5))),
                          ctx.join(std::move(calls)),
                          ctx.join(std::move(none)),
                          ctx.join(ctx.call(Work, "b"), ctx.call(Ping)));
    co_return std::to_string(first.index()) + std::to_string(values.size()) +
        std::to_string(empty.size()) + std::get<0>(pair);
}

TEST(Join, NestsWithSelectsAndJoins) {
    Scenario s(nested);
    s.start().expect({"call #1 Work \"a\"",
                      "timer #2 +5",
                      "call #3 Count 0",
                      "call #4 Count 1",
                      "call #5 Work \"b\"",
                      "call #6 Ping ()"});
    // The loser of the inner select is open until the join is done.
    s.fire(2).expect({}).complete(4, 1).complete(3, 1).complete(6).expect({});
    s.complete(5, "x").expect({"cancel #1", "completed \"120x\""});
}

TEST(Join, AnInnerFailureIsThrownAtOnce) {
    Scenario s(nested);
    s.start().complete(3, 1).skip().fail(6, "deep");
    // The inner one lets go of its branches before the outer one does.
    s.expect({"cancel #5", "cancel #1", "cancel #2", "cancel #4", "failed application: deep"});
}

Orchestration<std::string> borrowing(OrchestrationContext ctx) {
    auto a = ctx.start(ctx.call(Work, "a"));
    auto b = ctx.start(ctx.call(Work, "b"));
    try {
        (void)co_await ctx.join(a, ctx.call(Ping));
    } catch (const OperationFailed&) {
    }
    const std::string left = co_await a;
    co_return left + co_await b;
}

TEST(Join, ABorrowedFutureIsNotCanceledWhenAnotherBranchFails) {
    Scenario s(borrowing);
    s.start().skip().fail(3, "broken").expect({});
    s.complete(1, "x").expect({}).complete(2, "y").expect({"completed \"xy\""});
}

Orchestration<std::string> takes_borrowed(OrchestrationContext ctx) {
    auto a = ctx.start(ctx.call(Work, "a"));
    const auto [value, nothing] = co_await ctx.join(a, ctx.call(Ping));
    (void)nothing;
    co_return value + (a.ready() ? " ready" : " empty");
}

TEST(Join, TakesTheValueOfABorrowedFuture) {
    Scenario s(takes_borrowed);
    s.start().complete(1, "x").complete(2);
    EXPECT_EQ(s.result<std::string>(), "x empty");
}

Orchestration<void> join_is_used_up(OrchestrationContext ctx) {
    std::vector<Call<void>> timers;
    timers.push_back(ctx.timer(Millis(1)));
    auto join = ctx.join(std::move(timers));
    (void)co_await std::move(join);
    (void)co_await std::move(join);  // NOLINT(bugprone-use-after-move): what this test is about.
}

TEST(JoinMany, AwaitedTwiceIsRefusedInsteadOfGivingNothing) {
    Scenario s(join_is_used_up);
    s.start().fire(1);
    EXPECT_THAT(s.failure().message, HasSubstr("this select or join is used up"));
}

Orchestration<int> wrong_result(OrchestrationContext ctx) {
    const auto [a, b] = co_await ctx.join(ctx.call(Count, 1), ctx.call(Count, 2));
    co_return a + b;
}

TEST(Join, AResultThatCannotBeReadIsThrownWhenAllAreDone) {
    Scenario s(wrong_result);
    s.start().skip().complete(1, "text").expect({});
    s.complete(2, 2);
    EXPECT_THAT(s.failure().message, HasSubstr("expected an integer"));
}

Orchestration<std::string> joins_one(OrchestrationContext ctx) {
    const auto [only] = co_await ctx.join(ctx.call(Work, "a"));
    co_return only;
}

TEST(Join, AJoinOfOneIsATupleOfOne) {
    Scenario s(joins_one);
    s.start().expect({"call #1 Work \"a\""}).complete(1, "x").expect({"completed \"x\""});
}

Orchestration<std::string> joins_one_join(OrchestrationContext ctx) {
    const auto all = co_await ctx.join(ctx.join(ctx.call(Work, "a")));
    co_return std::get<0>(std::get<0>(all));
}

TEST(Join, AJoinOfOneNests) {
    Scenario s(joins_one_join);
    s.start().skip().complete(1, "x").expect({"completed \"x\""});
}

}  // namespace
}  // namespace belay::replay::join_tests
