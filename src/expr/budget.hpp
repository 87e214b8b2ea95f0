// The work and the memory that an evaluation may still spend.
#pragma once

#include "expr/limits.hpp"

#include <cstddef>
#include <cstdint>

namespace belay::expr {

class Budget {
public:
    explicit Budget(std::uint64_t work = kMostWork, std::uint64_t memory = kMostMemory)
        : work_(work), memory_(memory) {}

    /// Takes some work. Returns false if there is not enough left; then there is none left.
    [[nodiscard]] bool work(std::uint64_t amount) noexcept { return take(work_, amount); }
    /// Takes memory for text, and the work of writing it.
    [[nodiscard]] bool text(std::uint64_t bytes) noexcept {
        return take(memory_, bytes) && work(1 + bytes / 64);
    }
    /// Takes memory and work for elements of lists and maps.
    [[nodiscard]] bool elements(std::uint64_t count) noexcept {
        return count <= memory_ && take(memory_, count * kBytesPerElement) && work(count);
    }

private:
    static constexpr std::uint64_t kBytesPerElement = 32;

    static bool take(std::uint64_t& left, std::uint64_t amount) noexcept {
        const bool enough = amount <= left;
        left = enough ? left - amount : 0;
        return enough;
    }

    std::uint64_t work_;
    std::uint64_t memory_;
};

}  // namespace belay::expr
