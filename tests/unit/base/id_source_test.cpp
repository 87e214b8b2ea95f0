// The keys of runs, drawn by processes that know nothing of each other.
#include "base/id_source.hpp"

#include "support/manual_clock.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace belay {
namespace {

class SeededRandom final : public Random {
public:
    explicit SeededRandom(std::uint64_t seed) : engine_(seed) {}
    std::uint64_t next() override { return engine_(); }

private:
    std::mt19937_64 engine_;
};

TEST(IdSource, KeysAscendThoughTheClockIsSetBack) {
    support::ManualClock clock;
    SeededRandom random(1);
    IdSource source(clock, random);
    RunKey last = source.run_key();
    for (int i = 0; i < 100; ++i) {
        clock.set_back(std::chrono::seconds(1));
        const RunKey next = source.run_key();
        EXPECT_GT(next.value, last.value);
        last = next;
    }
}

/// The most draws that one source needs for a key that is not in use, if it draws the next one
/// behind a key that is.
int most_draws(std::uint64_t seed) {
    support::ManualClock clock;
    SeededRandom one_random(seed);
    SeededRandom other_random(seed + 1);
    IdSource one(clock, one_random);
    IdSource other(clock, other_random);
    std::set<RunKey> keys;
    for (int i = 0; i < 1'000; ++i) keys.insert(one.run_key());
    int most = 0;
    for (int i = 0; i < 1'000; ++i) {
        int draws = 1;
        RunKey key = other.run_key();
        for (; !keys.insert(key).second; ++draws) key = other.run_key(key);
        most = std::max(most, draws);
    }
    return most;
}

// At one moment each source draws a long row of keys, and the rows of two may meet.
TEST(IdSource, AKeyBehindOneThatIsInUseIsFarFromItsRow) {
    int most = 0;
    for (std::uint64_t seed = 0; seed < 200; ++seed) most = std::max(most, most_draws(seed));
    EXPECT_EQ(most, 2);
}

}  // namespace
}  // namespace belay
