// The yardstick of the engine: the same instances by bare calls of the store.
#pragma once

#include "workloads.hpp"

#include <cstdint>

namespace belay::bench {

/// Takes `instances` of a workload through a store of their own, `in_flight` of them abreast, and
/// returns the seconds. The transitions are those of the engine (start; claim, turn; claim
/// activities, acks; claim, turn; ...) with ready-made rows: no engine, no coroutine, no encoding.
[[nodiscard]] double run_raw(const Workload& workload,
                             std::uint32_t instances,
                             std::uint32_t in_flight);

}  // namespace belay::bench
