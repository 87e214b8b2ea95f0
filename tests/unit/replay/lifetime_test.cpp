// Every object of an orchestration is destroyed exactly once, whether its code runs to the end or
// is destroyed where it waits. The patterns are those that g++ 12 compiles correctly and that users
// of the API write; the ones that it does not are refused by the headers or found by the lint.
// Those of one coroutine are here, those of coroutines that await others in
// lifetime_helpers_test.cpp.
#include "unit/replay/lifetimes.hpp"

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace belay::replay::lifetime_tests {
namespace {

// ---- Patterns -----------------------------------------------------------------------------------

Orchestration<std::string> parameters_and_locals(OrchestrationContext ctx, std::string input) {
    const Tracked local(input);
    const Tracked result = co_await ctx.call(Use, local);
    const Tracked copy = result;
    co_return copy.text();
}

Orchestration<std::string> temporary_argument(OrchestrationContext ctx, std::string input) {
    const Tracked result = co_await ctx.call(Use, Tracked(input));
    co_return result.text();
}

Orchestration<std::string> two_temporaries(OrchestrationContext ctx, std::string input) {
    const Tracked result =
        co_await ctx.call(Mix, Tracked(input + " a rather long text"), Tracked(input));
    co_return result.text();
}

Orchestration<std::string> nested_awaits(OrchestrationContext ctx, std::string input) {
    const Tracked result = co_await ctx.call(
        Mix, co_await ctx.call(Use, Tracked(input)), co_await ctx.call(Use, Tracked(input)));
    co_return result.text();
}

Orchestration<std::string> awaits_as_arguments(OrchestrationContext ctx, std::string input) {
    const Tracked kept(input);
    // Each in a statement of its own: the order of arguments differs between compilers.
    const Tracked a = co_await ctx.call(Use, kept);
    co_return join_texts(a, co_await ctx.call(Use, Tracked(input)));
}

Orchestration<std::string> concatenation(OrchestrationContext ctx, std::string input) {
    std::string text = input + " and ";
    text += (co_await ctx.call(Use, Tracked(input))).text() + " and more than fits in place";
    co_return text;
}

Orchestration<std::string> structured_binding(OrchestrationContext ctx, std::string input) {
    const auto [a, b] =
        co_await ctx.join(ctx.call(Use, Tracked(input)), ctx.call(Use, Tracked(input)));
    co_return join_texts(a, b);
}

Orchestration<std::string> range_for(OrchestrationContext ctx, std::string input) {
    std::vector<Call<Tracked>> calls;
    for (int i = 0; i < 3; ++i) calls.push_back(ctx.call(Use, Tracked(input)));
    std::string text;
    for (const Tracked& one : co_await ctx.join(std::move(calls))) {
        text += one.text() + (co_await ctx.call(Use, one)).text();
    }
    co_return text;
}

Orchestration<std::string> reference_to_result(OrchestrationContext ctx, std::string input) {
    const Tracked& result = co_await ctx.call(Use, Tracked(input));
    (void)co_await ctx.call(Use, result);
    co_return result.text();
}

Orchestration<std::string> conditions(OrchestrationContext ctx, std::string input) {
    std::string text;
    if ((co_await ctx.call(Use, Tracked(input))).text() != "x" &&
        !(co_await ctx.call(Use, Tracked(input))).text().empty()) {
        text += "and ";
    }
    int rounds = 0;
    while (rounds < 2 && !(co_await ctx.call(Use, Tracked(input))).text().empty()) ++rounds;
    const int scalar = rounds == 2 ? co_await ctx.call(Count, 1) : co_await ctx.call(Count, 2);
    switch (co_await ctx.call(Count, scalar)) {
        case 0: co_return "zero";
        default: co_return text;
    }
}

Orchestration<std::string> chained_options(OrchestrationContext ctx, std::string input) {
    const Tracked result = co_await ctx.call(Use, Tracked(input))
                               .queue(std::string("a queue with a rather long name"));
    const auto tried =
        co_await ctx.try_call(Use, result).queue(std::string("a queue with a rather long name"));
    co_return tried.value().text();
}

Orchestration<std::string> value_of_temporary(OrchestrationContext ctx, std::string input) {
    const Tracked result = (co_await ctx.try_call(Use, Tracked(input))).value();
    std::vector<Call<Tracked>> calls;
    calls.push_back(ctx.call(Use, result));
    const Tracked first = (co_await ctx.select(std::move(calls))).value();
    co_return first.text();
}

Orchestration<std::string> borrowed_futures(OrchestrationContext ctx, std::string input) {
    auto future = ctx.start(ctx.call(Use, Tracked(input)));
    for (;;) {
        const auto first = co_await ctx.select(future, ctx.timer(Millis(1)));
        if (first.index() == 0) co_return std::get<0>(first).text();
        const Tracked between = co_await ctx.call(Use, Tracked(input));
    }
}

Tracked throwing_argument(const Tracked& value) { throw std::runtime_error(value.text()); }
Orchestration<std::string> exception_in_an_argument(OrchestrationContext ctx, std::string input) {
    std::string caught;
    try {
        (void)co_await ctx.call(Mix, Tracked(input), throwing_argument(Tracked(input)));
    } catch (const std::runtime_error& problem) {
        caught = problem.what();
    }
    const Tracked after = co_await ctx.call(Use, Tracked(caught));
    co_return after.text();
}

Orchestration<std::string> reference_captures(OrchestrationContext ctx, std::string input) {
    const Tracked local(input);
    const auto show = [&](const Tracked& other) { return join_texts(local, other); };
    co_return show(co_await ctx.call(Use, Tracked(input)));
}

inline constexpr Definition<std::string(std::string)> Self{"Test"};

Orchestration<std::string> continues(OrchestrationContext ctx, std::string input) {
    const Tracked local(input);
    auto future = ctx.start(ctx.call(Use, Tracked(input)));
    (void)co_await ctx.call(Use, local);
    co_await ctx.continue_as_new(Self, input + Tracked(input).text());
    co_return "";
}

// ---- Tests --------------------------------------------------------------------------------------

TEST_P(Lifetimes, RunToTheEnd) {
    Driver driver(GetParam().code);
    while (driver.step(false)) {
    }
    EXPECT_TRUE(driver.finished());
    EXPECT_EQ(Tracked::live(), 0U) << "the code has ended";
}

TEST_P(Lifetimes, DestroyedWhereverItWaits) {
    for (int steps = 0;; ++steps) {
        bool more = true;
        {
            Driver driver(GetParam().code);
            for (int i = 0; i < steps && more; ++i) more = driver.step(false);
        }
        ASSERT_EQ(Tracked::live(), 0U) << "destroyed after " << steps << " inputs";
        if (!more) break;
    }
}

TEST_P(Lifetimes, CanceledWhereverItWaits) {
    for (int steps = 0;; ++steps) {
        bool more = true;
        {
            Driver driver(GetParam().code);
            for (int i = 0; i < steps && more; ++i) more = driver.step(false);
            driver.cancel();
            while (driver.step(false)) {
            }
            ASSERT_TRUE(driver.finished());
        }
        ASSERT_EQ(Tracked::live(), 0U) << "canceled after " << steps << " inputs";
        if (!more) break;
    }
}

TEST_P(Lifetimes, FailingWhereverItWaits) {
    for (int steps = 0;; ++steps) {
        bool more = true;
        {
            Driver driver(GetParam().code);
            for (int i = 0; i < steps && more; ++i) more = driver.step(false);
            driver.step(true);
            while (driver.step(false)) {
            }
            ASSERT_TRUE(driver.finished());
        }
        ASSERT_EQ(Tracked::live(), 0U) << "failed after " << steps << " inputs";
        if (!more) break;
    }
}

INSTANTIATE_TEST_SUITE_P(Calls,
                         Lifetimes,
                         ::testing::Values(PATTERN(parameters_and_locals),
                                           PATTERN(temporary_argument),
                                           PATTERN(two_temporaries),
                                           PATTERN(nested_awaits),
                                           PATTERN(awaits_as_arguments),
                                           PATTERN(concatenation),
                                           PATTERN(structured_binding),
                                           PATTERN(range_for),
                                           PATTERN(reference_to_result),
                                           PATTERN(conditions),
                                           PATTERN(chained_options),
                                           PATTERN(value_of_temporary),
                                           PATTERN(borrowed_futures),
                                           PATTERN(exception_in_an_argument),
                                           PATTERN(reference_captures),
                                           PATTERN(continues)),
                         [](const auto& pattern) { return std::string(pattern.param.name); });

}  // namespace
}  // namespace belay::replay::lifetime_tests
