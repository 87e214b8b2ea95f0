// Every object of an orchestration is destroyed exactly once, whether its code runs to the end or
// is destroyed where it waits. The patterns are those that g++ 12 compiles correctly and that users
// of the API write; the ones that it does not are refused by the headers or found by the lint.
#include "model/encoding.hpp"
#include "support/tracked.hpp"
#include "unit/replay/harness.hpp"

#include <memory>
#include <optional>
#include <stdexcept>

template <>
struct belay::Codec<belay::support::Tracked> {
    static Payload encode(const support::Tracked& value) { return Payload::text(value.text()); }
    static support::Tracked decode(const Payload& payload) {
        return support::Tracked(Codec<std::string>::decode(payload));
    }
};

namespace belay::replay::lifetime_tests {
namespace {

using support::Tracked;

inline constexpr Activity<Tracked(Tracked)> Use{"Use"};
inline constexpr Activity<Tracked(Tracked, Tracked)> Mix{"Mix"};

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

std::string join_texts(const Tracked& a, const Tracked& b) { return a.text() + b.text(); }

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

Orchestration<std::string> borrowed_futures(OrchestrationContext ctx, std::string input) {
    auto future = ctx.start(ctx.call(Use, Tracked(input)));
    for (;;) {
        const auto first = co_await ctx.select(future, ctx.timer(Millis(1)));
        if (first.index() == 0) co_return std::get<0>(first).text();
        const Tracked between = co_await ctx.call(Use, Tracked(input));
    }
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

Orchestration<std::string> reference_captures(OrchestrationContext ctx, std::string input) {
    const Tracked local(input);
    const auto show = [&](const Tracked& other) { return join_texts(local, other); };
    co_return show(co_await ctx.call(Use, Tracked(input)));
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

inline constexpr Definition<std::string(std::string)> Self{"Test"};

Orchestration<std::string> continues(OrchestrationContext ctx, std::string input) {
    const Tracked local(input);
    auto future = ctx.start(ctx.call(Use, Tracked(input)));
    (void)co_await ctx.call(Use, local);
    co_await ctx.continue_as_new(Self, input + Tracked(input).text());
    co_return "";
}

// ---- Driving them -------------------------------------------------------------------------------

using Code = Orchestration<std::string> (*)(OrchestrationContext, std::string);

struct Pattern {
    const char* name;
    Code code;
};

/// Feeds an execution: whatever is open and came first is done next.
class Driver {
public:
    explicit Driver(Code code) {
        registry_.add(Definition<std::string(std::string)>{kDefinition}, code);
        execution_ = std::make_unique<Execution>(registry_.orchestration(kDefinition)->handler,
                                                 Identity{{"", "i"}, 1, kDefinition, "1"},
                                                 Limits());
        execution_->begin_turn(from_unix_ms(1), Payload::text("an input that is not short"));
        note();
    }

    /// False if there is nothing to do.
    bool step(bool fail) {
        while (!execution_->finished() && !open_.empty()) {
            const NewMessage next = fail && open_.front().kind == MessageKind::activity_completed
                                        ? failed(open_.front())
                                        : open_.front();
            open_.erase(open_.begin());
            if (execution_->apply(next)) {
                note();
                return true;
            }
        }
        return false;
    }
    void cancel() {
        execution_->apply_cancel(CancelRecord{.reason = "a reason that is not short at all"});
        note();
    }
    [[nodiscard]] bool finished() const { return execution_->finished(); }

private:
    static NewMessage failed(NewMessage message) {
        message.kind = MessageKind::activity_failed;
        message.payload =
            model::to_payload(Failure{.message = "a failure that is not short at all"});
        return message;
    }

    void note() {
        for (const model::Event& event : execution_->take_recorded()) {
            if (const auto* call = std::get_if<model::ActivityScheduled>(&event)) {
                const bool number = call->name == "Count";
                open_.push_back(NewMessage{
                    MessageKind::activity_completed,
                    1,
                    call->command,
                    "",
                    number ? Codec<int>::encode(1) : Payload::text("a result that is not short")});
            } else if (const auto* timer = std::get_if<model::TimerScheduled>(&event)) {
                open_.push_back(
                    NewMessage{MessageKind::timer_fired, 1, timer->command, "", Payload()});
            }
        }
    }

    Registry registry_;
    std::unique_ptr<Execution> execution_;
    std::vector<NewMessage> open_;
};

class Lifetimes : public ::testing::TestWithParam<Pattern> {
protected:
    void SetUp() override { ASSERT_EQ(Tracked::live(), 0U); }
    void TearDown() override { EXPECT_EQ(Tracked::live(), 0U) << "left behind"; }
};

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

#define PATTERN(function) \
    Pattern { #function, function }

INSTANTIATE_TEST_SUITE_P(Patterns,
                         Lifetimes,
                         ::testing::Values(PATTERN(parameters_and_locals),
                                           PATTERN(temporary_argument),
                                           PATTERN(two_temporaries),
                                           PATTERN(nested_awaits),
                                           PATTERN(awaits_as_arguments),
                                           PATTERN(concatenation),
                                           PATTERN(helper_with_temporary),
                                           PATTERN(helper_with_move_only),
                                           PATTERN(helper_with_class),
                                           PATTERN(helper_with_standard_types),
                                           PATTERN(helper_with_named_aggregate),
                                           PATTERN(aggregate_from_a_function),
                                           PATTERN(braces),
                                           PATTERN(default_arguments),
                                           PATTERN(structured_binding),
                                           PATTERN(range_for),
                                           PATTERN(reference_to_result),
                                           PATTERN(conditions),
                                           PATTERN(chained_options),
                                           PATTERN(value_of_temporary),
                                           PATTERN(losing_helper),
                                           PATTERN(joined_helpers),
                                           PATTERN(helpers_kept),
                                           PATTERN(borrowed_futures),
                                           PATTERN(exception_through_levels),
                                           PATTERN(exception_in_an_argument),
                                           PATTERN(exception_before_waiting),
                                           PATTERN(exception_with_live_temporaries),
                                           PATTERN(retry_loop),
                                           PATTERN(reference_captures),
                                           PATTERN(under_a_shield),
                                           PATTERN(lambda_helper),
                                           PATTERN(continues)),
                         [](const auto& pattern) { return std::string(pattern.param.name); });

}  // namespace
}  // namespace belay::replay::lifetime_tests
