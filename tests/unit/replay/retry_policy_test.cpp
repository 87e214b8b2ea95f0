// The answers of a retry policy: how long to wait, and whether to try again.
#include <belay/retry.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

namespace belay::replay::retry_policy_tests {
namespace {

using namespace std::chrono_literals;

std::vector<std::int64_t> delays(const RetryPolicy& policy, std::uint32_t count) {
    std::vector<std::int64_t> values;
    for (std::uint32_t i = 1; i <= count; ++i) values.push_back(policy.delay_after(i).count());
    return values;
}

TEST(RetryPolicy, DelaysGrowAsItSays) {
    using ::testing::ElementsAre;
    EXPECT_THAT(delays(RetryPolicy::fixed(7ms), 3), ElementsAre(7, 7, 7));
    EXPECT_THAT(delays(RetryPolicy::linear(5ms, 2ms), 3), ElementsAre(5, 7, 9));
    EXPECT_THAT(delays(RetryPolicy::exponential(100ms), 4), ElementsAre(100, 200, 400, 800));
    EXPECT_THAT(delays(RetryPolicy::exponential(100ms, 1.5), 4), ElementsAre(100, 150, 225, 337));
    EXPECT_THAT(delays(RetryPolicy::exponential(100ms).max_delay(300ms), 4),
                ElementsAre(100, 200, 300, 300));
    EXPECT_THAT(delays(RetryPolicy::linear(100ms, 150ms).max_delay(300ms), 4),
                ElementsAre(100, 250, 300, 300));
    EXPECT_THAT(delays(RetryPolicy::fixed(100ms).max_delay(30ms), 1), ElementsAre(30));
    EXPECT_THAT(delays(RetryPolicy::exponential(0ms), 2), ElementsAre(0, 0));
}

TEST(RetryPolicy, AShortDelayGrowsThoughAStepIsLessThanAMillisecond) {
    using ::testing::ElementsAre;
    EXPECT_THAT(delays(RetryPolicy::exponential(1ms, 1.5), 7), ElementsAre(1, 1, 2, 3, 5, 7, 11));
    const RetryPolicy slow = RetryPolicy::exponential(1ms, 1.001);
    EXPECT_EQ(slow.delay_after(1), 1ms);
    EXPECT_EQ(slow.delay_after(694), 1ms) << "1.001^693 is 1.9990";
    EXPECT_EQ(slow.delay_after(695), 2ms) << "1.001^694 is 2.0010";
    EXPECT_EQ(slow.delay_after(100'000), 1h) << "the longest";
}

/// Timers that were recorded are due when they were: what never had a fraction is as it was when
/// each step was rounded.
TEST(RetryPolicy, WholeDelaysAreExactHoweverManySteps) {
    const RetryPolicy doubling = RetryPolicy::exponential(1s).max_delay(Millis::max());
    for (std::uint32_t attempt = 1; attempt <= 50; ++attempt) {
        EXPECT_EQ(doubling.delay_after(attempt), Millis(1000LL << (attempt - 1))) << attempt;
    }
    std::int64_t power = 1;
    for (std::uint32_t attempt = 1; attempt <= 18; ++attempt, power *= 10) {
        EXPECT_EQ(
            RetryPolicy::exponential(1ms, 10).max_delay(Millis::max()).delay_after(attempt).count(),
            power);
    }
    EXPECT_THAT(delays(RetryPolicy::exponential(1s, 1.5), 4),
                ::testing::ElementsAre(1000, 1500, 2250, 3375));
}

TEST(RetryPolicy, NoDelayOverflows) {
    const Millis most = Millis::max();
    EXPECT_EQ(RetryPolicy::exponential(1ms, 1000).max_delay(most).delay_after(4'000'000'000U),
              most);
    EXPECT_EQ(RetryPolicy::linear(1ms, most).max_delay(most).delay_after(4'000'000'000U), most);
    EXPECT_EQ(RetryPolicy::exponential(1ms, 1.001).max_delay(most).delay_after(4'000'000'000U),
              most);
    EXPECT_EQ(RetryPolicy::exponential(most, 1.001).max_delay(most).delay_after(2), most);
    EXPECT_EQ(RetryPolicy::exponential(most, 1).max_delay(most).delay_after(4'000'000'000U), most);
    EXPECT_EQ(RetryPolicy::fixed(most).delay_after(1), 1h);
}

TEST(RetryPolicy, JitterStaysInItsPart) {
    const RetryPolicy half = RetryPolicy::fixed(1s).jitter(0.5);
    EXPECT_EQ(half.jittered(1s, 0), 1s);
    EXPECT_EQ(half.jittered(1s, 500), 500ms);
    EXPECT_EQ(half.jittered(1s, 501), 1s);
    EXPECT_EQ(RetryPolicy::fixed(1s).jitter(1).jittered(1s, 1000), 0ms);
    EXPECT_EQ(half.jittered(0ms, 12345), 0ms);
    EXPECT_EQ(half.jittered(Millis::max(), ~0ULL) > 0ms, true);
    EXPECT_FALSE(RetryPolicy::fixed(1s).has_jitter());
    EXPECT_EQ(RetryPolicy::fixed(1s).jittered(1s, 12345), 1s) << "without jitter";
    EXPECT_EQ(RetryPolicy::fixed(1s).jitter(0).jittered(0ms, ~0ULL), 0ms);
}

TEST(RetryPolicy, NonsenseIsRefused) {
    EXPECT_THROW((void)RetryPolicy::fixed(-1ms), std::invalid_argument);
    EXPECT_THROW((void)RetryPolicy::linear(1ms, -1ms), std::invalid_argument);
    EXPECT_THROW((void)RetryPolicy::exponential(1ms, 0.5), std::invalid_argument);
    EXPECT_THROW((void)RetryPolicy::exponential(1ms, std::numeric_limits<double>::quiet_NaN()),
                 std::invalid_argument);
    EXPECT_THROW(RetryPolicy::fixed(1ms).attempts(0), std::invalid_argument);
    EXPECT_THROW(RetryPolicy::fixed(1ms).max_delay(-1ms), std::invalid_argument);
    EXPECT_THROW(RetryPolicy::fixed(1ms).jitter(1.1), std::invalid_argument);
    EXPECT_THROW(RetryPolicy::fixed(1ms).deadline(0ms), std::invalid_argument);
    EXPECT_THROW(RetryPolicy::fixed(1ms).attempt_timeout(0ms), std::invalid_argument);
}

TEST(RetryPolicy, NoneIsOneAttempt) {
    EXPECT_FALSE(RetryPolicy::none().again_after(Failure(), 1));
    EXPECT_TRUE(RetryPolicy::fixed(1s).again_after(Failure(), 2));
    EXPECT_FALSE(RetryPolicy::fixed(1s).again_after(Failure(), 3));
}

}  // namespace
}  // namespace belay::replay::retry_policy_tests
