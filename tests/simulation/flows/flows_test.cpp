// Worlds of flows, and the parts that make and judge them.
#include "flow/definition/bundle.hpp"
#include "simulation/flows/document.hpp"
#include "simulation/flows/generator.hpp"
#include "simulation/world/runner.hpp"
#include "support/sanitized.hpp"

#include <gtest/gtest.h>

namespace belay::sim::flow_tests {
namespace {

SeedResult run_flows(std::uint64_t seed, bool trace) {
    return run_seed(seed, trace, StoreKind::memory, true, Workload::flows);
}

TEST(SimulatedFlows, SameSeedGivesTheSameTraceTwice) {
    const SeedResult first = run_flows(4, true);
    const SeedResult second = run_flows(4, true);
    EXPECT_EQ(first.trace, second.trace);
    EXPECT_EQ(first.digest, second.digest);
    EXPECT_GT(first.trace.size(), 200U);
}

TEST(SimulatedFlows, SeedsPass) {
    Campaign campaign;
    campaign.workload = Workload::flows;
    campaign.count = support::kSanitized ? 4 : 40;
    campaign.on_failure = [](std::uint64_t seed, const SeedResult& result) {
        ADD_FAILURE() << "seed " << seed << " breaks: " << result.violation->invariant << ": "
                      << result.violation->detail;
    };
    const Totals totals = run_campaign(campaign);
    EXPECT_EQ(totals.passed, campaign.count);
    EXPECT_GT(totals.flows.of(FlowFeature::step_completed), 0U);
}

TEST(SimulatedFlows, GeneratedDefinitionsAreValid) {
    Rng rng(11);
    for (int i = 0; i < 200; ++i) {
        const FlowTexts texts = random_flows(rng);
        const auto find = [&](std::string_view name) -> std::optional<std::string> {
            const auto found = texts.by_name.find(name);
            return found != texts.by_name.end() ? std::optional(found->second) : std::nullopt;
        };
        const auto bundle = flow::read_bundle(texts.by_name.at(kMainFlow), find);
        ASSERT_TRUE(bundle.has_value()) << to_string(bundle.error().front()) << "\n"
                                        << texts.by_name.at(bundle.error().front().flow);
    }
}

TEST(SimulatedFlows, ATreeIsTheSameInJsonAndYaml) {
    Tree tree;
    tree.set("a", Tree::number(1)).set("b", std::string("x: \"y\""));
    tree.set("c", Tree::list({Tree().set("d", Tree::numbers({1, 2})), Tree::truth(true)}));
    EXPECT_EQ(tree.json(), R"({"a": 1, "b": "x: \"y\"", "c": [{"d": [1, 2]}, true]})");
    EXPECT_EQ(tree.yaml(), "a: 1\nb: \"x: \\\"y\\\"\"\nc:\n  -\n    d: [1, 2]\n  - true\n");
}

}  // namespace
}  // namespace belay::sim::flow_tests
