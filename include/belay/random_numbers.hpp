// Random numbers that are the same on every replay.
#pragma once

#include <belay/detail/engine.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>

namespace belay {

/// The random numbers of one execution: `ctx.random()`. Their seed is drawn when the first one is
/// asked for and recorded in history. So every replay draws the same ones, on any machine, and two
/// executions draw different ones. Drawing costs no round trip. Not for secrets: the seed can be
/// read.
///
/// Use the functions here: the distributions of the standard library give other numbers in other
/// versions of it. This can be passed to functions that need a generator, if that does not matter.
/// Belongs to the coroutine whose context it came from.
class RandomNumbers {
public:
    using result_type = std::uint64_t;

    explicit RandomNumbers(std::shared_ptr<detail::Scope> scope) noexcept
        : scope_(std::move(scope)) {}

    /// 64 random bits.
    result_type operator()() const { return detail::engine_of(*scope_).random_bits(); }
    /// The least value of `operator()`: with `max` it is a generator of the standard library.
    [[nodiscard]] static constexpr result_type min() noexcept { return 0; }
    /// The greatest value of `operator()`.
    [[nodiscard]] static constexpr result_type max() noexcept {
        return std::numeric_limits<result_type>::max();
    }

    /// Returns one of `least`, ..., `most`, each as likely as the others. Throws
    /// std::invalid_argument if there is none.
    [[nodiscard]] std::int64_t integer(std::int64_t least, std::int64_t most) const;
    /// Returns a number from 0 up to, and without, 1; 53 bits of it are random.
    [[nodiscard]] double real() const;
    /// True with this probability: never for 0, always for 1.
    [[nodiscard]] bool chance(double probability) const { return real() < probability; }
    /// Returns a UUID of version 4.
    [[nodiscard]] std::string uuid() const;
    /// Puts the elements of a vector, or of a sequence indexed like one, into random order.
    template <class Sequence>
    void shuffle(Sequence& sequence) const {
        for (std::size_t left = sequence.size(); left > 1; --left) {
            const auto other = static_cast<std::size_t>(below(left));
            using std::swap;
            swap(sequence[left - 1], sequence[other]);
        }
    }

private:
    /// Returns one of 0, ..., `bound` - 1.
    [[nodiscard]] std::uint64_t below(std::uint64_t bound) const;

    std::shared_ptr<detail::Scope> scope_;
};

}  // namespace belay
