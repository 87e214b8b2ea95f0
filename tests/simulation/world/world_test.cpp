// The simulator itself: a seed means one thing, and the seeds cover all faults and features.
#include "simulation/world/runner.hpp"
#include "support/sanitized.hpp"

#include <gtest/gtest.h>

namespace belay::sim::world_tests {
namespace {

TEST(World, SameSeedGivesTheSameTraceTwice) {
    for (const std::uint64_t seed : {3U, 14U, 159U}) {
        const SeedResult first = run_seed(seed, true);
        const SeedResult second = run_seed(seed, true);
        EXPECT_EQ(first.trace, second.trace) << "seed " << seed;
        EXPECT_EQ(first.digest, second.digest);
        EXPECT_GT(first.trace.size(), 200U);
    }
}

TEST(World, TheTraceChangesNothing) {
    for (const std::uint64_t seed : {2U, 71U}) {
        const SeedResult with = run_seed(seed, true);
        const SeedResult without = run_seed(seed, false);
        EXPECT_EQ(with.digest, without.digest) << "seed " << seed;
        EXPECT_EQ(with.faults, without.faults);
        EXPECT_TRUE(without.trace.empty());
    }
}

TEST(World, DifferentSeedsAreDifferent) {
    EXPECT_NE(run_seed(1, true).trace, run_seed(2, true).trace);
}

TEST(World, SeedsPassAndEverythingHappens) {
    Campaign campaign;
    campaign.first = 1'000'000;
    campaign.count = support::kSanitized ? 40 : 100;
    campaign.on_failure = [](std::uint64_t seed, const SeedResult& result) {
        ADD_FAILURE() << "seed " << seed << " breaks: " << result.violation->invariant << ": "
                      << result.violation->detail;
    };
    const Totals totals = run_campaign(campaign);
    EXPECT_EQ(totals.passed, campaign.count);
    EXPECT_EQ(totals.failed + totals.skipped, 0U);
    for (std::size_t i = 0; i < kFaultKinds; ++i) {
        const auto fault = static_cast<Fault>(i);
        if (!possible(fault, campaign.store)) continue;
        EXPECT_GT(totals.faults.of(fault), 0U) << to_string(fault);
    }
    for (std::size_t i = 0; i < kFeatureKinds; ++i) {
        const auto feature = static_cast<Feature>(i);
        if (is_rare(feature)) continue;
        EXPECT_GT(totals.features.of(feature), 0U) << to_string(feature);
    }
    EXPECT_GT(totals.runtime.turns_refused, 0U);
    EXPECT_GT(totals.runtime.completions_refused, 0U);
    EXPECT_GT(totals.runtime.abandoned, 0U);
    EXPECT_GT(totals.runtime.unregistered, 0U);
    EXPECT_GT(totals.pruned, 0U);
    EXPECT_GT(totals.redriven, 0U);
    EXPECT_GT(totals.discarded, 0U);
    EXPECT_GT(totals.held, 0U);
    EXPECT_GT(totals.waits.by_notice, 0U);
    EXPECT_GT(totals.waits.by_poll, 0U);
    EXPECT_GT(totals.waits.of_status, 0U);
    EXPECT_GT(totals.waits.of_value, 0U);
    EXPECT_GT(totals.waits.settled, 0U);
    EXPECT_GT(totals.waits.continued, 0U);
    EXPECT_GT(totals.waits.gone, 0U);
    EXPECT_GE(totals.instances, 5 * campaign.count);
    EXPECT_GE(totals.steps, 200 * campaign.count);
}

TEST(Program, TextAndTreeAreTheSame) {
    Rng rng(5);
    for (int i = 0; i < 200; ++i) {
        const std::string text = to_text(*random_program(rng, ProgramStyle()));
        EXPECT_EQ(to_text(*parse_program(text)), text);
    }
    EXPECT_THROW((void)parse_program("(a 1"), std::runtime_error);
    EXPECT_THROW((void)parse_program(""), std::runtime_error);
}

}  // namespace
}  // namespace belay::sim::world_tests
