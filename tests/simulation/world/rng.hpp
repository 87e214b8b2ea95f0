// The one source of chance of a simulation.
#pragma once

#include <belay/random.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace belay::sim {

/// xoshiro256**, seeded through splitmix64. The distributions are our own too: those of the
/// standard library differ between implementations, and a seed must mean the same everywhere.
class Rng {
public:
    explicit Rng(std::uint64_t seed) {
        for (std::uint64_t& word : state_) {
            seed += 0x9E3779B97F4A7C15ULL;
            std::uint64_t mixed = seed;
            mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9ULL;
            mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBULL;
            word = mixed ^ (mixed >> 31);
        }
    }

    std::uint64_t next() {
        const std::uint64_t result = rotate(state_[1] * 5, 7) * 9;
        const std::uint64_t shifted = state_[1] << 17;
        state_[2] ^= state_[0];
        state_[3] ^= state_[1];
        state_[1] ^= state_[2];
        state_[0] ^= state_[3];
        state_[2] ^= shifted;
        state_[3] = rotate(state_[3], 45);
        return result;
    }

    /// 0 to `count` - 1; `count` is small, so the bias of the remainder does not matter.
    std::size_t below(std::size_t count) { return static_cast<std::size_t>(next() % count); }
    /// From `low` to `high`, both included.
    std::int64_t between(std::int64_t low, std::int64_t high) {
        return low + static_cast<std::int64_t>(below(static_cast<std::size_t>(high - low + 1)));
    }
    bool percent(unsigned chance) { return below(100) < chance; }
    bool per_mille(unsigned chance) { return below(1000) < chance; }

    template <class T>
    const T& pick(const std::vector<T>& from) {
        return from[below(from.size())];
    }

private:
    static std::uint64_t rotate(std::uint64_t value, unsigned by) {
        return (value << by) | (value >> (64U - by));
    }

    std::uint64_t state_[4] = {};
};

/// A simulated process draws its ids from it.
class SimRandom final : public Random {
public:
    explicit SimRandom(std::uint64_t seed) : rng_(seed) {}
    std::uint64_t next() override { return rng_.next(); }

private:
    Rng rng_;
};

}  // namespace belay::sim
