// Eviction: destroying an execution at any moment has no effect on the run.
#include "unit/replay/harness.hpp"

#include <memory>

namespace belay::replay::eviction_tests {
namespace {

/// Does everything that a destructor can do with a context.
class Meddler {
public:
    explicit Meddler(OrchestrationContext ctx) : ctx_(ctx) {}
    Meddler(const Meddler&) = delete;
    Meddler& operator=(const Meddler&) = delete;
    ~Meddler() {
        ++destroyed;
        auto future = ctx_.start(ctx_.call(Work, "from a destructor"));
        auto timer = ctx_.start(ctx_.timer(Millis(1)));
        auto wait = ctx_.start(ctx_.wait<std::string>("kept"));
        seen_ready += wait.ready() ? 1 : 0;
        ctx_.set_custom_status("from a destructor");
        ctx_.on_rollback(Undo, "from a destructor");
        const Shield shield = ctx_.shield(Millis(1'000'000));
        auto shielded = ctx_.start(ctx_.call(Ping));
    }

    static int destroyed;
    static int seen_ready;

private:
    OrchestrationContext ctx_;
};
int Meddler::destroyed = 0;
int Meddler::seen_ready = 0;

Orchestration<void> helper_with_meddler(OrchestrationContext ctx) {
    const Meddler meddler(ctx);
    co_await ctx.call(Ping);
}
Orchestration<std::string> with_meddler(OrchestrationContext ctx) {
    auto future = ctx.start(ctx.call(Work, "a"));
    const Meddler meddler(ctx);
    auto other = ctx.start(ctx.timer(Millis(9)));
    (void)co_await ctx.join(helper_with_meddler(ctx), ctx.timer(Millis(5)));
    co_return co_await std::move(future);
}

TEST(Eviction, DestructorsThatUseTheContextHaveNoEffect) {
    Registry registry;
    registry.add(Definition<std::string()>{kDefinition}, with_meddler);
    auto execution = std::make_unique<Execution>(registry.orchestration(kDefinition)->handler,
                                                 Identity{{"", "i"}, 1, kDefinition, "1"},
                                                 Limits());
    execution->begin_turn(from_unix_ms(1), Payload());
    execution->apply(
        NewMessage{MessageKind::event_raised, 0, 0, "kept", Payload::text("not consumed")});
    const std::vector<model::Event> before = execution->take_recorded();
    Meddler::destroyed = Meddler::seen_ready = 0;
    execution.reset();
    EXPECT_EQ(Meddler::destroyed, 2);
    EXPECT_EQ(Meddler::seen_ready, 0);
    EXPECT_EQ(before.size(), 7U);
}

Orchestration<void> ended_by_force(OrchestrationContext ctx) {
    const Meddler meddler(ctx);
    for (;;) {
        try {
            co_await ctx.call(Ping);
        } catch (const Canceled&) {
        }
    }
}

TEST(Eviction, DestructorsOfCodeThatIsEndedByForceHaveNoEffect) {
    Scenario s(ended_by_force);
    s.start().skip().cancel("stop").expect({"cancel #1", "canceled by user: stop, cleanup failed"});
}

inline constexpr Definition<void()> Self{"Test"};

Orchestration<void> continues(OrchestrationContext ctx) {
    const Meddler meddler(ctx);
    co_await ctx.call(Ping);
    co_await ctx.continue_as_new(Self);
}

TEST(Eviction, DestructorsOfCodeThatContinuesAsNewHaveNoEffect) {
    Scenario s(continues);
    s.start().skip().complete(1).expect({"continued ()"});
    EXPECT_EQ(s.execution().longest_shield(), Millis(0));
}

Orchestration<void> in_a_live_turn(OrchestrationContext ctx) {
    {
        const Meddler meddler(ctx);
        co_await ctx.call(Ping);
    }
    co_await ctx.call(Ping);
}

TEST(Eviction, DestructorsInALiveTurnDoHaveAnEffect) {
    Scenario s(in_a_live_turn);
    s.start().skip().complete(1);
    s.expect({"call #2 Work \"from a destructor\"",
              "timer #3 +1",
              "wait #4 kept",
              "status \"from a destructor\"",
              "call #5 Ping () shielded",
              "cancel #5",
              "cancel #4",
              "cancel #3",
              "cancel #2",
              "call #6 Ping ()"});
}

/// The engine's inputs of one long run that uses everything.
Orchestration<std::string> everything(OrchestrationContext ctx) {
    ctx.set_custom_status("begun");
    auto background = ctx.start(ctx.call(Work, "background"));
    const std::string first = co_await ctx.call(Work, "first");
    ctx.on_rollback(Undo, first);
    auto early = co_await ctx.wait<std::string>("early");
    auto winner = co_await ctx.select(ctx.call(Child, early), ctx.timer(Millis(50)), background);
    std::vector<Call<int>> calls;
    for (int i = 0; i < 3; ++i) calls.push_back(ctx.call(Count, i));
    int sum = 0;
    for (const int value : co_await ctx.join(std::move(calls))) sum += value;
    {
        const Shield shield = ctx.shield();
        (void)co_await ctx.try_call(Work, std::to_string(sum));
    }
    co_return co_await ctx.call(Work, std::to_string(winner.index()));
}

// The scenario itself makes the execution anew before every input and compares: see harness.hpp.
TEST(Eviction, BetweenAnyTwoInputsChangesNothing) {
    Scenario s(everything);
    s.start().raise("early", "x");
    s.in_one_turn([&] { s.complete(2, "f").fire(5); });
    s.complete(7, 2).complete(1, "late").complete(6, 1);
    s.in_one_turn([&] { s.complete(8, 3).raise("unwanted", "y"); });
    s.fail(9, "tried").complete(10, "done");
    EXPECT_EQ(s.result<std::string>(), "done");
}

TEST(Eviction, BetweenAnyTwoInputsOfACanceledRunChangesNothing) {
    Scenario s(everything);
    s.start().raise("early", "x").complete(2, "f").cancel("stop").skip();
    EXPECT_FALSE(s.finished());
    s.complete(6);
    s.expect({"canceled by user: stop, cleanup done"});
}

TEST(Eviction, InTheFirstTurnChangesNothing) {
    Registry registry;
    registry.add(Definition<std::string()>{kDefinition}, everything);
    const auto make = [&] {
        return std::make_unique<Execution>(registry.orchestration(kDefinition)->handler,
                                           Identity{{"", "i"}, 1, kDefinition, "1"},
                                           Limits());
    };
    auto refused = make();
    refused->begin_turn(from_unix_ms(1), Payload());
    const auto first = refused->take_recorded();
    refused = make();  // A refused turn: the execution has run past history and must go.
    refused->begin_turn(from_unix_ms(1), Payload());
    EXPECT_EQ(refused->take_recorded(), first);
}

TEST(Eviction, AnExecutionThatNeverRanCanBeDestroyed) {
    Registry registry;
    registry.add(Definition<std::string()>{kDefinition}, everything);
    const Execution unused(registry.orchestration(kDefinition)->handler,
                           Identity{{"", "i"}, 1, kDefinition, "1"},
                           Limits());
    EXPECT_EQ(unused.position(), 0U);
    EXPECT_FALSE(unused.finished());
}

}  // namespace
}  // namespace belay::replay::eviction_tests
