#include "replay/seeded_random.hpp"

namespace belay::replay {

std::uint64_t SeededRandom::next() {
    if (!stream_) {
        const auto* const recorded = journal_.next_in_history<model::RandomSeeded>();
        const model::RandomSeeded seed = recorded != nullptr ? *recorded : fresh_;
        journal_.record(seed);
        stream_.emplace(seed.high, seed.low);
    }
    return stream_->next();
}

}  // namespace belay::replay
