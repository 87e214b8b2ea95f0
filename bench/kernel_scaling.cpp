#include "figures.hpp"
#include "kernel_run.hpp"
#include "measure.hpp"
#include "turns.hpp"
#include "workloads.hpp"

#include <vector>

namespace belay::bench {

namespace {

constexpr std::int64_t kMany = 10'000;
constexpr std::int64_t kFew = 1'000;

double last_by_first_thousand() {
    std::vector<Instant> stamps;
    stamps.reserve(kMany);
    Registry registry = orchestrations();
    registry.add(Step, [&stamps](std::int64_t value) {
        stamps.push_back(SteadyClock::now());
        return value;
    });
    (void)run_engine(registry, Sequence, kMany, 1, 1);
    require(stamps.size() == kMany, "an activity did not run exactly once");
    const double first = seconds_between(stamps[0], stamps[kFew - 1]);
    const double last = seconds_between(stamps[kMany - kFew], stamps[kMany - 1]);
    return last / first;
}

}  // namespace

Figure measure_sequence(std::size_t slices) {
    std::vector<double> ratios;
    while (ratios.size() < slices) ratios.push_back(last_by_first_thousand());
    return Figure{"memory.none.sequence.10000", estimate(ratios), "last thousand / first", 1.3};
}

Figure measure_join(std::size_t slices) {
    const Registry registry = code_without_effects();
    const auto seconds_per_branch = [&](std::int64_t width) {
        return run_engine(registry, WideJoin, width, 1, 1).seconds / static_cast<double>(width);
    };
    const Turns turns = take_turns(
        slices,
        [&] { return seconds_per_branch(kMany); },
        [&] { return seconds_per_branch(kFew); });
    return Figure{"memory.none.join.10000", turns.ratio, "per branch / join of 1,000", 1.3};
}

}  // namespace belay::bench
