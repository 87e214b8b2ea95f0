// Two things measured in short slices, one after the other in turns, so that other load of the
// machine meets both.
#pragma once

#include "statistics.hpp"

#include <cstddef>
#include <functional>
#include <vector>

namespace belay::bench {

/// Takes one slice, and returns the figure of it.
using Slice = std::function<double()>;

struct Turns {
    std::vector<double> subject;
    std::vector<double> yardstick;  ///< One more: there is one before and one after each subject.
    Estimate ratio;
};

/// Each subject by the mean of the yardsticks before and after it: a machine that becomes slower
/// or faster while it is being measured does not show in it.
[[nodiscard]] inline std::vector<double> by_neighbours(const std::vector<double>& subject,
                                                       const std::vector<double>& yardstick) {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < subject.size(); ++i) {
        ratios.push_back(subject[i] / ((yardstick[i] + yardstick[i + 1]) / 2));
    }
    return ratios;
}

/// As many slices of the subject, and one more of the yardstick around them. Without a yardstick
/// there is no ratio.
[[nodiscard]] inline Turns take_turns(std::size_t slices,
                                      const Slice& subject,
                                      const Slice& yardstick) {
    Turns turns;
    if (yardstick) turns.yardstick.push_back(yardstick());
    while (turns.subject.size() < slices) {
        turns.subject.push_back(subject());
        if (yardstick) turns.yardstick.push_back(yardstick());
    }
    if (yardstick) turns.ratio = estimate(by_neighbours(turns.subject, turns.yardstick));
    return turns;
}

}  // namespace belay::bench
