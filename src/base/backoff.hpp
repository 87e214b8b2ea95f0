// The time to wait before something is tried again.
#pragma once

#include <belay/time.hpp>

#include <cstdint>

namespace belay::base {

/// A delay that doubles with every try, up to a limit.
[[nodiscard]] inline Millis backoff(Millis first, Millis most, std::uint32_t tries) {
    Millis delay = first;
    for (std::uint32_t i = 0; i < tries && delay < most; ++i) delay *= 2;
    return delay < most ? delay : most;
}

}  // namespace belay::base
