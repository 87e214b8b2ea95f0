// continue_as_new, and custom status.
#include "unit/replay/harness.hpp"

namespace belay::replay::continue_tests {
namespace {

using ::testing::HasSubstr;

inline constexpr Definition<int(int)> Self{"Test"};
inline constexpr Definition<int(int)> Other{"Other"};

Orchestration<int> counts(OrchestrationContext ctx, int round) {
    co_await ctx.call(Ping);
    if (round == 3) co_return static_cast<int>(ctx.execution());
    co_await ctx.continue_as_new(Self, round + 1);
    co_return -1;
}

TEST(ContinueAsNew, EndsTheExecutionAndGivesTheNextItsInput) {
    Scenario s(counts);
    s.start(1).skip().complete(1).expect({"continued 2"});
    EXPECT_TRUE(s.finished());
    EXPECT_FALSE(s.execution().outcome().has_value());
}

TEST(ContinueAsNew, NumbersBeginAgain) {
    Scenario s(counts);
    s.start(1).complete(1).skip().next_execution().expect({"call #1 Ping ()"});
    s.complete(1).expect({"continued 3"}).next_execution().skip().complete(1);
    s.expect({"completed 3"});
}

TEST(ContinueAsNew, NothingHasAnEffectAfterIt) {
    Scenario s(counts);
    s.start(1).complete(1).skip();
    const std::size_t before = s.history().size();
    s.complete(1).raise("late", "x").cancel("late").expect({});
    EXPECT_EQ(s.history().size(), before);
}

Orchestration<int> with_open_work(OrchestrationContext ctx, int round) {
    auto open = ctx.start(ctx.call(Work, "open"));
    ctx.on_rollback(Undo, "x");
    co_await ctx.call(Ping);
    co_await ctx.continue_as_new(Self, round + 1);
    co_return 0;
}

TEST(ContinueAsNew, LeavesOpenWorkToTheEndOfTheExecution) {
    Scenario s(with_open_work);
    s.start(1).skip().complete(2).expect({"continued 2"});
}

Orchestration<int> inner(OrchestrationContext ctx, int round) {
    co_await ctx.call(Ping);
    co_await ctx.continue_as_new(Self, round + 1);
    co_return 0;
}
Orchestration<int> in_a_helper(OrchestrationContext ctx, int round) {
    const auto first = co_await ctx.select(inner(ctx, round), ctx.timer(Millis(5)));
    co_return static_cast<int>(first.index());
}

TEST(ContinueAsNew, WorksFromAHelper) {
    Scenario s(in_a_helper);
    s.start(1).skip().complete(2).expect({"continued 2"});
}

Orchestration<int> another_definition(OrchestrationContext ctx, int round) {
    co_await ctx.continue_as_new(Other, round);
    co_return 0;
}

TEST(ContinueAsNew, AsAnotherDefinitionIsRefused) {
    Scenario s(another_definition);
    s.start(1).expect({"failed application: belay: a run of 'Test' cannot continue as 'Other'"});
}

inline constexpr Definition<int(std::string)> SelfWithText{"Test"};

Orchestration<int> too_large(OrchestrationContext ctx, std::string input) {
    co_await ctx.continue_as_new(SelfWithText, input + input);
    co_return 0;
}

TEST(ContinueAsNew, WithTooLargeAnInputIsAClearError) {
    Limits limits;
    limits.payload_bytes = 100;
    Scenario s(too_large, limits);
    s.start(std::string(60, 'x'));
    s.expect(
        {"failed limit: the input of the next execution is 120 bytes; at most 100 are allowed "
         "(Limits::payload_bytes): keep it elsewhere, and pass on where it is"});
}

Orchestration<int> not_awaited(OrchestrationContext ctx, int round) {
    auto next = ctx.continue_as_new(Self, round + 1);
    (void)next;
    co_return 7;
}

TEST(ContinueAsNew, DoesNothingUntilItIsAwaited) {
    Scenario s(not_awaited);
    s.start(1).expect({"completed 7"});
}

/// A variable whose destructor decides something, as a helper of the user's may.
class Farewell {
public:
    explicit Farewell(OrchestrationContext ctx) : ctx_(std::move(ctx)) {}
    Farewell(const Farewell&) = delete;
    Farewell& operator=(const Farewell&) = delete;
    ~Farewell() { ctx_.set_value("farewell", 1); }

private:
    OrchestrationContext ctx_;
};

Orchestration<int> returns_it(OrchestrationContext ctx, int round) {
    auto open = ctx.start(ctx.call(Work, "open"));
    const Farewell farewell(ctx);
    co_await ctx.call(Ping);
    co_return ctx.continue_as_new(Self, round + 1);
}

TEST(ContinueAsNew, CanBeReturnedAndRecordsTheSame) {
    Scenario s(returns_it);
    s.start(1).skip().complete(2).expect({"continued 2"});
    Scenario awaited(with_open_work);
    awaited.start(1).complete(2);
    EXPECT_TRUE(replay_with(returns_it, awaited.history()).ok());
}

Orchestration<std::string> returns_it_from_a_helper(OrchestrationContext ctx, int round) {
    co_await ctx.call(Ping);
    co_return ctx.continue_as_new(Self, round + 1).version("2");
}
Orchestration<int> awaits_the_helper(OrchestrationContext ctx, int round) {
    const auto first =
        co_await ctx.select(returns_it_from_a_helper(ctx, round), ctx.timer(Millis(5)));
    co_return static_cast<int>(first.index());
}

TEST(ContinueAsNew, CanBeReturnedFromAHelper) {
    Scenario s(awaits_the_helper);
    s.start(1).skip().complete(2);
    EXPECT_EQ(s.execution().next_version(), "2");
    EXPECT_FALSE(s.execution().outcome().has_value());
}

Orchestration<std::string> returns_too_large_an_input(OrchestrationContext ctx, std::string input) {
    const Farewell farewell(ctx);
    co_return ctx.continue_as_new(SelfWithText, input + input);
}

TEST(ContinueAsNew, ARefusalFailsTheRunAndItsCodeGoesOn) {
    Limits limits;
    limits.payload_bytes = 100;
    Scenario s(returns_too_large_an_input, limits);
    s.start(std::string(60, 'x'));
    EXPECT_EQ(s.failure().kind, FailureKind::limit);
    EXPECT_EQ(s.execution().position(), s.history().size());
}

Orchestration<void> reports(OrchestrationContext ctx) {
    ctx.set_custom_status("first");
    co_await ctx.call(Ping);
    ctx.set_custom_status("second");
    ctx.set_custom_status("third");
}

TEST(CustomStatus, IsADecisionLikeAnyOther) {
    Scenario s(reports);
    s.start().expect({"status \"first\"", "call #1 Ping ()"});
    s.complete(1).expect({"status \"second\"", "status \"third\"", "completed ()"});
}

Orchestration<std::string> reports_numbers(OrchestrationContext ctx) {
    const bool unset = !ctx.custom_status<int>();
    ctx.set_custom_status(40);
    co_await ctx.call(Ping);
    ctx.set_custom_status(*ctx.custom_status<int>() + 2);
    std::string seen = std::to_string(*ctx.custom_status<int>());
    try {
        (void)ctx.custom_status<std::vector<std::string>>();
    } catch (const DecodeError&) {
        seen += " and no list";
    }
    co_return unset ? seen : "was set";
}

TEST(CustomStatus, HasTheTypeThatTheCodeChose) {
    Scenario s(reports_numbers);
    s.start().expect({"status 40", "call #1 Ping ()"});
    s.complete(1).expect({"status 42", "completed \"42 and no list\""});
}

Orchestration<std::string> reports_text(OrchestrationContext ctx) {
    const std::string_view view = "a view";
    ctx.set_custom_status(view);
    ctx.set_custom_status(std::string("a string"));
    co_await ctx.call(Ping);
    co_return ctx.custom_status<std::string>().value();
}

TEST(CustomStatus, CanBeAnyText) {
    Scenario s(reports_text);
    s.start().expect({"status \"a view\"", "status \"a string\"", "call #1 Ping ()"});
    s.complete(1).expect({"completed \"a string\""});
}

TEST(CustomStatus, HasALimit) {
    Limits limits;
    limits.custom_status_bytes = 3;
    Scenario s(reports, limits);
    s.start();
    EXPECT_EQ(s.failure().kind, FailureKind::limit);
    EXPECT_THAT(s.failure().message,
                HasSubstr("a custom status of 5 bytes; at most 3 are allowed "
                          "(Limits::custom_status_bytes): say less"));
}

Orchestration<void> status_while_canceled(OrchestrationContext ctx) {
    try {
        co_await ctx.call(Ping);
    } catch (const Canceled&) {
        ctx.set_custom_status("cleaning up");
        throw;
    }
}

TEST(CustomStatus, CanBeSetWhileCanceling) {
    Scenario s(status_while_canceled);
    s.start().skip().cancel("stop");
    s.expect({"cancel #1", "status \"cleaning up\"", "canceled by user: stop, cleanup done"});
}

}  // namespace
}  // namespace belay::replay::continue_tests
