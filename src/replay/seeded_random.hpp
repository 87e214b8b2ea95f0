// The random numbers of one execution, the same on every replay.
//
//   state      event                             next     recorded
//   unseeded   next, live                        seeded   RandomSeeded with the fresh seed
//   unseeded   next, history has a seed next     seeded   RandomSeeded as history has it
//   unseeded   next, history has another event   seeded   RandomSeeded, which history does not have
//   seeded     next                              seeded   nothing
#pragma once

#include "model/event.hpp"
#include "replay/journal.hpp"
#include "replay/random_stream.hpp"

#include <cstdint>
#include <optional>

namespace belay::replay {

class SeededRandom {
public:
    /// `fresh` outlives it.
    SeededRandom(const model::RandomSeeded& fresh, Journal& journal) noexcept
        : fresh_(fresh), journal_(journal) {}

    /// Returns the next 64 bits.
    [[nodiscard]] std::uint64_t next();

private:
    const model::RandomSeeded& fresh_;
    Journal& journal_;
    std::optional<RandomStream> stream_;  // None: unseeded.
};

}  // namespace belay::replay
