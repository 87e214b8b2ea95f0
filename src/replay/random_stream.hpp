// The random numbers of one execution.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace belay::replay {

/// xoshiro256**, by Blackman and Vigna, filled by SplitMix64. The numbers for a seed are part of
/// every history that holds one: they must never change.
class RandomStream {
public:
    RandomStream(std::uint64_t high, std::uint64_t low) noexcept {
        std::uint64_t mixed = high;
        for (std::uint64_t& word : state_) {
            mixed += 0x9E3779B97F4A7C15ULL;
            std::uint64_t z = mixed;
            z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
            z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
            word = z ^ (z >> 31);
        }
        state_[1] ^= low;
        state_[3] |= 1;  // All zeros would stay so for ever.
        for (int i = 0; i < 8; ++i) (void)next();
    }

    std::uint64_t next() noexcept {
        const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
        const std::uint64_t shifted = state_[1] << 17;
        state_[2] ^= state_[0];
        state_[3] ^= state_[1];
        state_[1] ^= state_[2];
        state_[0] ^= state_[3];
        state_[2] ^= shifted;
        state_[3] = std::rotl(state_[3], 45);
        return result;
    }

private:
    std::array<std::uint64_t, 4> state_{};
};

}  // namespace belay::replay
