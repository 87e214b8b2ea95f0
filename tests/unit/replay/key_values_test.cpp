// Key-values of a run.
#include "unit/replay/harness.hpp"
#include <belay/exceptions.hpp>

namespace belay::replay::key_values_tests {
namespace {

using ::testing::HasSubstr;

Orchestration<std::string> sets(OrchestrationContext ctx) {
    ctx.set_value("stage", "packing");
    ctx.set_value("count", 1);
    co_await ctx.call(Ping);
    ctx.set_value("count", ctx.value<int>("count").value() + 1);
    ctx.clear_value("stage");
    ctx.clear_value("never set");
    const bool has_stage = ctx.value<std::string>("stage").has_value();
    co_return std::to_string(ctx.value<int>("count").value()) + (has_stage ? " stage" : "");
}

TEST(KeyValues, AreRecordedAndRead) {
    Scenario s(sets);
    s.start().expect({"set stage \"packing\"", "set count 1", "call #1 Ping ()"});
    s.complete(1).expect({"set count 2", "clear stage", "completed \"2\""});
}

Orchestration<std::string> clears_all(OrchestrationContext ctx) {
    ctx.clear_values();
    ctx.set_value("a", true);
    ctx.set_value("b", 2.5);
    ctx.clear_values();
    co_return ctx.value<bool>("a").has_value() ? "left" : "empty";
}

TEST(KeyValues, AllAreCleared) {
    Scenario s(clears_all);
    s.start().expect({"set a true", "set b real 2.5", "clear all", "completed \"empty\""});
}

Orchestration<std::string> counts(OrchestrationContext ctx, int round) {
    const int before = ctx.value<int>("rounds").value_or(0);
    ctx.set_value("rounds", before + 1);
    ctx.set_value("last", "round " + std::to_string(round));
    if (round == 1) ctx.set_value("gone", "soon");
    if (round == 2) ctx.clear_value("gone");
    if (round == 3) {
        co_return std::to_string(ctx.value<int>("rounds").value()) + " " +
            ctx.value<std::string>("last").value() + " " +
            ctx.value<std::string>("gone").value_or("cleared");
    }
    auto next = ctx.continue_as_new(Definition<std::string(int)>{kDefinition}, round + 1);
    co_await std::move(next);
    co_return "";
}

TEST(KeyValues, AreKeptInTheNextExecution) {
    Scenario s(counts);
    s.start(1).next_execution().next_execution();
    EXPECT_EQ(s.result<std::string>(), "3 round 3 cleared");
}

Orchestration<std::string> keeps_both(OrchestrationContext ctx, int round) {
    if (round == 1) {
        ctx.set_value("k", "v");
        co_await ctx.call(Ping);
        auto next = ctx.continue_as_new(Definition<std::string(int)>{kDefinition}, 2);
        co_await std::move(next);
    }
    const auto mail = ctx.try_receive<std::string>("mail");
    co_return ctx.value<std::string>("k").value() + (mail ? *mail : "");
}

TEST(KeyValues, AreKeptBesideMessages) {
    Scenario s(keeps_both);
    s.start(1).enqueue("mail", "m").complete(1).next_execution();
    EXPECT_EQ(s.result<std::string>(), "vm");
}

Orchestration<void> sets_one(OrchestrationContext ctx, std::string key, std::string value) {
    ctx.set_value(key, value);
    co_return;
}
Orchestration<void> sets_many(OrchestrationContext ctx, int count, int bytes) {
    for (int i = 0; i < count; ++i) {
        ctx.set_value("k" + std::to_string(i), std::string(static_cast<std::size_t>(bytes), 'x'));
    }
    ctx.set_value("k0", "again");
    co_return;
}

TEST(KeyValues, HaveLimits) {
    Limits limits;
    limits.key_values = 3;
    limits.key_value_bytes = 10;
    limits.key_values_bytes = 30;
    const auto problem = [&](auto code, const auto&... args) {
        Scenario s(code, limits);
        s.start(args...);
        if (s.outcome().status == Status::completed) return std::string();
        EXPECT_EQ(s.failure().kind, FailureKind::limit);
        return s.failure().message;
    };
    EXPECT_EQ(problem(sets_one, std::string("k"), std::string(10, 'x')), "");
    EXPECT_THAT(problem(sets_one, std::string("k"), std::string(11, 'x')),
                HasSubstr("the value of key 'k' is 11 bytes; at most 10"));
    EXPECT_THAT(problem(sets_one, std::string(300, 'k'), std::string("v")), HasSubstr("a key"));
    EXPECT_EQ(problem(sets_many, 3, 1), "");
    EXPECT_THAT(problem(sets_many, 4, 1), HasSubstr("there are 3 key-values"));
    EXPECT_EQ(problem(sets_many, 3, 8), "");
    EXPECT_THAT(problem(sets_many, 3, 9), HasSubstr("all key-values are 33 bytes; at most 30"));
}

TEST(KeyValues, AKeyIsAName) {
    Scenario s(sets_one);
    s.start(std::string(), std::string("v"));
    EXPECT_THAT(s.failure().message, HasSubstr("a key"));
    EXPECT_EQ(s.failure().type, "std::invalid_argument");
}

Orchestration<int> wrong_type(OrchestrationContext ctx) {
    ctx.set_value("k", "text");
    co_return ctx.value<int>("k").value_or(0);
}

TEST(KeyValues, AValueOfAnotherTypeIsAnError) {
    Scenario s(wrong_type);
    s.start();
    EXPECT_THAT(s.failure().message, HasSubstr("expected an integer"));
}

Orchestration<void> cleans_up(OrchestrationContext ctx) {
    ctx.set_value("state", "working");
    try {
        co_await ctx.call(Ping);
    } catch (const Canceled&) {
        ctx.set_value("state", "stopped");
    }
}

TEST(KeyValues, CleanupMaySetThem) {
    Scenario s(cleans_up);
    s.start().skip().cancel("stop").expect(
        {"cancel #1", "set state \"stopped\"", "canceled by user: stop, cleanup done"});
}

TEST(KeyValues, CodeThatSetsOtherwiseIsAMismatch) {
    Scenario s(wrong_type);
    s.start();
    const Result<void> same = replay_with(
        [](OrchestrationContext ctx) -> Orchestration<int> {
            ctx.set_value("k", "other");
            co_return 0;
        },
        s.history());
    ASSERT_FALSE(same.ok());
    EXPECT_THAT(same.error().message(),
                HasSubstr("history: KeyValueSet k \"text\"\n  code:    KeyValueSet k \"other\""));
}

TEST(KeyValues, TooMuchToTakeAlongIsAFailureAndNotALoss) {
    Limits limits;
    limits.carried_bytes = 20;
    Scenario s(keeps_both, limits);
    s.start(1).enqueue("mail", "a message of some length").complete(1);
    EXPECT_EQ(s.failure().kind, FailureKind::limit);
    EXPECT_THAT(s.failure().message, HasSubstr("with the 1 messages and 1 key-values"));
}

}  // namespace
}  // namespace belay::replay::key_values_tests
