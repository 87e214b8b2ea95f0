// A process's source of random numbers. Injected, so that one seed can decide everything in a test.
#pragma once

#include <cstdint>

namespace belay {

/// Safe to call from any thread.
class Random {
public:
    virtual ~Random() = default;
    /// Returns 64 random bits.
    [[nodiscard]] virtual std::uint64_t next() = 0;
};

/// The operating system's generator.
[[nodiscard]] Random& system_random() noexcept;

}  // namespace belay
