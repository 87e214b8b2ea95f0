#include "simulation/world/small_limits.hpp"

#include "simulation/world/large.hpp"

namespace belay::sim {

namespace {

void make_smaller(Limits& limits, Rng& rng) {
    const auto some = [&](std::int64_t least, std::int64_t most) {
        return static_cast<std::uint32_t>(rng.between(least, most));
    };
    switch (rng.below(13)) {
        case 0: limits.payload_bytes = kLargeBytes - 1; break;
        case 1: limits.custom_status_bytes = kLargeBytes - 1; break;
        case 2: limits.key_value_bytes = kLargeBytes - 1; break;
        case 3: limits.key_values = 1; break;
        case 4: limits.key_values_bytes = kLargeBytes; break;
        case 5: limits.history_events = some(15, 60); break;
        case 6: limits.open_commands = some(1, 3); break;
        case 7: limits.buffered_messages = some(1, 3); break;
        case 8: limits.rollbacks = 1; break;
        case 9: limits.carried_bytes = kLargeBytes; break;
        case 10: limits.helper_depth = some(5, 8); break;
        case 11: limits.tree_depth = some(0, 2); break;
        // The limit of a refusal that code catches. The other is shorter than its reason for giving
        // up.
        default:
            limits.cancel_throws = some(1, 2);
            limits.reason_bytes = 19;
            break;
    }
}

}  // namespace

Limits limits_of_world(Rng rng) {
    Limits limits;
    Rng output(rng);
    limits.output_first_bytes = static_cast<std::size_t>(output.between(0, 400));
    limits.output_last_bytes = static_cast<std::size_t>(output.between(0, 400));
    limits.output_attempts = static_cast<std::uint32_t>(output.between(1, 3));
    limits.output_run_bytes = static_cast<std::size_t>(output.between(500, 10'000));
    if (!rng.percent(15)) return limits;
    make_smaller(limits, rng);
    if (rng.percent(50)) make_smaller(limits, rng);
    return limits;
}

}  // namespace belay::sim
