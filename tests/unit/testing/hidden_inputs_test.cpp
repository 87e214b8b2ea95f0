// Code that reads what nobody records is told of, by name.
#include "shop.hpp"
#include <belay/testing/hidden_inputs.hpp>

#include <sys/random.h>
#include <sys/time.h>

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <random>
#include <vector>

namespace belay::testing_tests {
namespace {

inline constexpr Definition<int(int)> Reads{"Reads"};
inline constexpr Activity<int()> ReadsAll{"ReadsAll"};

/// Code that uses values it must not know; the result depends on none of them.
using Reader = void (*)();

volatile std::int64_t sink = 0;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

const std::vector<std::pair<std::string, Reader>>& readers() {
    static const std::vector<std::pair<std::string, Reader>> all = {
        {"clock_gettime",
         [] { sink = std::chrono::system_clock::now().time_since_epoch().count(); }},
        {"clock_gettime",
         [] { sink = std::chrono::steady_clock::now().time_since_epoch().count(); }},
        {"gettimeofday",
         [] {
             timeval at{};
             sink = gettimeofday(&at, nullptr);
         }},
        {"time", [] { sink = std::time(nullptr); }},
        {"timespec_get",
         [] {
             timespec at{};
             sink = timespec_get(&at, TIME_UTC);
         }},
        {"clock", [] { sink = std::clock(); }},
        {"getrandom",
         [] {
             char byte = 0;
             sink = getrandom(&byte, 1, 0);
         }},
        {"getentropy",
         [] {
             char byte = 0;
             sink = getentropy(&byte, 1);
         }},
        {"rand", [] { sink = std::rand(); }},
        {"random", [] { sink = random(); }},
        {"drand48", [] { sink = static_cast<std::int64_t>(drand48()); }},
        {"lrand48", [] { sink = lrand48(); }},
        {"mrand48", [] { sink = mrand48(); }},
#if __GLIBC_PREREQ(2, 36)
        {"arc4random", [] { sink = arc4random(); }},
        {"arc4random_buf",
         [] {
             char byte = 0;
             arc4random_buf(&byte, 1);
             sink = byte;
         }},
        {"arc4random_uniform", [] { sink = arc4random_uniform(6); }},
#endif
        {"std::random_device", [] { sink = std::random_device()(); }},
        {"getenv", [] { sink = std::getenv("PATH") != nullptr ? 1 : 0; }},
        {"secure_getenv", [] { sink = secure_getenv("PATH") != nullptr ? 1 : 0; }},
    };
    return all;
}

Orchestration<int> reads(OrchestrationContext ctx, int which) {
    co_await ctx.timer(1h);
    readers().at(static_cast<std::size_t>(which)).second();
    co_return which;
}

class HiddenInputs : public ::testing::TestWithParam<int> {
protected:
    [[nodiscard]] static const std::string& function() {
        return readers().at(static_cast<std::size_t>(GetParam())).first;
    }
};

/// None where they are not detected: under some sanitizers.
int count_of_readers() {
    return testing::detects_hidden_inputs() ? static_cast<int>(readers().size()) : 0;
}

INSTANTIATE_TEST_SUITE_P(Each, HiddenInputs, ::testing::Range(0, count_of_readers()));
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(HiddenInputs);

TEST_P(HiddenInputs, AreToldOf) {
    World world;
    world.add(Reads, reads);
    const std::string problem = problem_of([&] { (void)world.run(Reads, GetParam()); });
    EXPECT_THAT(problem, HasSubstr("Reads called " + function() + " in a turn: "));
}

TEST_P(HiddenInputs, CanBeAllowed) {
    World world(Registry(), WorldOptions().allow_in_turns(function()));
    world.add(Reads, reads);
    EXPECT_EQ(world.run(Reads, GetParam()).value(), GetParam());
}

TEST(HiddenInputsElsewhere, AreNobodysConcern) {
    for (const auto& [function, read] : readers()) read();
    World world;
    world.add(Reads, [](OrchestrationContext ctx, int which) -> Orchestration<int> {
        const auto now = ctx.now();
        const int sum = co_await ctx.call(ReadsAll);
        co_return now == ctx.now() ? sum + which : -1;
    });
    world.replace(ReadsAll, [] {
        for (const auto& [function, read] : readers()) read();
        return 1;
    });
    EXPECT_EQ(world.run(Reads, 1).value(), 2);
}

TEST(HiddenInputsElsewhere, FunctionsDoWhatTheyShould) {
    const auto before = std::chrono::system_clock::now();
    timeval at{};
    ASSERT_EQ(gettimeofday(&at, nullptr), 0);
    const std::time_t seconds = std::time(nullptr);
    EXPECT_GE(std::chrono::system_clock::from_time_t(seconds), before - std::chrono::seconds(2));
    EXPECT_GE(at.tv_sec, std::chrono::system_clock::to_time_t(before));
    ASSERT_EQ(setenv("BELAY_TEST_VARIABLE", "yes", 1), 0);
    EXPECT_STREQ(std::getenv("BELAY_TEST_VARIABLE"), "yes");
    EXPECT_EQ(std::getenv("BELAY_TEST_NO_VARIABLE"), nullptr);
    std::srand(7);
    const int first = std::rand();
    std::srand(7);
    EXPECT_EQ(std::rand(), first);
    srand48(7);
    const long second = lrand48();
    srand48(7);
    EXPECT_EQ(lrand48(), second);
    timespec now{};
    ASSERT_EQ(timespec_get(&now, TIME_UTC), TIME_UTC);
    EXPECT_GE(now.tv_sec, at.tv_sec);
    EXPECT_GE(std::clock(), 0);
    std::vector<unsigned char> bytes(64, 0);
    ASSERT_EQ(getentropy(bytes.data(), bytes.size()), 0);
    EXPECT_NE(bytes, std::vector<unsigned char>(64, 0));
}

}  // namespace
}  // namespace belay::testing_tests
