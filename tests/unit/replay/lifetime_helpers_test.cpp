// Patterns of orchestrations that await coroutines of their own: what they pass to them, get from
// them and catch from them. The tests that these go through are in lifetime_test.cpp.
#include "unit/replay/lifetimes.hpp"

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace belay::replay::lifetime_tests {
namespace {

struct Aggregate {
    Tracked first;
    Tracked second;
};
Aggregate make_aggregate() { return Aggregate{Tracked("first"), Tracked("second")}; }

class WithConstructor {
public:
    explicit WithConstructor(Tracked value) : value_(std::move(value)) {}
    [[nodiscard]] const std::string& text() const { return value_.text(); }

private:
    Tracked value_;
};

Orchestration<Tracked> by_value(OrchestrationContext ctx, Tracked value) {
    const Tracked used = co_await ctx.call(Use, value);
    co_return value;
}
Orchestration<std::string> helper_with_temporary(OrchestrationContext ctx, std::string input) {
    const Tracked result = co_await by_value(ctx, Tracked(input));
    co_return result.text();
}

Orchestration<std::unique_ptr<Tracked>> move_only(OrchestrationContext ctx,
                                                  std::unique_ptr<Tracked> value) {
    (void)co_await ctx.call(Use, *value);
    co_return std::move(value);
}
Orchestration<std::string> helper_with_move_only(OrchestrationContext ctx, std::string input) {
    const auto result = co_await move_only(ctx, std::make_unique<Tracked>(input));
    co_return result->text();
}

Orchestration<Tracked> takes_class(OrchestrationContext ctx, WithConstructor value) {
    co_return co_await ctx.call(Use, Tracked(value.text()));
}
Orchestration<std::string> helper_with_class(OrchestrationContext ctx, std::string input) {
    const Tracked result = co_await takes_class(ctx, WithConstructor(Tracked(input)));
    co_return result.text();
}

Orchestration<Tracked> takes_optional(OrchestrationContext ctx,
                                      std::optional<Tracked> value,
                                      std::pair<Tracked, int> pair) {
    (void)co_await ctx.call(Use, pair.first);
    co_return value ? *value : pair.first;
}
Orchestration<std::string> helper_with_standard_types(OrchestrationContext ctx, std::string input) {
    const Tracked result = co_await takes_optional(
        ctx, std::optional<Tracked>(Tracked(input)), std::pair<Tracked, int>(Tracked(input), 1));
    co_return result.text();
}

Orchestration<Aggregate> takes_aggregate(OrchestrationContext ctx, Aggregate value) {
    (void)co_await ctx.call(Use, value.first);
    co_return Aggregate{value.second, Tracked("made when returning")};
}
Orchestration<std::string> helper_with_named_aggregate(OrchestrationContext ctx,
                                                       std::string input) {
    Aggregate named{Tracked(input), Tracked(input)};
    const Aggregate result = co_await takes_aggregate(ctx, std::move(named));
    co_return join_texts(result.first, result.second);
}

Orchestration<std::string> aggregate_from_a_function(OrchestrationContext ctx, std::string input) {
    const Tracked kept(input);
    const Aggregate result = co_await takes_aggregate(ctx, make_aggregate());
    co_return join_texts(result.first, kept);
}

Orchestration<Aggregate> returns_braces(OrchestrationContext ctx, Tracked value) {
    (void)co_await ctx.call(Use, value);
    co_return {value, Tracked("in braces")};
}
Orchestration<std::string> braces(OrchestrationContext ctx, std::string input) {
    const Aggregate result = co_await returns_braces(ctx, Tracked(input));
    co_return join_texts(result.first, result.second);
}

Orchestration<Tracked> default_argument(OrchestrationContext ctx,
                                        Tracked value = Tracked("default")) {
    co_return co_await ctx.call(Use, value);
}
Orchestration<std::string> default_arguments(OrchestrationContext ctx, std::string input) {
    const Tracked result = co_await default_argument(ctx);
    co_return result.text() + input;
}

Orchestration<Tracked> slow(OrchestrationContext ctx, Tracked value) {
    const Tracked before(value);
    auto background = ctx.start(ctx.call(Use, Tracked("background")));
    const Tracked a = co_await ctx.call(Use, before);
    const Tracked b = co_await ctx.call(Use, a);
    co_return b;
}
Orchestration<std::string> losing_helper(OrchestrationContext ctx, std::string input) {
    const auto first = co_await ctx.select(
        slow(ctx, Tracked(input)), ctx.call(Use, Tracked(input)), slow(ctx, Tracked(input)));
    co_return std::to_string(first.index());
}

Orchestration<std::string> joined_helpers(OrchestrationContext ctx, std::string input) {
    std::vector<Orchestration<Tracked>> helpers;
    for (int i = 0; i < 3; ++i) helpers.push_back(slow(ctx, Tracked(input)));
    std::string text;
    for (const Tracked& one : co_await ctx.join(std::move(helpers))) text += one.text();
    co_return text;
}

Orchestration<std::string> helpers_kept(OrchestrationContext ctx, std::string input) {
    auto never_awaited = slow(ctx, Tracked(input));
    auto awaited = slow(ctx, Tracked(input));
    std::optional<Future<Tracked>> future = ctx.start(ctx.call(Use, Tracked(input)));
    const Tracked a = co_await std::move(awaited);
    const Tracked b = co_await *future;
    future.reset();
    co_return join_texts(a, b);
}

Orchestration<Tracked> throws_late(OrchestrationContext ctx, Tracked value) {
    const Tracked local(value);
    (void)co_await ctx.call(Use, local);
    throw std::runtime_error(value.text());
}
Orchestration<Tracked> passes_on(OrchestrationContext ctx, Tracked value) {
    const Tracked local(value);
    co_return co_await throws_late(ctx, local);
}
Orchestration<std::string> exception_through_levels(OrchestrationContext ctx, std::string input) {
    std::string caught;
    try {
        const Tracked never = co_await passes_on(ctx, Tracked(input));
    } catch (const std::runtime_error& problem) {
        caught = problem.what();
    }
    const Tracked after = co_await ctx.call(Use, Tracked(caught));
    co_return after.text();
}

Orchestration<Tracked> throws_at_once(OrchestrationContext /*ctx*/, Tracked value) {
    throw value;
    co_return value;
}
Orchestration<std::string> exception_before_waiting(OrchestrationContext ctx, std::string input) {
    std::string caught;
    try {
        (void)co_await throws_at_once(ctx, Tracked(input));
    } catch (const Tracked& problem) {
        caught = problem.text();
    }
    const Tracked after = co_await ctx.call(Use, Tracked(caught));
    co_return after.text();
}

Orchestration<std::string> exception_with_live_temporaries(OrchestrationContext ctx,
                                                           std::string input) {
    std::string caught;
    try {
        (void)join_texts(Tracked(input), co_await throws_late(ctx, Tracked(input)));
    } catch (const std::runtime_error& problem) {
        caught = problem.what();
    }
    co_return (co_await ctx.call(Use, Tracked(caught))).text();
}

Orchestration<std::string> retry_loop(OrchestrationContext ctx, std::string input) {
    for (int attempt = 0;; ++attempt) {
        try {
            const Tracked result = co_await throws_late(ctx, Tracked(input));
            co_return result.text();
        } catch (const std::runtime_error&) {
            if (attempt == 2) break;
        }
        co_await ctx.timer(Millis(10));
    }
    co_return input;
}

Orchestration<std::string> under_a_shield(OrchestrationContext ctx, std::string input) {
    const Tracked before(input);
    const Shield shield = ctx.shield();
    const Tracked result = co_await slow(ctx, Tracked(input));
    co_return result.text();
}

Orchestration<std::string> lambda_helper(OrchestrationContext ctx, std::string input) {
    const auto helper = [](OrchestrationContext inner, Tracked value) -> Orchestration<Tracked> {
        co_return co_await inner.call(Use, value);
    };
    co_return (co_await helper(ctx, Tracked(input))).text();
}

INSTANTIATE_TEST_SUITE_P(Helpers,
                         Lifetimes,
                         ::testing::Values(PATTERN(helper_with_temporary),
                                           PATTERN(helper_with_move_only),
                                           PATTERN(helper_with_class),
                                           PATTERN(helper_with_standard_types),
                                           PATTERN(helper_with_named_aggregate),
                                           PATTERN(aggregate_from_a_function),
                                           PATTERN(braces),
                                           PATTERN(default_arguments),
                                           PATTERN(losing_helper),
                                           PATTERN(joined_helpers),
                                           PATTERN(helpers_kept),
                                           PATTERN(exception_through_levels),
                                           PATTERN(exception_before_waiting),
                                           PATTERN(exception_with_live_temporaries),
                                           PATTERN(retry_loop),
                                           PATTERN(under_a_shield),
                                           PATTERN(lambda_helper)),
                         [](const auto& pattern) { return std::string(pattern.param.name); });

}  // namespace
}  // namespace belay::replay::lifetime_tests
