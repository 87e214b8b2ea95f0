// The operating system's random numbers, drawn ahead.
#include <belay/random.hpp>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <set>
#include <thread>
#include <vector>

namespace belay {
namespace {

std::vector<std::uint64_t> draw(std::size_t count) {
    std::vector<std::uint64_t> numbers(count);
    for (std::uint64_t& number : numbers) number = system_random().next();
    return numbers;
}

TEST(SystemRandom, NumbersDiffer) {
    const std::vector<std::uint64_t> numbers = draw(1'000);
    EXPECT_EQ(std::set(numbers.begin(), numbers.end()).size(), numbers.size());
}

TEST(SystemRandom, ThreadsDrawOtherNumbers) {
    std::vector<std::uint64_t> theirs;
    std::thread([&] { theirs = draw(100); }).join();
    std::vector<std::uint64_t> numbers = draw(100);
    numbers.insert(numbers.end(), theirs.begin(), theirs.end());
    EXPECT_EQ(std::set(numbers.begin(), numbers.end()).size(), 200U);
}

/// Both processes have the numbers that were drawn ahead before the fork.
TEST(SystemRandom, AForkedChildDrawsOtherNumbers) {
    (void)draw(1);
    int pipe[2];
    ASSERT_EQ(::pipe(pipe), 0);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        const std::uint64_t theirs = system_random().next();
        const bool written = ::write(pipe[1], &theirs, sizeof(theirs)) == sizeof(theirs);
        ::_exit(written ? 0 : 1);
    }
    std::uint64_t theirs = 0;
    EXPECT_EQ(::read(pipe[0], &theirs, sizeof(theirs)), static_cast<ssize_t>(sizeof(theirs)));
    EXPECT_NE(system_random().next(), theirs);
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    ::close(pipe[0]);
    ::close(pipe[1]);
}

}  // namespace
}  // namespace belay
