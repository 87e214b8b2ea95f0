// Timers.
#include "unit/replay/harness.hpp"

#include <chrono>

namespace belay::replay::timers_tests {
namespace {

Orchestration<std::string> naps(OrchestrationContext ctx) {
    const Timestamp before = ctx.now();
    co_await ctx.timer(std::chrono::seconds(5));
    co_return std::to_string((ctx.now() - before).count());
}

TEST(Timers, AreDueAfterTheBeginningOfTheTurn) {
    Scenario s(naps);
    s.start().expect({"timer #1 +5000"});
}

TEST(Timers, LetTheCodeGoOnWithTheTimeOfTheTurn) {
    Scenario s(naps);
    s.start().fire(1);
    EXPECT_EQ(s.result<std::string>(), "1000") << "the scenario's turns are a second apart";
}

TEST(Timers, ADuplicateLeavesNoTrace) {
    Scenario s(naps);
    s.start();
    s.in_one_turn([&] { s.fire(1).fire(1); });
    EXPECT_FALSE(s.applied());
    EXPECT_EQ(s.outcome().status, Status::completed);
}

Orchestration<std::string> looks_at_the_clock(OrchestrationContext ctx) {
    const Timestamp before = ctx.now();
    co_await ctx.call(Ping);
    const Timestamp after = ctx.now();
    co_await ctx.timer(std::chrono::seconds(5));
    co_return std::to_string((after - before).count()) + " " +
        std::to_string((ctx.now() - after).count());
}

TEST(Timers, TimeNeverGoesBackForTheCode) {
    Scenario s(looks_at_the_clock);
    s.start().jump(Millis(-60'000)).complete(1);
    s.expect({"call #1 Ping ()", "timer #2 +64000"});
    s.jump(Millis(70'000)).fire(2);
    EXPECT_EQ(s.result<std::string>(), "0 12000") << "a second between turns, and the jumps";
}

Orchestration<void> nap_of(OrchestrationContext ctx, std::int64_t ms) {
    co_await ctx.timer(Millis(ms));
}

TEST(Timers, NoDelayIsATimerLikeAnyOther) {
    Scenario s(nap_of);
    s.start(std::int64_t{0}).expect({"timer #1 +0"}).fire(1).expect({"completed ()"});
}

TEST(Timers, ANegativeDelayIsDueNow) {
    Scenario s(nap_of);
    s.start(std::int64_t{-1}).expect({"timer #1 +0"}).fire(1).expect({"completed ()"});
}

Orchestration<std::string> late_for_a_deadline(OrchestrationContext ctx) {
    const Timestamp deadline = ctx.now() + Millis(1);
    co_await ctx.call(Ping);
    co_await ctx.timer(deadline - ctx.now());
    co_return "late";
}

TEST(Timers, ADeadlineThatHasPassedIsDueNow) {
    Scenario s(late_for_a_deadline);
    s.start().complete(1).expect({"call #1 Ping ()", "timer #2 +0"}).fire(2);
    EXPECT_EQ(s.result<std::string>(), "late");
}

TEST(Timers, ADelayBeyondAllTimeIsDueAtTheEndOfTime) {
    Scenario s(nap_of);
    s.start(Millis::max().count());
    const auto& scheduled = std::get<model::TimerScheduled>(s.history().back());
    EXPECT_EQ(scheduled.due_at, Timestamp::max());
}

Orchestration<int> clock(OrchestrationContext ctx) {
    int sum = 0;
    for (int i = 0; i < 3; ++i) {
        const Timestamp before = ctx.now();
        co_await ctx.call(Ping);
        sum += static_cast<int>((ctx.now() - before).count());
    }
    co_return sum;
}

TEST(Timers, TimeStandsStillDuringATurn) {
    Scenario s(clock);
    s.start().complete(1);
    s.in_one_turn([&] { s.complete(2).complete(3); });
    EXPECT_EQ(s.result<int>(), 2'000);
}

}  // namespace
}  // namespace belay::replay::timers_tests
