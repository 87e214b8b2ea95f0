// Estimates from several measurements of one thing, and judgements of them. No clock is read here.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace belay::bench {

/// The value below which the part `share` of the values lies; 0.5 is the median. 0 if there are
/// none.
[[nodiscard]] inline double quantile(std::vector<double> values, double share) {
    if (values.empty()) return 0;
    const auto last = static_cast<double>(values.size() - 1);
    const auto at = values.begin() + static_cast<std::ptrdiff_t>(last * share + 0.5);
    std::nth_element(values.begin(), at, values.end());
    return *at;
}

[[nodiscard]] inline double median(std::vector<double> values) {
    return quantile(std::move(values), 0.5);
}

/// A median, and its spread: the range that holds the true median with a confidence of 95 %.
struct Estimate {
    double median = 0;
    double low = 0;
    double high = 0;
    std::size_t samples = 0;
};

/// Something that was counted once, and does not vary.
[[nodiscard]] inline Estimate exactly(double value) { return Estimate{value, value, value, 1}; }

/// The number of the smallest samples that lie outside of the spread; as many of the largest do.
/// The number of samples below the true median is that of heads when a coin is thrown for each. So
/// nothing is assumed about their distribution. Fewer than six samples cannot give 95 %: the spread
/// then is all of them.
[[nodiscard]] inline std::size_t outside_of_spread(std::size_t samples) {
    constexpr double kMostError = 0.025;  // On each side.
    const auto count = static_cast<double>(samples);
    double exactly_so_many = std::pow(0.5, count);
    double at_most_so_many = exactly_so_many;
    std::size_t below = 0;
    while (at_most_so_many <= kMostError) {
        ++below;
        const auto k = static_cast<double>(below);
        exactly_so_many *= (count - k + 1) / k;
        at_most_so_many += exactly_so_many;
    }
    return below > 0 ? below - 1 : 0;
}

[[nodiscard]] inline Estimate estimate(std::vector<double> samples) {
    if (samples.empty()) return {};
    std::sort(samples.begin(), samples.end());
    const std::size_t outside = outside_of_spread(samples.size());
    return Estimate{
        median(samples), samples[outside], samples[samples.size() - 1 - outside], samples.size()};
}

/// The side of a bar on which a figure is to be.
enum class Wanted : std::uint8_t { at_least, at_most };

enum class Verdict : std::uint8_t {
    met,      ///< The whole spread is on the right side of the bar.
    missed,   ///< The whole spread is on the wrong side.
    unclear,  ///< The bar is inside the spread: it is too wide to tell.
};

[[nodiscard]] inline Verdict judge(const Estimate& figure, Wanted wanted, double bar) {
    const auto is_right = [&](double value) {
        return wanted == Wanted::at_least ? value >= bar : value <= bar;
    };
    if (is_right(figure.low) != is_right(figure.high)) return Verdict::unclear;
    return is_right(figure.low) ? Verdict::met : Verdict::missed;
}

}  // namespace belay::bench
