#include <belay/call_options.hpp>
#include <belay/retry.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace belay {

void detail::throw_not_positive(const char* what) {
    throw std::invalid_argument(std::string("belay: ") + what + " must be positive");
}

namespace {

constexpr std::uint64_t kPermille = 1'000;

Millis not_negative(Millis value, const char* what) {
    if (value < Millis(0)) {
        throw std::invalid_argument(std::string("belay: ") + what + " must not be negative");
    }
    return value;
}

Millis positive(Millis value, const char* what) {
    if (value <= Millis(0)) {
        throw std::invalid_argument(std::string("belay: ") + what + " must be positive");
    }
    return value;
}

/// The comparisons are negated, so that NaN is refused.
std::uint64_t permille(double value, double least, double most, const char* what) {
    if (!(value >= least && value <= most)) {
        throw std::invalid_argument(std::string("belay: ") + what);
    }
    return static_cast<std::uint64_t>(std::llround(value * static_cast<double>(kPermille)));
}

/// Returns at most `most`, however large the numbers are. Rounded down; `permille` is not 0.
std::uint64_t scaled(std::uint64_t value, std::uint64_t permille, std::uint64_t most) {
    if (value > most) return most;
    const std::uint64_t whole = value / kPermille;
    const std::uint64_t rest = value % kPermille;
    if (whole > most / permille) return most;
    return std::min(most, whole * permille + rest * permille / kPermille);
}

/// A delay that also keeps the part below a millisecond, in billionths of one. If each step were
/// rounded to whole ones, 1 ms times 1.5 would stay 1 ms for ever.
struct FineDelay {
    static constexpr std::uint64_t kParts = 1'000'000'000;

    std::uint64_t millis = 0;
    std::uint64_t parts = 0;

    /// Returns false if the delay is `most` or longer. It is then not valid any more.
    [[nodiscard]] bool grow(std::uint64_t permille, std::uint64_t most) {
        const std::uint64_t whole = millis / kPermille;
        const std::uint64_t rest = millis % kPermille;
        if (whole > most / permille) return false;
        // A factor is at most a million permille, so nothing here overflows.
        const std::uint64_t fine =
            rest * permille * (kParts / kPermille) + parts * permille / kPermille;
        millis = whole * permille + fine / kParts;
        parts = fine % kParts;
        return millis < most;
    }
};

}  // namespace

RetryPolicy RetryPolicy::none() { return std::move(fixed(Millis(0)).attempts(1)); }

RetryPolicy RetryPolicy::fixed(Millis delay) { return linear(delay, Millis(0)); }

RetryPolicy RetryPolicy::linear(Millis first, Millis step) {
    return {Growth::linear,
            not_negative(first, "the delay of a retry policy"),
            not_negative(step, "the step of a retry policy"),
            kPermille};
}

RetryPolicy RetryPolicy::exponential(Millis first, double factor) {
    return {Growth::exponential,
            not_negative(first, "the delay of a retry policy"),
            Millis(0),
            permille(factor, 1.0, 1'000.0, "the factor of a retry policy is between 1 and 1000")};
}

RetryPolicy& RetryPolicy::attempts(std::uint32_t most) {
    if (most == 0) throw std::invalid_argument("belay: a retry policy has at least one attempt");
    attempts_ = most;
    return *this;
}

RetryPolicy& RetryPolicy::unlimited_attempts() {
    attempts_ = 0;
    return *this;
}

RetryPolicy& RetryPolicy::max_delay(Millis most) {
    max_delay_ = not_negative(most, "the longest delay of a retry policy");
    return *this;
}

RetryPolicy& RetryPolicy::jitter(double part) {
    jitter_permille_ = permille(part, 0.0, 1.0, "the jitter of a retry policy is between 0 and 1");
    return *this;
}

RetryPolicy& RetryPolicy::deadline(Millis total) {
    deadline_ = positive(total, "the deadline of a retry policy");
    return *this;
}

RetryPolicy& RetryPolicy::attempt_timeout(Millis each) {
    attempt_timeout_ = positive(each, "the timeout of an attempt");
    return *this;
}

RetryPolicy& RetryPolicy::not_on(FailureKind kind) {
    kinds_ &= ~bit(kind);
    return *this;
}

RetryPolicy& RetryPolicy::also_on(FailureKind kind) {
    kinds_ |= bit(kind);
    return *this;
}

RetryPolicy& RetryPolicy::not_on(std::string type) {
    final_types_.push_back(std::move(type));
    return *this;
}

bool RetryPolicy::again_after(const Failure& failure, std::uint32_t attempt) const {
    if (attempts_ != 0 && attempt >= attempts_) return false;
    if (!failure.retryable || (kinds_ & bit(failure.kind)) == 0) return false;
    return std::find(final_types_.begin(), final_types_.end(), failure.type) == final_types_.end();
}

Millis RetryPolicy::delay_after(std::uint32_t attempt) const {
    const auto most = static_cast<std::uint64_t>(max_delay_.count());
    auto delay = static_cast<std::uint64_t>(first_.count());
    const std::uint64_t times = attempt - 1;
    if (growth_ == Growth::linear) {
        const auto step = static_cast<std::uint64_t>(step_.count());
        const bool beyond = step != 0 && times > most / step;
        delay = beyond || delay > most ? most : delay + times * step;
    } else if (factor_permille_ > kPermille && delay > 0 && delay < most) {
        // Each step adds at least a thousandth. Some 44,000 steps reach the longest possible delay,
        // whatever the number of the attempt.
        FineDelay fine{delay, 0};
        for (std::uint64_t i = 0; i < times; ++i) {
            if (!fine.grow(factor_permille_, most)) return max_delay_;
        }
        delay = fine.millis;
    }
    return Millis(static_cast<Millis::rep>(std::min(delay, most)));
}

Millis RetryPolicy::jittered(Millis delay, std::uint64_t bits) const {
    if (jitter_permille_ == 0) return delay;
    const auto whole = static_cast<std::uint64_t>(delay.count());
    const std::uint64_t range = scaled(whole, jitter_permille_, whole);
    return Millis(static_cast<Millis::rep>(whole - (range == 0 ? 0 : bits % (range + 1))));
}

}  // namespace belay
