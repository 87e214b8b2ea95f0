#include "runtime/executors/mean_job_time.hpp"

#include <gtest/gtest.h>

namespace belay::runtime::pace_tests {
namespace {

using namespace std::chrono_literals;

constexpr std::uint32_t kThreads = 16;

MeanJobTime after(int jobs, MeanJobTime::Duration each) {
    MeanJobTime pace;
    for (int i = 0; i < jobs; ++i) pace.note(each);
    return pace;
}

TEST(MeanJobTime, NothingMayWaitBeforeAnythingIsKnown) {
    EXPECT_EQ(MeanJobTime().may_wait(kThreads), 0U);
    EXPECT_EQ(after(7, 1us).may_wait(kThreads), 0U);
    EXPECT_GT(after(8, 1us).may_wait(kThreads), 0U);
}

TEST(MeanJobTime, AsManyMayWaitAsGetAThreadSoon) {
    EXPECT_EQ(after(8, 100us).may_wait(kThreads), 1'600U);
    EXPECT_EQ(after(8, 1ms).may_wait(kThreads), 160U);
    EXPECT_EQ(after(8, 10ms).may_wait(kThreads), 16U);
    EXPECT_EQ(after(8, 11ms).may_wait(kThreads), 0U);
    EXPECT_EQ(after(8, 10min).may_wait(kThreads), 0U);
}

TEST(MeanJobTime, ThereIsALimitHoweverShortJobsAre) {
    EXPECT_EQ(after(100, 0ns).may_wait(kThreads), 16'384U);
    EXPECT_EQ(after(100, 0ns).may_wait(1'000'000), 16'384U);
}

TEST(MeanJobTime, OneThatLostItsCoreForAMomentDoesNotKeepTheOthersOut) {
    MeanJobTime pace = after(1'000, 2us);
    pace.note(25ms);
    EXPECT_GT(pace.may_wait(kThreads), 300U);
    for (int i = 0; i < 200; ++i) pace.note(2us);
    EXPECT_GT(pace.may_wait(kThreads), 5'000U);
}

TEST(MeanJobTime, FewThatTakeLongAreNoticed) {
    MeanJobTime pace = after(1'000, 2us);
    pace.note(1s);
    EXPECT_EQ(pace.may_wait(kThreads), 0U);

    // One in fifty takes a tenth of a second: most are short, but those that wait do not get on.
    MeanJobTime mixed;
    for (int i = 0; i < 1'000; ++i) mixed.note(i % 50 == 49 ? 100ms : 2us);
    EXPECT_LE(mixed.may_wait(kThreads), 3 * kThreads);
}

TEST(MeanJobTime, ShorterJobsAreNoticed) {
    MeanJobTime pace = after(1'000, 1s);
    for (int i = 0; i < 1'000; ++i) pace.note(2us);
    EXPECT_GT(pace.may_wait(kThreads), 5'000U);
}

}  // namespace
}  // namespace belay::runtime::pace_tests
