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

/// The longest row of keys that one source draws while another has drawn them before.
int longest_row_in_use(std::uint64_t seed) {
    support::ManualClock clock;
    SeededRandom one_random(seed);
    SeededRandom other_random(seed + 1);
    IdSource one(clock, one_random);
    IdSource other(clock, other_random);
    std::set<RunKey> keys;
    for (int i = 0; i < 1'000; ++i) keys.insert(one.run_key());
    int in_a_row = 0;
    int most_in_a_row = 0;
    for (int i = 0; i < 1'000; ++i) {
        in_a_row = keys.insert(other.run_key()).second ? 0 : in_a_row + 1;
        most_in_a_row = std::max(most_in_a_row, in_a_row);
    }
    return most_in_a_row;
}

TEST(IdSource, TwoSourcesAtOneMomentDoNotDrawTheSameRowOfKeys) {
    for (std::uint64_t seed = 0; seed < 200; ++seed) EXPECT_LE(longest_row_in_use(seed), 2);
}

}  // namespace
}  // namespace belay
