// Random numbers: the same on every replay.
#include "unit/replay/harness.hpp"

#include <set>
#include <stdexcept>

namespace belay::replay::random_tests {
namespace {

using ::testing::MatchesRegex;

Orchestration<std::string> draws(OrchestrationContext ctx) {
    const std::int64_t first = ctx.random().integer(1, 1'000'000);
    co_await ctx.call(Ping);
    const std::int64_t second = ctx.random().integer(1, 1'000'000);
    co_return std::to_string(first) + " " + std::to_string(second);
}

TEST(RandomNumbers, TheirSeedIsRecordedOnce) {
    Scenario s(draws);
    s.start().expect({"RandomSeeded 1 7", "call #1 Ping ()"});
    s.complete(1).skip();
    EXPECT_NE(s.result<std::string>(), "");
}

// These numbers are part of every history that has a seed: they must never change.
TEST(RandomNumbers, AreTheSameForEver) {
    RandomStream stream(1, 7);
    const std::vector<std::uint64_t> numbers = {stream.next(), stream.next(), stream.next()};
    EXPECT_EQ(numbers,
              (std::vector<std::uint64_t>{
                  8654144732924605433ULL, 12311576059835385765ULL, 17006596758942739921ULL}));
}

TEST(RandomNumbers, AReplayTakesTheSeedFromHistory) {
    Scenario s(draws);
    s.start().complete(1);
    Registry registry;
    registry.add(definition_of(+draws), draws);
    Execution elsewhere(registry.orchestration(kDefinition)->handler,
                        Identity{{"space", kInstance}, 1, kDefinition, "1", {99, 99}},
                        Limits());
    ASSERT_TRUE(elsewhere.replay(s.history()).ok());
    EXPECT_EQ(elsewhere.outcome(), s.execution().outcome());
}

TEST(RandomNumbers, DifferFromExecutionToExecution) {
    const auto with_seed = [](std::uint64_t seed) {
        Registry registry;
        registry.add(definition_of(+draws), draws);
        Execution execution(registry.orchestration(kDefinition)->handler,
                            Identity{{"space", kInstance}, 1, kDefinition, "1", {seed, 0}},
                            Limits());
        execution.begin_turn(Timestamp(), Payload());
        execution.apply(NewMessage{MessageKind::activity_completed, 1, 1, "", Payload()});
        return Codec<std::string>::decode(execution.outcome()->output);
    };
    EXPECT_NE(with_seed(1), with_seed(2));
    EXPECT_EQ(with_seed(1), with_seed(1));
}

Orchestration<void> draws_nothing(OrchestrationContext ctx) { co_await ctx.call(Ping); }
Orchestration<void> draws_now(OrchestrationContext ctx) {
    (void)ctx.random()();
    co_await ctx.call(Ping);
}

TEST(RandomNumbers, CodeThatBeginsToUseThemIsAMismatch) {
    Scenario s(draws_nothing);
    s.start().expect({"call #1 Ping ()"});
    const Result<void> same = replay_with(draws_now, s.history());
    ASSERT_FALSE(same.ok());
    EXPECT_THAT(same.error().message(), ::testing::HasSubstr("code:    RandomSeeded"));
}

Orchestration<std::string> uuids(OrchestrationContext ctx) {
    std::string text = ctx.new_uuid();
    co_await ctx.call(Ping);
    co_return text + " " + ctx.new_uuid();
}

TEST(RandomNumbers, MakeUuids) {
    Scenario s(uuids);
    s.start().complete(1);
    const std::string both = s.result<std::string>();
    const std::string one = "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}";
    EXPECT_THAT(both, MatchesRegex(one + " " + one));
    EXPECT_NE(both.substr(0, 36), both.substr(37));
}

Orchestration<std::string> distributions(OrchestrationContext ctx) {
    const RandomNumbers random = ctx.random();
    std::string wrong;
    std::set<std::int64_t> dice;
    for (int i = 0; i < 1'000; ++i) {
        dice.insert(random.integer(1, 6));
        const double part = random.real();
        if (part < 0 || part >= 1) wrong += "real ";
        if (random.chance(0) || !random.chance(1)) wrong += "chance ";
    }
    if (dice != std::set<std::int64_t>{1, 2, 3, 4, 5, 6}) wrong += "dice ";
    if (random.integer(-3, -3) != -3) wrong += "one ";
    (void)random.integer(std::numeric_limits<std::int64_t>::min(),
                         std::numeric_limits<std::int64_t>::max());
    std::vector<int> cards = {1, 2, 3, 4, 5, 6, 7, 8};
    random.shuffle(cards);
    if (std::multiset<int>(cards.begin(), cards.end()).size() != 8) wrong += "shuffle ";
    try {
        (void)random.integer(2, 1);
        wrong += "empty ";
    } catch (const std::invalid_argument&) {
    }
    co_return wrong;
}

TEST(RandomNumbers, HaveTheUsualDistributions) {
    Scenario s(distributions);
    s.start();
    EXPECT_EQ(s.result<std::string>(), "");
}

Orchestration<std::int64_t> next_execution(OrchestrationContext ctx, int left) {
    const std::int64_t value = ctx.random().integer(0, 1'000'000'000);
    if (left == 0) co_return value;
    auto next = ctx.continue_as_new(Definition<std::int64_t(int)>{kDefinition}, left - 1);
    co_await std::move(next);
    co_return 0;
}

TEST(RandomNumbers, TheNextExecutionHasItsOwn) {
    Scenario s(next_execution);
    s.start(1).expect({"RandomSeeded 1 7", "continued 0"});
    s.next_execution().skip();
    EXPECT_EQ(std::get<model::RandomSeeded>(s.history().at(2)).high, 2U);
}

}  // namespace
}  // namespace belay::replay::random_tests
