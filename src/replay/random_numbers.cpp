#include <belay/random_numbers.hpp>

#include <stdexcept>

namespace belay {

namespace detail {

Engine& engine_of(const Scope& scope) {
    if (scope.engine == nullptr) {
        throw std::logic_error(
            "belay: this context belongs to a helper or orchestration that has ended: use the one "
            "that was handed to the code that runs");
    }
    return *scope.engine;
}

}  // namespace detail

std::uint64_t RandomNumbers::below(std::uint64_t bound) const {
    // The numbers above the largest multiple of `bound` would favour small results.
    const std::uint64_t surplus = (max() % bound + 1) % bound;
    for (;;) {
        const std::uint64_t bits = (*this)();
        if (bits <= max() - surplus) return bits % bound;
    }
}

std::int64_t RandomNumbers::integer(std::int64_t least, std::int64_t most) const {
    if (least > most) {
        throw std::invalid_argument("belay: there is no number from " + std::to_string(least) +
                                    " to " + std::to_string(most));
    }
    const std::uint64_t range =
        static_cast<std::uint64_t>(most) - static_cast<std::uint64_t>(least);
    const std::uint64_t offset = range == max() ? (*this)() : below(range + 1);
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(least) + offset);
}

double RandomNumbers::real() const { return static_cast<double>((*this)() >> 11) * 0x1.0p-53; }

std::string RandomNumbers::uuid() const {
    constexpr const char* kDigits = "0123456789abcdef";
    std::uint64_t high = (*this)();
    std::uint64_t low = (*this)();
    high = (high & 0xFFFF'FFFF'FFFF'0FFFULL) | 0x4000ULL;               // Version 4 ...
    low = (low & 0x3FFF'FFFF'FFFF'FFFFULL) | 0x8000'0000'0000'0000ULL;  // ... of RFC 9562.
    std::string text;
    text.reserve(36);
    for (unsigned digit = 0; digit < 32; ++digit) {
        if (digit == 8 || digit == 12 || digit == 16 || digit == 20) text += '-';
        const std::uint64_t half = digit < 16 ? high : low;
        text += kDigits[(half >> (60U - 4U * (digit % 16U))) & 0xFU];
    }
    return text;
}

}  // namespace belay
